/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hang_make.h - the trace of a hang: a task leaves its event loop, and waits for a mutex whose
 * owner sleeps. */
#ifndef CTRACE_TEST_HANG_MAKE_H
#define CTRACE_TEST_HANG_MAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "trace/write/writer.h"

#define HANG_S(n) ((uint64_t)((n)*1000) * NSEC_PER_MSEC)
enum { HANG_LOOPER = 100, HANG_HOLDER = 101 };

static inline void hang_task(struct writer *w, uint32_t tid, const char *comm)
{
	struct ct_task_blob b = { .h = { .ts = HANG_S(1), .kind = CT_TASK, .size = sizeof(b), .tid = tid },
				  .tgid = HANG_LOOPER,
				  .ppid = 1 };

	strcpy(b.comm, comm);
	assert_int_equal(writer_blob(w, &b.h), 0);
}

static inline void hang_sleeps(struct writer *w, uint64_t ns, uint32_t tid, enum ct_wait wait, uint64_t obj)
{
	const struct ct_rec r = { .ts = ns,
				  .kind = CT_SWITCH,
				  .tid = tid,
				  .state = CT_ST_SLEEP,
				  .wait = wait,
				  .nr = CT_NR_NONE,
				  .obj = obj };
	const struct ct_rec futex = {
		.ts = ns, .kind = CT_FUTEX, .tid = tid, .peer = HANG_HOLDER, .obj = obj
	};
	const uint64_t words[2] = { 0x7f0000001000, 0 };

	if (wait == CT_W_FUTEX)
		assert_int_equal(writer_add(w, 0, &futex, words), 0);
	assert_int_equal(writer_add(w, 0, &r, NULL), 0);
}

static inline void hang_runs(struct writer *w, uint64_t ns, uint32_t tid, uint32_t waker, uint64_t obj)
{
	const struct ct_rec wake = {
		.ts = ns - 1000, .kind = CT_WAKE, .tid = tid, .peer = waker, .obj = obj
	};
	const struct ct_rec r = { .ts = ns, .kind = CT_SWITCH, .peer = tid, .nr = CT_NR_NONE };

	assert_int_equal(writer_add(w, 0, &wake, NULL), 0);
	assert_int_equal(writer_add(w, 0, &r, NULL), 0);
}

/* The trace is from 1 s to 9 s. The hang begins at 3 s and, if `ends`, ends at 7 s. */
static inline void hang_make(const char *path, bool ends)
{
	const uint64_t epoll = CT_OBJ_ID(CT_OBJ_EPOLL, 9),
		       mutex = CT_OBJ_FUTEX_ID(HANG_LOOPER, 0x7f0000001000);
	const struct writer_options o = {
		.size_bytes = 4 << 20, .n_cpus = 2, .hooks = "", .host = "h", .kernel = "k"
	};
	char err[512];
	struct writer *w;

	unlink(path);
	assert_int_equal(writer_open(path, &o, &w, err), 0);
	assert_int_equal(writer_begin(w, HANG_S(1), NULL, 0), 0);
	hang_task(w, HANG_LOOPER, "loop\xff\x1b[2J");
	hang_task(w, HANG_HOLDER, "holder");
	hang_sleeps(w, HANG_S(1.1), HANG_LOOPER, CT_W_EPOLL, epoll);
	hang_runs(w, HANG_S(1.2), HANG_LOOPER, 0, 0);
	hang_sleeps(w, HANG_S(1.3), HANG_LOOPER, CT_W_EPOLL, epoll);
	hang_sleeps(w, HANG_S(2), HANG_HOLDER, CT_W_SLEEP, 0);
	hang_runs(w, HANG_S(3), HANG_LOOPER, 0, 0);
	hang_sleeps(w, HANG_S(3.001), HANG_LOOPER, CT_W_FUTEX, mutex);
	if (ends) {
		hang_runs(w, HANG_S(6.99), HANG_HOLDER, 0, 0);
		hang_runs(w, HANG_S(6.999), HANG_LOOPER, HANG_HOLDER, mutex);
		hang_sleeps(w, HANG_S(7), HANG_LOOPER, CT_W_EPOLL, epoll);
	}
	assert_int_equal(writer_seal(w, HANG_S(9), NULL, 0), 0);
	writer_free(w);
}

#endif
