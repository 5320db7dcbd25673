// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_of_lock() finds the same owner as a replay of all records of the lock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/wake/owner.h"
#include "test/unit/graph/random_make.h"

#define LOCK CT_OBJ_ID(CT_OBJ_FILE, 9)

static uint32_t plain_owner(const struct graph *g, uint64_t ts_ns, uint32_t tgid)
{
	uint32_t owner = GRAPH_NONE;

	for (size_t i = 0; i < g->w->n_events; i++) {
		const struct window_event *e = &g->w->events[i];
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

		if (e->r.kind != CT_FLOCK && e->r.kind != CT_HELD)
			continue;
		/* If there is no owner at ts_ns, the search goes on in later CT_HELD records, until the
		 * first owner or the first CT_FLOCK record. */
		if (e->r.ts > ts_ns && (e->r.kind != CT_HELD || owner != GRAPH_NONE))
			break;
		if (task == GRAPH_NONE || g->tasks[task].tgid == tgid ||
		    (e->r.kind == CT_HELD && ct_held_is_waiter(&e->r)))
			continue;
		if (ct_lock_op(&e->r) != CT_LOCK_UNLOCK)
			owner = ct_lock_result(&e->r) == 0 ? task : owner;
		else if (owner != GRAPH_NONE && g->tasks[task].tgid == g->tasks[owner].tgid)
			owner = GRAPH_NONE;
	}
	return owner;
}

static void test_random_locks(void **state)
{
	uint32_t found = 0;

	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct make m = { 0 };
		struct graph *g;
		uint32_t s = seed;
		uint8_t strength;

		for (uint32_t tid = 1; tid <= 6; tid++)
			make_task(&m, tid, 1 + tid / 2, 1, "t");
		for (uint64_t ms = 1; ms < 30; ms++) {
			struct window_record *e =
				make_event(&m, ms * MS, 0, random_below(&s, 4) ? CT_FLOCK : CT_HELD,
					   1 + random_below(&s, 6), random_below(&s, 4) ? 0 : 1);

			e->r.obj = LOCK;
			e->r.state = (uint8_t)random_below(&s, 3);
			e->r.flags = !random_below(&s, 4);
			make_switch(&m, ms, 0, 0, e->r.tid, CT_W_NONE, 0);
		}
		assert_int_equal(graph_build(make_done(&m, 40), &g), 0);
		for (uint64_t ts = 0; ts < 32 * MS; ts += MS / 2) {
			uint32_t tgid = 1 + random_below(&s, 4), owner = plain_owner(g, ts, tgid);

			assert_int_equal(owner_of_lock(g, LOCK, ts, tgid, NULL, &strength), owner);
			found += owner != GRAPH_NONE;
		}
		graph_free(g);
		make_free(&m);
	}
	assert_true(found > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
