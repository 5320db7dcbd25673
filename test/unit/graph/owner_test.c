// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_of_lock() finds the owners that a model of the kernel has, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/bytes.h"
#include "graph/wake/owner.h"
#include "test/unit/graph/random_make.h"

#define LOCK CT_OBJ_ID(CT_OBJ_FILE, 9)

#define NEAR CT_OBJ_ID(CT_OBJ_SOCK, 1)
#define FAR  CT_OBJ_ID(CT_OBJ_SOCK, 2)

#define BYTES 4
#define TGIDS 5
#define STEPS 30

/* Which process has which byte, by which way: 0: not, 1: for reading, 2: for writing. Locks of flock() and of
 * fcntl() do not know each other. */
struct model {
	uint8_t has[2][TGIDS][BYTES];
};

static bool is_free(const struct model *p, const struct window_record *e, uint32_t tgid)
{
	for (uint32_t other = 1; other < TGIDS; other++)
		for (uint64_t k = e->x[0]; k <= e->x[1] && other != tgid; k++)
			if (p->has[e->r.wait][other][k] + e->r.state > 1)
				return false;
	return true;
}

/* The kernel deletes the old lock of flock() before it tries to get another one. */
static void lock_or_unlock(struct model *p, struct window_record *e, uint32_t tgid, uint32_t *s)
{
	uint8_t *has = p->has[e->r.wait][tgid], now = (uint8_t)(1 + e->r.state);

	if (e->r.state != CT_LOCK_UNLOCK && !is_free(p, e, tgid)) {
		e->r.peer = random_below(s, 2) ? 1 : (uint32_t)-11;
		if (e->r.wait != CT_LOCK_FLOCK || has[0] == now)
			return;
		now = 0;
	}
	for (uint64_t k = e->x[0]; k <= e->x[1]; k++)
		has[k] = e->r.state == CT_LOCK_UNLOCK ? 0 : now;
}

/* Makes a line of /proc/locks: of a lock, if the process has one, or else of a waiter. */
static void make_line(const struct model *p, struct window_record *e, uint32_t tgid)
{
	e->r.kind = CT_HELD;
	e->r.state = CT_LOCK_WRITE;
	e->r.flags = 1;
	for (uint64_t k = e->x[0]; k <= e->x[1]; k++)
		if (p->has[e->r.wait][tgid][k]) {
			e->r.state = (uint8_t)(p->has[e->r.wait][tgid][k] - 1);
			e->r.flags = 0;
			e->x[0] = e->x[1] = k;
		}
}

static struct enders model_owners(const struct model *p, const struct graph *g, const struct lock_try *t)
{
	const uint64_t *want = window_words(g->w, t->want);
	struct enders ret = { 0 };

	for (uint32_t tgid = 1; tgid < TGIDS; tgid++)
		for (uint64_t k = want[0]; k <= want[1] && tgid != t->tgid; k++)
			if (p->has[ct_lock_type(&t->want->r)][tgid][k] + ct_lock_op(&t->want->r) > 1) {
				ret.v[ret.n++] = tgid;
				break;
			}
	return ret;
}

static void make_lock(struct make *m, struct model *p, uint64_t ms, uint32_t *s)
{
	struct window_record *e = make_event(m, ms * MS, 0, CT_FLOCK, 1 + random_below(s, 6), 0);
	uint32_t tgid = 1 + e->r.tid / 2;

	e->r.obj = LOCK;
	e->r.state = (uint8_t)random_below(s, 3);
	e->r.wait = !random_below(s, 4);
	e->x[0] = e->r.wait == CT_LOCK_FLOCK ? 0 : random_below(s, BYTES);
	e->x[1] =
		e->r.wait == CT_LOCK_FLOCK ? BYTES - 1 : e->x[0] + random_below(s, BYTES - (uint32_t)e->x[0]);
	if (random_below(s, 4))
		lock_or_unlock(p, e, tgid, s);
	else
		make_line(p, e, tgid);
	make_switch(m, ms, 0, 0, e->r.tid, CT_W_NONE, 0);
}

/* Returns a record that can stand for a try. NULL: there is none. */
static const struct window_event *any_try(const struct graph *g, uint32_t *s)
{
	const struct window_event *e = &g->w->events[random_below(s, (uint32_t)g->w->n_events)];

	return (e->r.kind == CT_FLOCK || e->r.kind == CT_HELD) && ct_lock_op(&e->r) != CT_LOCK_UNLOCK ? e
												      : NULL;
}

