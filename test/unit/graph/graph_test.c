// SPDX-License-Identifier: GPL-2.0-or-later
/* Stretches, edges and the critical path of windows made by hand and at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/path/path.h"
#include "test/unit/trace/window_make.h"

#define FUTEX 0x123400ULL
#define OBJ   CT_OBJ_ID(CT_OBJ_FUTEX, FUTEX)
#define PIPE  CT_OBJ_ID(CT_OBJ_PIPE, 77)

static const struct interval *interval_of(const struct graph *g, uint32_t tid, uint64_t ms)
{
	uint32_t i = graph_interval_at(g, graph_task_at(g, tid, ms * MS), ms * MS);

	assert_int_not_equal(i, GRAPH_NONE);
	return &g->intervals[i];
}

static void assert_partition(const struct path *p, uint64_t from, uint64_t to)
{
	uint64_t at = from;

	for (size_t i = 0; i < p->n_pieces; i++) {
		assert_int_equal(p->pieces[i].from_ns, at);
		assert_true(p->pieces[i].to_ns > p->pieces[i].from_ns);
		at = p->pieces[i].to_ns;
	}
	assert_int_equal(at, to);
}

static struct graph *build(struct make *m, uint64_t to_ms)
{
	struct graph *g;

	assert_int_equal(graph_build(make_done(m, to_ms), &g), 0);
	return g;
}

/* 10 runs, blocks at 10 for what 20 ends at 50. */
static void simple(struct make *m)
{
	make_task(m, 10, 10, 1, "victim");
	make_task(m, 20, 20, 1, "culprit");
	make_switch(m, 0, 0, 0, 10, CT_W_NONE, 0);
	make_switch(m, 0, 1, 0, 20, CT_W_NONE, 0);
	make_switch(m, 10, 0, 10, 0, CT_W_READ, PIPE);
	make_wake(m, 50, 1, 10, 20, PIPE);
	make_switch(m, 51, 0, 0, 10, CT_W_NONE, 0);
	make_switch(m, 60, 0, 10, 0, CT_W_SLEEP, 0);
}

static void test_intervals(void **state)
{
	struct make m = { 0 };
	uint8_t kind, strength;
	struct graph *g;

	simple(&m);
	g = build(&m, 100);
	assert_int_equal(interval_of(g, 10, 5)->state, INTERVAL_RUNNING);
	assert_int_equal(interval_of(g, 10, 20)->state, INTERVAL_BLOCKED);
	assert_int_equal(interval_of(g, 10, 20)->from_ns, 10 * MS);
	assert_int_equal(interval_of(g, 10, 20)->to_ns, 50 * MS);
	assert_int_equal(interval_of(g, 10, 50)->state, INTERVAL_RUNNABLE);
	assert_int_equal(interval_of(g, 10, 55)->state, INTERVAL_RUNNING);
	assert_int_equal(interval_of(g, 10, 99)->state, INTERVAL_BLOCKED);
	assert_int_equal(interval_of(g, 10, 99)->to_ns, 100 * MS);
	edge_classify(g, interval_of(g, 10, 20), &g->w->events[interval_of(g, 10, 20)->wake], &kind,
		      &strength);
	assert_int_equal(kind, EDGE_PIPE);
	assert_int_equal(strength, EDGE_STRONG);
	assert_int_equal(graph_task_at(g, 99, 0), GRAPH_NONE);
	graph_free(g);
	make_free(&m);
}

static void test_path_follows_waker(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct path *p;

	simple(&m);
	g = build(&m, 100);
	assert_int_equal(path_walk(g, graph_task_at(g, 10, 0), 0, 60 * MS, &p), 0);
	assert_partition(p, 0, 60 * MS);
	assert_int_equal(p->n_frames, 2);
	assert_int_equal(g->tasks[p->frames[1].task].tid, 20);
	assert_int_equal(p->frames[1].from_ns, 10 * MS);
	assert_int_equal(p->frames[1].to_ns, 50 * MS);
	path_free(p);
	assert_int_equal(path_walk(g, 0, 5, 5, &p), -EINVAL);
	assert_int_equal(path_walk(g, GRAPH_NONE, 0, 5, &p), -EINVAL);
	graph_free(g);
	make_free(&m);
}

