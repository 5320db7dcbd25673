// SPDX-License-Identifier: GPL-2.0-or-later
/* Which waits are alike. missing_wake.txt tests what a diagnosis concludes from such waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/compare/similar.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "test/unit/trace/window_make.h"

#define PIPE  CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define COND  CT_OBJ_ID(CT_OBJ_FUTEX, 0x2000)
#define EPOLL CT_OBJ_ID(CT_OBJ_EPOLL, 8)
#define EVENT CT_OBJ_ID(CT_OBJ_EVENTFD, 9)
#define SOCKC CT_OBJ_ID(CT_OBJ_SOCK, 100)

/* The consumer waits for the producer, the producer for the feeder, and the feeder for a timer. */
enum { CONSUMER = 11, PRODUCER = 10, FEEDER = 20, OTHER = 12 };
#define ROUND 20

static void expire(struct make *m, uint64_t ms, uint16_t cpu, uint32_t tid)
{
	make_event(m, ms * MS, cpu, CT_WAKE, tid, 0)->r.state = CT_CTX_TIMER;
}

static void start_chain(struct make *m)
{
	make_task(m, PRODUCER, 10, 1, "work");
	make_task(m, CONSUMER, 10, 1, "consumer");
	make_task(m, OTHER, 10, 1, "other");
	make_task(m, FEEDER, 20, 1, "feeder");
	make_switch(m, 1, 0, 0, CONSUMER, CT_W_NONE, 0);
	make_switch(m, 1, 1, 0, PRODUCER, CT_W_NONE, 0);
	make_switch(m, 2, 0, CONSUMER, 0, CT_W_FUTEX, COND);
	make_switch(m, 2, 1, PRODUCER, FEEDER, CT_W_READ, PIPE);
	make_switch(m, 3, 1, FEEDER, 0, CT_W_SLEEP, 0);
}

static void round_of(struct make *m, uint64_t ms)
{
	expire(m, ms, 1, FEEDER);
	make_switch(m, ms, 1, 0, FEEDER, CT_W_NONE, 0);
	make_wake(m, ms + 1, 1, PRODUCER, FEEDER, PIPE);
	make_switch(m, ms + 1, 1, FEEDER, PRODUCER, CT_W_SLEEP, 0);
	make_wake(m, ms + 2, 1, CONSUMER, PRODUCER, COND);
	make_switch(m, ms + 2, 1, PRODUCER, 0, CT_W_READ, PIPE);
	make_switch(m, ms + 2, 0, 0, CONSUMER, CT_W_NONE, 0);
	make_switch(m, ms + 3, 0, CONSUMER, 0, CT_W_FUTEX, COND);
}

static struct graph *graph_of(struct make *m, uint64_t to_ms)
{
	struct graph *g;

	assert_int_equal(graph_build(make_done(m, to_ms), &g), 0);
	return g;
}

static uint32_t wait_of(const struct graph *g, uint32_t tid, uint64_t ms)
{
	uint32_t i = graph_interval_at(g, graph_task_at(g, tid, ms * MS), ms * MS);

	assert_int_not_equal(i, GRAPH_NONE);
	assert_int_equal(g->intervals[i].state, INTERVAL_BLOCKED);
	return i;
}

static uint32_t tid_of(const struct graph *g, uint32_t task)
{
	return g->tasks[task].tid;
}

static void end(struct make *m, struct graph *g)
{
	graph_free(g);
	make_free(m);
}

static void test_score(void **state)
{
	struct signature none = { 0 }, abcd = { { 1, 2, 3, 4 }, 4 }, bd = { { 2, 4 }, 2 },
			 xy = { { 8, 9 }, 2 };

	assert_float_equal(similar_score(&abcd, &abcd), 1, 0.001);
	assert_float_equal(similar_score(&abcd, &bd), 2.0 * 2 / 6, 0.001);
	assert_float_equal(similar_score(&bd, &abcd), 2.0 * 2 / 6, 0.001);
	assert_float_equal(similar_score(&abcd, &xy), 0, 0.001);
	assert_float_equal(similar_score(&none, &none), 0, 0.001);
	assert_float_equal(similar_score(&none, &abcd), 0, 0.001);
}

