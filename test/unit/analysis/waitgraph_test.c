/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/hangs/hangs.h"
#include "analysis/hangs/waitgraph.h"
#include "lib/cleanup.h"

#define STRONG WAITGRAPH_STRONG
#define WEAK   WAITGRAPH_WEAK

static void free_graph(struct waitgraph **g)
{
	waitgraph_free(*g);
}
#define GRAPH(g)                                                                                             \
	_cleanup_(free_graph) struct waitgraph *g = waitgraph_new();                                         \
	assert_non_null(g)

static void edge(struct waitgraph *g, uint64_t from, uint64_t to, enum waitgraph_strength s)
{
	assert_int_equal(waitgraph_edge(g, from, to, s, from * 1000 + to), 0);
}

static struct waitgraph_info info(struct waitgraph *g, uint64_t id)
{
	struct waitgraph_info i;

	assert_true(waitgraph_info(g, id, &i));
	return i;
}

static void empty(void **state)
{
	GRAPH(g);
	struct waitgraph_info i = { .depth = 77 };

	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 0);
	assert_null(waitgraph_cycle(g, 0));
	assert_false(waitgraph_info(g, 1, &i));
	assert_int_equal(i.depth, 77);
	assert_int_equal(waitgraph_chain(g, 1, NULL, 0), 0);
	waitgraph_free(NULL);
}

static void no_edges(void **state)
{
	GRAPH(g);
	struct waitgraph_step s;

	waitgraph_node(g, 5, WAITGRAPH_ANY, false);
	waitgraph_node(g, UINT64_MAX, WAITGRAPH_ALL, false);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 0);
	assert_int_equal(info(g, 5).root_id, 5);
	assert_int_equal(info(g, 5).depth, 0);
	assert_int_equal(waitgraph_chain(g, UINT64_MAX, &s, 1), 1);
	assert_true(s.id == UINT64_MAX);
	assert_int_equal(s.resource, 0);
}

static void self_loop(void **state)
{
	GRAPH(g);
	const struct waitgraph_cycle *c;

	edge(g, 7, 7, STRONG);
	edge(g, 8, 7, STRONG);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 1);
	c = waitgraph_cycle(g, 0);
	assert_int_equal(c->n_steps, 1);
	assert_int_equal(c->n_members, 1);
	assert_int_equal(c->steps[0].id, 7);
	assert_int_equal(c->steps[0].resource, 7007);
	assert_true(c->closed && c->strong);
	assert_int_equal(info(g, 7).depth, 0);
	assert_true(info(g, 7).cyclic);
	assert_int_equal(info(g, 7).waiters_cnt, 1);
	assert_int_equal(info(g, 8).root_id, 7);
	assert_int_equal(waitgraph_chain(g, 8, NULL, 0), 2);
}

static void two_cycles(void **state)
{
	GRAPH(g);
	struct waitgraph_step s[8];
	const struct waitgraph_cycle *c;

	edge(g, 3, 1, STRONG);
	edge(g, 1, 2, STRONG);
	edge(g, 2, 3, STRONG);
	edge(g, 11, 10, WEAK);
	edge(g, 10, 11, STRONG);
	edge(g, 20, 2, STRONG);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 2);
	c = waitgraph_cycle(g, 0);
	assert_int_equal(c->n_steps, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(c->steps[i].id, i + 1);
	assert_int_equal(c->steps[2].resource, 3001);
	assert_true(c->closed && c->strong);
	c = waitgraph_cycle(g, 1);
	assert_int_equal(c->n_steps, 2);
	assert_int_equal(c->steps[0].id, 10);
	assert_true(c->closed);
	assert_false(c->strong);
	/* the chain enters the cycle, and goes around it once */
	assert_int_equal(waitgraph_chain(g, 20, s, 8), 4);
	assert_int_equal(s[1].id, 2);
	assert_int_equal(s[3].id, 1);
	assert_int_equal(s[3].resource, 1002);
	assert_int_equal(info(g, 20).root_id, 1);
	assert_true(info(g, 20).cyclic);
	assert_int_equal(info(g, 1).waiters_cnt, 3);
	assert_int_equal(info(g, 20).waiters_cnt, 0);
}

/* A cycle is not closed if a wait of the kind WAITGRAPH_ANY in it can also end from outside, or if
 * one of its nodes is open (waitgraph_node()). */
