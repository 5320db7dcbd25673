// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/graph/causal_make.h"

static void waits_3(struct make *m, enum ct_wait wait, uint64_t obj, uint64_t by)
{
	runs(m, 10, 10, 1, "waiter");
	runs(m, 20, 20, 1, "other");
	for (uint64_t i = 0; i < 3; i++) {
		sleeps(m, 10 + 10 * i, 10, wait, obj);
		wakes(m, 15 + 10 * i, 10, 20, by);
	}
}

static void assert_segments(struct make *m, uint32_t on, uint32_t off, enum cut_rule rule)
{
	struct built b = built(m, 100);

	assert_sound(&b);
	assert_int_equal(n_segments(&b, 10), on);
	assert_int_equal(b.c->n_cuts[rule], on - 1);
	causal_free(b.c);
	graph_free(b.g);
	b = built_with(m, 100, POLICY_CTRACE, CUT_BIT(rule));
	assert_sound(&b);
	assert_int_equal(n_segments(&b, 10), off);
	assert_int_equal(b.c->n_cuts[rule], 0);
	built_free(&b, m);
}

static void assert_idle(enum ct_wait wait, uint64_t obj, uint64_t by, bool idle)
{
	struct make m = { 0 };

	waits_3(&m, wait, obj, by);
	assert_segments(&m, idle ? 4 : 1, 1, CUT_IDLE);
}

static void test_idle(void **state)
{
	assert_idle(CT_W_EPOLL, EPOLL(1), PIPE(1), true);
	assert_idle(CT_W_POLL, 0, PIPE(1), true);
	assert_idle(CT_W_READ, PIPE(1), PIPE(1), true);
	assert_idle(CT_W_READ, CT_OBJ_ID(CT_OBJ_EVENTFD, 1), CT_OBJ_ID(CT_OBJ_EVENTFD, 1), true);
	assert_idle(CT_W_READ, CT_OBJ_ID(CT_OBJ_TTY, 1), CT_OBJ_ID(CT_OBJ_TTY, 1), true);
	assert_idle(CT_W_FUTEX, FUTEX(1), FUTEX(1), true);
	assert_idle(CT_W_SIGNAL, 0, 0, true);
	assert_idle(CT_W_READ, CT_OBJ_ID(CT_OBJ_FILE, 1), CT_OBJ_ID(CT_OBJ_FILE, 1), false);
	assert_idle(CT_W_WRITE, PIPE(1), PIPE(1), false);
	assert_idle(CT_W_CHILD, 0, 0, false);
	assert_idle(CT_W_FLOCK, CT_OBJ_ID(CT_OBJ_FILE, 1), 0, false);
	assert_idle(CT_W_SYNC, CT_OBJ_ID(CT_OBJ_FILE, 1), 0, false);
	assert_idle(CT_W_STOPPED, 0, 0, false);
}

static void test_idle_begin(void **state)
{
	struct make m = { 0 };
	struct built b;
	const struct segment *s;

	waits_3(&m, CT_W_EPOLL, EPOLL(1), PIPE(1));
	b = built(&m, 100);
	s = &b.c->segments[segment_at(&b, 10, 16)];
	assert_int_equal(s->from_ns, 15 * MS);
	assert_int_equal(s->to_ns, 25 * MS);
	assert_int_equal(s->cut, CUT_IDLE);
	assert_int_equal(b.g->w->events[s->event].r.kind, CT_WAKE);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 12)].cut, CUT_FIRST);
	assert_int_equal(causal_segment_at(b.c, task_of(&b, 10), 101 * MS), GRAPH_NONE);
	built_free(&b, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
