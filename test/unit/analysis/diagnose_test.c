// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdict, cause and chain for small windows made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/hangs/hangs.h"
#include "test/unit/trace/window_make.h"

#define PIPE  CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define MUTEX CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000)
#define COND  CT_OBJ_ID(CT_OBJ_FUTEX, 0x2000)
#define FILE_ CT_OBJ_ID(CT_OBJ_FILE, 5)
#define EVENT CT_OBJ_ID(CT_OBJ_EVENTFD, 9)
#define SOCKC CT_OBJ_ID(CT_OBJ_SOCK, 100)
#define SOCKS CT_OBJ_ID(CT_OBJ_SOCK, 101)

static struct diagnosis *run(struct make *m, uint32_t tid, uint64_t from_ms, uint64_t to_ms,
			     struct graph **ret_g)
{
	struct diagnosis *d;
	uint64_t sum = 0;

	assert_int_equal(graph_build(make_done(m, to_ms), ret_g), 0);
	assert_int_equal(
		diagnose(*ret_g, graph_task_at(*ret_g, tid, to_ms * MS), from_ms * MS, to_ms * MS, NULL, &d),
		0);
	for (int i = 0; i < TIME_KINDS; i++)
		sum += d->time_ns[i];
	assert_int_equal(sum, (to_ms - from_ms) * MS);
	return d;
}

static void end(struct make *m, struct graph *g, struct diagnosis *d)
{
	diagnosis_free(d);
	graph_free(g);
	make_free(m);
}

static void assert_chain(const struct diagnosis *d, size_t n, ...)
{
	va_list ap;

	assert_int_equal(d->n_chain, n);
	va_start(ap, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(d->chain[i].tid, va_arg(ap, uint32_t));
	va_end(ap);
}

static void expire(struct make *m, uint64_t ms, uint16_t cpu, uint32_t tid)
{
	make_event(m, ms * MS, cpu, CT_WAKE, tid, 0)->r.state = CT_CTX_TIMER;
}

/* Of who computes for long the stack is that of the time that is asked about. */
static void test_stack_of_the_time(void **state)
{
	struct make m = { 0 };
	struct diagnosis *d;
	struct graph *g;

	make_task(&m, 10, 10, 1, "computes");
	make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0);
	for (uint64_t ms = 100; ms < 40000; ms += 100)
		make_event(&m, ms * MS, 0, CT_SAMPLE, 10, 0)->x[0] = ms < 35000 ? 1 : ms < 36000 ? 2 : 3;
	d = run(&m, 10, 35000, 40000, &g);
	assert_chain(d, 1, 10);
	assert_int_equal(d->chain[0].stack, 3);
	end(&m, g, d);
}

static void test_mutex_owner_computes(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "app");
	make_task(&m, 11, 10, 1, "app");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 1, 1, 0, 11, CT_W_NONE, 0);
	make_event(&m, 10 * MS, 0, CT_FUTEX, 10, 11)->r.obj = MUTEX;
	make_switch(&m, 10, 0, 10, 0, CT_W_FUTEX, MUTEX);
	make_wake(&m, 3000, 1, 10, 11, MUTEX);
	make_switch(&m, 3001, 0, 0, 10, CT_W_NONE, 0);
	d = run(&m, 10, 1, 3010, &g);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_int_equal(d->cause, CAUSE_LOCK_HOLDER);
	assert_chain(d, 2, 10, 11);
	assert_int_equal(d->chain[0].edge, EDGE_LOCK);
	assert_true(d->strong);
	assert_non_null(strstr(d->sentence, "mutex"));
	end(&m, g, d);
}

static void test_deadlock(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "a");
	make_task(&m, 11, 10, 1, "b");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 1, 1, 0, 11, CT_W_NONE, 0);
	make_event(&m, 10 * MS, 0, CT_FUTEX, 10, 11)->r.obj = MUTEX;
	make_switch(&m, 10, 0, 10, 0, CT_W_FUTEX, MUTEX);
	make_event(&m, 10 * MS, 1, CT_FUTEX, 11, 10)->r.obj = MUTEX + 64;
	make_switch(&m, 10, 1, 11, 0, CT_W_FUTEX, MUTEX + 64);
	d = run(&m, 10, 1, 5000, &g);
	assert_int_equal(d->cause, CAUSE_CIRCULAR_WAIT);
	assert_chain(d, 2, 10, 11);
	end(&m, g, d);
}

