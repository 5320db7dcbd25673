/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect.h - looks at a task while it waits, and gives names to addresses.
 *
 * One thread of its own takes wants from a bounded queue and puts results into
 * another; it holds no lock while it works and stops nothing.  The drain thread asks and
 * takes; inspect_ask(), inspect_ask_sample(), inspect_take() and inspect_stats() may be
 * called from any thread and never block on the work itself.
 *
 * It reads files and memory that belong to the programs inspected: all of it is
 * hostile, every read has a limit.  A thread that is stuck for 10 s is left alone and another one takes over,
 * with four threads at most.
 */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_H
#define CTRACE_DAEMON_INSPECT_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/inspect/inspect_result.h"

struct inspect;

struct inspect_options {
	/* Reads one task as the task iterator does: 0, -ESRCH (gone), -errno.  Called on the inspection
	 * thread only. */
	int (*read_task)(void *arg, uint32_t tid, struct ct_iter_task *ret);
	void *arg;
	uint32_t max_per_sec; /* inspections and samples together; 0: 100 */
};

/* asked = done + gone + refused_queue + refused_rate + failed + (those still queued). */
struct inspect_stats {
	uint64_t asked;
	uint64_t done;          /* results made */
	uint64_t gone;          /* the task had gone on before or while it was looked at */
	uint64_t refused_queue; /* queue of wants or of results was full */
	uint64_t refused_rate;  /* more than max_per_sec */
	uint64_t failed;        /* read_task failed, or out of memory */
	uint64_t cut_short;     /* user stacks that ended at a limit (frames, time, unreadable memory) */
	uint64_t busy_ns;       /* CPU time of the thread */
	uint64_t given_up;      /* threads that are stuck now, and have been replaced where there was room */
	uint64_t stuck_ns;      /* how long the work on hand has taken by now; 0: idle */
};

#define INSPECT_QUEUE_MAX   256
#define INSPECT_RESULTS_MAX 256

/* Starts the thread.  0, -ENOMEM, or -errno of the thread's creation. */
int inspect_new(const struct inspect_options *opt, struct inspect **ret);
/* Stops the thread; gives up on it after two seconds if it is stuck in the kernel behind a stuck program
 * (then its memory stays).  Accepts NULL. */
void inspect_free(struct inspect *v);

/* 0, or -EAGAIN when the queue is full (counted). */
int inspect_ask(struct inspect *v, const struct inspect_want *want);
/* The same for a sample; the blob is copied. -EINVAL when its sizes do not fit. */
int inspect_ask_sample(struct inspect *v, const struct ct_rawstack_blob *raw);
/* The same for an access to a watched variable. -EINVAL, -ENOMEM, -EAGAIN. */
int inspect_ask_access(struct inspect *v, const struct ct_rawaccess_blob *raw);
/* The oldest result, which is now the caller's, or NULL. */
struct inspect_result *inspect_take(struct inspect *v);
struct inspect_stats inspect_stats(struct inspect *v);

#endif
