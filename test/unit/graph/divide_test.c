// SPDX-License-Identifier: GPL-2.0-or-later
/* Where segments are divided: each rule alone, on and off, and where it must not cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/graph/causal_make.h"

/* Task 10, a process of its own, waits three times for what task 20 does, and works 5 ms after each. */
static void waits_3(struct make *m, enum ct_wait wait, uint64_t obj, uint64_t by)
{
	runs(m, 10, 10, 1, "waiter");
	runs(m, 20, 20, 1, "other");
	for (uint64_t i = 0; i < 3; i++) {
		sleeps(m, 10 + 10 * i, 10, wait, obj);
		wakes(m, 15 + 10 * i, 10, 20, by);
	}
}

static void assert_segments(struct make *m, uint32_t on, uint32_t off, enum cut_rule rule)
{
	struct built b = built(m, 100);

	assert_sound(&b);
	assert_int_equal(n_segments(&b, 10), on);
	assert_int_equal(b.c->n_cuts[rule], on - 1);
	causal_free(b.c);
	graph_free(b.g);
	b = built_with(m, 100, POLICY_CTRACE, CUT_BIT(rule));
	assert_sound(&b);
	assert_int_equal(n_segments(&b, 10), off);
	assert_int_equal(b.c->n_cuts[rule], 0);
	built_free(&b, m);
}

static void assert_idle(enum ct_wait wait, uint64_t obj, uint64_t by, bool idle)
{
	struct make m = { 0 };

	waits_3(&m, wait, obj, by);
	assert_segments(&m, idle ? 4 : 1, 1, CUT_IDLE);
}

static void test_idle(void **state)
{
	assert_idle(CT_W_EPOLL, EPOLL(1), PIPE(1), true);
	assert_idle(CT_W_POLL, 0, PIPE(1), true); /* of several */
	assert_idle(CT_W_READ, PIPE(1), PIPE(1), true);
	assert_idle(CT_W_READ, CT_OBJ_ID(CT_OBJ_EVENTFD, 1), CT_OBJ_ID(CT_OBJ_EVENTFD, 1), true);
	assert_idle(CT_W_READ, CT_OBJ_ID(CT_OBJ_TTY, 1), CT_OBJ_ID(CT_OBJ_TTY, 1), true);
	assert_idle(CT_W_FUTEX, FUTEX(1), FUTEX(1), true);
	assert_idle(CT_W_SIGNAL, 0, 0, true);
	assert_idle(CT_W_READ, CT_OBJ_ID(CT_OBJ_FILE, 1), CT_OBJ_ID(CT_OBJ_FILE, 1), false);
	assert_idle(CT_W_WRITE, PIPE(1), PIPE(1), false);
	assert_idle(CT_W_CHILD, 0, 0, false);
	assert_idle(CT_W_FLOCK, CT_OBJ_ID(CT_OBJ_FILE, 1), 0, false);
	assert_idle(CT_W_SYNC, CT_OBJ_ID(CT_OBJ_FILE, 1), 0, false);
	assert_idle(CT_W_STOPPED, 0, 0, false);
}

/* The segment begins when the wait ended; the wait is the tail of the one before. */
static void test_idle_begin(void **state)
{
	struct make m = { 0 };
	struct built b;
	const struct segment *s;

	waits_3(&m, CT_W_EPOLL, EPOLL(1), PIPE(1));
	b = built(&m, 100);
	s = &b.c->segments[segment_at(&b, 10, 16)];
	assert_int_equal(s->from_ns, 15 * MS);
	assert_int_equal(s->to_ns, 25 * MS);
	assert_int_equal(s->cut, CUT_IDLE);
	assert_int_equal(b.g->w->events[s->event].r.kind, CT_WAKE);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 12)].cut, CUT_FIRST);
	assert_int_equal(causal_segment_at(b.c, task_of(&b, 10), 101 * MS), GRAPH_NONE);
	built_free(&b, &m);
}