/* The wake is recorded before the switch-out that it ends: it must not be lost. */
static void test_wake_before_switch_out(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	const struct interval *s;
	struct blame b;

	make_task(&m, 10, 10, 1, "victim");
	make_task(&m, 20, 20, 1, "culprit");
	make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 0, 1, 0, 20, CT_W_NONE, 0);
	make_wake(&m, 9, 1, 10, 20, PIPE);
	make_switch(&m, 10, 0, 10, 0, CT_W_READ, PIPE);
	make_switch(&m, 30, 0, 0, 10, CT_W_NONE, 0);
	g = build(&m, 50);
	s = interval_of(g, 10, 20);
	assert_int_equal(s->state, INTERVAL_BLOCKED);
	assert_int_not_equal(s->wake, GRAPH_NONE);
	blame_wait(g, (uint32_t)(s - g->intervals), 50 * MS, &b);
	assert_int_equal(g->tasks[b.task].tid, 20);
	assert_true(b.ended);
	graph_free(g);
	make_free(&m);
}

/* A wake while running that no wait follows belongs to no later wait that has its own. */
static void test_stale_race_wake(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	const struct interval *s;

	make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0);
	make_wake(&m, 1, 1, 10, 20, PIPE);
	make_switch(&m, 2, 0, 10, 0, CT_W_READ, PIPE);
	make_wake(&m, 8, 1, 10, 30, PIPE);
	make_switch(&m, 9, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 12, 0, 10, 0, CT_W_READ, PIPE);
	g = build(&m, 50);
	s = interval_of(g, 10, 5);
	assert_int_equal(g->w->events[s->wake].r.peer, 30);
	assert_int_equal(interval_of(g, 10, 20)->wake, GRAPH_NONE);
	graph_free(g);
	make_free(&m);
}

/* Who happens to be on the CPU when an interrupt wakes somebody is not to blame. */
static void test_wake_from_interrupt(void **state)
{
	static const uint8_t contexts[] = { CT_CTX_SOFTIRQ, CT_CTX_HARDIRQ, CT_CTX_TIMER, CT_CTX_IPI };

	for (size_t i = 0; i < sizeof(contexts); i++) {
		struct make m = { 0 };
		struct graph *g;
		struct blame b;
		const struct interval *s;
		uint8_t kind, strength;

		make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0);
		make_switch(&m, 0, 1, 0, 20, CT_W_NONE, 0);
		make_switch(&m, 10, 0, 10, 0, CT_W_READ, PIPE);
		make_wake(&m, 50, 1, 10, 20, 0)->r.state = contexts[i];
		make_switch(&m, 51, 0, 0, 10, CT_W_NONE, 0);
		g = build(&m, 60);
		s = interval_of(g, 10, 20);
		blame_wait(g, (uint32_t)(s - g->intervals), 60 * MS, &b);
		assert_int_equal(b.task, GRAPH_NONE);
		edge_classify(g, s, &g->w->events[s->wake], &kind, &strength);
		assert_int_equal(strength, EDGE_WEAK);
		assert_true(kind == EDGE_IRQ || kind == EDGE_TIMER);
		graph_free(g);
		make_free(&m);
	}
}

