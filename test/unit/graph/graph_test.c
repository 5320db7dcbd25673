// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/path/path.h"
#include "test/unit/graph/random_make.h"

static void assert_partition(const struct path *p, uint64_t from, uint64_t to)
{
	uint64_t at = from;

	for (size_t i = 0; i < p->n_pieces; i++) {
		assert_int_equal(p->pieces[i].from_ns, at);
		assert_true(p->pieces[i].to_ns > p->pieces[i].from_ns);
		at = p->pieces[i].to_ns;
	}
	assert_int_equal(at, to);
}

static struct graph *build(struct make *m, uint64_t to_ms)
{
	struct graph *g;

	assert_int_equal(graph_build(make_done(m, to_ms), &g), 0);
	return g;
}

static void check(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, uint32_t *seed)
{
	const struct graph_task *t = &g->tasks[task];
	struct path *p;

	assert_int_equal(path_walk(g, task, from_ns, to_ns, &p), 0);
	assert_partition(p, from_ns, to_ns);
	path_free(p);
	for (uint32_t i = t->first_interval; i + 1 < t->first_interval + t->n_intervals; i++)
		assert_true(g->intervals[i].to_ns == g->intervals[i + 1].from_ns);
}

static void test_random_partition(void **state)
{
	random_ranges(check);
}

static void test_bad_range(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct path *p;

	make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0);
	g = build(&m, 100);
	assert_int_equal(path_walk(g, 0, 5, 5, &p), -EINVAL);
	assert_int_equal(path_walk(g, GRAPH_NONE, 0, 5, &p), -EINVAL);
	graph_free(g);
	make_free(&m);
}

static void test_empty(void **state)
{
	struct make m = { 0 };
	struct graph *g = build(&m, 0);

	assert_int_equal(g->n_tasks, 0);
	graph_free(g);
	graph_free(NULL);
	path_free(NULL);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_partition),
		cmocka_unit_test(test_bad_range),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
