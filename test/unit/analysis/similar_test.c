// SPDX-License-Identifier: GPL-2.0-or-later
/* What is alike, and which wake-up is missing, in small windows made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/diagnose/diagnose.h"
#include "analysis/compare/missing_wake_find.h"
#include "analysis/compare/similar.h"
#include "lib/cleanup.h"
#include "test/unit/trace/window_make.h"

#define PIPE  CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define COND  CT_OBJ_ID(CT_OBJ_FUTEX, 0x2000)
#define MUTEX CT_OBJ_ID(CT_OBJ_FUTEX, 0x3000)
#define EPOLL CT_OBJ_ID(CT_OBJ_EPOLL, 8)
#define EVENT CT_OBJ_ID(CT_OBJ_EVENTFD, 9)
#define SOCKC CT_OBJ_ID(CT_OBJ_SOCK, 100)
#define SOCKS CT_OBJ_ID(CT_OBJ_SOCK, 101)
#define BACKC CT_OBJ_ID(CT_OBJ_SOCK, 200)
#define BACKS CT_OBJ_ID(CT_OBJ_SOCK, 201)

/* A consumer waits on a condition for a producer, which reads a pipe from a feeder, which is driven by time.
 */
enum { CONSUMER = 11, PRODUCER = 10, FEEDER = 20, OTHER = 12 };
#define ROUND 20

static void expire(struct make *m, uint64_t ms, uint16_t cpu, uint32_t tid)
{
	make_event(m, ms * MS, cpu, CT_WAKE, tid, 0)->r.state = CT_CTX_TIMER;
}

static void start_chain(struct make *m)
{
	make_task(m, PRODUCER, 10, 1, "work");
	make_task(m, CONSUMER, 10, 1, "consumer");
	make_task(m, OTHER, 10, 1, "other");
	make_task(m, FEEDER, 20, 1, "feeder");
	make_switch(m, 1, 0, 0, CONSUMER, CT_W_NONE, 0);
	make_switch(m, 1, 1, 0, PRODUCER, CT_W_NONE, 0);
	make_switch(m, 2, 0, CONSUMER, 0, CT_W_FUTEX, COND);
	make_switch(m, 2, 1, PRODUCER, FEEDER, CT_W_READ, PIPE);
	make_switch(m, 3, 1, FEEDER, 0, CT_W_SLEEP, 0);
}

/* The feeder's timer runs out; it feeds, and the producer tells: as far as is wanted. */
static void round_of(struct make *m, uint64_t ms, bool feeds, bool tells)
{
	expire(m, ms, 1, FEEDER);
	make_switch(m, ms, 1, 0, FEEDER, CT_W_NONE, 0);
	if (feeds)
		make_wake(m, ms + 1, 1, PRODUCER, FEEDER, PIPE);
	make_switch(m, ms + 1, 1, FEEDER, feeds ? PRODUCER : 0, CT_W_SLEEP, 0);
	if (!feeds)
		return;
	if (tells)
		make_wake(m, ms + 2, 1, CONSUMER, PRODUCER, COND);
	make_switch(m, ms + 2, 1, PRODUCER, 0, CT_W_READ, PIPE);
	if (!tells)
		return;
	make_switch(m, ms + 2, 0, 0, CONSUMER, CT_W_NONE, 0);
	make_switch(m, ms + 3, 0, CONSUMER, 0, CT_W_FUTEX, COND);
}

/* Another thread wakes the consumer, to no purpose, and then waits for a signal. */
static void disturb(struct make *m, uint64_t ms)
{
	make_switch(m, ms, 1, 0, OTHER, CT_W_NONE, 0);
	make_wake(m, ms, 1, CONSUMER, OTHER, COND);
	make_switch(m, ms, 0, 0, CONSUMER, CT_W_NONE, 0);
	make_switch(m, ms + 1, 0, CONSUMER, 0, CT_W_FUTEX, COND);
	make_switch(m, ms + 1, 1, OTHER, 0, CT_W_SIGNAL, 0);
}