/* The waker worked on something else before the wait began, and after it ended: that is not on the path. */
static void test_clipping(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct path *p;

	make_switch(&m, 0, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&m, 40, 1, 20, 0, CT_W_SLEEP, 0); /* sleeps 40..80 */
	make_switch(&m, 50, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 60, 0, 10, 0, CT_W_READ, PIPE);
	make_event(&m, 80 * MS, 1, CT_WAKE, 20, 0)->r.state = CT_CTX_TIMER;
	make_switch(&m, 80, 1, 0, 20, CT_W_NONE, 0);
	make_wake(&m, 90, 1, 10, 20, PIPE);
	make_switch(&m, 90, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 300, 1, 20, 0, CT_W_SLEEP, 0);
	g = build(&m, 400);
	assert_int_equal(path_walk(g, graph_task_at(g, 10, 0), 50 * MS, 100 * MS, &p), 0);
	assert_partition(p, 50 * MS, 100 * MS);
	/* 10 runs, 20 sleeps (only 60..80), 20 runs (only 80..90), 10 runs */
	assert_int_equal(p->n_pieces, 4);
	assert_int_equal(p->pieces[1].from_ns, 60 * MS);
	assert_int_equal(p->pieces[1].to_ns, 80 * MS);
	assert_int_equal(p->pieces[1].time, TIME_TIMER);
	assert_int_equal(p->pieces[2].time, TIME_RUNNING);
	assert_int_equal(p->pieces[2].to_ns, 90 * MS);
	path_free(p);
	graph_free(g);
	make_free(&m);
}

/* Two mutexes, two tasks, no wake: a cycle, found and not followed for ever. */
static void test_deadlock(void **state)
{
	struct make m = { 0 };
	struct window_event *e;
	struct graph *g;
	struct path *p;

	make_task(&m, 10, 10, 1, "a");
	make_task(&m, 11, 10, 1, "b");
	make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 0, 1, 0, 11, CT_W_NONE, 0);
	e = make_event(&m, 10 * MS, 0, CT_FUTEX, 10, 11);
	e->r.obj = OBJ;
	make_switch(&m, 10, 0, 10, 0, CT_W_FUTEX, OBJ);
	e = make_event(&m, 10 * MS, 1, CT_FUTEX, 11, 10);
	e->r.obj = OBJ + 64;
	make_switch(&m, 11, 1, 11, 0, CT_W_FUTEX, OBJ + 64);
	g = build(&m, 1000);
	assert_int_equal(interval_of(g, 10, 500)->owner, 11);
	assert_int_equal(path_walk(g, graph_task_at(g, 10, 0), 0, 1000 * MS, &p), 0);
	assert_partition(p, 0, 1000 * MS);
	assert_true(p->pieces[p->n_pieces - 1].cycle);
	path_free(p);
	graph_free(g);
	make_free(&m);
}

/* What the checkpoint knows is where a task begins. */
static void test_checkpoint(void **state)
{
	struct make m = { 0 };
	struct window_state st = {
		.last = { .ts = 3 * MS, .tid = 10, .wait = CT_W_READ, .obj = PIPE, .state = 1 },
		.run = WINDOW_RUN_BLOCKED,
		.cpu = 0
	};
	struct graph *g;

	m.w.states = &st;
	m.w.n_states = 1;
	m.w.state_ns = 100 * MS;
	make_switch(&m, 2, 0, 10, 0, CT_W_SLEEP, 0); /* older than the checkpoint: known already */
	make_wake(&m, 150, 1, 10, 20, PIPE);
	g = build(&m, 200);
	assert_int_equal(interval_of(g, 10, 120)->wait, CT_W_READ);
	assert_int_equal(interval_of(g, 10, 120)->from_ns, 3 * MS);
	assert_int_equal(interval_of(g, 10, 120)->to_ns, 150 * MS);
	graph_free(g);
	make_free(&m);
}

