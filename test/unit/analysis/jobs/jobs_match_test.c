// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/jobs/match.h"
#include "lib/cleanup.h"
#include "test/unit/trace/window_make.h"

#define QUEUE(n) CT_OBJ_ID(CT_OBJ_QUEUE, n)

enum { SHOP = 10, WORKER = 11, MAIL = 20, END_MS = 10 };

static struct graph *two_processes(struct make *m)
{
	struct graph *g;

	make_task(m, SHOP, SHOP, 1, "shop");
	make_task(m, WORKER, SHOP, 1, "worker");
	make_task(m, MAIL, MAIL, 1, "mail");
	make_switch(m, 1, 0, 0, SHOP, CT_W_NONE, 0);
	make_switch(m, 1, 1, 0, WORKER, CT_W_NONE, 0);
	make_switch(m, 1, 2, 0, MAIL, CT_W_NONE, 0);
	assert_int_equal(graph_build(make_done(m, END_MS), &g), 0);
	return g;
}

static struct queue queue_of(const struct graph *g, uint32_t tid, uint64_t obj)
{
	return (struct queue){ .obj = obj, .task = graph_task_at(g, tid, END_MS * MS - 1) };
}

static void by_process_and_name(void **state)
{
	struct make m = { 0 };
	struct graph *g = two_processes(&m);
	struct queue b[] = { queue_of(g, SHOP, QUEUE(1)), queue_of(g, SHOP, QUEUE(2)) };
	struct queue n[] = { queue_of(g, WORKER, QUEUE(2)), queue_of(g, WORKER, QUEUE(3)),
			     queue_of(g, MAIL, QUEUE(1)) };
	struct queues before = { b, ARRAY_SIZE(b) }, now = { n, ARRAY_SIZE(n) };
	size_t of[ARRAY_SIZE(n)];

	queues_match(&(struct queues_of){ g, &before }, &(struct queues_of){ g, &now }, of);
	assert_int_equal(of[0], 1);
	assert_int_equal(of[1], 0);
	assert_true(of[2] == SIZE_MAX);
	graph_free(g);
	make_free(&m);
}

static void name_before_order(void **state)
{
	struct make m = { 0 };
	struct graph *g = two_processes(&m);
	struct queue b[] = { queue_of(g, SHOP, QUEUE(1)) };
	struct queue n[] = { queue_of(g, SHOP, QUEUE(3)), queue_of(g, SHOP, QUEUE(1)) };
	struct queues before = { b, ARRAY_SIZE(b) }, now = { n, ARRAY_SIZE(n) };
	size_t of[ARRAY_SIZE(n)];

	queues_match(&(struct queues_of){ g, &before }, &(struct queues_of){ g, &now }, of);
	assert_true(of[0] == SIZE_MAX);
	assert_int_equal(of[1], 0);
	graph_free(g);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_process_and_name),
		cmocka_unit_test(name_before_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
