// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/whatif/whatif.h"
#include "test/unit/analysis/whatif/slow.h"
#include "test/unit/graph/both_in_threads.h"
#include "test/unit/graph/random_make.h"

#define QUESTIONS 12

static struct whatif_without anything(const struct graph *g, uint32_t *r)
{
	struct whatif_without v = { .kind = (uint8_t)random_below(r, WHATIF_OBJECT + 1),
				    .task = random_below(r, (uint32_t)g->n_tasks),
				    .time = (uint8_t)random_below(r, TIME_KINDS),
				    .interval = random_below(r, (uint32_t)g->n_intervals) };

	v.obj = g->intervals[v.interval].obj;
	if ((v.kind == WHATIF_WAIT || v.kind == WHATIF_WAITS) &&
	    g->intervals[v.interval].state != INTERVAL_BLOCKED)
		v.kind = WHATIF_RESOURCE;
	return v;
}

/* Links between any two records, `each` times as many as records: a replay does not care about their kinds.
 */
static void any_links(const struct graph *g, uint32_t *r, size_t each, struct causal_links *ret)
{
	*ret = (struct causal_links){ .to = calloc(g->n_tasks, sizeof(*ret->to)), .n_tasks = g->n_tasks };
	assert_non_null(ret->to);
	for (size_t i = 0; i < each * g->w->n_events && g->n_tasks > 1; i++) {
		uint32_t to = random_below(r, (uint32_t)g->n_tasks),
			 from = random_below(r, (uint32_t)g->n_tasks),
			 event = random_below(r, (uint32_t)g->w->n_events),
			 cause = event - random_below(r, MIN(event + 1, 20));

		if (from != to)
			assert_int_equal(
				causal_link_add(&ret->to[to], &(struct causal_link){ from, event, cause }),
				0);
	}
}

static struct whatif *linked(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			     struct causal_links *links, graph_both_fn both)
{
	struct whatif *x;

	assert_int_equal(whatif_new(g, task, from_ns, to_ns, &x), 0);
	assert_int_equal(whatif_link(x, links, both), 0);
	return x;
}

static size_t n_saved, n_arrivals;

/* All questions together, of which every second one has two things, have the same answers as in the slow
 * recursion. */
static void check(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, uint32_t *seed)
{
	struct causal_links links;
	struct whatif_without v[QUESTIONS];
	struct question q[QUESTIONS];
	uint64_t saved[QUESTIONS], slow;
	struct whatif *x;

	if (!g->n_intervals)
		return;
	for (size_t i = 0; i < QUESTIONS; i++) {
		v[i] = anything(g, seed);
		q[i] = (struct question){ &v[i / 2 * 2], 1 + i % 2 };
	}
	any_links(g, seed, random_below(seed, 30) ? 2 : 100, &links);
	x = linked(g, task, from_ns, to_ns, &links, NULL);
	assert_int_equal(replay_saved(x, q, QUESTIONS, saved), 0);
	for (size_t i = 0; i < QUESTIONS; i++)
		if (slow_saved(x, &q[i], &slow)) {
			assert_int_equal(saved[i], slow);
			n_saved += slow > 0;
		}
	n_arrivals += x->n_arrivals;
	causal_links_done(&links);
	whatif_free(x);
}

static void test_slow(void **state)
{
	random_ranges(check);
	assert_true(n_saved > 1000 && n_arrivals > 100);
}

static size_t n_parts;

/* Many links to one task, of which most are dropped: threads find the same arrivals as one thread. */
static void check_parts(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			uint32_t *seed)
{
	struct causal_links links[2];
	uint32_t again;
	struct whatif *x[2];

	if (!g->n_intervals || random_below(seed, 20))
		return;
	again = *seed;
	for (int k = 0; k < 2; k++) {
		any_links(g, k ? &again : seed, 100, &links[k]);
		for (size_t t = 0; t < g->n_tasks; t++)
			n_parts += links[k].to[t].v.n > 2 * LINK_PART;
		x[k] = linked(g, task, from_ns, to_ns, &links[k], k ? both_in_threads : NULL);
		causal_links_done(&links[k]);
	}
	assert_int_equal(x[0]->n_arrivals, x[1]->n_arrivals);
	assert_memory_equal(x[0]->arrivals, x[1]->arrivals, x[0]->n_arrivals * sizeof(*x[0]->arrivals));
	assert_int_equal(x[0]->looks.n, x[1]->looks.n);
	assert_memory_equal(x[0]->looks.v, x[1]->looks.v, x[0]->looks.n * sizeof(*x[0]->looks.v));
	whatif_free(x[0]);
	whatif_free(x[1]);
}

static void test_parts(void **state)
{
	random_ranges(check_parts);
	assert_true(n_parts > 10);
}

static size_t n_blamed, n_prepared;

/* Causes that threads or path_walk_blamed() have found before, in any order, are those that whatif_link()
 * finds. */
static void check_prepared(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			   uint32_t *seed)
{
	bool stop = task % 2;
	size_t n_blamed_here;
	struct whatif *x[2];
	struct path *p;

	if (!g->n_intervals)
		return;
	for (int k = 0; k < 2; k++)
		assert_int_equal(whatif_new(g, task, from_ns, to_ns, &x[k]), 0);
	assert_int_equal(path_walk_blamed(g, task, from_ns, to_ns, whatif_blamed, x[1], &p), 0);
	n_blamed += n_blamed_here = x[1]->n_causes;
	whatif_prepare(x[1], p, NULL, &stop);
	assert_true(!stop || x[1]->n_causes == n_blamed_here);
	whatif_prepare(x[1], p, both_in_threads, NULL);
	n_prepared += x[1]->n_causes;
	for (uint32_t i = 0; i < g->n_intervals; i++) {
		struct cause a, b;

		if (g->intervals[i].state != INTERVAL_BLOCKED)
			continue;
		a = whatif_cause(x[0], i);
		b = whatif_cause(x[1], i);
		assert_memory_equal(&a, &b, sizeof(a));
	}
	for (int k = 0; k < 2; k++)
		assert_int_equal(whatif_link(x[k], NULL, NULL), 0);
	assert_int_equal(x[0]->looks.n, x[1]->looks.n);
	whatif_free(x[0]);
	whatif_free(x[1]);
	path_free(p);
}

static void test_prepared(void **state)
{
	random_ranges(check_prepared);
	assert_true(n_blamed > 1000);
	assert_true(n_prepared > n_blamed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_slow), cmocka_unit_test(test_parts),
					    cmocka_unit_test(test_prepared) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