static void test_own_lock(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "a");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_event(&m, 10 * MS, 0, CT_FUTEX, 10, 10)->r.obj = MUTEX;
	make_switch(&m, 10, 0, 10, 0, CT_W_FUTEX, MUTEX);
	d = run(&m, 10, 1, 5000, &g);
	assert_int_equal(d->cause, CAUSE_CIRCULAR_WAIT);
	assert_true(d->strong);
	assert_non_null(strstr(d->sentence, "a[10] was waiting for a lock that it holds itself"));
	assert_chain(d, 1, 10);
	end(&m, g, d);
}

static void test_sleep_is_normal(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "sleep");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 2, 0, 10, 0, CT_W_SLEEP, 0);
	expire(&m, 9000, 0, 10);
	make_switch(&m, 9001, 0, 0, 10, CT_W_NONE, 0);
	d = run(&m, 10, 1, 9002, &g);
	assert_int_equal(d->verdict, VERDICT_NORMAL);
	assert_true(d->time_ns[TIME_TIMER] > 8900 * MS);
	end(&m, g, d);
}

/* One that sleeps where it is used to do something else. */
static void test_noticed_sleep_is_not(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "loop");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 2, 0, 10, 0, CT_W_SLEEP, 0);
	make_event(&m, 2002 * MS, 0, CT_HANG, 10, 0)->r.state = CT_HANG_LOOP;
	expire(&m, 9000, 0, 10);
	make_switch(&m, 9001, 0, 0, 10, CT_W_NONE, 0);
	d = run(&m, 10, 1, 9002, &g);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_int_equal(d->cause, CAUSE_TIMER);
	assert_null(strstr(d->sentence, "Nothing"));
	end(&m, g, d);
}

/* A poll of what was left out looks like a sleep until its time limit. */
static void test_left_out(void **state)
{
	for (int left_out = 0; left_out < 2; left_out++) {
		struct make m = { 0 };
		struct window_event *e;
		struct graph *g;
		struct diagnosis *d;

		make_task(&m, 10, 10, 1, "client");
		make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
		make_switch(&m, 10, 0, 10, 0, CT_W_POLL, 0)->r.flags |= CT_SF_TIMEOUT;
		/* told after it began: since when is not known, but what was before */
		e = make_event(&m, 2000 * MS, 0, CT_SHED, 0, 0);
		e->r.state = e->r.wait = left_out ? CT_SHED_WAITS : CT_SHED_WAKES;
		expire(&m, 9000, 0, 10);
		make_switch(&m, 9001, 0, 0, 10, CT_W_NONE, 0);
		d = run(&m, 10, 1, 9002, &g);
		assert_int_equal(d->verdict, VERDICT_NORMAL);
		assert_int_equal(d->cause, left_out ? CAUSE_NONE : CAUSE_TIMER);
		assert_int_equal(d->strong, !left_out);
		assert_int_equal(!strncmp(d->sentence, "Nothing can be said: ", 21), left_out);
		assert_int_equal(strstr(d->sentence, "what for was left out") != NULL, left_out);
		end(&m, g, d);
	}
}