static struct graph *graph_of(struct make *m, uint64_t to_ms)
{
	struct graph *g;

	assert_int_equal(graph_build(make_done(m, to_ms), &g), 0);
	return g;
}

/* The wait that the task is in at that time. */
static uint32_t wait_of(const struct graph *g, uint32_t tid, uint64_t ms)
{
	uint32_t i = graph_interval_at(g, graph_task_at(g, tid, ms * MS), ms * MS);

	assert_int_not_equal(i, GRAPH_NONE);
	assert_int_equal(g->intervals[i].state, INTERVAL_BLOCKED);
	return i;
}

static struct missing_wake *find(const struct graph *g, uint32_t tid, uint64_t ms, uint64_t to_ms)
{
	struct missing_wake *m = NULL;

	assert_int_equal(missing_wake_find(g, wait_of(g, tid, ms), to_ms * MS, &m), 0);
	return m;
}

static uint32_t tid_of(const struct graph *g, uint32_t task)
{
	return g->tasks[task].tid;
}

static void end(struct make *m, struct graph *g)
{
	graph_free(g);
	make_free(m);
}

static void test_score(void **state)
{
	struct signature none = { 0 }, abcd = { { 1, 2, 3, 4 }, 4 }, bd = { { 2, 4 }, 2 },
			 xy = { { 8, 9 }, 2 };

	assert_float_equal(similar_score(&abcd, &abcd), 1, 0.001);
	assert_float_equal(similar_score(&abcd, &bd), 2.0 * 2 / 6, 0.001);
	assert_float_equal(similar_score(&bd, &abcd), 2.0 * 2 / 6, 0.001);
	assert_float_equal(similar_score(&abcd, &xy), 0, 0.001);
	assert_float_equal(similar_score(&none, &none), 0, 0.001);
	assert_float_equal(similar_score(&none, &abcd), 0, 0.001);
}

/* After three rounds or after thirty, it has done the same again and again. */
static void test_signature_folds_repeats(void **state)
{
	struct make m = { 0 };
	struct signature few, many, other;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 60; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	g = graph_of(&m, 3000);
	similar_signature(g, wait_of(g, PRODUCER, 10 + 57 * ROUND + 10), &few);
	similar_signature(g, wait_of(g, PRODUCER, 2000), &many);
	similar_signature(g, wait_of(g, FEEDER, 2000), &other);
	assert_in_range(many.n, 2, 6);
	assert_float_equal(similar_score(&few, &many), 1, 0.001);
	assert_true(similar_score(&other, &many) < 0.5);
	end(&m, g);
}