/* A lock has an owner; who is joined exits. */
static void test_futex_not_idle(void **state)
{
	for (int join = 0; join < 2; join++) {
		struct make m = { 0 };
		struct window_event *e;

		runs(&m, 10, 10, 1, "waiter");
		runs(&m, 20, 10, 1, "other");
		if (!join) {
			e = make_event(&m, 10 * MS, CPU(10), CT_FUTEX, 10, 20);
			e->r.obj = FUTEX(1);
		}
		sleeps(&m, 10, 10, CT_W_FUTEX, FUTEX(1));
		e = wakes(&m, 20, 10, 20, FUTEX(1));
		if (join)
			e->r.flags = CT_WF_EXITING;
		assert_segments(&m, 1, 1, CUT_IDLE);
	}
}

/* What one's own child writes is the answer to having started it. */
static void test_pipe_of_child(void **state)
{
	struct make m = { 0 };

	runs(&m, 10, 10, 1, "waiter");
	runs(&m, 20, 20, 10, "sh");
	runs(&m, 30, 30, 20, "child's child");
	sleeps(&m, 10, 10, CT_W_READ, PIPE(1));
	wakes(&m, 20, 10, 20, PIPE(1));
	sleeps(&m, 30, 10, CT_W_READ, PIPE(1));
	wakes(&m, 40, 10, 30, PIPE(1));
	assert_segments(&m, 1, 1, CUT_IDLE);
}

/* Who sleeps from time to time begins anew each time, from the third on. */
static void test_sleep(void **state)
{
	struct make m = { 0 };

	runs(&m, 10, 10, 1, "sleeper");
	for (uint64_t i = 0; i < 5; i++) {
		sleeps(&m, 10 * i + 1, 10, CT_W_SLEEP, 0);
		make_wake(&m, 10 * i + 9, 0, 10, 0, 0)->r.state = CT_CTX_TIMER;
		make_switch(&m, 10 * i + 9, CPU(10), 0, 10, CT_W_NONE, 0);
	}
	assert_segments(&m, 4, 1, CUT_IDLE);
	m = (struct make){ 0 };
	runs(&m, 10, 10, 1, "sleeper");
	for (uint64_t i = 0; i < 5; i++) {
		sleeps(&m, 10 << i, 10, CT_W_SLEEP, 0);
		make_wake(&m, 18 << i, 0, 10, 0, 0)->r.state = CT_CTX_TIMER;
		make_switch(&m, 18 << i, CPU(10), 0, 10, CT_W_NONE, 0);
	}
	assert_segments(&m, 1, 1, CUT_IDLE);
}

/* A request, its backend asked in between: the waits of a server inside a request do not divide it. */
static void test_no_cut_inside_request(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), 1);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	runs(&m, 30, 10, 1, "thread");
	sleeps(&m, 1, 10, CT_W_READ, SOCK(1));
	wakes_in(&m, 5, 10, 20, CT_W_WRITE, SOCK(2));
	sends(&m, 5, 20, SOCK(2), 10);
	receives(&m, 6, 10, SOCK(1), 10);
	sleeps(&m, 7, 10, CT_W_FUTEX, FUTEX(1)); /* inside */
	wakes(&m, 8, 10, 30, FUTEX(1));
	sends(&m, 9, 10, SOCK(1), 10);
	sleeps(&m, 10, 10, CT_W_FUTEX, FUTEX(1)); /* outside */
	wakes(&m, 12, 10, 30, FUTEX(1));
	b = built(&m, 20);
	assert_int_equal(n_segments(&b, 10), 3);
	assert_int_equal(segment_at(&b, 10, 6), segment_at(&b, 10, 10));
	assert_int_equal(b.c->segments[segment_at(&b, 10, 6)].behalf, task_of(&b, 20));
	built_free(&b, &m);
}

/* A request that nobody will answer, as the last one of a client that has ended since, does not keep a worker
 * from having done its work. */
