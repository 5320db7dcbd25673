// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of repeats gives the same answers as a scan of the intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/thresholds.h"
#include "graph/wake/repeats.h"
#include "lib/hash.h"
#include "test/unit/graph/random_make.h"

static uint32_t end_of(const struct graph *g, uint32_t interval)
{
	const struct graph_task *t = &g->tasks[g->intervals[interval].task];

	return t->first_interval + t->n_intervals;
}

static bool is_repeat(const struct graph *g, uint32_t interval, uint32_t i)
{
	return g->intervals[i].state == INTERVAL_BLOCKED &&
	       blame_same_wait(&g->intervals[interval], &g->intervals[i]);
}

static uint32_t plain_next(const struct graph *g, uint32_t interval)
{
	for (uint32_t i = interval + 1; i < end_of(g, interval); i++)
		if (is_repeat(g, interval, i))
			return i;
	return GRAPH_NONE;
}

static uint32_t plain_last(const struct graph *g, uint32_t interval, uint64_t end_ns, uint64_t ran_ns)
{
	uint32_t last = GRAPH_NONE;
	uint64_t ran = 0;

	for (uint32_t i = interval + 1; i < end_of(g, interval) && g->intervals[i].from_ns < end_ns; i++) {
		const struct interval *x = &g->intervals[i];

		ran += interval_ran_ns(x);
		if (ran > ran_ns)
			break;
		if (is_repeat(g, interval, i) && x->wake != GRAPH_NONE && x->to_ns <= end_ns)
			last = i;
	}
	return last;
}

static uint32_t plain_ended(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];
	uint64_t ran = 0;

	for (uint32_t i = interval + 1; i < end_of(g, interval); i++) {
		const struct interval *x = &g->intervals[i];

		ran += interval_ran_ns(x);
		if (has_made_progress(ran, x->from_ns - s->from_ns))
			return GRAPH_NONE;
		if (x->state == INTERVAL_BLOCKED && !is_repeat(g, interval, i) &&
		    x->to_ns - x->from_ns > OTHER_WAIT_NS)
			return GRAPH_NONE;
		if (is_repeat(g, interval, i) && x->wake != GRAPH_NONE &&
		    !edge_by_timer(g, x, &g->w->events[x->wake]))
			return i;
	}
	return GRAPH_NONE;
}

static uint32_t found[3];

static void check(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, uint32_t *seed)
{
	const struct graph_task *t = &g->tasks[task];

	for (uint32_t i = t->first_interval; i < t->first_interval + t->n_intervals; i++) {
		uint64_t ran = random_below(seed, 200) * MS, end = to_ns;

		if (random_below(seed, 2))
			end = g->intervals[i + random_below(seed, t->first_interval + t->n_intervals - i)]
				      .to_ns;
		if (g->intervals[i].state != INTERVAL_BLOCKED)
			continue;
		assert_int_equal(repeats_next(g, i), plain_next(g, i));
		assert_int_equal(repeats_last(g, i, end, ran), plain_last(g, i, end, ran));
		assert_int_equal(repeats_ended(g, i), plain_ended(g, i));
		found[0] += repeats_next(g, i) != GRAPH_NONE;
		found[1] += repeats_last(g, i, end, ran) != GRAPH_NONE;
		found[2] += repeats_ended(g, i) != GRAPH_NONE;
	}
}

static void test_random_windows(void **state)
{
	random_ranges(check);
	for (int i = 0; i < 3; i++)
		assert_true(found[i] > 100);
}

static void lengths(uint32_t *seed, uint64_t *ret_wait, uint64_t *ret_run)
{
	static const uint64_t waits[] = { 0, 1, 7, 1000000, 49999999, 50000000, 50000001, 200000000 };

	*ret_wait = waits[random_below(seed, 8)];
	*ret_run = random_below(seed, 8) ? random_below(seed, 3)
					 : no_progress_ns(*ret_wait) + random_below(seed, 2);
}

static void test_long_tasks(void **state)
{
	for (uint32_t seed = 1; seed <= 100; seed++) {
		struct make m = { 0 };
		struct window_record *wake;
		struct graph *g;
		uint64_t ns = 1, wait, run;
		uint32_t s = seed, first;

		make_task(&m, 10, 10, 1, "t");
		make_task(&m, 11, 11, 1, "u");
		for (uint32_t i = 0; i < 300; i++) {
			lengths(&s, &wait, &run);
			make_switch(&m, 0, 0, 10, 0, random_below(&s, 8) ? CT_W_READ : CT_W_POLL,
				    CT_OBJ_ID(CT_OBJ_PIPE, random_below(&s, 10) / 8))
				->r.ts = ns;
			wake = make_wake(&m, 0, 0, 10, random_below(&s, 10) ? 0 : 11, 0);
			wake->r.ts = ns += wait;
			if (random_below(&s, 10))
				wake->r.state = CT_CTX_TIMER;
			make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0)->r.ts = ns;
			ns += run;
		}
		assert_int_equal(graph_build(make_done(&m, ns / MS + 1), &g), 0);
		first = graph_task_at(g, 10, ns);
		assert_true(g->tasks[first].n_intervals > 500);
		check(g, first, 0, 1 + random_below(&s, (uint32_t)(ns / MS) + 1) * MS, &s);
		graph_free(g);
		make_free(&m);
	}
}

/* Returns an object X: a wait for X in system call nr has the same hash as a wait for obj in system
 * call 0. */
static uint64_t same_hash(uint64_t obj, uint64_t nr)
{
	const uint64_t p = 0x100000001b3ULL;
	uint64_t inverse = 1;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - p * inverse;
	return (((obj ^ HASH_START) * p ^ nr << 8) * inverse) ^ HASH_START;
}

/* Two different waits have one hash. Repeats of the first wait (nr 1) are found. Repeats of the
 * second wait may be missing. */
static void test_one_hash(void **state)
{
	struct make m = { 0 };
	struct window_record *e;
	struct graph *g;
	uint32_t task;

	for (uint64_t ms = 1; ms < 20; ms++) {
		e = make_switch(&m, 2 * ms, 0, 10, 0, CT_W_READ, ms % 2 ? same_hash(5, 1) : 5);
		e->r.nr = ms % 2;
		make_switch(&m, 2 * ms + 1, 0, 0, 10, CT_W_NONE, 0);
	}
	assert_int_equal(hash_add(hash_add(HASH_START, same_hash(5, 1)), 1 << 8 | CT_W_READ),
			 hash_add(hash_add(HASH_START, 5), CT_W_READ));
	assert_int_equal(graph_build(make_done(&m, 50), &g), 0);
	task = graph_task_at(g, 10, 0);
	for (uint32_t i = 0; i < g->tasks[task].n_intervals; i++) {
		const struct interval *s = &g->intervals[g->tasks[task].first_interval + i];
		uint32_t at = g->tasks[task].first_interval + i;

		if (s->state != INTERVAL_BLOCKED)
			continue;
		if (s->nr)
			assert_int_equal(repeats_next(g, at), plain_next(g, at));
		else
			assert_true(repeats_next(g, at) == GRAPH_NONE ||
				    repeats_next(g, at) == plain_next(g, at));
	}
	graph_free(g);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_windows),
		cmocka_unit_test(test_long_tasks),
		cmocka_unit_test(test_one_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
