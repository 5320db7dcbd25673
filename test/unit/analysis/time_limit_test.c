// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits that end by a time limit of the program's own, and sleeps: what the diagnosis says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/diagnose/diagnose.h"
#include "test/unit/trace/window_make.h"

#define COND  CT_OBJ_ID(CT_OBJ_FUTEX, 0x2000)
#define EPOLL CT_OBJ_ID(CT_OBJ_EPOLL, 7)
/* Connections of a server: the client's end, and the server's. */
#define CLIENT(i) CT_OBJ_ID(CT_OBJ_SOCK, 100 + 2 * (i))
#define SERVER(i) CT_OBJ_ID(CT_OBJ_SOCK, 101 + 2 * (i))
#define LISTENING CT_OBJ_ID(CT_OBJ_SOCK, 50)

static struct diagnosis *run(struct make *m, uint32_t tid, uint64_t from_ms, uint64_t to_ms,
			     struct graph **ret_g)
{
	struct diagnosis *d;

	assert_int_equal(graph_build(make_done(m, to_ms), ret_g), 0);
	assert_int_equal(
		diagnose(*ret_g, graph_task_at(*ret_g, tid, to_ms * MS), from_ms * MS, to_ms * MS, NULL, &d),
		0);
	return d;
}

static void end(struct make *m, struct graph *g, struct diagnosis *d)
{
	diagnosis_free(d);
	graph_free(g);
	make_free(m);
}

static void inet(struct make *m, uint64_t id, uint64_t peer, uint16_t lport, uint16_t rport)
{
	struct window_object *o = make_object(m, id);

	o->family = 2;
	o->type = 1;
	o->protocol = 6;
	o->lport = lport;
	o->rport = rport;
	o->peer = peer;
}

static void expire(struct make *m, uint64_t ms, uint16_t cpu, uint32_t tid)
{
	make_event(m, ms * MS, cpu, CT_WAKE, tid, 0)->r.state = CT_CTX_TIMER;
}

/* tid sends on sock, which wakes peer, who waits on its own end, and peer's CPU goes to it. */
static void message(struct make *m, uint64_t ms, uint32_t tid, uint64_t sock, uint32_t peer, uint64_t end_of)
{
	struct window_event *e = make_wake(m, ms, 0, peer, tid, end_of);

	e->r.state = CT_CTX_SOFTIRQ;
	e->r.flags = CT_WF_READY;
	e->r.wait = 3;
	make_event(m, ms * MS, 0, CT_SEND, tid, 5)->r.obj = sock;
}

/* Server 20 answers client 10 when a timer of its loop is due, or when client 30 asks; others ask meanwhile.
 */
static struct diagnosis *serve(struct make *m, bool limit, struct graph **ret_g)
{
	make_task(m, 10, 10, 1, "client");
	make_task(m, 20, 20, 1, "server");
	make_task(m, 30, 30, 1, "other");
	inet(m, LISTENING, 0, 80, 0);
	for (uint16_t i = 0; i < 2; i++) {
		inet(m, CLIENT(i), SERVER(i), 4000 + i, 80);
		inet(m, SERVER(i), CLIENT(i), 80, 4000 + i);
	}
	make_switch(m, 1, 1, 0, 20, CT_W_NONE, 0);
	make_switch(m, 2, 0, 0, 10, CT_W_NONE, 0);
	make_event(m, 3 * MS, 0, CT_SEND, 10, 5)->r.obj = CLIENT(0);
	make_event(m, 4 * MS, 1, CT_RECV, 20, 5)->r.obj = SERVER(0);
	make_switch(m, 5, 1, 20, 0, CT_W_EPOLL, EPOLL);
	make_switch(m, 5, 0, 10, 30, CT_W_READ, CLIENT(0));
	for (uint64_t at = 100; at < 900; at += 100) {
		message(m, at, 30, CLIENT(1), 20, SERVER(1));
		make_switch(m, at, 1, 0, 20, CT_W_NONE, 0);
		make_event(m, at * MS, 1, CT_RECV, 20, 5)->r.obj = SERVER(1);
		make_switch(m, at + 1, 1, 20, 0, CT_W_EPOLL, EPOLL);
		make_switch(m, at + 1, 0, 30, 0, CT_W_SLEEP, 0);
		expire(m, at + 90, 0, 30);
		make_switch(m, at + 90, 0, 0, 30, CT_W_NONE, 0);
	}
	if (limit)
		expire(m, 1000, 1, 20);
	else
		message(m, 1000, 30, CLIENT(1), 20, SERVER(1));
	make_switch(m, 1000, 1, 0, 20, CT_W_NONE, 0);
	message(m, 1001, 20, SERVER(0), 10, CLIENT(0));
	make_switch(m, 1002, 0, 30, 10, CT_W_SLEEP, 0);
	make_event(m, 1003 * MS, 0, CT_RECV, 10, 5)->r.obj = CLIENT(0);
	make_switch(m, 1005, 1, 20, 0, CT_W_EPOLL, EPOLL);
	return run(m, 10, 2, 1006, ret_g);
}

