/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - a thread for jobs that may take long, beside the event loop.
 *
 * Jobs run in the order in which they came, but jobs of root run first. In this file, root stands for root
 * and for the user that the daemon runs as (worker_job.owner).
 *
 * A worker with a time limit gives up a thread whose job makes no progress for that time. Another thread goes
 * on with the next job. If the stuck thread ever comes back, it drops its job and ends.
 *
 * At most WORKER_STUCK_USER threads may be stuck for one user, and WORKER_STUCK_OTHERS for all users but
 * root. So one more thread can always be started for root. No further job of a user at this limit is
 * started.
 */
#ifndef CTRACE_DAEMON_WORKER_H
#define CTRACE_DAEMON_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct worker;

struct worker_options {
	const char *name; /* name of its threads, at most 15 bytes; never freed */
	unsigned queue_max;
	/* time a job may take from one call of worker_progress() to the next; 0: no limit */
	uint64_t limit_ns;
	/* Reports that a job of client was given up (why: member late of the job), or was not started
	 * because its user has too many stuck jobs (why: NULL). Called on the thread of the event loop.
	 * If late is NULL, jobs of a user with too many stuck jobs wait until a stuck job comes back. */
	void (*late)(void *arg, uint64_t client, const char *why);
	void *arg;
};

/* run() is called on the worker's thread, then done() (may be NULL) on the thread of the event loop. */
struct worker_job {
	void (*run)(void *arg);
	void (*done)(void *arg);
	/* Releases what the job owns, and uses nothing else. Called instead of done() if the job was
	 * given up (on the job's thread), and instead of run() and done() if the job is not started. May
	 * be NULL. */
	void (*drop)(void *arg);
	void *arg;
	const char *late; /* a sentence for the client if the job is given up; never freed */
	uint64_t client;  /* the client (control.h) that asked for the job; 0: none */
	uid_t uid;        /* the client's user */
	bool owner;       /* the client is root or the user that the daemon runs as */
};

struct worker_stats {
	uint64_t refused;  /* jobs that worker_post() refused */
	uint64_t given_up; /* jobs that were given up so far */
	unsigned stuck;    /* threads that were given up and have not come back */
	unsigned queued;   /* jobs that wait */
	/* how long the present job has been running since its last progress; 0: there is none */
	uint64_t busy_ns;
};

/* Starts the thread. opt NULL: no time limit, WORKER_QUEUE_MAX. Returns 0 or -errno. */
int worker_new(sd_event *event, const struct worker_options *opt, struct worker **ret);
/*
 * Ends the thread after its present job and drops the queued jobs. Waits at most WORKER_STOP_S. Returns
 * false if after that time a job still uses data that is not its own (see worker_leave()): then the caller
 * must not free this data.
 */
bool worker_stop(struct worker *w);
/* To be called after worker_stop(), when no thread posts jobs any more. Accepts NULL. */
void worker_free(struct worker *w);
/*
 * Queues a copy of *job. Returns 0. -EAGAIN: the queue is full or the worker ends. -EBUSY: the user has too
 * many stuck jobs (only with late()). After a failure no function of the job is called; the failure is
 * counted. Any thread, but with a time limit only the thread of the event loop.
 */
int worker_post(struct worker *w, const struct worker_job *job);
/* The client has gone: drops its queued jobs, and cancels its present job. Thread of the event loop. */
void worker_cancel(struct worker *w, uint64_t client);
struct worker_stats worker_stats(struct worker *w);
/* CPU time in nanoseconds of all threads of the worker so far. Any thread. */
uint64_t worker_cpu_ns(struct worker *w);

/* The next three functions are for run() of a job, and for functions that run() calls. On any other thread
 * they do nothing; worker_progress() and worker_enter() return true. */

/* The job makes progress: its time limit begins anew. Returns false if nobody needs the result any more: the
 * client has gone, the job was given up, or a worker with a time limit ends. */
bool worker_progress(void);
/* From now on, until worker_enter(), the job uses only data that it owns. So when the daemon ends, it need
 * not wait for the job. */
void worker_leave(void);
/* The job uses shared data again. Returns false if the job was cancelled: the shared data may have been
 * freed. */
bool worker_enter(void);

#endif