static void test_signature_folds_repeats(void **state)
{
	struct make m = { 0 };
	struct signature few, many, other;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 60; i++)
		round_of(&m, 10 + i * ROUND);
	g = graph_of(&m, 3000);
	similar_signature(g, wait_of(g, PRODUCER, 10 + 57 * ROUND + 10), &few);
	similar_signature(g, wait_of(g, PRODUCER, 2000), &many);
	similar_signature(g, wait_of(g, FEEDER, 2000), &other);
	assert_in_range(many.n, 2, 6);
	assert_float_equal(similar_score(&few, &many), 1, 0.001);
	assert_true(similar_score(&other, &many) < 0.5);
	end(&m, g);
}

static void test_signature_of_part_of_a_repeat(void **state)
{
	static const uint64_t objects[] = { PIPE, EVENT, EPOLL, SOCKC, COND };
	const uint32_t n = ARRAY_SIZE(objects);
	struct make m = { 0 };
	struct signature x;
	struct graph *g;

	make_task(&m, 10, 10, 1, "loop");
	make_task(&m, 20, 20, 1, "waker");
	make_switch(&m, 1, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	for (uint32_t i = 0; i < 200; i++) {
		make_switch(&m, 10 + 2 * i, 0, 10, 0, CT_W_READ, objects[i % n]);
		make_wake(&m, 11 + 2 * i, 1, 10, 20, 0);
		make_switch(&m, 11 + 2 * i, 0, 0, 10, CT_W_NONE, 0);
	}
	g = graph_of(&m, 500);
	for (uint32_t i = 190; i < 190 + n; i++) {
		similar_signature(g, wait_of(g, 10, 10 + 2 * i), &x);
		assert_int_equal(x.n, 1 + n);
	}
	end(&m, g);
}

static void test_find_takes_those_at_the_same_place(void **state)
{
	struct make m = { 0 };
	struct similar_set set;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 10; i++)
		round_of(&m, 10 + i * ROUND);
	g = graph_of(&m, 3000);
	assert_int_equal(similar_find(g, wait_of(g, CONSUMER, 2000), &set), 0);
	assert_int_equal(set.v.n, 10);
	assert_int_equal(set.refused, 0);
	assert_true(set.v.v[0].interval > set.v.v[9].interval);
	for (size_t i = 0; i < set.v.n; i++)
		assert_int_equal(tid_of(g, set.v.v[i].blame.task), PRODUCER);
	similar_done(&set);
	end(&m, g);
}

static void test_stacks_count_where_known(void **state)
{
	const char *here[] = { "k:futex_wait+0x1", "wait+0x5 (app)", "main+0x10 (app)" };
	const char *there[] = { "k:futex_wait+0x1", "other+0x5 (app)", "main+0x20 (app)" };
	struct window_stack stacks[] = { { 1, 3, here }, { 2, 3, there } };
	struct make m = { .w = { .stacks = stacks, .n_stacks = 2 } };
	struct similar_set set;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 12; i++) {
		round_of(&m, 10 + i * ROUND);
		if (i >= 8)
			make_event(&m, (20 + i * ROUND) * MS, 0, CT_VISIT, CONSUMER, 0)->x[0] =
				i == 9 ? 2 : 1;
	}
	g = graph_of(&m, 3000);
	assert_int_equal(similar_find(g, wait_of(g, CONSUMER, 2000), &set), 0);
	/* The waits after the rounds 10, 9, 8 and 7. Only the wait after round 9 has another stack than
	 * the examined wait. The wait after round 7 has no stack, so stacks do not change its score. */
	assert_float_equal(set.v.v[0].score, 1, 0.001);
	assert_float_equal(set.v.v[1].score, 0.75, 0.001);
	assert_float_equal(set.v.v[2].score, 1, 0.001);
	assert_float_equal(set.v.v[3].score, 1, 0.001);
	similar_done(&set);
	end(&m, g);
}

