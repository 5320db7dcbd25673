// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/render/causal.h"
#include "test/unit/analysis/slice_make.h"

static uint32_t add(struct cmake *k, uint32_t tid, uint64_t from_ms)
{
	return cmake_segment(k, tid, from_ms, from_ms + 10);
}

static void message(struct cmake *k, enum edge_strength strength, uint32_t from, uint32_t to)
{
	uint64_t ms = k->segments.v[to].from_ns / MS;

	cmake_edge(k, strength == EDGE_STRONG ? EDGE_MESSAGE : EDGE_WAKE, strength, from, ms, to, ms, 0);
}

/* Task 10 has the segments 0 1 2, task 20 has 3 4, task 30 has 5 6, and task 40 has 7 8. */
static const struct causal *make(struct cmake *k)
{
	for (uint32_t tid = 10; tid <= 40; tid += 10)
		make_task(&k->m, tid, tid, 1, "t");
	for (uint64_t ms = 0; ms < 30; ms += 10)
		add(k, 10, ms);
	for (uint32_t tid = 20; tid <= 40; tid += 10)
		for (uint64_t ms = 0; ms < 20; ms += 10)
			add(k, tid, ms);
	cmake_edge(k, EDGE_NEIGHBOUR, EDGE_WEAK, 0, 10, 1, 10, 0);
	cmake_edge(k, EDGE_NEIGHBOUR, EDGE_WEAK, 1, 20, 2, 20, 0);
	message(k, EDGE_STRONG, 3, 1);
	message(k, EDGE_WEAK, 5, 1);
	message(k, EDGE_WEAK, 1, 8);
	message(k, EDGE_STRONG, 3, 4);
	message(k, EDGE_WEAK, 7, 3);
	message(k, EDGE_WEAK, 3, 6);
	return cmake_done(k, 100);
}

static void assert_around(const struct causal *c, uint32_t depth, size_t max, const char *expected)
{
	struct graph_pick p;

	assert_int_equal(graph_pick_window(c, 0, 100 * MS, &p), 0);
	assert_int_equal(graph_pick_around(&p, &(uint32_t){ 1 }, 1, depth, max), 0);
	for (uint32_t i = 0; i < c->n_segments; i++)
		assert_int_equal(p.in[i], expected[i] == 'x');
	graph_pick_done(&p);
}

/* From segment 1, weak edges are followed to causes and neighbours, not to effects. From all other
 * segments, no weak edge is followed. */
static void test_around(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c = make(&k);

	assert_int_equal(c->n_segments, 9);
	assert_around(c, 0, 9, ".x.......");
	assert_around(c, 1, 9, "xxxx.x...");
	assert_around(c, 2, 9, "xxxxxx...");
	assert_around(c, 9, 9, "xxxxxx...");
	assert_around(c, 9, 5, "xxxx.x...");
	assert_around(c, 9, 1, ".x.......");
	cmake_free(&k);
}

/* more than are printed at once, and more objects than render_graph_json() remembers */
#define MANY  8500
#define PIPES 1500

static json_t *printed(const struct graph_pick *pick)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	json_t *doc;

	assert_non_null(f);
	assert_int_equal(render_graph_json(f, pick), 0);
	fclose(f);
	doc = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(doc);
	return doc;
}

static void assert_printed_edge(json_t *edge, int i)
{
	json_t *from = json_object_get(edge, "from");
	char pipe[32];

	/* segment 0 is not in the window */
	assert_int_equal(json_is_null(from), i == 1);
	assert_int_equal(json_integer_value(from), i - 1);
	assert_int_equal(json_integer_value(json_object_get(edge, "to")), i);
	snprintf(pipe, sizeof(pipe), "pipe:[%d]", 1 + i % PIPES);
	assert_string_equal(json_string_value(json_object_get(json_object_get(edge, "object"), "name")),
			    pipe);
}

static void test_many_lines(void **state)
{
	struct cmake k = { 0 };
	struct graph_pick p;
	json_t *doc, *v;

	make_task(&k.m, 10, 10, 1, "t");
	make_switch(&k.m, 0, 0, 0, 10, CT_W_NONE, 0);
	for (uint32_t i = 0; i < MANY; i++) {
		cmake_segment(&k, 10, i, i + 1);
		if (i)
			cmake_edge(&k, EDGE_PIPE, EDGE_STRONG, i - 1, i, i, i,
				   CT_OBJ_ID(CT_OBJ_PIPE, 1 + i % PIPES));
	}
	assert_int_equal(graph_pick_window(cmake_done(&k, MANY), 1 * MS, MANY * MS, &p), 0);
	doc = printed(&p);
	v = json_object_get(doc, "segments");
	assert_int_equal(json_array_size(v), MANY - 1);
	for (int i = 1; i < MANY; i++)
		assert_int_equal(json_integer_value(json_object_get(json_array_get(v, i - 1), "id")), i);
	v = json_object_get(doc, "edges");
	assert_int_equal(json_array_size(v), MANY - 1);
	for (int i = 1; i < MANY; i++)
		assert_printed_edge(json_array_get(v, i - 1), i);
	json_decref(doc);
	graph_pick_done(&p);
	cmake_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_around),
		cmocka_unit_test(test_many_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