/* The loop slept until its time limit: those who asked something else meanwhile held nobody up. */
static void test_loop_sleeps(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d = serve(&m, true, &g);

	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_int_equal(d->cause, CAUSE_SLOW_PEER);
	assert_int_equal(d->n_chain, 2);
	assert_int_equal(d->chain[1].tid, 20);
	assert_int_equal(d->chain[1].kind, RESOURCE_TIMER);
	assert_true(d->chain[1].total_ns > 900 * MS);
	end(&m, g, d);
}

/* When one of them made it answer, it is that one whom it waited for. */
static void test_loop_was_told(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d = serve(&m, false, &g);

	assert_int_equal(d->n_chain, 3);
	assert_int_equal(d->chain[1].tid, 20);
	assert_int_equal(d->chain[2].tid, 30);
	end(&m, g, d);
}

/* Worker 21 was given work by 20, then waits on the same condition, and after turns such waits answers. */
static struct diagnosis *work(struct make *m, unsigned turns, struct graph **ret_g)
{
	uint64_t at = 10;

	make_task(m, 10, 10, 1, "client");
	make_task(m, 20, 20, 1, "server");
	make_task(m, 21, 20, 1, "worker");
	inet(m, CLIENT(0), SERVER(0), 4000, 80);
	inet(m, SERVER(0), CLIENT(0), 80, 4000);
	make_switch(m, 1, 0, 0, 21, CT_W_NONE, 0);
	make_switch(m, 2, 0, 21, 20, CT_W_FUTEX, COND);
	make_wake(m, 8, 0, 21, 20, COND);
	make_switch(m, 9, 1, 0, 10, CT_W_NONE, 0);
	make_switch(m, 10, 1, 10, 0, CT_W_READ, CLIENT(0));
	make_switch(m, 10, 0, 20, 21, CT_W_EPOLL, EPOLL);
	for (unsigned i = 0; i < turns; i++) {
		make_switch(m, at + 1, 0, 21, 0, CT_W_FUTEX, COND)->r.flags = CT_SF_TIMEOUT;
		at += 990 / turns;
		expire(m, at, 0, 21);
		make_switch(m, at, 0, 0, 21, CT_W_NONE, 0);
	}
	message(m, 1001, 21, SERVER(0), 10, CLIENT(0));
	make_switch(m, 1002, 1, 0, 10, CT_W_NONE, 0);
	make_switch(m, 1003, 0, 21, 0, CT_W_FUTEX, COND);
	return run(m, 10, 9, 1004, ret_g);
}

/* A wait for a condition that timed out once, and the work went on: a sleep. */
static void test_timed_wait_is_a_sleep(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d = work(&m, 1, &g);

	assert_int_equal(d->cause, CAUSE_SLOW_PEER);
	assert_int_equal(d->n_chain, 2);
	assert_int_equal(d->chain[1].tid, 21);
	assert_int_equal(d->chain[1].kind, RESOURCE_TIMER);
	end(&m, g, d);
}

/* Again and again: it waits for somebody to post. */
static void test_timed_wait_in_turns(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d = work(&m, 10, &g);

	assert_true(d->n_chain > 2);
	assert_int_equal(d->chain[1].tid, 21);
	assert_int_equal(d->chain[2].tid, 20);
	end(&m, g, d);
}

/* A script that sleeps ten times, and between two sleeps waits work_ms for a child. */
static struct diagnosis *script(struct make *m, uint64_t work_ms, struct graph **ret_g)
{
	uint64_t at = 2;

	make_task(m, 10, 10, 1, "script");
	make_switch(m, 1, 0, 0, 10, CT_W_NONE, 0);
	for (uint32_t i = 0; i < 10; i++) {
		make_task(m, 40 + i, 40 + i, 10, "job");
		make_switch(m, at, 0, 10, 0, CT_W_SLEEP, 0);
		at += 100;
		expire(m, at, 0, 10);
		make_switch(m, at, 0, 0, 10, CT_W_NONE, 0);
		make_event(m, at * MS, 0, CT_FORK, 10, 40 + i);
		make_switch(m, at + 1, 0, 10, 40 + i, CT_W_CHILD, CT_OBJ_ID(CT_OBJ_TASK, 40 + i));
		at += 1 + work_ms;
		make_event(m, at * MS, 0, CT_EXIT, 40 + i, 0);
		make_wake(m, at, 0, 10, 40 + i, CT_OBJ_ID(CT_OBJ_TASK, 40 + i))->r.flags = CT_WF_EXITING;
		make_switch(m, at, 0, 40 + i, 10, CT_W_EXITED, 0);
		at++;
	}
	return run(m, 10, 1, at, ret_g);
}

static void test_script_that_works(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d = script(&m, 70, &g);

	assert_int_equal(d->verdict, VERDICT_NORMAL);
	assert_int_not_equal(d->cause, CAUSE_POLLING);
	assert_null(strstr(d->sentence, "polling"));
	end(&m, g, d);
}

/* Hardly anything but to look whether it is there yet. */
static void test_script_that_polls(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d = script(&m, 5, &g);

	assert_int_equal(d->verdict, VERDICT_REPEATED_YIELD);
	assert_int_equal(d->cause, CAUSE_POLLING);
	end(&m, g, d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop_sleeps),           cmocka_unit_test(test_loop_was_told),
		cmocka_unit_test(test_timed_wait_is_a_sleep), cmocka_unit_test(test_timed_wait_in_turns),
		cmocka_unit_test(test_script_that_works),     cmocka_unit_test(test_script_that_polls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
