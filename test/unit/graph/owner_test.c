// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_of_lock() finds the same owners as a replay of all records of the lock, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/thresholds.h"
#include "graph/wake/owner.h"
#include "test/unit/graph/random_make.h"

#define LOCK CT_OBJ_ID(CT_OBJ_FILE, 9)

#define BYTES 4
#define TGIDS 5

/* Which process has which byte, by which way: 0: not, 1: for reading, 2: for writing. */
struct replay {
	uint8_t has[TGIDS][BYTES];
};

static void replay_record(struct replay *p, const struct graph *g, const struct lock_try *t,
			  const struct window_event *e)
{
	uint32_t task = graph_task_at(g, e->r.tid, e->r.ts),
		 tgid = task == GRAPH_NONE ? 0 : g->tasks[task].tgid;
	const uint64_t *x = window_words(g->w, e), *want = window_words(g->w, t->want);
	bool lock = ct_lock_op(&e->r) != CT_LOCK_UNLOCK;

	if ((e->r.kind == CT_HELD && ct_held_is_waiter(&e->r)) || (lock && ct_lock_result(&e->r)) ||
	    ct_lock_type(&e->r) != ct_lock_type(&t->want->r))
		return;
	/* A process that gets all wanted bytes for writing is alone. */
	if (lock && ct_lock_op(&e->r) == CT_LOCK_WRITE && x[0] <= want[0] && x[1] >= want[1])
		*p = (struct replay){ 0 };
	for (uint64_t k = x[0]; k <= x[1]; k++)
		p->has[tgid][k] = lock ? (uint8_t)(1 + ct_lock_op(&e->r)) : 0;
}

static struct enders replay_owners(const struct replay *p, const struct graph *g, const struct lock_try *t)
{
	const uint64_t *want = window_words(g->w, t->want);
	struct enders ret = { 0 };

	for (uint32_t tgid = 1; tgid < TGIDS; tgid++)
		for (uint64_t k = want[0]; k <= want[1] && tgid != t->tgid; k++)
			if (p->has[tgid][k] + ct_lock_op(&t->want->r) > 1) {
				ret.v[ret.n++] = tgid;
				break;
			}
	return ret;
}

static struct enders plain_owners(const struct graph *g, const struct lock_try *t)
{
	struct replay p = { 0 }, later = { 0 };
	struct enders ret;
	size_t i;

	for (i = 0; i < g->w->n_events && g->w->events[i].r.ts <= t->ts_ns; i++)
		if (g->w->events[i].r.kind == CT_FLOCK || g->w->events[i].r.kind == CT_HELD)
			replay_record(&p, g, t, &g->w->events[i]);
	ret = replay_owners(&p, g, t);
	/* Without an owner at this time, the CT_HELD records up to the next CT_FLOCK record count, and of
	 * each process the first one. */
	for (; i < g->w->n_events && !ret.n && g->w->events[i].r.kind != CT_FLOCK; i++)
		if (g->w->events[i].r.kind == CT_HELD) {
			p = (struct replay){ 0 };
			replay_record(&p, g, t, &g->w->events[i]);
			for (uint32_t tgid = 0; tgid < TGIDS; tgid++)
				for (int k = 0; k < BYTES; k++)
					if (!later.has[tgid][k])
						later.has[tgid][k] = p.has[tgid][k];
		}
	return ret.n ? ret : replay_owners(&later, g, t);
}

static void make_lock(struct make *m, uint64_t ms, uint32_t *s)
{
	struct window_record *e =
		make_event(m, ms * MS, 0, random_below(s, 4) ? CT_FLOCK : CT_HELD, 1 + random_below(s, 6), 0);

	if (e->r.kind == CT_FLOCK && !random_below(s, 4))
		e->r.peer = 1;
	e->r.obj = LOCK;
	e->r.state = (uint8_t)random_below(s, e->r.kind == CT_HELD ? 2 : 3);
	e->r.wait = !random_below(s, 4);
	e->r.flags = e->r.kind == CT_HELD && !random_below(s, 4);
	e->x[0] = random_below(s, BYTES);
	e->x[1] = e->x[0] + random_below(s, BYTES - (uint32_t)e->x[0]);
	make_switch(m, ms, 0, 0, e->r.tid, CT_W_NONE, 0);
}