static void test_client_has_ended(void **state)
{
	for (int ended = 0; ended < 2; ended++) {
		struct make m = { 0 };
		struct built b;

		connection(&m, SOCK(1), SOCK(2), 1);
		runs(&m, 10, 10, 1, "server");
		runs(&m, 20, 20, 1, "client");
		runs(&m, 30, 10, 1, "thread");
		sends(&m, 1, 20, SOCK(2), 10);
		receives(&m, 2, 10, SOCK(1), 10);
		sleeps(&m, 3, 10, CT_W_FUTEX, FUTEX(1));
		if (ended)
			make_event(&m, 4 * MS, CPU(20), CT_EXIT, 20, 0);
		wakes(&m, 8, 10, 30, FUTEX(1));
		sleeps(&m, 9, 10, CT_W_FUTEX, FUTEX(1));
		wakes(&m, 12, 10, 30, FUTEX(1));
		b = built(&m, 20);
		assert_sound(&b);
		assert_int_equal(n_segments(&b, 10), ended ? 3 : 1);
		built_free(&b, &m);
	}
}

/* It polls for the answer to what it asked, beside its wake-up channel. */
static void test_poll_for_answer(void **state)
{
	for (uint8_t size = 2; size < 4; size++) {
		struct make m = { 0 };
		struct window_event *e;

		connection(&m, SOCK(1), SOCK(2), 1);
		runs(&m, 10, 10, 1, "client");
		runs(&m, 20, 20, 1, "server");
		sends(&m, 1, 10, SOCK(2), 10);
		e = make_event(&m, 2 * MS, CPU(10), CT_WAITFD, 10, 3);
		e->r.wait = size;
		e->r.obj = SOCK(2);
		e = make_event(&m, 2 * MS, CPU(10), CT_WAITFD, 10, 4);
		e->r.wait = size;
		e->r.state = 1;
		e->r.obj = PIPE(1);
		sleeps(&m, 2, 10, CT_W_POLL, 0);
		wakes_in(&m, 5, 10, 20, CT_W_WRITE, SOCK(1));
		receives(&m, 6, 10, SOCK(2), 10);
		assert_segments(&m, size == 2 ? 1 : 2, 1, CUT_IDLE);
	}
}

static void test_job(void **state)
{
	struct make m = { 0 };

	runs(&m, 10, 10, 1, "runner");
	runs(&m, 20, 20, 1, "other");
	job(&m, 10, 10, CT_JOB_START, 77);
	sleeps(&m, 11, 10, CT_W_EPOLL, EPOLL(1)); /* inside the job */
	wakes(&m, 12, 10, 20, PIPE(1));
	job(&m, 20, 10, CT_JOB_END, 77);
	assert_segments(&m, 3, 1, CUT_JOB);
}

/* An end that is not exact leaves what follows to the job, up to the next one. */
static void test_loose_end(void **state)
{
	struct make m = { 0 };

	runs(&m, 10, 10, 1, "runner");
	runs(&m, 20, 20, 1, "other");
	for (uint64_t i = 0; i < 2; i++) {
		job(&m, 10 + 20 * i, 10, CT_JOB_START, 77 + i);
		job(&m, 20 + 20 * i, 10, CT_JOB_END, 77 + i);
		m.events.v[m.events.n - 1].r.flags = CT_JF_LOOSE;
	}
	assert_segments(&m, 3, 1, CUT_JOB);
}

static void test_batch(void **state)
{
	struct make m = { 0 };

	connection(&m, SOCK(1), SOCK(2), 1);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	for (uint64_t i = 0; i < 3; i++) {
		sends(&m, 10 * i + 1, 20, SOCK(2), 10);
		receives(&m, 10 * i + 2, 10, SOCK(1), 4); /* in two pieces */
		receives(&m, 10 * i + 3, 10, SOCK(1), 6);
		sends(&m, 10 * i + 4, 10, SOCK(1), 10);
	}
	assert_segments(&m, 3, 1, CUT_BATCH);
}

