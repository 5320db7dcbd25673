/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - one thread for what may take long: snapshots, tables of descriptors.
 * Jobs are done in the order in which they came; at most WORKER_QUEUE_MAX wait.
 */
#ifndef CTRACE_DAEMON_WORKER_H
#define CTRACE_DAEMON_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#define WORKER_QUEUE_MAX 64

struct worker;

/* run() is called on the worker's thread, then done() (may be NULL) on the thread of the event loop. */
struct worker_job {
	void (*run)(void *arg);
	void (*done)(void *arg);
	void (*drop)(void *arg); /* instead of run and done, when the worker ends before it came to it */
	void *arg;
};

/* Starts the thread.  0 or -errno. */
int worker_new(sd_event *event, struct worker **ret);
/*
 * Ends the thread after the job on hand and drops what is queued.  False when that job has not come to its
 * end within two seconds (it may be stuck behind somebody else's file system): then nothing that it uses may
 * be freed.
 */
bool worker_stop(struct worker *w);
/* After worker_stop(), when nobody posts any more.  Accepts NULL. */
void worker_free(struct worker *w);
/* Any thread.  0 or -EAGAIN: the queue is full (counted); nothing of the job is called then. */
int worker_post(struct worker *w, const struct worker_job *job);
uint64_t worker_refused(struct worker *w);
/* CPU time of the thread so far.  Any thread. */
uint64_t worker_cpu_ns(struct worker *w);

#endif
