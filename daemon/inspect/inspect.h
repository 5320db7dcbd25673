/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect.h - inspects tasks that wait or spin, and gives names to the addresses in stacks.
 *
 * The inspection thread takes requests (struct inspect_want, samples, accesses) from one queue, and
 * puts results into another queue. Both queues have a limit. The thread holds no lock while it
 * works, and stops no task. The drain thread puts the requests in and takes the results out.
 * inspect_ask(), inspect_ask_sample(), inspect_ask_access(), inspect_take() and inspect_stats() may
 * be called from any thread and never wait for an inspection.
 *
 * The thread reads files and memory of the programs it inspects. These bytes may be hostile, so
 * every read has a limit. If one inspection takes longer than 10 s, its thread counts as stuck, and
 * another thread takes over. There are at most four threads, the stuck threads included.
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
	/* Reads one task as the task iterator does. Returns 0, or -ESRCH if there is no such task,
	 * or another -errno. Only the inspection thread calls it. */
	int (*read_task)(void *arg, uint32_t tid, struct ct_iter_task *ret);
	void *arg;
	uint32_t max_per_sec; /* limit of inspections, samples and accesses together; 0: INSPECT_PER_SEC */
	const struct symbols_kernel *kernel; /* borrowed; see symbols_new() */
};

/* asked is the sum of done, gone, refused_queue, refused_rate, failed, and the number of requests
 * that are still queued or in work. */
struct inspect_stats {
	uint64_t asked;
	uint64_t done; /* results that were made */
	/* requests without a result: the task or its wait ended too early, the inspection of a
	 * spinning task was not due yet, or it found no polled variable */
	uint64_t gone;
	uint64_t refused_queue; /* requests or results for which a queue was full */
	uint64_t refused_rate;  /* samples that max_per_sec would have made wait */
	/* requests that failed: read_task() failed, memory ran out, or another thread is stuck on
	 * the process of the request */
	uint64_t failed;
	/* user stacks that are not complete, because of a limit (of frames or of time), or because
	 * memory could not be read */
	uint64_t cut_short;
	uint64_t busy_ns;  /* CPU time of all inspections so far */
	uint64_t given_up; /* threads that are stuck now; other threads have taken over */
	uint64_t stuck_ns; /* how long the present inspection has taken so far; 0: there is none */
};

#define INSPECT_QUEUE_MAX   256
#define INSPECT_RESULTS_MAX 256

/* Starts the thread. Returns 0, or -ENOMEM, or the -errno of the start of the thread. */
int inspect_new(const struct inspect_options *opt, struct inspect **ret);
/* Stops the thread. If the thread is stuck in the kernel, gives up after two seconds and does not free the
 * memory. Accepts NULL. */
void inspect_free(struct inspect *v);

/* Queues an inspection. want is copied. Returns 0, or -EAGAIN if the queue is full. inspect_stats
 * counts a request that was refused. */
int inspect_ask(struct inspect *v, const struct inspect_want *want);
/* Queues a sample. raw is copied. Returns 0, or -EAGAIN if the queue is full, or if the sample
 * would have to wait for its turn. inspect_stats counts a sample that was refused in this way.
 * Returns -EINVAL if the kind or a size in raw is wrong, or -ENOMEM. */
int inspect_ask_sample(struct inspect *v, const struct ct_rawstack_blob *raw);
/* Queues an access to a watched variable. raw is copied. Returns 0, or -EAGAIN if the queue is
 * full. inspect_stats counts an access that was refused in this way. Returns -EINVAL if the kind or
 * a size in raw is wrong, or -ENOMEM. */
int inspect_ask_access(struct inspect *v, const struct ct_rawaccess_blob *raw);
/* Returns the oldest result, or NULL if there is none. The caller frees it with
 * inspect_result_free(). */
struct inspect_result *inspect_take(struct inspect *v);
struct inspect_stats inspect_stats(struct inspect *v);

#endif
