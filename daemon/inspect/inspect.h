/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect.h - looks at tasks while they wait, and gives names to addresses.
 *
 * The inspection thread takes requests (struct inspect_want, samples, accesses) from one queue, and puts
 * results into another queue. Both queues have a limit. The thread holds no lock while it works, and stops
 * no task. The drain thread puts the requests in and takes the results out. inspect_ask(),
 * inspect_ask_sample(), inspect_ask_access(), inspect_take() and inspect_stats() may be called from any
 * thread and never wait for an inspection.
 *
 * The thread reads files and memory of the programs it inspects. These bytes may be hostile, so every
 * read has a limit. A thread that is stuck for 10 s is given up, and another one takes over; there are at
 * most four threads.
 */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_H
#define CTRACE_DAEMON_INSPECT_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/inspect/inspect_result.h"

struct inspect;
struct symbols_kernel;

struct inspect_options {
	/* Reads one task as the task iterator does. Returns 0, -ESRCH (there is no such task) or -errno.
	 * Called on the inspection thread only. */
	int (*read_task)(void *arg, uint32_t tid, struct ct_iter_task *ret);
	void *arg;
	uint32_t max_per_sec; /* limit of inspections, samples and accesses together; 0: INSPECT_PER_SEC */
	const struct symbols_kernel *kernel; /* borrowed; see symbols_new() */
};

/* asked = done + gone + refused_queue + refused_rate + failed + the requests that are still queued or in
 * work. */
struct inspect_stats {
	uint64_t asked;
	uint64_t done;          /* results that were made */
	uint64_t gone;          /* the task's wait ended before the result, or no polled variable was found */
	uint64_t refused_queue; /* the queue of requests or of results was full */
	uint64_t refused_rate;  /* samples beyond max_per_sec */
	uint64_t failed;        /* read_task() or memory failed, or another thread is stuck on the process */
	uint64_t cut_short;     /* user stacks that ended at a limit (frames, time, unreadable memory) */
	uint64_t busy_ns;       /* CPU time of the thread */
	uint64_t given_up;      /* threads that are stuck now; other threads have taken over */
	uint64_t stuck_ns;      /* how long the present inspection has taken so far; 0: there is none */
};

#define INSPECT_QUEUE_MAX   256
#define INSPECT_RESULTS_MAX 256

/* Starts the thread. Returns 0, -ENOMEM, or -errno of creating the thread. */
int inspect_new(const struct inspect_options *opt, struct inspect **ret);
/* Stops the thread. If the thread is stuck in the kernel, gives up after two seconds and does not free the
 * memory. Accepts NULL. */
void inspect_free(struct inspect *v);

/* Queues an inspection; want is copied. Returns 0, or -EAGAIN: the queue is full (counted). */
int inspect_ask(struct inspect *v, const struct inspect_want *want);
/* Queues a sample; raw is copied. Returns 0; -EAGAIN: the queue is full, or a sample would have to wait
 * (counted); -EINVAL: raw has wrong sizes; -ENOMEM. */
int inspect_ask_sample(struct inspect *v, const struct ct_rawstack_blob *raw);
/* Queues an access to a watched variable; raw is copied. Returns 0; -EAGAIN: the queue is full (counted);
 * -EINVAL: raw has wrong sizes; -ENOMEM. */
int inspect_ask_access(struct inspect *v, const struct ct_rawaccess_blob *raw);
/* The oldest result, which the caller frees with inspect_result_free(); or NULL. */
struct inspect_result *inspect_take(struct inspect *v);
struct inspect_stats inspect_stats(struct inspect *v);

#endif
