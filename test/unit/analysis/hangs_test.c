/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of `hangs` tell of the same, and when a hang that was noticed had ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hangs/hangs.h"
#include "test/unit/trace/window_make.h"

#define MUTEX CT_OBJ_FUTEX_ID(10, 0x1000)
#define OTHER CT_OBJ_FUTEX_ID(20, 0x2000)
#define EPOLL CT_OBJ_ID(CT_OBJ_EPOLL, 7)

static void wants_lock(struct make *m, uint64_t ms, uint32_t tid, uint32_t owner, uint64_t mutex)
{
	struct window_event *e = make_event(m, ms * MS, 0, CT_FUTEX, tid, owner);

	e->r.obj = mutex;
	make_switch(m, ms, 0, tid, 0, CT_W_FUTEX, mutex);
}

static const struct hang *row_of(const struct hangs *h, const struct graph *g, uint32_t tid)
{
	for (size_t i = 0; i < h->n; i++)
		if (g->tasks[h->v[i].task].tid == tid)
			return &h->v[i];
	fail_msg("no row of %u", tid);
	return NULL;
}

/* Two wait for the lock of a third, and two others for each other's: two hangs, not four. */
static void same_hangs(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct hangs *h;

	for (uint32_t tid = 10; tid <= 12; tid++)
		make_task(&m, tid, 10, 1, "three");
	make_task(&m, 20, 20, 1, "two");
	make_task(&m, 21, 20, 1, "two");
	make_switch(&m, 10, 0, 10, 0, CT_W_SLEEP, 0);
	wants_lock(&m, 20, 11, 10, MUTEX);
	wants_lock(&m, 30, 12, 10, MUTEX);
	wants_lock(&m, 40, 20, 21, OTHER);
	wants_lock(&m, 50, 21, 20, OTHER + 0x40);
	make_switch(&m, 8000, 1, 0, 0, CT_W_NONE, 0);
	assert_int_equal(graph_build(make_done(&m, 8000), &g), 0);
	assert_int_equal(hangs_find(g, 0, 8000 * MS, NULL, &h), 0);
	assert_true(row_of(h, g, 11)->alarm && row_of(h, g, 21)->alarm);
	assert_int_equal(row_of(h, g, 11)->same_as, row_of(h, g, 11) - h->v);
	assert_int_equal(row_of(h, g, 12)->same_as, row_of(h, g, 11) - h->v);
	assert_int_equal(row_of(h, g, 21)->same_as, row_of(h, g, 20)->same_as);
	assert_int_not_equal(row_of(h, g, 21)->same_as, row_of(h, g, 11)->same_as);
	hangs_free(h);
	graph_free(g);
	make_free(&m);
}

/* The tracer's own tasks are known by what the daemon says of them, not by a name that any task can take. */
static void tracer_tasks(void **state)
{
	for (int tracer = 0; tracer < 2; tracer++) {
		struct make m = { 0 };
		struct graph *g;
		struct hangs *h;

		m.w.machine = MACHINE_X86_64; /* recorded since there are marks */
		make_task(&m, 10, 10, 1, "ctraced");
		make_task(&m, 11, 10, 1, "ctrace");
		make_task(&m, 20, 20, 1, "any");
		for (size_t i = 0; i < 2; i++)
			m.tasks.v[i].flags = tracer ? CT_TF_TRACER : 0;
		make_switch(&m, 10, 0, 10, 0, CT_W_SLEEP, 0);
		wants_lock(&m, 20, 11, 10, MUTEX);
		wants_lock(&m, 30, 20, 10, MUTEX);
		make_switch(&m, 8000, 1, 0, 0, CT_W_NONE, 0);
		assert_int_equal(graph_build(make_done(&m, 8000), &g), 0);
		assert_int_equal(hangs_find(g, 0, 8000 * MS, NULL, &h), 0);
		assert_int_equal(h->n, tracer ? 1 : 3);
		/* a client of the tracer is no alarm */
		assert_int_equal(row_of(h, g, 20)->alarm, !tracer);
		if (!tracer)
			assert_true(row_of(h, g, 11)->alarm);
		hangs_free(h);
		graph_free(g);
		make_free(&m);
	}
}

/* An event loop, one turn of which takes from 100 to 5000 ms, in two waits. */
static void make_turn(struct make *m, struct graph **ret)
{
	make_task(m, 10, 10, 1, "loop");
	make_switch(m, 10, 0, 10, 0, CT_W_EPOLL, EPOLL);
	make_wake(m, 100, 0, 10, 0, 0);
	make_switch(m, 100, 0, 0, 10, CT_W_NONE, 0);
	wants_lock(m, 101, 10, 0, MUTEX);
	make_wake(m, 3000, 0, 10, 0, MUTEX);
	make_switch(m, 3000, 0, 0, 10, CT_W_NONE, 0);
	make_switch(m, 3001, 0, 10, 0, CT_W_READ, CT_OBJ_ID(CT_OBJ_PIPE, 5));
	make_wake(m, 5000, 0, 10, 0, 0);
	make_switch(m, 5000, 0, 0, 10, CT_W_NONE, 0);
	make_switch(m, 5001, 0, 10, 0, CT_W_EPOLL, EPOLL);
	assert_int_equal(graph_build(make_done(m, 8000), ret), 0);
}