/* A window that begins while records of a task are left out says nothing of it until the cap ends. */
static void test_checkpoint_capped(void **state)
{
	struct make m = { 0 };
	struct window_state st = {
		.last = { .ts = 3 * MS, .tid = 10, .wait = CT_W_READ, .obj = PIPE, .state = 1 },
		.run = WINDOW_RUN_CAPPED,
		.cpu = 0
	};
	struct window_event *e;
	struct graph *g;

	m.w.states = &st;
	m.w.n_states = 1;
	m.w.state_ns = 100 * MS;
	make_switch(&m, 110, 0, 11, 10, CT_W_READ, PIPE); /* of 11; the next switch of 10 is left out */
	make_switch(&m, 130, 0, 10, 11, CT_W_READ, PIPE);
	make_wake(&m, 150, 1, 10, 20, PIPE);
	e = make_event(&m, 180 * MS, 0, CT_SHED, 10, 0);
	e->r.flags = CT_GV_CAP | CT_GV_GROUP;
	e->r.aux = CT_W_SLEEP | CT_ST_SLEEP << 8;
	e->x[0] = 3 * MS;
	g = build(&m, 200);
	assert_int_equal(interval_of(g, 10, 105)->state, INTERVAL_UNKNOWN);
	assert_int_equal(interval_of(g, 10, 120)->state, INTERVAL_UNKNOWN);
	assert_int_equal(interval_of(g, 10, 160)->state, INTERVAL_UNKNOWN);
	assert_int_equal(interval_of(g, 10, 190)->wait, CT_W_SLEEP);
	graph_free(g);
	make_free(&m);
}

/* The checkpoint found a task whose fork is recorded within the window, or whose number is given to another
 * one. */
