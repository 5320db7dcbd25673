// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/causal/flow.h"
#include "test/unit/graph/causal_make.h"

/* No send has the length of a receive. A search of all sends for each receive would be quadratic. */
static void test_lost_datagrams(void **state)
{
	enum { N = 200000 };
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "sink");
	runs(&m, 20, 20, 1, "source");
	connection(&m, SOCK(1), SOCK(2), DGRAM);
	for (uint32_t i = 0; i < N; i++)
		sends(&m, 1, 20, SOCK(2), 100);
	for (uint32_t i = 0; i < N; i++)
		receives(&m, 2, 10, SOCK(1), 60);
	b = built(&m, 10);
	assert_int_equal(n_edges(&b, EDGE_MESSAGE), N);
	built_free(&b, &m);
}

static void takes(struct flows *m, const struct graph *g, uint64_t sock, size_t n)
{
	uint32_t f = flow_at(m, g, sock);

	for (size_t i = 0; i < n; i++)
		assert_int_equal(bytes_push(&m->pool, &m->v.v[f].taken, &(struct bytes_item){ .event = 0 }),
				 0);
}

static void is_used_by(struct flows *m, const struct graph *g, uint64_t sock, uint32_t tid)
{
	m->v.v[flow_at(m, g, sock)].user = graph_task_at(g, tid, 0);
}

/* Only the first of four connections can be forgotten: the processes of both its ends have
 * ended. */
static void test_room_for_messages(void **state)
{
	struct make m = { 0 };
	struct flows flows;
	struct graph *g;

	runs(&m, 10, 10, 1, "gone");
	runs(&m, 11, 11, 1, "gone");
	runs(&m, 20, 20, 1, "lives");
	runs(&m, 21, 20, 1, "thread");
	for (uint32_t tid = 10; tid <= 21; tid += tid == 10 ? 1 : 10)
		make_event(&m, 5 * MS, CPU(tid), CT_EXIT, tid, 0);
	for (uint64_t i = 1; i < 8; i += 2)
		connection(&m, SOCK(i), SOCK(i + 1), STREAM);
	assert_int_equal(graph_build(make_done(&m, 10), &g), 0);
	assert_int_equal(flow_init(&flows, g), 0);
	for (uint64_t i = 1; i < 8; i += 2)
		takes(&flows, g, SOCK(i), 16);
	is_used_by(&flows, g, SOCK(1), 10);
	is_used_by(&flows, g, SOCK(2), 11);
	is_used_by(&flows, g, SOCK(3), 10);
	is_used_by(&flows, g, SOCK(4), 20);
	is_used_by(&flows, g, SOCK(5), 21);
	is_used_by(&flows, g, SOCK(6), 11);
	is_used_by(&flows, g, SOCK(7), 10);

	flow_make_room(&flows, g, 9 * MS);
	assert_non_null(bytes_first(&flows.pool, &flows.v.v[flow_at(&flows, g, SOCK(1))].taken));
	while (flows.pool.items.n < FLOW_ITEMS || flows.pool.items.n < flows.pool.items.cap)
		takes(&flows, g, SOCK(1), 1);
	flow_make_room(&flows, g, 4 * MS);
	assert_int_equal(flows.pool.free, 0);
	flow_make_room(&flows, g, 9 * MS);
	assert_int_not_equal(flows.pool.free, 0);
	assert_null(bytes_first(&flows.pool, &flows.v.v[flow_at(&flows, g, SOCK(1))].taken));
	for (uint64_t i = 3; i < 8; i += 2)
		assert_non_null(bytes_first(&flows.pool, &flows.v.v[flow_at(&flows, g, SOCK(i))].taken));
	flow_done(&flows);
	graph_free(g);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_datagrams),
		cmocka_unit_test(test_room_for_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