/* Requests of a client that does not wait for one answer before it asks again, each read in small parts: the
 * parts of one are not divided. */
static void test_batch_in_parts(void **state)
{
	struct make m = { 0 };

	connection(&m, SOCK(1), SOCK(2), 1);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	for (uint64_t i = 0; i < 4; i++)
		sends(&m, 1 + i, 20, SOCK(2), 10);
	receives(&m, 10, 10, SOCK(1), 20);
	sends(&m, 11, 10, SOCK(1), 10);
	sends(&m, 12, 10, SOCK(1), 10);
	for (uint64_t i = 0; i < 2; i++) {
		receives(&m, 20 + 3 * i, 10, SOCK(1), 4);
		receives(&m, 21 + 3 * i, 10, SOCK(1), 5);
		receives(&m, 22 + 3 * i, 10, SOCK(1), 1);
	}
	assert_segments(&m, 3, 1, CUT_BATCH);
}

/* The next request of a client comes in the segment that has answered the one before, but did not take it. */
static void test_batch_after_return(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), 1);
	connection(&m, SOCK(3), SOCK(4), 1);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	runs(&m, 30, 30, 1, "client");
	sends(&m, 1, 20, SOCK(2), 10);
	receives(&m, 2, 10, SOCK(1), 10);
	sends(&m, 3, 30, SOCK(4), 10);
	receives(&m, 4, 10, SOCK(3), 10);
	sends(&m, 6, 10, SOCK(1), 10);
	sends(&m, 7, 20, SOCK(2), 10);
	receives(&m, 8, 10, SOCK(1), 10);
	b = built(&m, 20);
	assert_int_equal(n_segments(&b, 10), 4);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 7)].cut, CUT_PEERS);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 8)].cut, CUT_BATCH);
	built_free(&b, &m);
}

/* Two connections of one client may be for two of its own clients; the next on the same one is the next. */
static void test_peers_of_a_proxy(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), 1);
	connection(&m, SOCK(3), SOCK(4), 1);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "proxy");
	sends(&m, 1, 20, SOCK(2), 10);
	sends(&m, 2, 20, SOCK(4), 10);
	receives(&m, 3, 10, SOCK(1), 10);
	receives(&m, 4, 10, SOCK(3), 10);
	sends(&m, 5, 10, SOCK(1), 10);
	b = built(&m, 10);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 4)].behalf, task_of(&b, 20));
	assert_int_equal(b.c->segments[segment_at(&b, 10, 5)].behalf, task_of(&b, 20));
	causal_free(b.c);
	graph_free(b.g);
	assert_segments(&m, 3, 1, CUT_PEERS);
}

/* A connection ends, which begins a segment; before the next wait a request of another client is taken, or
 * one of the same. */
static void test_peers_after_an_end(void **state)
{
	for (int same = 0; same < 2; same++) {
		struct make m = { 0 };
		struct built b;
		uint32_t s;

		connection(&m, SOCK(1), SOCK(2), 1);
		connection(&m, SOCK(3), SOCK(4), 1);
		runs(&m, 10, 10, 1, "server");
		runs(&m, 20, 20, 1, "client");
		runs(&m, 30, 30, 1, "client");
		sleeps(&m, 1, 10, CT_W_EPOLL, EPOLL(1));
		wakes_in(&m, 5, 10, same ? 30 : 20, CT_W_CONNECT, SOCK(1));
		sends(&m, 6, 30, SOCK(4), 10);
		receives(&m, 7, 10, SOCK(3), 10);
		b = built(&m, 10);
		assert_sound(&b);
		s = segment_at(&b, 10, 7);
		assert_int_equal(b.c->segments[s].cut, same ? CUT_IDLE : CUT_PEERS);
		assert_int_equal(b.c->segments[s].behalf, task_of(&b, 30));
		built_free(&b, &m);
	}
}