/* Where the look back ends in the midst of a repeat, what is seen of that counts as little as the others. */
static void test_signature_of_part_of_a_repeat(void **state)
{
	static const uint64_t objects[] = { PIPE, EVENT, EPOLL, SOCKC, COND };
	const uint32_t n = ARRAY_SIZE(objects);
	struct make m = { 0 };
	struct signature x;
	struct graph *g;

	make_task(&m, 10, 10, 1, "loop");
	make_task(&m, 20, 20, 1, "waker");
	make_switch(&m, 1, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	for (uint32_t i = 0; i < 200; i++) {
		make_switch(&m, 10 + 2 * i, 0, 10, 0, CT_W_READ, objects[i % n]);
		make_wake(&m, 11 + 2 * i, 1, 10, 20, 0);
		make_switch(&m, 11 + 2 * i, 0, 0, 10, CT_W_NONE, 0);
	}
	g = graph_of(&m, 500);
	for (uint32_t i = 190; i < 190 + n; i++) {
		similar_signature(g, wait_of(g, 10, 10 + 2 * i), &x);
		assert_int_equal(x.n, 1 + n);
	}
	end(&m, g);
}

static void test_find_takes_those_at_the_same_place(void **state)
{
	struct make m = { 0 };
	struct similar_set set;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 10; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	g = graph_of(&m, 3000);
	assert_int_equal(similar_find(g, wait_of(g, CONSUMER, 2000), &set), 0);
	assert_int_equal(set.v.n, 10);
	assert_int_equal(set.refused, 0);
	assert_true(set.v.v[0].interval > set.v.v[9].interval);
	for (size_t i = 0; i < set.v.n; i++)
		assert_int_equal(tid_of(g, set.v.v[i].blame.task), PRODUCER);
	similar_done(&set);
	end(&m, g);
}

/* Of the waits in one place those from another part of the program are less alike. */
static void test_stacks_count_where_known(void **state)
{
	const char *here[] = { "k:futex_wait+0x1", "wait+0x5 (app)", "main+0x10 (app)" };
	const char *there[] = { "k:futex_wait+0x1", "other+0x5 (app)", "main+0x20 (app)" };
	struct window_stack stacks[] = { { 1, 3, here }, { 2, 3, there } };
	struct make m = { .w = { .stacks = stacks, .n_stacks = 2 } };
	struct similar_set set;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 12; i++) {
		round_of(&m, 10 + i * ROUND, true, true);
		if (i >= 8)
			make_event(&m, (20 + i * ROUND) * MS, 0, CT_VISIT, CONSUMER, 0)->x[0] =
				i == 9 ? 2 : 1;
	}
	g = graph_of(&m, 3000);
	assert_int_equal(similar_find(g, wait_of(g, CONSUMER, 2000), &set), 0);
	/* rounds 10, 9 and 8, and 7, of which no stack is known */
	assert_float_equal(set.v.v[0].score, 1, 0.001);
	assert_float_equal(set.v.v[1].score, 0.75, 0.001);
	assert_float_equal(set.v.v[2].score, 1, 0.001);
	assert_float_equal(set.v.v[3].score, 1, 0.001);
	similar_done(&set);
	end(&m, g);
}

static void test_find_is_bounded(void **state)
{
	struct make m = { 0 };
	struct similar_set set;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < SIMILAR_MAX + 7; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	g = graph_of(&m, 10000);
	assert_int_equal(similar_find(g, wait_of(g, CONSUMER, 9000), &set), 0);
	assert_int_equal(set.v.n, SIMILAR_MAX);
	assert_int_equal(set.refused, 7);
	similar_done(&set);
	end(&m, g);
}

/* The feeder stopped: named across the producer, though another thread woke the consumer last. */
static void test_input_of_the_waker_stopped(void **state)
{
	struct make m = { 0 };
	struct missing_wake *x;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 10; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	disturb(&m, 230);
	g = graph_of(&m, 4000);
	x = find(g, CONSUMER, 2000, 4000);
	assert_non_null(x);
	assert_int_equal(x->n_steps, 2);
	assert_int_equal(tid_of(g, x->steps[0].task), PRODUCER);
	assert_int_equal(x->steps[0].edge, EDGE_POST);
	assert_int_equal(x->steps[0].count, 10);
	assert_int_equal(tid_of(g, missing_wake_named(x)->task), FEEDER);
	assert_int_equal(missing_wake_named(x)->edge, EDGE_PIPE);
	assert_int_equal(missing_wake_named(x)->last_ns, (11 + 9 * ROUND) * MS);
	assert_int_equal(x->how, MISSING_ASLEEP);
	assert_int_equal(x->occurrences, 10);
	assert_int_equal(x->others, 1);
	assert_false(x->late);
	assert_true(missing_wake_is_good(x));
	assert_non_null(strstr(x->text, "feeder[20]"));
	missing_wake_free(x);
	end(&m, g);
}

static void test_chain_goes_on_by_comparison(void **state)
{
	struct make m = { 0 };
	struct diagnosis *d;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 10; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	disturb(&m, 230);
	g = graph_of(&m, 4000);
	assert_int_equal(diagnose(g, graph_task_at(g, CONSUMER, 4000 * MS), 300 * MS, 4000 * MS, NULL, &d),
			 0);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_int_equal(d->n_chain, 3);
	assert_int_equal(d->chain[1].tid, PRODUCER);
	assert_int_equal(d->chain[2].tid, FEEDER);
	assert_int_equal(d->chain[0].edge, EDGE_OWNER);
	assert_false(d->strong);
	assert_non_null(d->comparison);
	diagnosis_free(d);
	end(&m, g);
}