static void test_child_chain(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "make");
	make_task(&m, 20, 20, 10, "g++");
	make_task(&m, 30, 30, 20, "cc1plus");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 5, 0, 10, 20, CT_W_CHILD, 0);
	make_switch(&m, 10, 0, 20, 30, CT_W_CHILD, 0);
	make_wake(&m, 6000, 0, 20, 30, 0);
	make_switch(&m, 6001, 0, 30, 20, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	make_wake(&m, 6010, 0, 10, 20, 0);
	make_switch(&m, 6011, 0, 20, 10, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	d = run(&m, 10, 1, 6020, &g);
	assert_int_equal(d->cause, CAUSE_BUSY);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_chain(d, 3, 10, 20, 30);
	end(&m, g, d);
}

/* A chain too long to be told link by link: who was to blame comes first, then who is between. */
static void test_long_sentence(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "victim");
	for (uint32_t tid = 11; tid <= 17; tid++)
		make_task(&m, tid, tid, tid - 1, "shell");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	for (uint32_t tid = 10; tid < 17; tid++)
		make_switch(&m, 1 + tid, 0, tid, tid + 1, CT_W_CHILD, 0);
	for (uint32_t tid = 17; tid > 10; tid--) {
		make_wake(&m, 6000 + 2 * (17 - tid), 0, tid - 1, tid, 0);
		make_switch(&m, 6001 + 2 * (17 - tid), 0, tid, tid - 1, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	}
	d = run(&m, 10, 1, 6030, &g);
	assert_chain(d, 8, 10, 11, 12, 13, 14, 15, 16, 17);
	assert_string_equal(d->sentence,
			    "victim[10] waited 6.0 s because of shell[17], which was computing, by way "
			    "of shell[11], shell[12], shell[13] and 3 others.");
	end(&m, g, d);
}

/* A lock tried every 100 ms: never one long wait, and no wake by the holder. */
static void test_polled_lock(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;
	struct window_event *e;

	make_task(&m, 10, 10, 1, "sqlite3");
	make_task(&m, 20, 20, 1, "holder");
	e = make_event(&m, 1 * MS, 1, CT_FLOCK, 20, 0);
	e->r.obj = FILE_;
	e->r.state = 1;
	make_switch(&m, 1, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&m, 2, 1, 20, 0, CT_W_SLEEP, 0);
	make_switch(&m, 3, 0, 0, 10, CT_W_NONE, 0);
	for (uint64_t at = 10; at < 5000; at += 100) {
		e = make_event(&m, at * MS, 0, CT_FLOCK, 10, (uint32_t)-11);
		e->r.obj = FILE_;
		e->r.state = 1;
		make_switch(&m, at, 0, 10, 0, CT_W_SLEEP, 0);
		expire(&m, at + 99, 0, 10);
		make_switch(&m, at + 99, 0, 0, 10, CT_W_NONE, 0);
	}
	d = run(&m, 10, 3, 5000, &g);
	assert_int_equal(d->verdict, VERDICT_REPEATED_YIELD);
	assert_int_equal(d->cause, CAUSE_LOCK_HOLDER);
	assert_chain(d, 2, 10, 20);
	assert_int_equal(d->chain[0].kind, RESOURCE_FILE_LOCK);
	end(&m, g, d);
}

/* What the holder did is not all recorded since: it may have given the lock back, unless it is found with it.
 */
static void test_lock_of_the_capped(void **state)
{
	enum { WHOLE, CAPPED, FOUND, PAUSED, CASES };

	for (int how = WHOLE; how < CASES; how++) {
		struct make m = { 0 };
		struct window_event *e;
		struct graph *g;
		struct diagnosis *d;

		make_task(&m, 10, 10, 1, "waiter");
		make_task(&m, 20, 20, 1, "holder");
		make_switch(&m, 1, 1, 0, 20, CT_W_NONE, 0);
		e = make_event(&m, 2 * MS, 1, CT_FLOCK, 20, 0);
		e->r.obj = FILE_;
		e->r.state = e->r.wait = 1;
		make_switch(&m, 3, 1, 20, 0, CT_W_SLEEP, 0);
		make_switch(&m, 4, 0, 0, 10, CT_W_NONE, 0);
		for (int end = 0; (how == CAPPED || how == FOUND) && end < 2; end++) {
			e = make_event(&m, (5 + end) * MS, 1, CT_SHED, 20, 0);
			e->r.flags = CT_GV_CAP | CT_GV_GROUP;
			e->r.aux = (uint16_t)(end ? CT_W_SLEEP | CT_ST_SLEEP << 8 : 0);
			e->x[0] = 5 * MS;
		}
		if (how == PAUSED) {
			e = make_event(&m, 6 * MS, 0, CT_GAP, CT_GAP_ALL_CPUS, 0);
			e->r.state = CT_LOSS_SHED;
			e->x[0] = 5 * MS;
			e->x[1] = 6 * MS;
		}
		make_switch(&m, 10, 0, 10, 0, CT_W_FLOCK, FILE_);
		if (how == FOUND)
			make_event(&m, 4000 * MS, 1, CT_HELD, 20, 0)->r.obj = FILE_;
		d = run(&m, 10, 4, 5000, &g);
		assert_int_equal(d->cause, CAUSE_LOCK_HOLDER);
		assert_int_equal(d->chain[0].strength,
				 how == WHOLE || how == FOUND ? EDGE_STRONG : EDGE_WEAK);
		end(&m, g, d);
	}
}

/* What it did for most of the time is not known: nothing is certain. */
static void test_capped_itself(void **state)
{
	for (int i = 0; i < 4; i++) {
		bool capped = i & 1, parent = i & 2;
		struct make m = { 0 };
		struct window_event *e;
		struct graph *g;
		struct diagnosis *d;

		make_task(&m, 5, 5, 1, "parent");
		make_task(&m, 10, 10, 5, "stormy");
		make_switch(&m, 0, 1, 0, 5, CT_W_NONE, 0);
		make_switch(&m, 1, 1, 5, 0, CT_W_CHILD, 0);
		make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
		for (int end = 0; capped && end < 2; end++) {
			e = make_event(&m, (1000 + end * 3000) * MS, 0, CT_SHED, 10, 0);
			e->r.flags = CT_GV_CAP | CT_GV_GROUP;
			e->x[0] = 1000 * MS;
		}
		if (capped)
			make_switch(&m, 4010, 0, 0, 10, CT_W_NONE, 0);
		make_switch(&m, 5100, 0, 10, 0, CT_W_SLEEP, 0);
		d = run(&m, parent ? 5 : 10, 1, 5000, &g);
		assert_int_equal(d->verdict, parent ? VERDICT_LONG_WAIT : VERDICT_LONG_RUNNING);
		assert_int_equal(d->strong, !capped);
		end(&m, g, d);
	}
}

static void test_starved(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "victim");
	make_task(&m, 20, 20, 1, "hog");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 2, 0, 10, 20, CT_W_NONE, 0);
	make_switch(&m, 2900, 0, 20, 10, CT_W_NONE, 0);
	d = run(&m, 10, 1, 3000, &g);
	assert_int_equal(d->verdict, VERDICT_STARVED);
	assert_int_equal(d->cause, CAUSE_STARVED);
	assert_chain(d, 2, 10, 20);
	end(&m, g, d);
}

