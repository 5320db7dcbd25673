/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect.h - inspects tasks that wait or spin, and gives names to the addresses in stacks.
 *
 * The inspection thread stops no task, and holds no lock while it inspects. Any thread may call
 * inspect_ask*(), inspect_take() and inspect_stats(), which never wait for an inspection.
 *
 * The files and memory of the inspected programs may be hostile, so every read has a limit. If an
 * inspection takes longer than 10 s, another thread takes over (at most four threads).
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
	/* Reads one task as the task iterator does. Returns 0, -ESRCH if there is no such task, or
	 * another -errno. Only the inspection thread calls it. */
	int (*read_task)(void *arg, uint32_t tid, struct ct_iter_task *ret);
	void *arg;
	uint32_t max_per_sec; /* of all requests together; 0: INSPECT_PER_SEC */
	const struct symbols_kernel *kernel;
};

/* asked: the sum of done, gone, refused_queue, refused_rate, failed and the unfinished requests */
struct inspect_stats {
	uint64_t asked;
	uint64_t done;
	/* requests without a result: the task or its wait had ended, the inspection was not due, or
	 * no polled variable was found */
	uint64_t gone;
	uint64_t refused_queue;
	uint64_t refused_rate;
	/* requests that failed: read_task() failed, memory ran out, or another thread of the daemon
	 * was stuck in the kernel on the same process */
	uint64_t failed;
	uint64_t cut_short;
	uint64_t busy_ns;
	uint64_t given_up;
	uint64_t stuck_ns;
};

#define INSPECT_QUEUE_MAX   256
#define INSPECT_RESULTS_MAX 256

int inspect_new(const struct inspect_options *opt, struct inspect **ret);
/* If the thread is stuck in the kernel, gives up after 2 s and leaks the memory. Accepts NULL. */
void inspect_free(struct inspect *v);

/* Copies want. Returns 0, or -EAGAIN if the queue is full. */
int inspect_ask(struct inspect *v, const struct inspect_want *want);
/* Copies raw. Returns 0, -ENOMEM, -EINVAL if the kind or a size in raw is wrong, or -EAGAIN if the
 * queue is full, or if requests already wait in the queue because of max_per_sec. */
int inspect_ask_sample(struct inspect *v, const struct ct_rawstack_blob *raw);
/* As inspect_ask_sample(), but does not check max_per_sec. */
int inspect_ask_access(struct inspect *v, const struct ct_rawaccess_blob *raw);
/* As inspect_ask_access(). */
int inspect_ask_crash(struct inspect *v, const struct ct_rawcrash_blob *raw);
/* As inspect_ask_access(). */
int inspect_ask_job(struct inspect *v, const struct ct_rawjob_blob *raw);
/* Returns the next result, or NULL. The caller frees it with inspect_result_free(). */
struct inspect_result *inspect_take(struct inspect *v);
struct inspect_stats inspect_stats(struct inspect *v);

#endif