/* A worker's first request on a pair on which nobody has spoken: it is known since its birth, or was there
 * before. */
static void test_first_request_on_a_pair(void **state)
{
	for (int born = 0; born < 2; born++) {
		struct make m = { 0 };
		struct built b;

		connection(&m, SOCK(1), SOCK(2), 1);
		m.objects.v[0].name = "";
		runs(&m, 20, 20, 1, "parent");
		if (born) {
			make_task(&m, 10, 10, 20, "worker");
			make_event(&m, 2 * MS, CPU(20), CT_FORK, 20, 10);
			make_switch(&m, 2, CPU(10), 0, 10, CT_W_NONE, 0);
		} else {
			runs(&m, 10, 10, 20, "worker");
		}
		sleeps(&m, 3, 10, CT_W_READ, SOCK(1));
		wakes_in(&m, 5, 10, 20, CT_W_WRITE, SOCK(2));
		sends(&m, 5, 20, SOCK(2), 10);
		receives(&m, 6, 10, SOCK(1), 10);
		b = built(&m, 10);
		assert_sound(&b);
		assert_int_equal(b.c->segments[segment_at(&b, 10, 6)].cut, born ? CUT_IDLE : CUT_FIRST);
		assert_non_null(edge_of(&b, EDGE_MESSAGE, 20, 10));
		built_free(&b, &m);
	}
}

static void test_peers(void **state)
{
	struct make m = { 0 };
	struct built b;

	connection(&m, SOCK(1), SOCK(2), 1);
	connection(&m, SOCK(3), SOCK(4), 1);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	runs(&m, 30, 30, 1, "client");
	sends(&m, 1, 20, SOCK(2), 10);
	sends(&m, 2, 30, SOCK(4), 10);
	receives(&m, 3, 10, SOCK(1), 10);
	receives(&m, 4, 10, SOCK(3), 10);
	sends(&m, 5, 10, SOCK(3), 10);
	sends(&m, 6, 10, SOCK(1), 10);
	b = built(&m, 10);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 3)].behalf, task_of(&b, 20));
	assert_int_equal(b.c->segments[segment_at(&b, 10, 5)].behalf, task_of(&b, 30));
	assert_int_equal(b.c->segments[segment_at(&b, 10, 6)].behalf, task_of(&b, 20));
	causal_free(b.c);
	graph_free(b.g);
	assert_segments(&m, 3, 1, CUT_PEERS);
}

/* On a socket that is open to all answers keep no order: the request that was taken in the same segment comes
 * first, of several others it may be any, and the last one left is sure. */
static void test_answers_to_anybody(void **state)
{
	struct make m = { 0 };
	struct window_object *o = make_object(&m, SOCK(1));
	const struct edge *e;
	struct built b;

	o->family = 2;
	o->type = 2;
	o->lport = 53;
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 10, 1, "thread");
	for (uint64_t i = 0; i < 3; i++) {
		sleeps(&m, 10 * i + 1, 10, CT_W_EPOLL, EPOLL(1));
		wakes(&m, 10 * i + 2, 10, 20, FUTEX(1));
		receives(&m, 10 * i + 3, 10, SOCK(1), 10);
	}
	sends(&m, 24, 10, SOCK(1), 10); /* the third */
	sends(&m, 30, 20, SOCK(1), 10);
	sends(&m, 31, 20, SOCK(1), 10);
	b = built(&m, 50);
	assert_sound(&b);
	assert_int_equal(n_edges(&b, EDGE_ANSWER), 2);
	for (size_t i = 0, n = 0; i < b.c->n_edges; i++) {
		e = &b.c->edges[i];
		if (e->kind != EDGE_ANSWER)
			continue;
		assert_int_equal(b.c->segments[e->to].task, task_of(&b, 20));
		assert_int_equal(e->strength, n ? EDGE_STRONG : EDGE_WEAK);
		assert_int_equal(e->flags & EDGE_MANY, n ? 0 : EDGE_MANY);
		n++;
	}
	built_free(&b, &m);
}