/* Where records are missing nobody is known to have had the CPU: that does not make it idle. */
static void test_starved_unknown(void **state)
{
	enum { WHOLE, LOST, CAPPED, CASES };

	for (int how = WHOLE; how < CASES; how++) {
		bool lost = how != WHOLE;
		struct make m = { 0 };
		struct window_event *e;
		struct graph *g;
		struct diagnosis *d;

		make_task(&m, 10, 10, 1, "victim");
		make_task(&m, 20, 20, 1, "other");
		make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
		make_switch(&m, 2, 0, 10, 20, CT_W_NONE, 0);
		make_switch(&m, 3, 0, 20, 0, CT_W_SLEEP, 0);
		if (how == LOST) {
			e = make_event(&m, 2890 * MS, 0, CT_GAP, 0, 1000);
			e->x[0] = 4 * MS;
			e->x[1] = 2890 * MS;
		}
		if (how == CAPPED) {
			/* switches between the idle task and one of the group are left out */
			e = make_event(&m, 2890 * MS, 0, CT_SHED, 0, 1000);
			e->r.flags = CT_GV_GROUP;
			e->x[0] = 4 * MS;
		}
		make_switch(&m, 2900, 0, 0, 10, CT_W_NONE, 0);
		d = run(&m, 10, 1, 3000, &g);
		assert_int_equal(d->verdict, VERDICT_STARVED);
		assert_chain(d, 1, 10);
		assert_int_equal(d->strong, !lost);
		assert_int_equal(!strstr(d->sentence, "although one was idle"), lost);
		assert_int_equal(!strstr(d->sentence, "records are missing"), !lost);
		end(&m, g, d);
	}
}

