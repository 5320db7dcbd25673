/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - a thread for jobs that may take long, beside the event loop.
 *
 * Jobs are done in the order in which they came, those of root first.  A worker with a time limit gives up a
 * thread whose job gets no further for so long: another thread goes on with the next job, and the one that is
 * stuck drops its job when it comes back, if it ever does.  Limits: WORKER_STUCK_USER stuck threads for one
 * user, and WORKER_STUCK_OTHERS for all users but root, so that one more can always be started for root.
 * Further jobs of a user with so many are not begun.
 */
#ifndef CTRACE_DAEMON_WORKER_H
#define CTRACE_DAEMON_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#define WORKER_QUEUE_MAX    64 /* jobs that wait, when the options do not say */
#define WORKER_STUCK_USER   2
#define WORKER_STUCK_OTHERS 4
#define WORKER_STOP_S       2

struct worker;

struct worker_options {
	const char *name; /* of its threads, at most 15 bytes */
	unsigned queue_max;
	uint64_t limit_ns; /* for a job, from worker_progress() to worker_progress(); 0: none */
	/* The job of client was given up (why: what the job says of that), or is not begun, as its user has
	 * too many that are stuck (why: NULL); on the thread of the event loop.  Without this function jobs
	 * of such a user wait until one of those has come back. */
	void (*late)(void *arg, uint64_t client, const char *why);
	void *arg;
};

/* run() is called on the worker's thread, then done() (may be NULL) on the thread of the event loop. */
struct worker_job {
	void (*run)(void *arg);
	void (*done)(void *arg);
	/* Releases what the job owns and uses nothing else: instead of done when the job was given up (then
	 * on its thread), instead of run and done when it is not begun.  May be NULL. */
	void (*drop)(void *arg);
	void *arg;
	const char *late; /* a sentence for the client when it is given up; never freed */
	uint64_t client;  /* whom it is for (control.h); 0: nobody */
	uid_t uid;        /* of the client */
	bool owner;       /* it is for root, or for the user that the daemon runs as */
};

struct worker_stats {
	uint64_t refused;  /* jobs that found no room */
	uint64_t given_up; /* jobs, so far */
	unsigned stuck;    /* threads that were given up and have not come back */
	unsigned queued;   /* jobs that wait */
	uint64_t busy_ns;  /* how long the job on hand has been going on; 0: there is none */
};

/* Starts the thread.  opt NULL: no time limit, WORKER_QUEUE_MAX.  0 or -errno. */
int worker_new(sd_event *event, const struct worker_options *opt, struct worker **ret);
/*
 * Ends the thread after the job on hand and drops what is queued.  False when a job that uses what is not its
 * own (see worker_leave()) has not come to its end within WORKER_STOP_S: then nothing that it uses may be
 * freed.
 */
bool worker_stop(struct worker *w);
/* After worker_stop(), when nobody posts any more.  Accepts NULL. */
void worker_free(struct worker *w);
/*
 * 0; -EAGAIN: the queue is full (counted), -EBUSY: the user has WORKER_STUCK_USER jobs that are stuck;
 * nothing of the job is called then.  Any thread, but with a time limit only that of the event loop.
 */
int worker_post(struct worker *w, const struct worker_job *job);
/* The client has gone: drops its jobs that wait, and cancels the one on hand.  Thread of the event loop. */
void worker_cancel(struct worker *w, uint64_t client);
struct worker_stats worker_stats(struct worker *w);
/* CPU time of its threads so far.  Any thread. */
uint64_t worker_cpu_ns(struct worker *w);

/* For run(), of the job that it is part of; elsewhere they do nothing: */

/* The job gets on: its time begins anew.  False when it is for nothing: its client has gone, it was given up,
 * or a worker with a time limit ends. */
bool worker_progress(void);
/* From now on the job uses only what it owns, until worker_enter(); so it may get stuck when the daemon ends.
 */
void worker_leave(void);
/* False when the job was cancelled: what is not its own may have been freed. */
bool worker_enter(void);

#endif