static void test_fork_of_the_found(void **state)
{
	for (int again = 0; again < 2; again++) {
		struct make m = { 0 };
		struct window_state st = { .last = { .ts = 40 * MS, .tid = 20 },
					   .run = WINDOW_RUN_RUNNABLE,
					   .cpu = 0 };
		uint32_t at = again ? 50 : 20;
		struct graph *g;
		unsigned lives = 0;

		m.w.states = &st;
		m.w.n_states = 1;
		m.w.state_ns = 10 * MS;
		make_event(&m, at * MS, 0, CT_FORK, 10, 20)->r.obj = 20;
		make_switch(&m, 60, 0, 0, 20, CT_W_NONE, 0);
		make_switch(&m, 70, 0, 20, 0, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
		make_switch(&m, 900, 0, 0, 10, CT_W_NONE, 0);
		g = build(&m, 1000);
		for (size_t i = 0; i < g->n_tasks; i++) {
			const struct graph_task *t = &g->tasks[i];

			if (t->tid != 20)
				continue;
			lives++;
			assert_true(t->exit_ns <= 70 * MS);
			assert_true(g->intervals[t->first_interval + t->n_intervals - 1].to_ns <= 70 * MS);
		}
		assert_int_equal(lives, 1 + again);
		graph_free(g);
		make_free(&m);
	}
}

/* A tid that lives twice is two tasks. */
static void test_tid_reuse(void **state)
{
	struct make m = { 0 };
	struct graph *g;

	make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0);
	make_event(&m, 20 * MS, 0, CT_EXIT, 10, 0);
	make_switch(&m, 21, 0, 10, 0, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	make_event(&m, 50 * MS, 1, CT_FORK, 1, 10)->r.obj = 10;
	make_switch(&m, 51, 0, 0, 10, CT_W_NONE, 0);
	g = build(&m, 100);
	assert_int_not_equal(graph_task_at(g, 10, 5 * MS), graph_task_at(g, 10, 60 * MS));
	assert_int_equal(g->tasks[graph_task_at(g, 10, 5 * MS)].exit_ns, 20 * MS);
	assert_int_equal(g->tasks[graph_task_at(g, 10, 60 * MS)].born_ns, 50 * MS);
	graph_free(g);
	make_free(&m);
}

/* Nothing is known of 20..60: waits of before end there, unless the checkpoint after it knows them. */
static void test_resync(void **state)
{
	struct make m = { 0 };
	struct window_state st[] = {
		{ .last = { .ts = 10 * MS, .tid = 10, .wait = CT_W_READ, .obj = PIPE, .state = 1 },
		  .cpu = 0 },
		{ .last = { .ts = 50 * MS, .tid = 11, .wait = CT_W_SLEEP, .state = 1 }, .cpu = 0 },
	};
	struct window_resync rs = { .from_ns = 20 * MS, .ns = 60 * MS, .states = st, .n_states = 2 };
	struct graph *g;

	m.w.resyncs = &rs;
	m.w.n_resyncs = 1;
	make_switch(&m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 10, 0, 10, 11, CT_W_READ, PIPE);
	make_switch(&m, 15, 0, 11, 12, CT_W_READ, PIPE);
	make_switch(&m, 20, 0, 12, 0, CT_W_READ, PIPE);
	make_wake(&m, 70, 1, 10, 20, PIPE);
	g = build(&m, 100);
	assert_int_equal(interval_of(g, 10, 40)->state, INTERVAL_BLOCKED);
	assert_int_equal(interval_of(g, 10, 40)->from_ns, 10 * MS);
	assert_int_equal(interval_of(g, 10, 40)->to_ns, 70 * MS);
	assert_int_equal(interval_of(g, 11, 40)->state, INTERVAL_UNKNOWN);
	assert_int_equal(interval_of(g, 11, 80)->wait, CT_W_SLEEP);
	assert_int_equal(interval_of(g, 11, 80)->from_ns, 50 * MS);
	assert_int_equal(g->tasks[graph_task_at(g, 12, 0)].exit_ns, 20 * MS);
	graph_free(g);
	make_free(&m);
}

/* Who had the CPU at both ends of 20..60 need not have had it in between; of what was recorded just before 60
 * nothing is changed. */
static void test_resync_running(void **state)
{
	struct make m = { 0 };
	struct window_state st[] = {
		{ .last = { .ts = 60 * MS, .tid = 10 }, .run = WINDOW_RUN_RUNNING, .cpu = 0 },
		{ .last = { .ts = 60 * MS, .tid = 11 }, .run = WINDOW_RUN_RUNNABLE, .cpu = 0 },
		{ .last = { .ts = 10 * MS, .tid = 12, .wait = CT_W_READ, .obj = PIPE, .state = 1 },
		  .cpu = 1 },
		{ .last = { .ts = 58 * MS, .tid = 13, .wait = CT_W_SLEEP, .state = 1 }, .cpu = 1 },
	};
	struct window_resync rs = { .from_ns = 20 * MS, .ns = 60 * MS, .states = st, .n_states = 4 };
	struct graph *g;

	m.w.resyncs = &rs;
	m.w.n_resyncs = 1;
	make_switch(&m, 5, 1, 0, 12, CT_W_NONE, 0);
	make_switch(&m, 8, 1, 12, 13, CT_W_READ, PIPE);
	make_wake(&m, 15, 1, 11, 13, 0);
	make_switch(&m, 20, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&m, 55, 1, 0, 13, CT_W_NONE, 0);
	make_switch(&m, 58, 1, 13, 0, CT_W_SLEEP, 0);
	make_switch(&m, 70, 0, 10, 11, CT_W_SLEEP, 0);
	g = build(&m, 100);
	assert_int_equal(interval_of(g, 10, 40)->state, INTERVAL_UNKNOWN);
	assert_int_equal(interval_of(g, 10, 65)->state, INTERVAL_RUNNING);
	assert_int_equal(interval_of(g, 10, 65)->from_ns, 60 * MS);
	assert_int_equal(interval_of(g, 11, 18)->state, INTERVAL_RUNNABLE);
	assert_int_equal(interval_of(g, 11, 40)->state, INTERVAL_UNKNOWN);
	assert_int_equal(interval_of(g, 11, 65)->from_ns, 60 * MS);
	/* found in the wait of before, by another daemon that knows only about when it began */
	assert_int_equal(interval_of(g, 12, 40)->state, INTERVAL_BLOCKED);
	assert_int_equal(interval_of(g, 12, 40)->from_ns, 8 * MS);
	assert_int_equal(interval_of(g, 12, 80)->from_ns, 8 * MS);
	assert_int_equal(interval_of(g, 13, 40)->state, INTERVAL_UNKNOWN);
	assert_int_equal(interval_of(g, 13, 56)->state, INTERVAL_RUNNING);
	assert_int_equal(interval_of(g, 13, 56)->to_ns, 58 * MS);
	assert_int_equal(interval_of(g, 13, 80)->from_ns, 58 * MS);
	graph_free(g);
	make_free(&m);
}

static uint32_t rnd(uint32_t *s, uint32_t n)
{
	*s = *s * 1664525u + 1013904223u;
	return (*s >> 8) % n;
}

/* Events that need not make sense: the path is a partition all the same. */
static void test_random_partition(void **state)
{
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct make m = { 0 };
		uint32_t s = seed, n = 50 + rnd(&s, 400);
		uint64_t ms = 0;
		struct graph *g;
		struct path *p;

		for (uint32_t tid = 1; tid <= 8; tid++)
			make_task(&m, tid, 1 + tid / 2, 1, "t");
		for (uint32_t i = 0; i < n; i++) {
			uint64_t objs[] = { PIPE, OBJ, CT_OBJ_ID(CT_OBJ_SOCK, 5), 0 };
			struct window_event *e;

			ms += rnd(&s, 3);
			switch (rnd(&s, 6)) {
			case 0:
			case 1:
				make_switch(&m, ms, (uint16_t)rnd(&s, 2), rnd(&s, 9), rnd(&s, 9),
					    (enum ct_wait)rnd(&s, CT_W_YIELD + 1), objs[rnd(&s, 4)]);
				break;
			case 2:
			case 3:
				e = make_wake(&m, ms, (uint16_t)rnd(&s, 2), 1 + rnd(&s, 8), rnd(&s, 9),
					      objs[rnd(&s, 4)]);
				e->r.state = (uint8_t)rnd(&s, 6);
				e->r.flags = (uint8_t)rnd(&s, 32);
				break;
			case 4:
				e = make_event(&m, ms * MS, 0, CT_FUTEX, 1 + rnd(&s, 8), 1 + rnd(&s, 8));
				e->r.obj = OBJ;
				break;
			default:
				e = make_event(&m, ms * MS, 0, (enum ct_kind)(CT_FORK + rnd(&s, 16)),
					       1 + rnd(&s, 8), 1 + rnd(&s, 8));
				e->r.obj = objs[rnd(&s, 4)];
			}
		}
		g = build(&m, ms + 10);
		for (uint32_t t = 0; t < g->n_tasks; t++) {
			uint64_t from = rnd(&s, (uint32_t)ms + 1) * MS, to = from + 1 + rnd(&s, 1000) * MS;

			assert_int_equal(path_walk(g, t, from, to, &p), 0);
			assert_partition(p, from, to);
			path_free(p);
		}
		for (size_t i = 0; i + 1 < g->n_intervals; i++)
			if (g->intervals[i].task == g->intervals[i + 1].task)
				assert_true(g->intervals[i].to_ns == g->intervals[i + 1].from_ns);
		graph_free(g);
		make_free(&m);
	}
}

static void test_empty(void **state)
{
	struct make m = { 0 };
	struct graph *g = build(&m, 0);

	assert_int_equal(g->n_tasks, 0);
	graph_free(g);
	graph_free(NULL);
	path_free(NULL);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_path_follows_waker),
		cmocka_unit_test(test_wake_before_switch_out),
		cmocka_unit_test(test_stale_race_wake),
		cmocka_unit_test(test_wake_from_interrupt),
		cmocka_unit_test(test_clipping),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_checkpoint),
		cmocka_unit_test(test_checkpoint_capped),
		cmocka_unit_test(test_fork_of_the_found),
		cmocka_unit_test(test_tid_reuse),
		cmocka_unit_test(test_resync),
		cmocka_unit_test(test_resync_running),
		cmocka_unit_test(test_random_partition),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