static void test_long_running(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "victim");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	d = run(&m, 10, 1, 3000, &g);
	assert_int_equal(d->verdict, VERDICT_LONG_RUNNING);
	assert_int_equal(d->cause, CAUSE_BUSY);
	assert_chain(d, 1, 10);
	end(&m, g, d);
}

static void test_yield_spin(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "spinner");
	make_task(&m, 11, 10, 1, "setter");
	make_switch(&m, 1, 1, 0, 11, CT_W_NONE, 0);
	make_switch(&m, 2, 1, 11, 0, CT_W_SLEEP, 0);
	for (uint64_t at = 3; at < 2000; at += 4) {
		make_switch(&m, at, 0, 0, 10, CT_W_NONE, 0);
		make_switch(&m, at + 3, 0, 10, 0, CT_W_YIELD, 0);
	}
	expire(&m, 2000, 1, 11);
	make_switch(&m, 2000, 1, 0, 11, CT_W_NONE, 0);
	make_switch(&m, 2001, 1, 11, 0, CT_W_SLEEP, 0);
	make_switch(&m, 2001, 0, 0, 10, CT_W_NONE, 0);
	d = run(&m, 10, 3, 2002, &g);
	assert_int_equal(d->verdict, VERDICT_REPEATED_YIELD);
	assert_int_equal(d->cause, CAUSE_POLLING);
	assert_chain(d, 2, 10, 11);
	assert_false(d->strong);
	end(&m, g, d);
}

/* A client, an idle event loop, and a pool with all workers busy with something older. */
static void test_queueing(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;
	struct window_event *e;

	make_task(&m, 10, 10, 1, "curl");
	make_task(&m, 20, 20, 1, "node");
	make_task(&m, 21, 20, 1, "node");
	make_task(&m, 22, 20, 1, "node");
	make_object(&m, SOCKC)->peer = SOCKS;
	make_object(&m, SOCKS)->peer = SOCKC;
	/* the workers idle on one condition, then get work */
	make_switch(&m, 1, 0, 0, 21, CT_W_NONE, 0);
	make_switch(&m, 2, 0, 21, 0, CT_W_FUTEX, COND);
	make_switch(&m, 2, 1, 0, 22, CT_W_NONE, 0);
	make_switch(&m, 3, 1, 22, 20, CT_W_FUTEX, COND);
	make_wake(&m, 50, 1, 21, 20, COND);
	make_wake(&m, 50, 1, 22, 20, COND);
	make_switch(&m, 51, 1, 20, 22, CT_W_EPOLL, 1);
	make_switch(&m, 51, 0, 0, 21, CT_W_NONE, 0);
	/* the victim asks, and polls each second */
	make_switch(&m, 100, 0, 21, 10, CT_W_NONE, 0);
	make_switch(&m, 101, 0, 10, 21, CT_W_POLL, SOCKC)->r.flags = CT_SF_TIMEOUT;
	expire(&m, 1101, 0, 10);
	make_switch(&m, 1101, 0, 21, 10, CT_W_NONE, 0);
	make_switch(&m, 1102, 0, 10, 21, CT_W_POLL, SOCKC)->r.flags = CT_SF_TIMEOUT;
	make_wake(&m, 2000, 0, 20, 21, EVENT);
	make_switch(&m, 2001, 1, 22, 20, CT_W_NONE, 0);
	e = make_wake(&m, 2010, 1, 10, 20, SOCKC);
	e->r.flags = CT_WF_READY;
	make_switch(&m, 2011, 0, 21, 10, CT_W_NONE, 0);
	d = run(&m, 10, 100, 2020, &g);
	assert_int_equal(d->cause, CAUSE_QUEUEING);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_int_equal(d->n_chain, 3);
	assert_int_equal(d->chain[1].tid, 20);
	assert_true(d->chain[2].tid == 21 || d->chain[2].tid == 22);
	end(&m, g, d);
}