static void test_find_is_bounded(void **state)
{
	struct make m = { 0 };
	struct similar_set set;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < SIMILAR_MAX + 7; i++)
		round_of(&m, 10 + i * ROUND);
	g = graph_of(&m, 10000);
	assert_int_equal(similar_find(g, wait_of(g, CONSUMER, 9000), &set), 0);
	assert_int_equal(set.v.n, SIMILAR_MAX);
	assert_int_equal(set.refused, 7);
	similar_done(&set);
	end(&m, g);
}

/* After the send, CPU 1 switches n + 1 times, the last time when "sender" blocks. */
static void send_before_switches(struct make *m, uint32_t n)
{
	make_task(m, 10, 10, 1, "sender");
	make_task(m, 20, 20, 1, "busy");
	make_switch(m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_event(m, 2 * MS, 0, CT_SEND, 10, 1)->r.obj = SOCKC;
	for (uint32_t i = 0; i < n; i++)
		make_switch(m, 3 + i, 1, i % 2 ? 20 : 0, i % 2 ? 0 : 20, CT_W_NONE, 0);
	make_switch(m, 900, 0, 10, 0, CT_W_READ, PIPE);
	make_switch(m, 900, 1, n % 2 ? 20 : 0, n % 2 ? 0 : 20, CT_W_NONE, 0);
}

/* Only the last SIMILAR_EVENTS records of a run are compared. Records that graph_build_lean() drops
 * count toward this number. */
static void test_signature_counts_dropped_records(void **state)
{
	for (uint32_t n = SIMILAR_EVENTS - 3; n < SIMILAR_EVENTS + 3; n++) {
		struct make m = { 0 };
		struct signature whole, lean;
		struct graph *g;

		send_before_switches(&m, n);
		g = graph_of(&m, 1000);
		similar_signature(g, wait_of(g, 10, 950), &whole);
		assert_int_equal(g->n_dropped, 0);
		assert_int_equal(whole.n, n < SIMILAR_EVENTS ? 2 : 1);
		graph_free(g);
		assert_int_equal(graph_build_lean(&m.w, &g), 0);
		similar_signature(g, wait_of(g, 10, 950), &lean);
		assert_int_equal(g->n_dropped, n + 2);
		assert_int_equal(lean.n, whole.n);
		assert_memory_equal(lean.token, whole.token, whole.n * sizeof(*whole.token));
		end(&m, g);
	}
}

static void add(struct similar_set *set, uint32_t task, float score)
{
	const struct similar x = { .score = score, .blame = { .task = task, .edge = EDGE_WAKE } };

	assert_int_equal(VEC_PUSH(&set->v, x), 0);
}

static void test_dropped_waits_are_counted(void **state)
{
	struct similar_set set = { 0 };
	struct make m = { 0 };
	uint32_t others = 1, producer, feeder;
	struct graph *g;

	start_chain(&m);
	g = graph_of(&m, 10);
	producer = graph_task_at(g, PRODUCER, 5 * MS);
	feeder = graph_task_at(g, FEEDER, 5 * MS);
	add(&set, producer, 1);
	add(&set, feeder, 0.9F);
	add(&set, GRAPH_NONE, 0.9F);
	add(&set, GRAPH_NONE, SIMILAR_LEAST / 2);
	add(&set, producer, SIMILAR_LEAST);
	similar_keep_commonest(g, &set, &others);
	assert_int_equal(set.v.n, 2);
	assert_int_equal(others, 3);
	similar_done(&set);

	/* no task ended any of the waits */
	set = (struct similar_set){ 0 };
	add(&set, GRAPH_NONE, 1);
	add(&set, GRAPH_NONE, SIMILAR_LEAST / 2);
	similar_keep_commonest(g, &set, &others);
	assert_int_equal(set.v.n, 0);
	assert_int_equal(others, 4);
	similar_done(&set);
	end(&m, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_score),
		cmocka_unit_test(test_signature_folds_repeats),
		cmocka_unit_test(test_signature_of_part_of_a_repeat),
		cmocka_unit_test(test_find_takes_those_at_the_same_place),
		cmocka_unit_test(test_stacks_count_where_known),
		cmocka_unit_test(test_find_is_bounded),
		cmocka_unit_test(test_signature_counts_dropped_records),
		cmocka_unit_test(test_dropped_waits_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