static void way_out(void **state)
{
	GRAPH(g);

	waitgraph_node(g, 1, WAITGRAPH_ANY, false);
	edge(g, 1, 2, STRONG);
	edge(g, 1, 3, STRONG);
	edge(g, 2, 1, STRONG);
	edge(g, 5, 6, STRONG);
	edge(g, 6, 5, STRONG);
	waitgraph_node(g, 6, WAITGRAPH_ANY, true);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 2);
	assert_false(waitgraph_cycle(g, 0)->closed);
	assert_true(waitgraph_cycle(g, 0)->strong);
	assert_false(waitgraph_cycle(g, 1)->closed);

	waitgraph_node(g, 1, WAITGRAPH_ALL, false);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 2);
	assert_true(waitgraph_cycle(g, 0)->closed);
	assert_int_equal(waitgraph_cycle(g, 0)->steps[0].id, 1);
	assert_false(waitgraph_cycle(g, 1)->closed);
}

/* Each target of a wait of the kind WAITGRAPH_ANY leads back to the waiter. */
static void knot(void **state)
{
	GRAPH(g);

	edge(g, 1, 2, STRONG);
	edge(g, 1, 3, STRONG);
	edge(g, 2, 1, STRONG);
	edge(g, 3, 1, STRONG);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 1);
	assert_int_equal(waitgraph_cycle(g, 0)->n_members, 3);
	assert_int_equal(waitgraph_cycle(g, 0)->n_steps, 2);
	assert_true(waitgraph_cycle(g, 0)->closed);
	/* node 4 is stuck too, but no part of the knot */
	edge(g, 4, 3, STRONG);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 1);
	assert_int_equal(waitgraph_cycle(g, 0)->n_members, 3);
}

static void prefers_strong_then_first(void **state)
{
	GRAPH(g);
	struct waitgraph_step s[2];

	edge(g, 1, 2, WEAK);
	edge(g, 1, 3, STRONG);
	edge(g, 1, 4, STRONG);
	edge(g, 5, 6, WEAK);
	edge(g, 5, 7, WEAK);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_chain(g, 1, s, 2), 2);
	assert_int_equal(s[1].id, 3);
	assert_int_equal(waitgraph_chain(g, 5, s, 2), 2);
	assert_int_equal(s[1].id, 6);
	assert_int_equal(s[0].strength, WEAK);
}

/* Node 1 waits for node 2. Node 2 waits for node 1 or node 3, so only node 3 can end both waits. In
 * the second part, node 2 waits for node 1 and node 3 together. Then no node can end these waits. */
static void prefers_the_way_out(void **state)
{
	GRAPH(g);

	edge(g, 1, 2, STRONG);
	edge(g, 2, 1, STRONG);
	edge(g, 2, 3, STRONG);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(info(g, 1).root_id, 3);
	assert_false(info(g, 1).cyclic);
	assert_int_equal(waitgraph_node(g, 2, WAITGRAPH_ALL, false), 0);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_true(info(g, 1).cyclic);
}

static void waiters_of_a_tree(void **state)
{
	GRAPH(g);

	edge(g, 4, 2, STRONG);
	edge(g, 5, 2, STRONG);
	edge(g, 2, 1, STRONG);
	edge(g, 3, 1, STRONG);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(info(g, 1).waiters_cnt, 4);
	assert_int_equal(info(g, 2).waiters_cnt, 2);
	assert_int_equal(info(g, 5).waiters_cnt, 0);
	assert_int_equal(info(g, 5).depth, 2);
	assert_int_equal(info(g, 5).root_id, 1);
}

/* Deep recursion would overflow the stack, and quadratic time would take too long. */
static void hundred_thousand(void **state)
{
	enum { N = 100000 };
	GRAPH(g);

	for (uint64_t i = 1; i < N; i++)
		edge(g, i, i + 1, STRONG);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 0);
	assert_int_equal(info(g, 1).depth, N - 1);
	assert_int_equal(info(g, 1).root_id, N);
	assert_int_equal(info(g, N).waiters_cnt, N - 1);
	edge(g, N, 1, STRONG);
	for (uint64_t i = 1; i <= N; i++)
		edge(g, N + i, 2 * N + 1, WEAK);
	assert_int_equal(waitgraph_solve(g), 0);
	assert_int_equal(waitgraph_cycles_cnt(g), 1);
	assert_int_equal(waitgraph_cycle(g, 0)->n_steps, N);
	assert_int_equal(info(g, 50).waiters_cnt, N - 1);
	assert_int_equal(info(g, 2 * N + 1).waiters_cnt, N);
}

static void free_nothing(void **state)
{
	hangs_free(NULL);
	diagnosis_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(free_nothing),
		cmocka_unit_test(no_edges),
		cmocka_unit_test(self_loop),
		cmocka_unit_test(two_cycles),
		cmocka_unit_test(way_out),
		cmocka_unit_test(knot),
		cmocka_unit_test(prefers_strong_then_first),
		cmocka_unit_test(prefers_the_way_out),
		cmocka_unit_test(waiters_of_a_tree),
		cmocka_unit_test(hundred_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