/* Ended by a signal that killed it: whoever sent it is not the culprit. */
static void test_killed(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;
	struct window_event *e;

	make_task(&m, 10, 10, 1, "victim");
	make_task(&m, 11, 10, 1, "owner");
	make_task(&m, 30, 30, 1, "killer");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 1, 1, 0, 11, CT_W_NONE, 0);
	make_event(&m, 10 * MS, 0, CT_FUTEX, 10, 11)->r.obj = MUTEX;
	make_switch(&m, 10, 0, 10, 30, CT_W_FUTEX, MUTEX);
	make_wake(&m, 3000, 0, 10, 30, 0);
	e = make_event(&m, 3000 * MS + 1000, 0, CT_SIGNAL, 30, 10);
	e->r.state = 9;
	e->r.obj = 10;
	e->r.flags = CT_GF_GROUP;
	make_switch(&m, 3001, 0, 30, 10, CT_W_SLEEP, 0);
	make_event(&m, 3002 * MS, 0, CT_EXIT, 10, 9);
	make_switch(&m, 3003, 0, 10, 0, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	d = run(&m, 10, 1, 3003, &g);
	assert_chain(d, 2, 10, 11);
	assert_int_equal(d->cause, CAUSE_LOCK_HOLDER);
	assert_true(d->chain[0].killed);
	end(&m, g, d);
}

