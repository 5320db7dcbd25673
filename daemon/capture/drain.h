/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.h - the thread that empties the rings, keeps the task table, asks for
 * inspections and writes the trace.  It owns the recorder; others reach it through drain_call() and
 * drain_post().
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

#define DRAIN_ERR_MAX        512
#define DRAIN_POSTED_MAX     (32u << 20)    /* bytes of streams that wait to be written */
#define DRAIN_SAMPLES_PER_S  200            /* stacks handed on for symbols */
#define DRAIN_STOP_NS        15000000000ULL /* for the disk to take the end of the trace */
#define DRAIN_FILES_AGAIN_NS 5000000000ULL  /* a process' descriptor table is written at most that often */

struct drain;

struct drain_options {
	struct probe *probe;
	struct worker *worker; /* reads the descriptor tables */
	/* CPU time of what somebody asked for, besides the worker's: the budget is not about that.  Drain
	 * thread; may be NULL. */
	uint64_t (*aside_ns)(void *arg);
	void *aside_arg;
	struct recorder_options recorder;
	uint64_t long_wait_ns;
	uint32_t budget_ppm, task_cap; /* see governor_loop.h */
	/* Gets every access to a watched variable once its stack has names (NULL: it has none); drain thread.
	 * May be NULL. */
	void (*access)(void *arg, const struct ct_rec *rec, const uint64_t words[2],
		       const struct ct_stack_blob *stack);
	void *access_arg;
	/* NULL: hangs are not looked for. */
	const struct detect_settings *hangs;
	/* Gets every hang that was noticed, after its CT_HANG has been written; drain thread.  May be NULL.
	 */
	void (*hang)(void *arg, const struct detect_hang *hang);
	void *hang_arg;
};

struct drain_stats {
	struct recorder_stats recorder;
	struct inspect_stats inspect;
	struct governor_loop_stats governor_loop;
	struct detect_stats detect;
	uint64_t start_ns;   /* when the capture began */
	uint64_t beat_ns;    /* when the thread last went round */
	uint64_t high_water; /* bytes in a ring */
	/* over the last seconds */
	double records_per_s, bytes_per_s, cpu_percent;
	struct cgroups_stats cgroups;
	uint64_t inspections_postponed, samples_refused, streams_refused, resyncs;
};

/* Opens the trace, takes the state of all tasks, starts the thread.  0 or -errno with a sentence in err,
 * which on success too may hold one for the log, and is else empty. */
int drain_new(const struct drain_options *opt, struct drain **ret, char err[DRAIN_ERR_MAX]);
/* Drains what is left, seals, ends the thread; drain_call() is refused from now on.  False: the disk does not
 * take the end of the trace, and nothing may be freed.  Accepts NULL. */
bool drain_stop(struct drain *d);
/* Closes the trace, after drain_stop() and when no other thread can call any more.  Accepts NULL. */
void drain_free(struct drain *d);

/* Runs fn on the drain thread, right after it has emptied the rings, and waits for it.  Any thread but that
 * one.  0, or -ESHUTDOWN: fn was not called. */
int drain_call(struct drain *d, void (*fn)(struct drain *d, void *arg), void *arg);
/* Has a stream of records and blobs written; takes data (malloc'd).  Never waits; refuses (and counts) beyond
 * DRAIN_POSTED_MAX.  Any thread. */
void drain_post(struct drain *d, void *data, size_t size);
/* Those of the drain thread's last round; the storage is as of now.  Any thread. */
struct drain_stats drain_stats(struct drain *d);

/* For the functions of drain_call(): */
struct recorder *drain_recorder(struct drain *d);
/* Asks for inspections of all that wait for long now and were not inspected since since_ns, at most max. */
void drain_inspect_all(struct drain *d, uint64_t since_ns, unsigned max);
void drain_seal(struct drain *d);
/* Any thread: waits until what was sealed is in the file; false: not within timeout_ns. */
bool drain_flush(struct drain *d, uint64_t timeout_ns);
/* Any thread: how many inspections are still to be made. */
uint64_t drain_inspections_open(struct drain *d);

#endif
