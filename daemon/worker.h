/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - a thread for jobs that may take long, beside the event loop. Jobs of root run first.
 * Here, "root" is also the user that the daemon runs as.
 *
 * A worker with a time limit gives up a thread whose job makes no progress, and another thread
 * takes over. If the stuck thread comes back, it drops its job and ends.
 *
 * If WORKER_STUCK_USER threads are stuck on jobs of one user, no further job of this user starts.
 * WORKER_STUCK_OTHERS is the limit for all users other than root together. So stuck jobs of users
 * other than root always leave a thread for root.
 */
#ifndef CTRACE_DAEMON_WORKER_H
#define CTRACE_DAEMON_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct worker;

struct worker_options {
	const char *name; /* name of the threads, at most 15 bytes; must never be freed */
	unsigned queue_max;
	/* the longest time of a job between two calls of worker_progress(); 0: no limit */
	uint64_t limit_ns;
	/*
	 * Called on the thread of the event loop, if a job of `client`
	 * - was given up: `why` is worker_job.late
	 * - does not start, because too many threads are stuck: `why` is NULL
	 * If late is NULL, a job that cannot start waits in the queue.
	 */
	void (*late)(void *arg, uint64_t client, const char *why);
	void *arg;
};

/* run() is called on the worker's thread, then done() (may be NULL) on the thread of the event loop. */
struct worker_job {
	void (*run)(void *arg);
	void (*done)(void *arg);
	/* Frees only the job's own data; may be NULL. If the job was given up, drop() is called
	 * instead of done(), on the job's thread. If the job does not start, drop() is called
	 * instead of run() and done(). */
	void (*drop)(void *arg);
	void *arg;
	const char *late;
	uint64_t client; /* the client that asked for the job (control.h); 0: none */
	uid_t uid;
	bool owner; /* root, or the user that the daemon runs as */
};

struct worker_stats {
	uint64_t refused;
	uint64_t given_up;
	unsigned stuck;
	unsigned queued;
	uint64_t busy_ns;
};

/* opt NULL: no time limit, a queue of WORKER_QUEUE_MAX. Returns 0 or -errno. */
int worker_new(sd_event *event, const struct worker_options *opt, struct worker **ret);
/*
 * Waits at most WORKER_STOP_S for the present job, then ends the thread and drops queued jobs.
 * Returns false if a job still uses shared data (worker_leave()). Then no job is dropped, and the
 * caller must not free these data.
 */
bool worker_stop(struct worker *w);
/* Call this after worker_stop(), when no thread posts jobs any more. Accepts NULL. */
void worker_free(struct worker *w);
/*
 * Queues a copy of *job. Returns 0 or -errno. After -errno, no function of the job is called. If
 * the worker has a time limit, only the thread of the event loop may call this.
 * - -EAGAIN: the queue is full, or the worker ends
 * - -EBUSY: too many threads are stuck (only if the worker has late())
 */
int worker_post(struct worker *w, const struct worker_job *job);
/* For a client that has gone. Drops its queued jobs, and cancels its present job. Only on the
 * thread of the event loop. */
void worker_cancel(struct worker *w, uint64_t client);
struct worker_stats worker_stats(struct worker *w);
/* Returns the CPU time of all threads so far. Any thread may call it. */
uint64_t worker_cpu_ns(struct worker *w);

/* The functions below are for run(), and for functions that run() calls. On other threads they do
 * nothing, or return true. */

/*
 * Starts the time limit anew. Returns false if the job is cancelled, and true otherwise. A job is
 * cancelled if one of these holds:
 * - The client of the job has gone (worker_cancel()).
 * - The job took longer than the time limit.
 * - worker_stop() was called, and the worker has a time limit.
 *
 * Nobody needs the result of a cancelled job.
 */
bool worker_progress(void);
/* Call this before a part of the job that uses only the job's own data. The part ends with
 * worker_enter(). The end of the daemon does not wait for this part. */
void worker_leave(void);
/* Call this before the job uses shared data again. Returns false if the job is cancelled
 * (worker_progress()). Then the shared data may already be freed, and the job must not use them. */
bool worker_enter(void);

#endif