/* (sleep 3; echo hi) | cat: who wakes cat was not there while it waited; its creator was. */
static void test_unborn(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "cat");
	make_task(&m, 20, 20, 1, "sh");
	make_task(&m, 30, 30, 20, "sleep");
	make_task(&m, 40, 40, 20, "echo");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 2, 0, 10, 20, CT_W_READ, PIPE);
	make_switch(&m, 3, 0, 20, 30, CT_W_CHILD, 0);
	make_switch(&m, 4, 0, 30, 0, CT_W_SLEEP, 0);
	expire(&m, 3000, 0, 30);
	make_switch(&m, 3000, 0, 0, 30, CT_W_NONE, 0);
	make_wake(&m, 3001, 0, 20, 30, 0)->r.flags = CT_WF_EXITING;
	make_switch(&m, 3001, 0, 30, 20, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	make_event(&m, 3002 * MS, 0, CT_FORK, 20, 40)->r.obj = 40;
	make_switch(&m, 3003, 0, 20, 40, CT_W_CHILD, 0);
	make_wake(&m, 3004, 0, 10, 40, PIPE);
	make_switch(&m, 3005, 0, 40, 10, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	d = run(&m, 10, 1, 3010, &g);
	assert_chain(d, 4, 10, 40, 20, 30);
	assert_int_equal(d->chain[1].edge, EDGE_FORK);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	end(&m, g, d);
}

/* A thousand quick answers are no stall, neither to diagnose nor to hangs. */
static void test_pingpong_is_normal(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;
	struct hangs *h;

	make_task(&m, 10, 10, 1, "ping");
	make_task(&m, 20, 20, 1, "pong");
	make_switch(&m, 1, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	for (uint64_t at = 2; at < 4000; at += 4) {
		make_switch(&m, at, 0, 10, 0, CT_W_READ, PIPE);
		make_wake(&m, at + 3, 1, 10, 20, PIPE);
		make_switch(&m, at + 3, 0, 0, 10, CT_W_NONE, 0);
	}
	d = run(&m, 10, 1, 4001, &g);
	assert_int_equal(d->verdict, VERDICT_NORMAL);
	assert_int_equal(hangs_find(g, 1 * MS, 4001 * MS, NULL, &h), 0);
	for (size_t i = 0; i < h->n; i++)
		assert_false(h->v[i].alarm);
	hangs_free(h);
	end(&m, g, d);
}

/* A script that sleeps by means of a child, again and again: each child is another task. */
static void test_script_polls(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;
	uint32_t tid = 100;

	make_task(&m, 10, 10, 1, "sh");
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	for (uint64_t at = 10; at < 4000; at += 200, tid++) {
		make_task(&m, tid, tid, 10, "sleep");
		make_event(&m, at * MS, 0, CT_FORK, 10, tid)->r.obj = tid;
		make_switch(&m, at + 1, 0, 10, tid, CT_W_CHILD, 0);
		make_switch(&m, at + 2, 0, tid, 0, CT_W_SLEEP, 0);
		expire(&m, at + 198, 0, tid);
		make_switch(&m, at + 198, 0, 0, tid, CT_W_NONE, 0);
		make_wake(&m, at + 199, 0, 10, tid, 0)->r.flags = CT_WF_EXITING;
		make_switch(&m, at + 199, 0, tid, 10, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	}
	d = run(&m, 10, 1, 4000, &g);
	assert_int_equal(d->verdict, VERDICT_REPEATED_YIELD);
	assert_int_equal(d->cause, CAUSE_POLLING);
	assert_chain(d, 1, 10);
	end(&m, g, d);
}

/* What was sent has not arrived, and the server idles on the very connection: the network's fault. */
static void lost_message(bool paused)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "client");
	make_task(&m, 20, 20, 1, "server");
	*make_object(&m, SOCKC) = (struct window_object){ .id = SOCKC,
							  .family = 2,
							  .type = 1,
							  .protocol = 6,
							  .lport = 4000,
							  .rport = 80,
							  .tid = 10,
							  .name = "" };
	*make_object(&m, SOCKS) = (struct window_object){ .id = SOCKS,
							  .family = 2,
							  .type = 1,
							  .protocol = 6,
							  .lport = 80,
							  .rport = 4000,
							  .tid = 20,
							  .name = "" };
	make_switch(&m, 1, 1, 0, 20, CT_W_NONE, 0);
	make_event(&m, 2 * MS, 1, CT_RECV, 20, 5)->r.obj = SOCKS;
	make_switch(&m, 3, 1, 20, 0, CT_W_READ, SOCKS);
	make_switch(&m, 4, 0, 0, 10, CT_W_NONE, 0);
	make_event(&m, 5 * MS, 0, CT_SEND, 10, 100)->r.obj = SOCKC;
	make_switch(&m, 6, 0, 10, 0, CT_W_READ, SOCKC);
	if (paused) {
		struct window_event *e = make_event(&m, 3000 * MS, 0, CT_GAP, CT_GAP_ALL_CPUS, 0);
		e->r.state = CT_LOSS_SHED;
		e->x[0] = 2500 * MS;
		e->x[1] = 3000 * MS;
	}
	d = run(&m, 10, 4, 5000, &g);
	assert_int_equal(d->cause, CAUSE_NETWORK);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_int_equal(d->strong, !paused);
	assert_chain(d, 1, 10);
	end(&m, g, d);
}

/* What is not recorded for a while may be who was to answer. */
static void test_lost_message_in_a_pause(void **state)
{
	lost_message(true);
}

static void test_lost_message(void **state)
{
	lost_message(false);
}

/* Frozen while it waited: the thaw is not what it waited for, nor he who thawed it to blame. */
static void test_frozen(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;

	make_task(&m, 10, 10, 1, "client");
	make_task(&m, 20, 20, 1, "server");
	make_task(&m, 30, 30, 1, "sh");
	make_switch(&m, 1, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&m, 2, 1, 20, 30, CT_W_EPOLL, 1);
	make_switch(&m, 3, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 4, 0, 10, 0, CT_W_READ, PIPE);
	make_wake(&m, 3000, 1, 20, 30, 0)->r.flags = CT_WF_FROZEN;
	make_switch(&m, 3001, 1, 30, 20, CT_W_CHILD, 0);
	make_wake(&m, 3002, 1, 10, 20, PIPE);
	make_switch(&m, 3003, 0, 0, 10, CT_W_NONE, 0);
	d = run(&m, 10, 3, 3010, &g);
	assert_int_equal(d->cause, CAUSE_STOPPED);
	assert_chain(d, 2, 10, 20);
	end(&m, g, d);
}

/* The locker of a flock has gone; the descriptor that it left to a child keeps the lock. */
static void test_lock_of_the_dead(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct diagnosis *d;
	struct window_event *e;

	make_task(&m, 10, 10, 1, "flock");
	make_task(&m, 20, 20, 1, "flock");
	make_task(&m, 30, 30, 1, "sh");
	make_switch(&m, 1, 1, 0, 20, CT_W_NONE, 0);
	e = make_event(&m, 2 * MS, 1, CT_FLOCK, 20, 0);
	e->r.obj = FILE_;
	e->r.state = 1;
	e->r.wait = 1;
	make_event(&m, 3 * MS, 1, CT_EXIT, 20, 0);
	make_switch(&m, 3, 1, 20, 30, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	make_switch(&m, 4, 1, 30, 0, CT_W_SLEEP, 0);
	make_switch(&m, 5, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 6, 0, 10, 0, CT_W_FLOCK, FILE_);
	make_event(&m, 300 * MS, 0, CT_FD, 30, 9)->r.obj = FILE_;
	d = run(&m, 10, 5, 5000, &g);
	assert_chain(d, 2, 10, 30);
	assert_int_equal(d->cause, CAUSE_LOCK_HOLDER);
	end(&m, g, d);
}

static void test_hangs(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct hangs *h;

	make_task(&m, 10, 10, 1, "app");
	make_task(&m, 11, 10, 1, "app");
	make_task(&m, 40, 40, 1, "sleep");
	make_switch(&m, 1, 0, 0, 40, CT_W_NONE, 0);
	make_switch(&m, 2, 0, 40, 10, CT_W_SLEEP, 0);
	make_switch(&m, 2, 1, 0, 11, CT_W_NONE, 0);
	make_event(&m, 10 * MS, 0, CT_FUTEX, 10, 11)->r.obj = MUTEX;
	make_switch(&m, 10, 0, 10, 0, CT_W_FUTEX, MUTEX);
	make_wake(&m, 3000, 1, 10, 11, MUTEX);
	make_switch(&m, 3001, 0, 0, 10, CT_W_NONE, 0);
	assert_int_equal(graph_build(make_done(&m, 4000), &g), 0);
	assert_int_equal(hangs_find(g, 1 * MS, 4000 * MS, NULL, &h), 0);
	assert_true(h->n >= 2);
	assert_true(h->v[0].alarm);
	assert_int_equal(g->tasks[h->v[0].task].tid, 10);
	for (size_t i = 1; i < h->n; i++)
		assert_false(h->v[i].alarm);
	hangs_free(h);
	/* what merely idles is longer, and looked at before */
	assert_int_equal(hangs_find(g, 1 * MS, 4000 * MS, &(struct hangs_filter){ .worst = true }, &h), 0);
	assert_true(h->v[0].alarm);
	assert_int_equal(g->tasks[h->v[0].task].tid, 10);
	hangs_free(h);
	hangs_free(NULL);
	diagnosis_free(NULL);
	graph_free(g);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unborn),
		cmocka_unit_test(test_pingpong_is_normal),
		cmocka_unit_test(test_script_polls),
		cmocka_unit_test(test_lost_message),
		cmocka_unit_test(test_lost_message_in_a_pause),
		cmocka_unit_test(test_frozen),
		cmocka_unit_test(test_lock_of_the_dead),
		cmocka_unit_test(test_stack_of_the_time),
		cmocka_unit_test(test_mutex_owner_computes),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_own_lock),
		cmocka_unit_test(test_sleep_is_normal),
		cmocka_unit_test(test_noticed_sleep_is_not),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_child_chain),
		cmocka_unit_test(test_long_sentence),
		cmocka_unit_test(test_polled_lock),
		cmocka_unit_test(test_lock_of_the_capped),
		cmocka_unit_test(test_capped_itself),
		cmocka_unit_test(test_starved),
		cmocka_unit_test(test_starved_unknown),
		cmocka_unit_test(test_long_running),
		cmocka_unit_test(test_yield_spin),
		cmocka_unit_test(test_queueing),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
