/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.h - the drain thread. The thread empties the rings, keeps the task table, asks for inspections, finds
 * hangs, keeps the budget, and writes the trace. The thread owns the recorder. Other threads reach the drain
 * thread through drain_call() and drain_post(), and read its figures through drain_stats().
 */
#ifndef CTRACE_DAEMON_CAPTURE_DRAIN_H
#define CTRACE_DAEMON_CAPTURE_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/governor/governor_loop.h"
#include "daemon/record/cgroups.h"
#include "daemon/kernel/probe.h"
#include "daemon/record/recorder.h"
#include "daemon/inspect/inspect.h"
#include "daemon/worker.h"
#include "detect/detect.h"

#define DRAIN_ERR_MAX 512

struct drain;

struct drain_options {
	struct probe *probe;
	struct worker *worker;               /* reads the descriptor tables */
	struct worker *names;                /* reads command lines in /proc; NULL: they are not read */
	const struct symbols_kernel *kernel; /* the functions of the kernel; NULL: read when needed */
	/* Returns the CPU time in nanoseconds that requests of clients took, without the CPU time of
	 * `worker` and `names`. The budget does not count this time. Called on the drain thread; may be
	 * NULL. */
	uint64_t (*aside_ns)(void *arg);
	void *aside_arg;
	struct recorder_options recorder;
	uint64_t long_wait_ns;
	uint32_t budget_ppm, task_cap; /* see governor_loop.h */
	/* Receives every access to a watched variable, after the names of the functions on its stack were
	 * found. stack NULL: there is no stack. Called on the drain thread; may be NULL. */
	void (*access)(void *arg, const struct ct_rec *rec, const uint64_t words[2],
		       const struct ct_stack_blob *stack);
	void *access_arg;
	/* NULL: the daemon does not look for hangs. */
	const struct detect_settings *hangs;
	/* Receives every hang that was noticed, after its CT_HANG has been written. Called on the drain
	 * thread; may be NULL. */
	void (*hang)(void *arg, const struct detect_hang *hang);
	void *hang_arg;
};

struct drain_stats {
	struct recorder_stats recorder;
	struct inspect_stats inspect;
	struct governor_loop_stats governor_loop;
	struct detect_stats detect;
	uint64_t start_ns;   /* when the capture began, boot time */
	uint64_t beat_ns;    /* when the thread last made a round, boot time */
	uint64_t high_water; /* largest number of bytes that were in a ring */
	/* Rates over the last seconds. */
	double records_per_s, bytes_per_s, cpu_percent;
	struct cgroups_stats cgroups;
	uint64_t inspections_postponed, samples_refused, streams_refused, resyncs;
};

/* Opens the trace, reads the states of all tasks, starts the thread. Returns 0, or -errno with a sentence in
 * err; then nothing is left behind. On success err is empty, or has a sentence for the log. */
int drain_new(const struct drain_options *opt, struct drain **ret, char err[DRAIN_ERR_MAX]);
/* Ends the thread after a last round: empties the rings, seals, and waits at most DRAIN_STOP_NS for the
 * disk. drain_call() fails from now on. Returns false if the disk has not taken the end of the trace: then
 * the caller must not free anything that the drain thread used. Accepts NULL. */
bool drain_stop(struct drain *d);
/* Closes the trace. To be called after drain_stop(), when no other thread uses d any more. Accepts NULL. */
void drain_free(struct drain *d);

/* Runs fn on the drain thread, soon after the thread has emptied the rings, and waits until fn returns. Any
 * thread but the drain thread. Returns 0, or -ESHUTDOWN: fn was not called. */
int drain_call(struct drain *d, void (*fn)(struct drain *d, void *arg), void *arg);
/* Queues a stream of records and blobs to be written; takes over data (malloc'd). Never waits. If more than
 * DRAIN_POSTED_MAX bytes are queued, frees data and counts the refusal. Any thread. */
void drain_post(struct drain *d, void *data, size_t size);
/* The figures of the drain thread's last round; the state of the storage is up to date. Any thread. */
struct drain_stats drain_stats(struct drain *d);

/* For functions that drain_call() runs. */
struct recorder *drain_recorder(struct drain *d);
/* Asks for inspections of at most max tasks that are in a long wait now and have had no inspection since
 * since_ns (boot time). */
void drain_inspect_all(struct drain *d, uint64_t since_ns, unsigned max);
/* Changes the budget from now on. Returns the earlier budget. A budget is in ppm of the machine's CPU time;
 * 0: no budget. */
uint32_t drain_budget(struct drain *d, uint32_t budget_ppm);
/* Writes the present state of the governor, and then seals the open file segment. */
void drain_seal(struct drain *d);
/* Waits until the sealed file segments are in the file. Returns false if this takes longer than timeout_ns.
 * Any thread. */
bool drain_flush(struct drain *d, uint64_t timeout_ns);
/* How many inspections are still to be made. Any thread. */
uint64_t drain_inspections_open(struct drain *d);

#endif
