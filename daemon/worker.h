/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - a thread for jobs that may take long, beside the event loop.
 *
 * Jobs run in the order in which they came, but jobs of root run first. In this file, "root" means
 * root and the user that the daemon runs as (worker_job.owner).
 *
 * A worker with a time limit gives up a thread if its job makes no progress for that time. Another
 * thread goes on with the next job. If the stuck thread ever comes back, it drops its job and ends.
 *
 * At most WORKER_STUCK_USER threads may be stuck for one user, and at most WORKER_STUCK_OTHERS for
 * all users other than root together. As long as one of these limits is reached, the worker starts
 * no further job of the users for whom the limit is. So the jobs of other users can never take all
 * threads away from root.
 */
#ifndef CTRACE_DAEMON_WORKER_H
#define CTRACE_DAEMON_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct worker;

struct worker_options {
	const char *name; /* name of the worker's threads, at most 15 bytes; never freed */
	unsigned queue_max;
	/* the most time that a job may take from one call of worker_progress() to the next; 0: no
	 * limit */
	uint64_t limit_ns;
	/* Called on the thread of the event loop in two cases. A job of the client was given up:
	 * then why is the member `late` of the job. Or a job of the client is not started, because
	 * of the limits for stuck threads (see above): then why is NULL. If the function pointer
	 * late is NULL, a job that such a limit stops waits in the queue until a stuck job comes
	 * back. */
	void (*late)(void *arg, uint64_t client, const char *why);
	void *arg;
};

/* The worker calls run() on its thread, and then done() on the thread of the event loop. done may
 * be NULL. */
struct worker_job {
	void (*run)(void *arg);
	void (*done)(void *arg);
	/* Frees the data that the job owns, and uses no other data. If the job was given up, drop()
	 * is called instead of done(), on the job's thread, when run() has returned. If the job is
	 * not started, drop() is called instead of run() and done(). drop may be NULL. */
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
	unsigned queued;   /* jobs that wait in the queue */
	/* time since the start or the last progress of the present job; 0: there is no job */
	uint64_t busy_ns;
};

/* Starts the thread. If opt is NULL, the worker has no time limit, and its queue has
 * WORKER_QUEUE_MAX places. Returns 0 or -errno. */
int worker_new(sd_event *event, const struct worker_options *opt, struct worker **ret);
/*
 * Ends the thread after its present job, and drops the queued jobs. Waits at most WORKER_STOP_S
 * seconds. Returns false if after that time a job still uses data that is not its own (see
 * worker_leave()). In this case the caller must not free this data.
 */
bool worker_stop(struct worker *w);
/* Call this function after worker_stop(), when no thread posts jobs any more. Accepts NULL. */
void worker_free(struct worker *w);
/*
 * Queues a copy of *job. Returns 0, -EAGAIN if the queue is full or the worker ends, or -EBUSY if a
 * limit for stuck threads (see above) does not let the job start. -EBUSY is possible only if the
 * worker has late(). After a failure no function of the job is called, and the failure is counted.
 * If the worker has a time limit, only the thread of the event loop may call this function;
 * otherwise any thread may call it.
 */
int worker_post(struct worker *w, const struct worker_job *job);
/* To be called when the client has gone: drops the client's queued jobs, and cancels its present
 * job. Only the thread of the event loop may call it. */
void worker_cancel(struct worker *w, uint64_t client);
struct worker_stats worker_stats(struct worker *w);
/* Returns the CPU time in nanoseconds of all threads of the worker so far. Any thread may call
 * it. */
uint64_t worker_cpu_ns(struct worker *w);

/* run() of a job, and functions that run() calls, may call the next three functions. On any other
 * thread these functions do nothing; worker_progress() and worker_enter() then return true. */

/* Says that the job makes progress, so that its time limit begins anew. Returns false if the result
 * of the job is not needed any more: the client has gone, the job was given up, or a worker with a
 * time limit ends. */
bool worker_progress(void);
/* Says that from now on, until worker_enter(), the job uses only data that it owns. So the end of
 * the daemon need not wait for the job. */
void worker_leave(void);
/* Says that the job wants to use shared data again. Returns false if the job was cancelled. In this
 * case the shared data may have been freed. */
bool worker_enter(void);

#endif