/* The consumer waits with a time limit, again and again: one wait, of which no part is long. */
static void test_time_limits_cut_the_wait(void **state)
{
	struct make m = { 0 };
	struct missing_wake *x;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 10; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	for (uint64_t ms = 253; ms < 1000; ms += 60) {
		expire(&m, ms, 0, CONSUMER);
		make_switch(&m, ms, 0, 0, CONSUMER, CT_W_NONE, 0);
		make_switch(&m, ms, 0, CONSUMER, 0, CT_W_FUTEX, COND);
	}
	g = graph_of(&m, 1000);
	x = find(g, CONSUMER, 500, 1000);
	assert_non_null(x);
	assert_int_equal(x->wait_from_ns, (13 + 9 * ROUND) * MS);
	assert_int_equal(x->wait_to_ns, 1000 * MS);
	assert_int_equal(x->occurrences, 10);
	assert_int_equal(tid_of(g, missing_wake_named(x)->task), FEEDER);
	missing_wake_free(x);
	end(&m, g);
}

/* A second consumer that has only begun is held against what the first one lived through. */
static void test_one_of_the_same_role(void **state)
{
	struct make m = { 0 };
	struct missing_wake *x;
	struct graph *g;

	start_chain(&m);
	make_task(&m, 14, 10, 1, "consumer");
	for (uint64_t i = 0; i < 10; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	make_switch(&m, 230, 0, 0, 14, CT_W_NONE, 0);
	make_switch(&m, 231, 0, 14, 0, CT_W_FUTEX, COND);
	g = graph_of(&m, 4000);
	x = find(g, 14, 2000, 4000);
	assert_non_null(x);
	assert_int_equal(tid_of(g, g->intervals[x->reference].task), CONSUMER);
	assert_int_equal(tid_of(g, missing_wake_named(x)->task), FEEDER);
	assert_int_equal(x->steps[0].count, 0);
	missing_wake_free(x);
	end(&m, g);
}

/* The producer hangs at a mutex: the chain goes on to who holds it. */
static void test_waker_waits_for_a_lock(void **state)
{
	struct make m = { 0 };
	struct diagnosis *d;
	struct graph *g;

	make_task(&m, 15, 10, 1, "holder");
	start_chain(&m);
	for (uint64_t i = 0; i < 10; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	disturb(&m, 230);
	make_switch(&m, 240, 0, 0, 15, CT_W_NONE, 0);
	make_switch(&m, 241, 0, 15, 0, CT_W_SLEEP, 0);
	expire(&m, 250, 1, FEEDER);
	make_switch(&m, 250, 1, 0, FEEDER, CT_W_NONE, 0);
	make_wake(&m, 251, 1, PRODUCER, FEEDER, PIPE);
	make_switch(&m, 251, 1, FEEDER, PRODUCER, CT_W_SLEEP, 0);
	make_event(&m, 252 * MS, 1, CT_FUTEX, PRODUCER, 15)->r.obj = MUTEX;
	make_switch(&m, 252, 1, PRODUCER, 0, CT_W_FUTEX, MUTEX);
	g = graph_of(&m, 4000);
	assert_int_equal(diagnose(g, graph_task_at(g, CONSUMER, 4000 * MS), 300 * MS, 4000 * MS, NULL, &d),
			 0);
	assert_int_equal(d->cause, CAUSE_LOCK_HOLDER);
	assert_int_equal(d->n_chain, 3);
	assert_int_equal(d->chain[1].tid, PRODUCER);
	assert_int_equal(d->chain[1].edge, EDGE_LOCK);
	assert_int_equal(d->chain[2].tid, 15);
	assert_int_equal(d->comparison->how, MISSING_ELSEWHERE);
	assert_int_equal(tid_of(g, missing_wake_named(d->comparison)->task), PRODUCER);
	diagnosis_free(d);
	end(&m, g);
}

/* The producer is fed on, and tells nobody. */
static void test_signal_lost(void **state)
{
	struct make m = { 0 };
	struct missing_wake *x;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 100; i++)
		round_of(&m, 10 + i * ROUND, true, i < 10);
	g = graph_of(&m, 2000);
	x = find(g, CONSUMER, 1000, 2000);
	assert_non_null(x);
	assert_int_equal(x->n_steps, 1);
	assert_int_equal(tid_of(g, missing_wake_named(x)->task), PRODUCER);
	assert_int_equal(x->how, MISSING_SILENT);
	assert_int_equal(x->triggers, 90);
	missing_wake_free(x);
	end(&m, g);
}

/* The same with another one who woke the consumer last: the chain ends at who went silent. */
static void test_chain_ends_at_the_silent_one(void **state)
{
	struct make m = { 0 };
	struct diagnosis *d;
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 100; i++) {
		round_of(&m, 10 + i * ROUND, true, i < 10);
		if (i == 10)
			disturb(&m, 215);
	}
	g = graph_of(&m, 2000);
	assert_int_equal(diagnose(g, graph_task_at(g, CONSUMER, 2000 * MS), 300 * MS, 2000 * MS, NULL, &d),
			 0);
	assert_int_equal(d->cause, CAUSE_MISSING_WAKEUP);
	assert_int_equal(d->chain[1].tid, PRODUCER);
	assert_int_equal(d->n_chain, 2);
	assert_string_equal(d->root_text, "work[10] went on as before, but did not wake it any more");
	diagnosis_free(d);
	end(&m, g);
}

