/* SPDX-License-Identifier: GPL-2.0-or-later */
/* both_in_threads.h - a graph_both_fn for tests. */
#ifndef CTRACE_TEST_UNIT_GRAPH_BOTH_IN_THREADS_H
#define CTRACE_TEST_UNIT_GRAPH_BOTH_IN_THREADS_H

#include <pthread.h>

struct both_part {
	void (*fn)(void *arg);
	void *arg;
};

static inline void *both_run_part(void *arg)
{
	struct both_part *p = arg;

	p->fn(p->arg);
	return NULL;
}

static inline void both_in_threads(void (*a)(void *arg), void (*b)(void *arg), void *arg)
{
	struct both_part first = { a, arg };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, both_run_part, &first), 0);
	b(arg);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

#endif
