/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.h - the drain thread, which owns the recorder. This thread empties the rings, keeps the
 * task table, asks for inspections, finds hangs, keeps the budget, and writes the trace. Other
 * threads use drain_call(), drain_post() and drain_stats().
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
	struct worker *worker;
	/* reads command lines in /proc; NULL: none are read */
	struct worker *names;
	const struct symbols_kernel *kernel;
	/* Returns the CPU time in ns that requests of clients took on threads other than `worker`
	 * and `names`. The budget does not count it. Called on the drain thread; NULL: not called. */
	uint64_t (*aside_ns)(void *arg);
	void *aside_arg;
	struct recorder_options recorder;
	uint64_t long_wait_ns;
	uint32_t budget_ppm, task_cap; /* as in struct config (config.h) */
	/* Receives every access to a watched variable, on the drain thread. `stack` may be NULL. If
	 * `access` is NULL, accesses are not passed on. */
	void (*access)(void *arg, const struct ct_rec *rec, const uint64_t words[2],
		       const struct ct_stack_blob *stack);
	void *access_arg;
	const struct detect_settings *hangs;
	/* Receives every reported hang, on the drain thread. The trace already has a CT_HANG record of this
	 * hang. If `hang` is NULL, hangs are not passed on. */
	void (*hang)(void *arg, const struct detect_hang *hang);
	void *hang_arg;
};

struct drain_stats {
	struct recorder_stats recorder;
	struct inspect_stats inspect;
	struct governor_loop_stats governor_loop;
	struct detect_stats detect;
	uint64_t start_ns;     /* when recording began, boot time */
	uint64_t start_cpu_ns; /* CPU time of the process until then */
	uint64_t beat_ns;      /* begin of the last round that the thread has completed, boot time */
	uint64_t high_water;   /* the most bytes that one ring had at one time */
	/* Averages over about the last 15 s. cpu_percent: CPU time of the whole daemon; 100 is one
	 * CPU. */
	double records_per_s, bytes_per_s, cpu_percent;
	struct cgroups_stats cgroups;
	uint64_t inspections_postponed, samples_refused, job_stacks_refused, streams_refused, resyncs;
};

/* Opens the trace, reads the states of all tasks, and starts the thread. Returns 0 or -errno. On
 * failure, err has a sentence (perhaps not after -ENOMEM), and a new trace file is removed. On
 * success, err may have a sentence for the log. */
int drain_new(const struct drain_options *opt, struct drain **ret, char err[DRAIN_ERR_MAX]);
/* Ends the thread after a last round, seals the file segment, and waits at most DRAIN_STOP_NS for
 * the disk. From then on drain_call() fails. Returns false if the disk has not taken the end of the
 * trace: then the caller must not free anything that the thread used. Accepts NULL. */
bool drain_stop(struct drain *d);
/* Call this after drain_stop(), when no thread uses d any more. Accepts NULL. */
void drain_free(struct drain *d);

/* Runs fn on the drain thread, soon after the rings are emptied, and waits until fn returns. Any
 * thread but the drain thread. Returns 0, or -ESHUTDOWN if the drain thread ends first. */
int drain_call(struct drain *d, void (*fn)(struct drain *d, void *arg), void *arg);
/* Queues a stream of records and blobs for the trace. Takes over data (malloc'd). Never waits.
 * Above DRAIN_POSTED_MAX bytes, or without memory, counts a refusal instead. Any thread. */
void drain_post(struct drain *d, void *data, size_t size);
/* The figures are of the last round. Only the state of the storage is read now. Any thread. */
struct drain_stats drain_stats(struct drain *d);

/* Outside of drain.c, only functions that drain_call() runs may call the next four. */
struct recorder *drain_recorder(struct drain *d);
/* Asks for inspections of tasks in a long wait, at most max. Skips waits that were inspected since
 * since_ns (boot time). */
void drain_inspect_all(struct drain *d, uint64_t since_ns, unsigned max);
/* Sets the budget, in ppm of the machine's CPU time; 0: no budget. Returns the earlier budget. */
uint32_t drain_budget(struct drain *d, uint32_t budget_ppm);
/* Writes the state of the governor into the trace, and seals the file segment (writer_seal()). */
void drain_seal(struct drain *d);
/* Waits until the sealed file segments are in the trace file. Returns false after timeout_ns. Any
 * thread. */
bool drain_flush(struct drain *d, uint64_t timeout_ns);
uint64_t drain_inspections_open(struct drain *d);

#endif