static void test_random_locks(void **state)
{
	uint32_t found[3] = { 0 };

	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct model model[STEPS] = { 0 };
		struct make m = { 0 };
		struct graph *g;
		uint32_t s = seed;

		for (uint32_t tid = 1; tid <= 6; tid++)
			make_task(&m, tid, 1 + tid / 2, 1, "t");
		for (uint64_t ms = 1; ms < STEPS; ms++) {
			model[ms] = model[ms - 1];
			make_lock(&m, &model[ms], ms, &s);
		}
		assert_int_equal(graph_build(make_done(&m, 40), &g), 0);
		for (uint64_t ts = 0; ts < STEPS * MS; ts += MS / 2) {
			struct lock_try t = { .obj = LOCK,
					      .want = any_try(g, &s),
					      .ts_ns = ts,
					      .tgid = 1 + random_below(&s, 4) };
			struct enders plain, all = { 0 };
			struct lock_owner owner;

			if (!t.want)
				continue;
			plain = model_owners(&model[ts / MS], g, &t);
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

/* Task 1 gets a lock, and n tasks of other processes do something else with the file. Returns true if
 * owner_of_lock() finds task 1. */
static bool finds_owner_beside(uint32_t n, uint32_t tids, enum ct_lock_op op, uint64_t byte)
{
	struct make m = { 0 };
	struct graph *g;
	struct window_record *e;
	struct lock_owner owner;
	struct enders all = { 0 };
	bool found;

	for (uint32_t tid = 1; tid <= tids + 1; tid++) {
		make_task(&m, tid, tid, 1, "t");
		make_switch(&m, 0, 0, 0, tid, CT_W_NONE, 0);
	}
	e = make_event(&m, MS, 0, CT_FLOCK, 1, 0);
	e->r.obj = LOCK;
	e->r.state = CT_LOCK_WRITE;
	for (uint32_t i = 1; i <= n; i++) {
		e = make_event(&m, MS + i, 0, CT_FLOCK, 2 + i % tids, 0);
		e->r.obj = LOCK;
		e->r.state = (uint8_t)op;
		e->x[0] = e->x[1] = byte;
	}
	assert_int_equal(graph_build(make_done(&m, 10), &g), 0);
	owner_of_lock(g,
		      &(struct lock_try){
			      .obj = LOCK, .want = &g->w->events[g->w->n_events - n - 1], .ts_ns = 5 * MS },
		      &owner, &all);
	found = owner.task != GRAPH_NONE && g->tasks[owner.task].tid == 1 && owner.strength == EDGE_STRONG;
	graph_free(g);
	make_free(&m);
	return found;
}

/* The close of a file makes the record of an unlock. */
static void test_many_closers(void **state)
{
	assert_true(finds_owner_beside(2 * LOCKERS_MAX, 2 * LOCKERS_MAX, CT_LOCK_UNLOCK, 0));
}

static void test_many_records(void **state)
{
	assert_true(finds_owner_beside(LOCK_RECORDS_MAX - 1, 2, CT_LOCK_READ, 1));
	assert_false(finds_owner_beside(LOCK_RECORDS_MAX, 2, CT_LOCK_READ, 1));
}

/* Two tasks, and a connection between NEAR and FAR. */
static void make_connection(struct make *m)
{
	for (uint32_t tid = 1; tid <= 2; tid++)
		make_task(m, tid, tid, 1, "t");
	for (uint64_t sock = NEAR; sock <= FAR; sock++) {
		struct window_object *o = make_object(m, sock);

		o->family = AF_UNIX;
		o->type = SOCK_STREAM;
		o->peer = sock == NEAR ? FAR : NEAR;
	}
}

static uint64_t steps_of_unread(const struct graph *g, uint64_t left, uint32_t *ret_event)
{
	struct graph_scans own = { .left = left };
	struct graph view = scan_view(g, &own);

	*ret_event = bytes_unread(&view, NEAR, &g->w->events[g->w->n_events - 1], 50 * MS);
	return left - own.left;
}

/* The first question makes a table of the socket. It takes as many steps as the second one, so the order of
 * the questions does not matter. */
static void test_steps_of_a_socket(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	uint32_t first, second;
	uint64_t steps;

	make_connection(&m);
	for (uint64_t ms = 1; ms <= 100; ms++) {
		make_event(&m, ms * MS, 0, CT_SEND, 2, 10)->r.obj = FAR;
		if (ms < 100)
			make_event(&m, ms * MS + 1, 0, CT_RECV, 1, 10)->r.obj = NEAR;
	}
	make_wake(&m, 101, 0, 1, 2, NEAR);
	assert_int_equal(graph_build(make_done(&m, 200), &g), 0);
	steps = steps_of_unread(g, 50, &first);
	assert_int_equal(steps, steps_of_unread(g, 50, &second));
	assert_int_equal(first, g->w->n_events - 2);
	assert_int_equal(first, second);
	graph_free(g);
	make_free(&m);
}

static void make_cap(struct make *m, uint64_t ns, uint32_t tid, uint64_t since_ns)
{
	struct window_record *e = make_event(m, ns, 0, CT_SHED, tid, 0);

	e->r.flags = CT_GV_CAP;
	e->x[0] = since_ns;
}

/* Gaps after the wake-up, and caps of strangers that ended before the send, take no steps, however many they
 * are. */
static void test_steps_of_other_times(void **state)
{
	struct make m = { 0 };
	struct graph_scans own = { .left = 50 };
	struct graph *g, view;
	uint32_t send;

	make_connection(&m);
	for (uint32_t i = 0; i <= CAPS_MAX; i++)
		make_task(&m, 100 + i, 100 + i, 1, "s");
	for (uint32_t i = 0; i <= CAPS_MAX; i++)
		make_cap(&m, 10 * MS + i, 100 + i, 10 * MS + i);
	for (uint32_t i = 0; i <= CAPS_MAX; i++)
		make_cap(&m, 20 * MS + i, 100 + i, 10 * MS + i);
	send = (uint32_t)m.events.n;
	make_event(&m, 100 * MS, 0, CT_SEND, 2, 10)->r.obj = FAR;
	make_wake(&m, 101, 0, 1, 2, NEAR);
	for (uint64_t i = 0; i < 100; i++)
		make_event(&m, 110 * MS + i * 1000, 0, CT_GAP, 0, 0)->x[0] = 110 * MS + i * 1000 - 500;
	assert_int_equal(graph_build(make_done(&m, 200), &g), 0);
	view = scan_view(g, &own);
	assert_int_equal(bytes_unread(&view, NEAR, &g->w->events[send + 1], 50 * MS), send);
	graph_free(g);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_locks),      cmocka_unit_test(test_many_readers),
		cmocka_unit_test(test_many_closers),      cmocka_unit_test(test_many_records),
		cmocka_unit_test(test_steps_of_a_socket), cmocka_unit_test(test_steps_of_other_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