static void ends(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	uint32_t task;

	make_turn(&m, &g);
	task = graph_task_at(g, 10, 2000 * MS);
	/* with the wait it was in; or when it is back in its loop, whatever it waits for until then */
	assert_int_equal(hangs_end(g, task, 101 * MS, 2000 * MS, false), 3000 * MS);
	assert_int_equal(hangs_end(g, task, 100 * MS, 2000 * MS, true), 5001 * MS);
	assert_int_equal(hangs_end(g, task, 100 * MS, 4000 * MS, true), 5001 * MS);
	/* of what it did before nothing is known: no loop */
	assert_int_equal(hangs_end(g, task, 0, 2000 * MS, true), 3000 * MS);
	/* it has not ended */
	assert_int_equal(hangs_end(g, task, 5001 * MS, 6000 * MS, false), 8000 * MS);
	graph_free(g);
	make_free(&m);
}

/* One that runs, with short waits: until it has waited for longer. */
static void ends_of_a_run(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	uint32_t task;

	make_task(&m, 10, 10, 1, "busy");
	make_switch(&m, 10, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 2000, 0, 10, 0, CT_W_READ, 0);
	make_wake(&m, 2005, 0, 10, 0, 0);
	make_switch(&m, 2005, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 4000, 0, 10, 0, CT_W_READ, 0);
	assert_int_equal(graph_build(make_done(&m, 8000), &g), 0);
	task = graph_task_at(g, 10, 1000 * MS);
	assert_int_equal(hangs_end(g, task, 10 * MS, 1000 * MS, false), 4000 * MS);
	graph_free(g);
	make_free(&m);
}

enum stall { STALL_WAIT, STALL_QUEUE, STALL_RUN };

/* How many rows there are for a task that waits, wants the CPU or runs for so long. */
static size_t rows_of_stall(enum stall stall, uint64_t ms)
{
	const struct hangs_filter filter = { .tid = 10 };
	struct make m = { 0 };
	struct graph *g;
	struct hangs *h;
	size_t n;

	make_task(&m, 10, 10, 1, "one");
	make_task(&m, 20, 20, 1, "other");
	make_switch(&m, 10, 0, 0, 10, CT_W_NONE, 0);
	if (stall == STALL_WAIT)
		make_switch(&m, 11, 0, 10, 0, CT_W_READ, CT_OBJ_ID(CT_OBJ_PIPE, 5));
	if (stall == STALL_QUEUE)
		make_switch(&m, 11, 0, 10, 20, CT_W_NONE, 0);
	assert_int_equal(graph_build(make_done(&m, (stall == STALL_RUN ? 10 : 11) + ms), &g), 0);
	assert_int_equal(hangs_find(g, 0, UINT64_MAX, &filter, &h), 0);
	n = h->n;
	hangs_free(h);
	graph_free(g);
	make_free(&m);
	return n;
}

/* What is too short is not looked at. */
static void least_lengths(void **state)
{
	assert_int_equal(rows_of_stall(STALL_WAIT, 999), 0);
	assert_int_equal(rows_of_stall(STALL_WAIT, 1000), 1);
	assert_int_equal(rows_of_stall(STALL_QUEUE, 499), 0);
	assert_int_equal(rows_of_stall(STALL_QUEUE, 500), 1);
	assert_int_equal(rows_of_stall(STALL_RUN, 1999), 0);
	assert_int_equal(rows_of_stall(STALL_RUN, 2000), 1);
}

/* A task that waits for a lock for so long. */
static enum verdict verdict_of_wait(uint64_t ms)
{
	struct make m = { 0 };
	struct diagnosis *d;
	struct graph *g;
	enum verdict v;

	make_task(&m, 10, 10, 1, "waiter");
	make_task(&m, 11, 10, 1, "owner");
	make_switch(&m, 5, 1, 0, 11, CT_W_NONE, 0);
	wants_lock(&m, 10, 10, 11, MUTEX);
	assert_int_equal(graph_build(make_done(&m, 10 + ms), &g), 0);
	assert_int_equal(diagnose(g, graph_task_at(g, 10, 10 * MS), 10 * MS, (10 + ms) * MS, NULL, &d), 0);
	v = d->verdict;
	diagnosis_free(d);
	graph_free(g);
	make_free(&m);
	return v;
}

static void least_stall(void **state)
{
	assert_int_equal(verdict_of_wait(499), VERDICT_NORMAL);
	assert_int_equal(verdict_of_wait(500), VERDICT_LONG_WAIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_hangs),    cmocka_unit_test(tracer_tasks),
		cmocka_unit_test(least_lengths), cmocka_unit_test(least_stall),
		cmocka_unit_test(ends),          cmocka_unit_test(ends_of_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