/* Returns a record that can stand for a try: a lock on at most two bytes. NULL: there is none. */
static const struct window_event *any_try(const struct graph *g, uint32_t *s)
{
	const struct window_event *e = &g->w->events[random_below(s, (uint32_t)g->w->n_events)];
	const uint64_t *x = window_words(g->w, e);

	return (e->r.kind == CT_FLOCK || e->r.kind == CT_HELD) && ct_lock_op(&e->r) != CT_LOCK_UNLOCK &&
			       x[1] <= x[0] + 1
		       ? e
		       : NULL;
}

static void test_random_locks(void **state)
{
	uint32_t found[3] = { 0 };

	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct make m = { 0 };
		struct graph *g;
		uint32_t s = seed;

		for (uint32_t tid = 1; tid <= 6; tid++)
			make_task(&m, tid, 1 + tid / 2, 1, "t");
		for (uint64_t ms = 1; ms < 30; ms++)
			make_lock(&m, ms, &s);
		assert_int_equal(graph_build(make_done(&m, 40), &g), 0);
		for (uint64_t ts = 0; ts < 32 * MS; ts += MS / 2) {
			struct lock_try t = { .obj = LOCK,
					      .want = any_try(g, &s),
					      .ts_ns = ts,
					      .tgid = 1 + random_below(&s, 4) };
			struct enders plain, all = { 0 };
			struct lock_owner owner;

			if (!t.want)
				continue;
			plain = plain_owners(g, &t);
			owner_of_lock(g, &t, &owner, &all);
			assert_int_equal(all.n, plain.n > 1 ? plain.n : 0);
			if (plain.n == 1)
				assert_int_equal(g->tasks[owner.task].tgid, plain.v[0]);
			else
				assert_int_equal(owner.task, GRAPH_NONE);
			found[plain.n < 2 ? plain.n : 2]++;
		}
		graph_free(g);
		make_free(&m);
	}
	for (int i = 0; i < 3; i++)
		assert_true(found[i] > 300);
}

/* `readers` processes have a lock for reading, and another process wants one for writing. */
static void look_for_readers(uint32_t readers, struct lock_owner *owner, struct enders *all)
{
	struct make m = { 0 };
	struct graph *g;
	struct window_record *e;

	for (uint32_t tid = 1; tid <= readers + 1; tid++) {
		make_task(&m, tid, tid, 1, "t");
		make_switch(&m, tid, 0, 0, tid, CT_W_NONE, 0);
		e = make_event(&m, tid * MS, 0, CT_FLOCK, tid, 0);
		e->r.obj = LOCK;
		e->r.state = tid > readers ? CT_LOCK_WRITE : CT_LOCK_READ;
		e->r.peer = tid > readers;
		e->x[1] = INT64_MAX;
	}
	assert_int_equal(graph_build(make_done(&m, readers + 10), &g), 0);
	*all = (struct enders){ 0 };
	owner_of_lock(g,
		      &(struct lock_try){ .obj = LOCK,
					  .want = &g->w->events[g->w->n_events - 1],
					  .ts_ns = (readers + 5) * MS,
					  .tgid = readers + 1 },
		      owner, all);
	graph_free(g);
	make_free(&m);
}

static void test_many_readers(void **state)
{
	struct lock_owner owner;
	struct enders all;

	look_for_readers(1, &owner, &all);
	assert_int_equal(all.n, 0);
	assert_int_not_equal(owner.task, GRAPH_NONE);
	look_for_readers(LOCKERS_MAX, &owner, &all);
	assert_int_equal(all.n, ENDERS_MAX);
	assert_int_equal(owner.task, GRAPH_NONE);
	look_for_readers(LOCKERS_MAX + 1, &owner, &all);
	assert_int_equal(all.n, 0);
	assert_int_equal(owner.task, GRAPH_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_locks),
		cmocka_unit_test(test_many_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