static void test_exec(void **state)
{
	struct make m = { 0 };

	runs(&m, 10, 10, 1, "sh");
	make_event(&m, 5 * MS, CPU(10), CT_EXEC, 10, 10);
	assert_segments(&m, 2, 1, CUT_EXEC);
}

/* The new program has none of the jobs of the one before: an idle wait divides again. */
static void test_exec_ends_job(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "prog");
	job(&m, 2, 10, CT_JOB_START, 7);
	make_event(&m, 5 * MS, CPU(10), CT_EXEC, 10, 10);
	sleeps(&m, 6, 10, CT_W_EPOLL, EPOLL(1));
	wakes(&m, 8, 10, 20, PIPE(1));
	b = built(&m, 20);
	assert_int_equal(b.c->n_cuts[CUT_IDLE], 1);
	built_free(&b, &m);
}

/* After an interval of which nothing is known something else may have begun. */
static void test_first_after_gap(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "lost");
	runs(&m, 20, 20, 1, "other");
	/* another task runs where it was: its switch-out is missing */
	make_switch(&m, 10, CPU(10), 99, 0, CT_W_READ, PIPE(1));
	wakes(&m, 30, 10, 20, PIPE(1));
	b = built(&m, 100);
	assert_int_equal(n_segments(&b, 10), 2);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 40)].cut, CUT_FIRST);
	assert_int_equal(b.c->segments[segment_at(&b, 10, 40)].from_ns, 30 * MS);
	built_free(&b, &m);
}

static void sleeps_again(struct make *m, uint64_t ns, uint32_t tid, enum ct_wait wait, uint64_t obj)
{
	struct window_event *e = make_event(m, ns, CPU(tid), CT_SWITCH, tid, 0);

	e->r.state = CT_ST_SLEEP;
	e->r.wait = wait;
	e->r.obj = obj;
}

/* Two are woken at once; 10 goes back to sleep on the same futex. The other goes on, or goes back too. */
static void test_false_wake(void **state)
{
	for (int herd = 0; herd < 2; herd++) {
		struct make m = { 0 };
		const struct edge *e;
		struct built b;

		runs(&m, 10, 10, 1, "waiter");
		runs(&m, 20, 10, 1, "poster");
		runs(&m, 30, 10, 1, "waiter");
		sleeps(&m, 10, 10, CT_W_FUTEX, FUTEX(1));
		sleeps(&m, 10, 30, CT_W_FUTEX, FUTEX(1));
		wakes(&m, 20, 30, 20, FUTEX(1));
		wakes(&m, 20, 10, 20, FUTEX(1));
		if (herd)
			job(&m, 20, 30, CT_JOB_ENQUEUE, 1);
		else
			sleeps(&m, 20, 30, CT_W_FUTEX, FUTEX(1));
		sleeps_again(&m, 20 * MS + 20000, 10, CT_W_FUTEX, FUTEX(1));
		b = built(&m, 50);
		assert_sound(&b);
		assert_int_equal(n_segments(&b, 10), herd ? 1 : 2);
		e = edge_of(&b, EDGE_POST, 20, 10);
		assert_non_null(e);
		assert_int_equal(e->strength, herd ? EDGE_WEAK : EDGE_STRONG);
		assert_int_equal(e->flags & EDGE_FALSE_WAKE, herd ? EDGE_FALSE_WAKE : 0);
		built_free(&b, &m);
	}
}

/* Who takes what was sent makes room, and wakes the sender, who waits for an answer: nothing begins with
 * that. */
