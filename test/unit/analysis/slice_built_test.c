// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks along causal graphs that were built from records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/slice/slice.h"
#include "test/unit/graph/causal_make.h"

static struct slice *walk(const struct built *b, uint32_t tid, uint64_t ms, enum slice_direction direction)
{
	struct slice_options o = { .direction = direction };
	struct slice *s;

	assert_int_equal(slice_walk(b->c, task_of(b, tid), ms * MS, &o, &s), 0);
	return s;
}

/* The tasks of the steps. */
static void assert_tids(const struct built *b, const struct slice *s, size_t n, ...)
{
	va_list ap;

	assert_int_equal(s->n_steps, n);
	va_start(ap, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(b->g->tasks[b->c->segments[s->steps[i].segment].task].tid,
				 va_arg(ap, uint32_t));
	va_end(ap);
}

/* feed -> filter -> sink, twice: each item is led back to its own. */
static void test_pipeline(void **state)
{
	struct make m = { 0 };
	struct built b;
	struct slice *s;

	runs(&m, 10, 10, 1, "feed");
	runs(&m, 20, 20, 1, "filter");
	runs(&m, 30, 30, 1, "sink");
	sleeps(&m, 5, 20, CT_W_READ, PIPE(1));
	sleeps(&m, 5, 30, CT_W_READ, PIPE(2));
	for (uint64_t at = 100; at <= 200; at += 100) {
		wakes_in(&m, at, 20, 10, CT_W_WRITE, PIPE(1));
		wakes_in(&m, at + 10, 30, 20, CT_W_WRITE, PIPE(2));
		sleeps(&m, at + 12, 20, CT_W_READ, PIPE(1));
		sleeps(&m, at + 30, 30, CT_W_READ, PIPE(2));
	}
	b = built(&m, 300);
	s = walk(&b, 30, 220, SLICE_BACKWARD);
	assert_tids(&b, s, 3, 30, 20, 10);
	assert_int_equal(s->steps[1].at_ns, 210 * MS);
	assert_int_equal(s->steps[2].at_ns, 200 * MS);
	assert_int_equal(s->end, SLICE_END_ROOT);
	assert_true(s->score > 0.99f);
	assert_int_equal(s->n_choices, 0);
	slice_free(s);
	s = walk(&b, 20, 205, SLICE_FORWARD);
	assert_tids(&b, s, 2, 20, 30);
	assert_int_equal(s->steps[1].at_ns, 210 * MS);
	slice_free(s);
	built_free(&b, &m);
}

/* What is done every 10 ms begins with the timer of the one who sleeps in between: nothing is to be asked.
 * After one sleep that is not known. */
static void test_rounds_begin_with_a_timer(void **state)
{
	struct make m = { 0 };
	struct built b;
	struct slice *s;

	runs(&m, 10, 10, 1, "rounds");
	runs(&m, 20, 20, 1, "other");
	sleeps(&m, 2, 20, CT_W_READ, PIPE(1));
	for (uint64_t i = 0; i < 5; i++) {
		sleeps(&m, 10 * i + 1, 10, CT_W_SLEEP, 0);
		make_wake(&m, 10 * i + 9, 0, 10, 0, 0)->r.state = CT_CTX_TIMER;
		make_switch(&m, 10 * i + 9, CPU(10), 0, 10, CT_W_NONE, 0);
	}
	wakes_in(&m, 50, 20, 10, CT_W_WRITE, PIPE(1));
	b = built(&m, 100);
	s = walk(&b, 20, 60, SLICE_BACKWARD);
	assert_tids(&b, s, 2, 20, 10);
	assert_int_equal(s->end, SLICE_END_OUTSIDE);
	assert_int_equal(b.c->edges[s->end_edge].kind, EDGE_TIMER);
	assert_true(s->score > 0.99f);
	assert_int_equal(s->n_choices, 0);
	slice_free(s);
	s = walk(&b, 10, 10, SLICE_BACKWARD);
	assert_true(s->score < 0.5f);
	slice_free(s);
	built_free(&b, &m);
}

static void request(struct make *m, uint64_t at, uint32_t client, uint64_t client_sock, uint64_t server_sock)
{
	sends(m, at, client, client_sock, 10);
	wakes(m, at, 30, client, client_sock);
	receives(m, at, 30, server_sock, 10);
	sleeps(m, at + 1, client, CT_W_READ, client_sock);
	sends(m, at + 5, 30, server_sock, 7);
	wakes(m, at + 5, client, 30, server_sock);
	receives(m, at + 5, client, client_sock, 7);
	sleeps(m, at + 6, 30, CT_W_EPOLL, EPOLL(1));
}

/* Two clients of one event loop: neither is led to the other, and what a client does with its answer is not
 * led to the server. */
static void test_clients_of_one_server(void **state)
{
	struct make m = { 0 };
	struct built b;
	struct slice *s;

	runs(&m, 10, 10, 1, "one");
	runs(&m, 20, 20, 1, "two");
	runs(&m, 30, 30, 1, "server");
	runs(&m, 40, 40, 1, "sink");
	connection(&m, SOCK(101), SOCK(100), 1);
	connection(&m, SOCK(103), SOCK(102), 1);
	sleeps(&m, 5, 30, CT_W_EPOLL, EPOLL(1));
	sleeps(&m, 5, 40, CT_W_READ, PIPE(1));
	request(&m, 100, 10, SOCK(100), SOCK(101));
	request(&m, 200, 20, SOCK(102), SOCK(103));
	wakes_in(&m, 210, 40, 20, CT_W_WRITE, PIPE(1));
	sleeps(&m, 220, 40, CT_W_READ, PIPE(1));
	b = built(&m, 300);
	s = walk(&b, 30, 204, SLICE_BACKWARD);
	assert_tids(&b, s, 2, 30, 20);
	slice_free(s);
	s = walk(&b, 40, 215, SLICE_BACKWARD);
	assert_tids(&b, s, 2, 40, 20);
	slice_free(s);
	s = walk(&b, 10, 50, SLICE_FORWARD);
	assert_tids(&b, s, 2, 10, 30);
	slice_free(s);
	s = walk(&b, 20, 50, SLICE_FORWARD);
	assert_tids(&b, s, 3, 20, 30, 40);
	slice_free(s);
	built_free(&b, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipeline),
		cmocka_unit_test(test_rounds_begin_with_a_timer),
		cmocka_unit_test(test_clients_of_one_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