/* ... but tells another one that waits for the same: nothing is lost. */
static void test_signal_went_to_another(void **state)
{
	struct make m = { 0 };
	struct graph *g;

	start_chain(&m);
	for (uint64_t i = 0; i < 10; i++)
		round_of(&m, 10 + i * ROUND, true, true);
	make_switch(&m, 220, 0, 0, OTHER, CT_W_NONE, 0);
	make_switch(&m, 221, 0, OTHER, 0, CT_W_FUTEX, COND);
	for (uint64_t i = 0; i < 80; i++) {
		round_of(&m, 230 + i * ROUND, true, false);
		make_wake(&m, 230 + i * ROUND + 2, 1, OTHER, PRODUCER, COND);
	}
	g = graph_of(&m, 2000);
	assert_null(find(g, CONSUMER, 1000, 2000));
	end(&m, g);
}

/* The loop of a program that a thread of its own wakes by an eventfd, at regular times. */
static void start_loop(struct make *m, uint32_t pid_of_ticker, uint64_t rounds)
{
	make_task(m, 30, 30, 1, "loop");
	make_task(m, 31, pid_of_ticker, 1, "ticker");
	make_task(m, 33, pid_of_ticker, 1, "ticker"); /* of the same name */
	make_switch(m, 1, 0, 0, 30, CT_W_NONE, 0);
	make_switch(m, 1, 1, 0, 31, CT_W_NONE, 0);
	make_switch(m, 2, 0, 30, 0, CT_W_EPOLL, EPOLL);
	make_switch(m, 2, 1, 31, 33, CT_W_SLEEP, 0);
	make_switch(m, 3, 1, 33, 0, CT_W_SIGNAL, 0);
	for (uint64_t ms = 50; ms <= rounds * 50; ms += 50) {
		expire(m, ms, 1, 31);
		make_switch(m, ms, 1, 0, 31, CT_W_NONE, 0);
		make_wake(m, ms + 1, 1, 30, 31, EVENT);
		make_switch(m, ms + 1, 0, 0, 30, CT_W_NONE, 0);
		if (ms < rounds * 50)
			make_switch(m, ms + 1, 1, 31, 0, CT_W_SLEEP, 0);
		make_switch(m, ms + 2, 0, 30, 0, CT_W_EPOLL, EPOLL);
	}
}