static void test_false_wake_by_room(void **state)
{
	struct make m = { 0 };
	const struct edge *e;
	struct built b;

	connection(&m, SOCK(1), SOCK(2), 1);
	runs(&m, 10, 10, 1, "server");
	runs(&m, 20, 20, 1, "client");
	sends(&m, 1, 20, SOCK(2), 10);
	receives(&m, 2, 10, SOCK(1), 10);
	sends(&m, 3, 10, SOCK(1), 10);
	sleeps(&m, 10, 10, CT_W_READ, SOCK(1));
	wakes_in(&m, 20, 10, 20, CT_W_READ, SOCK(2));
	receives(&m, 20, 20, SOCK(2), 10);
	sleeps_again(&m, 20 * MS + 20000, 10, CT_W_READ, SOCK(1));
	b = built(&m, 50);
	assert_sound(&b);
	assert_int_equal(n_segments(&b, 10), 1);
	for (size_t i = 0; i < b.c->n_edges; i++) {
		e = &b.c->edges[i];
		assert_int_equal(!!(e->flags & EDGE_FALSE_WAKE), e->strength == EDGE_WEAK);
	}
	built_free(&b, &m);
}

/* An event loop that finds nothing to receive has come for nothing; one that takes long over it has not. */
static void test_false_wake_of_loop(void **state)
{
	for (int work = 0; work < 2; work++) {
		struct make m = { 0 };
		const struct edge *e;
		struct built b;

		connection(&m, SOCK(1), SOCK(2), 1);
		runs(&m, 10, 10, 1, "loop");
		runs(&m, 20, 20, 1, "client");
		sleeps(&m, 10, 10, CT_W_EPOLL, EPOLL(1));
		wakes_in(&m, 20, 10, 20, CT_W_WRITE, SOCK(2));
		sleeps_again(&m, 20 * MS + (work ? 200000 : 20000), 10, CT_W_EPOLL, EPOLL(1));
		b = built(&m, 50);
		assert_sound(&b);
		assert_int_equal(n_segments(&b, 10), work ? 2 : 1);
		e = edge_of(&b, EDGE_MESSAGE, 20, 10);
		assert_non_null(e);
		assert_int_equal(e->strength, work ? EDGE_STRONG : EDGE_WEAK);
		built_free(&b, &m);
	}
}

static void test_policies(void **state)
{
	struct make m = { 0 };
	struct built b;

	/* every wait, whatever it is for */
	waits_3(&m, CT_W_WRITE, PIPE(1), PIPE(1));
	b = built_with(&m, 100, POLICY_PANAPPTICON, 0);
	assert_sound(&b);
	assert_int_equal(b.c->n_cuts[CUT_WAKE], 3);
	assert_int_equal(n_edges(&b, EDGE_NEIGHBOUR), 0);
	assert_int_equal(n_edges(&b, EDGE_PIPE), 3);
	causal_free(b.c);
	/* nothing between processes */
	assert_int_equal(causal_build(b.g, &(struct causal_options){ .policy = POLICY_APPINSIGHT }, &b.c), 0);
	assert_int_equal(b.c->n_edges, 0);
	built_free(&b, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_begin),
		cmocka_unit_test(test_futex_not_idle),
		cmocka_unit_test(test_pipe_of_child),
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_no_cut_inside_request),
		cmocka_unit_test(test_client_has_ended),
		cmocka_unit_test(test_poll_for_answer),
		cmocka_unit_test(test_job),
		cmocka_unit_test(test_loose_end),
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_batch_in_parts),
		cmocka_unit_test(test_batch_after_return),
		cmocka_unit_test(test_peers),
		cmocka_unit_test(test_peers_of_a_proxy),
		cmocka_unit_test(test_peers_after_an_end),
		cmocka_unit_test(test_first_request_on_a_pair),
		cmocka_unit_test(test_answers_to_anybody),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exec_ends_job),
		cmocka_unit_test(test_first_after_gap),
		cmocka_unit_test(test_false_wake),
		cmocka_unit_test(test_false_wake_of_loop),
		cmocka_unit_test(test_false_wake_by_room),
		cmocka_unit_test(test_policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