static void leave(struct make *m, uint64_t ms, uint32_t tid, uint32_t tgid)
{
	make_event(m, ms * MS, 1, CT_EXIT, tid, 0)->r.obj = tgid;
	make_switch(m, ms, 1, tid, 0, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
}

static struct diagnosis *diagnose_loop(const struct graph *g)
{
	struct diagnosis *d;

	assert_int_equal(diagnose(g, graph_task_at(g, 30, 4000 * MS), 1100 * MS, 4000 * MS, NULL, &d), 0);
	return d;
}

static void test_ticker_ended(void **state)
{
	struct make m = { 0 };
	struct diagnosis *d;
	struct graph *g;

	start_loop(&m, 30, 20);
	leave(&m, 1003, 31, 30);
	/* the other one of that name wakes the loop once, and does not take its part by that */
	make_switch(&m, 1010, 1, 0, 33, CT_W_NONE, 0);
	make_wake(&m, 1010, 1, 30, 33, EVENT);
	make_switch(&m, 1010, 0, 0, 30, CT_W_NONE, 0);
	make_switch(&m, 1011, 0, 30, 0, CT_W_EPOLL, EPOLL);
	make_switch(&m, 1011, 1, 33, 0, CT_W_SIGNAL, 0);
	g = graph_of(&m, 4000);
	d = diagnose_loop(g);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_int_equal(d->cause, CAUSE_MISSING_WAKEUP);
	assert_int_equal(d->n_chain, 2);
	assert_int_equal(d->chain[1].tid, 31);
	assert_int_equal(d->chain[1].state, LINK_EXITED);
	assert_int_equal(d->comparison->how, MISSING_ENDED);
	assert_int_equal(d->comparison->since_ns, 1003 * MS);
	assert_true(d->comparison->regular);
	assert_true(d->comparison->own_accord);
	diagnosis_free(d);
	end(&m, g);
}

/* A client that has gone leaves an idle server. */
static void test_client_ended(void **state)
{
	struct make m = { 0 };
	struct diagnosis *d;
	struct graph *g;

	start_loop(&m, 31, 20);
	leave(&m, 1003, 31, 31);
	g = graph_of(&m, 4000);
	d = diagnose_loop(g);
	assert_int_equal(d->verdict, VERDICT_NORMAL);
	assert_int_equal(d->n_chain, 1);
	assert_null(d->comparison);
	diagnosis_free(d);
	end(&m, g);
}

/* Twice is no habit. */
static void test_few_are_no_evidence(void **state)
{
	struct make m = { 0 };
	struct missing_wake *x;
	struct diagnosis *d;
	struct graph *g;

	start_loop(&m, 30, 3);
	leave(&m, 153, 31, 30);
	g = graph_of(&m, 4000);
	d = diagnose_loop(g);
	assert_int_equal(d->verdict, VERDICT_NORMAL);
	diagnosis_free(d);
	x = find(g, 30, 2000, 4000);
	assert_true(!x || !missing_wake_is_sure(x));
	missing_wake_free(x);
	end(&m, g);
}

/* Four times as long as usual is usual. */
static void test_not_much_longer_is_normal(void **state)
{
	struct make m = { 0 };
	struct graph *g;

	start_loop(&m, 30, 20);
	leave(&m, 1003, 31, 30);
	g = graph_of(&m, 1002 + 49 * 4);
	assert_null(find(g, 30, 1100, 1002 + 49 * 4));
	end(&m, g);
}

/* Helper 43 tells server 41 something of its own, each 10 ms, of which the server makes nothing. */
static void disturb_server(struct make *m, uint64_t ms, uint64_t to_ms)
{
	for (; ms < to_ms; ms += 10) {
		make_wake(m, ms, 0, 41, 43, BACKS);
		make_switch(m, ms, 1, 0, 41, CT_W_NONE, 0);
		make_switch(m, ms + 1, 1, 41, 0, CT_W_READ, BACKC);
	}
}

/* Client 40 asks server 41, which asks helper 42 or 43 each time.  Answered after a while, in ms. */
static void request_of(struct make *m, uint64_t ms, uint64_t helper_ms, uint32_t helper, bool disturbed)
{
	make_event(m, ms * MS, 0, CT_WAKE, 40, 0)->r.state = CT_CTX_TIMER;
	make_switch(m, ms, 0, 0, 40, CT_W_NONE, 0);
	make_wake(m, ms, 0, 41, 40, SOCKC);
	make_event(m, ms * MS, 0, CT_SEND, 40, 1)->r.obj = SOCKC;
	make_switch(m, ms, 0, 40, 0, CT_W_READ, SOCKC);
	make_switch(m, ms, 1, 0, 41, CT_W_NONE, 0);
	make_event(m, ms * MS, 1, CT_RECV, 41, 1)->r.obj = SOCKS;
	make_wake(m, ms, 1, helper, 41, BACKC);
	make_event(m, ms * MS, 1, CT_SEND, 41, 1)->r.obj = BACKC;
	make_switch(m, ms, 1, 41, helper, CT_W_READ, BACKC);
	make_event(m, ms * MS, 1, CT_RECV, helper, 1)->r.obj = BACKS;
	if (helper_ms > 1) {
		make_switch(m, ms, 1, helper, 0, CT_W_SLEEP, 0);
		if (disturbed)
			disturb_server(m, ms + 5, ms + helper_ms);
		ms += helper_ms;
		expire(m, ms, 1, helper);
		make_switch(m, ms, 1, 0, helper, CT_W_NONE, 0);
	} else {
		ms += helper_ms;
	}
	make_wake(m, ms, 1, 41, helper, BACKS);
	make_event(m, ms * MS, 1, CT_SEND, helper, 1)->r.obj = BACKS;
	make_switch(m, ms, 1, helper, 41, CT_W_READ, BACKS);
	make_event(m, ms * MS, 1, CT_RECV, 41, 1)->r.obj = BACKC;
	make_wake(m, ms, 1, 40, 41, SOCKS);
	make_event(m, ms * MS, 1, CT_SEND, 41, 1)->r.obj = SOCKS;
	make_switch(m, ms, 1, 41, 0, CT_W_READ, SOCKS);
	make_switch(m, ms, 0, 0, 40, CT_W_NONE, 0);
	make_event(m, ms * MS, 0, CT_RECV, 40, 1)->r.obj = SOCKC;
	make_switch(m, ms + 1, 0, 40, 0, CT_W_SLEEP, 0);
}

static void request(struct make *m, uint64_t ms, uint64_t helper_ms)
{
	request_of(m, ms, helper_ms, 42, false);
}

static void start_service(struct make *m)
{
	const uint64_t pair[][2] = { { SOCKC, SOCKS }, { BACKC, BACKS } };

	for (int i = 0; i < 4; i++) {
		struct window_object *o = make_object(m, pair[i / 2][i % 2]);

		o->peer = pair[i / 2][!(i % 2)];
		o->family = 1;
	}
	make_task(m, 40, 40, 1, "client");
	make_task(m, 41, 41, 1, "server");
	make_task(m, 42, 42, 1, "helper");
	make_task(m, 43, 43, 1, "helper");
	make_switch(m, 1, 0, 0, 40, CT_W_NONE, 0);
	make_switch(m, 1, 1, 0, 41, CT_W_NONE, 0);
	make_switch(m, 2, 1, 41, 42, CT_W_READ, SOCKS);
	make_switch(m, 3, 1, 42, 43, CT_W_READ, BACKS);
	make_switch(m, 3, 1, 43, 0, CT_W_READ, BACKS);
	make_switch(m, 3, 0, 40, 0, CT_W_SLEEP, 0);
}

static void test_answer_came_late(void **state)
{
	struct make m = { 0 };
	struct missing_wake *x;
	struct graph *g;

	start_service(&m);
	for (uint64_t i = 0; i < 20; i++)
		request(&m, 10 + 10 * i, 1);
	request(&m, 210, 3000);
	g = graph_of(&m, 3300);
	x = find(g, 40, 1000, 3300);
	assert_non_null(x);
	assert_true(x->late);
	assert_int_equal(x->n_steps, 2);
	assert_int_equal(tid_of(g, x->steps[0].task), 41);
	assert_int_equal(tid_of(g, missing_wake_named(x)->task), 42);
	assert_int_equal(x->how, MISSING_ELSEWHERE);
	assert_int_equal(g->intervals[x->instead].wait, CT_W_SLEEP);
	assert_int_equal(x->usual_ns, 1 * MS);
	missing_wake_free(x);
	end(&m, g);
}

/* This time it was another helper: it did not fail to come, it was late. */
static void test_another_of_the_pool(void **state)
{
	struct make m = { 0 };
	struct missing_wake *x;
	struct graph *g;

	start_service(&m);
	for (uint64_t i = 0; i < 20; i++)
		request(&m, 10 + 10 * i, 1);
	request_of(&m, 210, 3000, 43, false);
	g = graph_of(&m, 3300);
	x = find(g, 40, 1000, 3300);
	assert_non_null(x);
	assert_int_equal(x->n_steps, 2);
	assert_int_equal(tid_of(g, missing_wake_named(x)->task), 43);
	assert_int_equal(x->how, MISSING_ELSEWHERE);
	missing_wake_free(x);
	end(&m, g);
}

/* The server was woken by others while it waited for the helper: which of its waits was for this client is
 * not known. */
static void test_late_and_disturbed(void **state)
{
	struct make m = { 0 };
	struct graph *g;

	start_service(&m);
	for (uint64_t i = 0; i < 20; i++)
		request(&m, 10 + 10 * i, 1);
	request_of(&m, 210, 3000, 42, true);
	g = graph_of(&m, 3300);
	assert_null(find(g, 40, 1000, 3300));
	end(&m, g);
}

/* The client waits for an answer to what it did not ask: the server and the helper wait as they do. */
static void test_nobody_was_asked(void **state)
{
	struct make m = { 0 };
	struct graph *g;

	start_service(&m);
	for (uint64_t i = 0; i < 20; i++)
		request(&m, 10 + 10 * i, 1);
	expire(&m, 220, 0, 40);
	make_switch(&m, 220, 0, 0, 40, CT_W_NONE, 0);
	make_switch(&m, 221, 0, 40, 0, CT_W_READ, SOCKC);
	g = graph_of(&m, 3300);
	assert_null(find(g, 40, 1000, 3300));
	end(&m, g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_score),
		cmocka_unit_test(test_signature_folds_repeats),
		cmocka_unit_test(test_signature_of_part_of_a_repeat),
		cmocka_unit_test(test_find_takes_those_at_the_same_place),
		cmocka_unit_test(test_stacks_count_where_known),
		cmocka_unit_test(test_find_is_bounded),
		cmocka_unit_test(test_input_of_the_waker_stopped),
		cmocka_unit_test(test_chain_goes_on_by_comparison),
		cmocka_unit_test(test_time_limits_cut_the_wait),
		cmocka_unit_test(test_one_of_the_same_role),
		cmocka_unit_test(test_waker_waits_for_a_lock),
		cmocka_unit_test(test_signal_lost),
		cmocka_unit_test(test_chain_ends_at_the_silent_one),
		cmocka_unit_test(test_signal_went_to_another),
		cmocka_unit_test(test_ticker_ended),
		cmocka_unit_test(test_client_ended),
		cmocka_unit_test(test_few_are_no_evidence),
		cmocka_unit_test(test_not_much_longer_is_normal),
		cmocka_unit_test(test_answer_came_late),
		cmocka_unit_test(test_another_of_the_pool),
		cmocka_unit_test(test_late_and_disturbed),
		cmocka_unit_test(test_nobody_was_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
