// SPDX-License-Identifier: GPL-2.0-or-later
/* How much shorter it had been: windows made by hand, of which the answer is known, and random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/whatif/whatif.h"
#include "test/unit/trace/window_random.h"

#define LOCK   CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000)
#define PIPE   CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define OTHER  CT_OBJ_ID(CT_OBJ_PIPE, 78)
#define FILE_A CT_OBJ_ID(CT_OBJ_FILE, 9)
#define DEVICE CT_OBJ_ID(CT_OBJ_BLOCKDEV, 8 << 20 | 1)

struct scene {
	struct make m;
	struct graph *g;
	struct whatif *x;
};

static void play_with(struct scene *s, const struct causal *c, uint32_t tid, uint64_t to_ms)
{
	if (!s->g)
		assert_int_equal(graph_build(make_done(&s->m, to_ms), &s->g), 0);
	assert_int_equal(whatif_new(s->g, c, graph_task_at(s->g, tid, 0), 0, to_ms * MS, &s->x), 0);
}

static void play(struct scene *s, uint32_t tid, uint64_t to_ms)
{
	play_with(s, NULL, tid, to_ms);
}

static void end(struct scene *s)
{
	whatif_free(s->x);
	graph_free(s->g);
	make_free(&s->m);
}

static uint64_t saved_ms(struct scene *s, const struct whatif_without *v, size_t n)
{
	uint64_t ns = 12345;

	assert_int_equal(whatif_saved(s->x, v, n, &ns), 0);
	assert_int_equal(ns % MS, 0);
	return ns / MS;
}

static struct whatif_without a_task(const struct scene *s, uint32_t tid)
{
	return (struct whatif_without){ .kind = WHATIF_TASK, .task = graph_task_at(s->g, tid, 0) };
}

static struct whatif_without a_wait(const struct scene *s, uint32_t tid, uint64_t ms)
{
	return (struct whatif_without){
		.kind = WHATIF_WAIT, .interval = graph_interval_at(s->g, graph_task_at(s->g, tid, 0), ms * MS)
	};
}

static uint64_t without_task(struct scene *s, uint32_t tid)
{
	struct whatif_without v = a_task(s, tid);

	return saved_ms(s, &v, 1);
}

static uint64_t without_tasks(struct scene *s, uint32_t a, uint32_t b)
{
	struct whatif_without v[] = { a_task(s, a), a_task(s, b) };

	return saved_ms(s, v, 2);
}

static uint64_t without_wait(struct scene *s, uint32_t tid, uint64_t ms)
{
	struct whatif_without v = a_wait(s, tid, ms);

	return saved_ms(s, &v, 1);
}

static uint64_t without_object(struct scene *s, uint64_t obj)
{
	return saved_ms(s, &(struct whatif_without){ .kind = WHATIF_OBJECT, .obj = obj }, 1);
}

static uint64_t without_resource(struct scene *s, enum time_kind time)
{
	return saved_ms(s, &(struct whatif_without){ .kind = WHATIF_RESOURCE, .time = (uint8_t)time }, 1);
}

/* tid waits on cpu from from_ms until waker ends it; then it runs. */
static void wait_out(struct make *m, uint16_t cpu, uint32_t tid, uint64_t from_ms, uint64_t obj)
{
	make_switch(m, from_ms, cpu, tid, 0, obj == LOCK ? CT_W_FUTEX : CT_W_READ, obj);
}

static void wait_over(struct make *m, uint16_t cpu, uint32_t tid, uint64_t ms, uint32_t waker, uint64_t obj)
{
	make_wake(m, ms, cpu, tid, waker, obj);
	make_switch(m, ms, cpu, 0, tid, CT_W_NONE, 0);
}

static void runs(struct make *m, uint16_t cpu, uint32_t tid)
{
	make_switch(m, 0, cpu, 0, tid, CT_W_NONE, 0);
}

/* 10 waits for 20, runs, asks 30, waits for it, runs: all of it counts. 40 does something else. */
static void test_serial(void **state)
{
	struct scene s = { 0 };
	struct whatif_without v[2];

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	runs(&s.m, 3, 40);
	wait_out(&s.m, 2, 30, 0, PIPE + 2);
	wait_out(&s.m, 0, 10, 10, PIPE);
	wait_over(&s.m, 0, 10, 50, 20, PIPE);
	wait_over(&s.m, 2, 30, 60, 10, PIPE + 2);
	wait_out(&s.m, 0, 10, 60, OTHER);
	wait_over(&s.m, 0, 10, 90, 30, OTHER);
	play(&s, 10, 100);
	assert_int_equal(saved_ms(&s, NULL, 0), 0);
	assert_int_equal(without_task(&s, 20), 40);
	assert_int_equal(without_task(&s, 30), 30);
	assert_int_equal(without_tasks(&s, 20, 30), 70);
	assert_int_equal(without_task(&s, 40), 0);
	assert_int_equal(without_object(&s, OTHER), 30);
	assert_int_equal(without_object(&s, PIPE + 7), 0);
	v[0] = a_wait(&s, 10, 20);
	v[1] = a_wait(&s, 10, 70);
	assert_int_equal(saved_ms(&s, v, 1), 40);
	assert_int_equal(saved_ms(&s, v + 1, 1), 30);
	assert_int_equal(saved_ms(&s, v, 2), 70);
	v[0].kind = WHATIF_WAITS; /* of which there is one */
	assert_int_equal(saved_ms(&s, v, 1), 40);
	end(&s);
}

/* 20 and 30 work side by side; 10 waits for the one and then for the other. */
static void test_parallel(void **state)
{
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	wait_out(&s.m, 0, 10, 0, PIPE);
	wait_over(&s.m, 0, 10, 80, 20, PIPE);
	wait_out(&s.m, 0, 10, 80, OTHER);
	wait_over(&s.m, 0, 10, 100, 30, OTHER);
	play(&s, 10, 110);
	assert_int_equal(without_task(&s, 30), 20); /* only the difference */
	assert_int_equal(without_task(&s, 20), 0);  /* the longest piece of the path */
	assert_int_equal(without_wait(&s, 10, 40), 0);
	assert_int_equal(without_tasks(&s, 20, 30), 100);
	end(&s);
}

/* The lock goes from 20 to 30 to 10. */
static void test_convoy(void **state)
{
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	make_event(&s.m, 0, 0, CT_FUTEX, 10, 20)->r.obj = LOCK;
	wait_out(&s.m, 0, 10, 5, LOCK);
	make_event(&s.m, 0, 2, CT_FUTEX, 30, 20)->r.obj = LOCK;
	wait_out(&s.m, 2, 30, 5, LOCK);
	wait_over(&s.m, 2, 30, 30, 20, LOCK);
	wait_over(&s.m, 0, 10, 70, 30, LOCK);
	play(&s, 10, 80);
	assert_int_equal(without_task(&s, 20), 25);
	assert_int_equal(without_task(&s, 30), 40);
	assert_int_equal(without_tasks(&s, 20, 30), 65);
	assert_int_equal(without_object(&s, LOCK), 65);
	assert_int_equal(without_wait(&s, 30, 10), 25);
	end(&s);
}

/* Two workers; 10 collects a job of 20, one of 30, and another of 20, which it did right after its first. */
static void test_pool(void **state)
{
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	wait_out(&s.m, 0, 10, 0, PIPE);
	wait_over(&s.m, 0, 10, 60, 20, PIPE);
	wait_out(&s.m, 0, 10, 60, OTHER);
	wait_over(&s.m, 0, 10, 90, 30, OTHER);
	wait_out(&s.m, 0, 10, 90, PIPE);
	wait_over(&s.m, 0, 10, 100, 20, PIPE);
	play(&s, 10, 100);
	assert_int_equal(without_task(&s, 20), 10);
	assert_int_equal(without_task(&s, 30), 0);
	assert_int_equal(without_tasks(&s, 20, 30), 100);
	end(&s);
}

/* 10 waits for 20, which sleeps and then reads a disk. */
static void test_outside(void **state)
{
	struct scene s = { 0 };
	struct window_event *e;

	make_object(&s.m, FILE_A)->dev = 8 << 20 | 1;
	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	wait_out(&s.m, 0, 10, 0, PIPE);
	make_switch(&s.m, 10, 1, 20, 0, CT_W_SLEEP, 0);
	make_event(&s.m, 40 * MS, 1, CT_WAKE, 20, 0)->r.state = CT_CTX_TIMER;
	make_switch(&s.m, 40, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&s.m, 50, 1, 20, 0, CT_W_READ, FILE_A)->r.flags = CT_SF_IOWAIT;
	e = make_event(&s.m, 70 * MS, 1, CT_WAKE, 20, 0);
	e->r.state = CT_CTX_SOFTIRQ;
	e->r.wait = 4;
	make_switch(&s.m, 70, 1, 0, 20, CT_W_NONE, 0);
	wait_over(&s.m, 0, 10, 80, 20, PIPE);
	play(&s, 10, 100);
	assert_int_equal(without_resource(&s, TIME_TIMER), 30);
	assert_int_equal(without_resource(&s, TIME_DISK), 20);
	assert_int_equal(without_resource(&s, TIME_NETWORK), 0);
	assert_int_equal(without_object(&s, FILE_A), 20);
	assert_int_equal(without_object(&s, DEVICE), 20);
	assert_int_equal(without_object(&s, DEVICE + 1), 0);
	assert_int_equal(without_task(&s, 20), 80);
	end(&s);
}

/* 10 makes 20, which inherits how much earlier 10 was. */
static void test_birth(void **state)
{
	struct scene s = { 0 };

	make_task(&s.m, 10, 10, 1, "app");
	make_task(&s.m, 20, 20, 10, "child");
	runs(&s.m, 0, 10);
	make_event(&s.m, 20 * MS, 0, CT_FORK, 10, 20)->r.obj = 20;
	make_switch(&s.m, 20, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&s.m, 30, 0, 10, 0, CT_W_CHILD, 0);
	wait_over(&s.m, 0, 10, 60, 20, 0);
	play(&s, 10, 60);
	assert_int_equal(without_task(&s, 20), 30);
	assert_int_equal(without_task(&s, 10),
			 20); /* until the birth; what it did beside the child is not missed */
	assert_int_equal(without_tasks(&s, 10, 20), 60);
	end(&s);
}

/* 10 wants a CPU that 20 has, and for a while nobody. */
static void test_cpu(void **state)
{
	struct scene s = { 0 };

	make_task(&s.m, 10, 10, 1, "app");
	make_task(&s.m, 20, 21, 1, "hog");
	make_switch(&s.m, 0, 0, 10, 20, CT_W_NONE, 0);
	make_switch(&s.m, 70, 0, 20, 0, CT_W_SLEEP, 0);
	make_switch(&s.m, 80, 0, 0, 10, CT_W_NONE, 0);
	play(&s, 10, 100);
	assert_int_equal(without_task(&s, 20), 70);
	assert_int_equal(saved_ms(&s,
				  &(struct whatif_without){ .kind = WHATIF_PROCESS,
							    .task = graph_task_at(s.g, 20, 0) },
				  1),
			 70);
	assert_int_equal(without_resource(&s, TIME_RUNNABLE), 80);
	end(&s);
}

/* 10 and 20 wait for each other's mutex, for ever; 30 for one of them. */
static void test_deadlock(void **state)
{
	struct scene s = { 0 };

	for (uint32_t i = 0; i < 3; i++)
		make_task(&s.m, 10 + 10 * i, 10, 1, "t");
	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	make_event(&s.m, 10 * MS, 0, CT_FUTEX, 10, 20)->r.obj = LOCK;
	make_switch(&s.m, 10, 0, 10, 0, CT_W_FUTEX, LOCK);
	make_event(&s.m, 10 * MS, 1, CT_FUTEX, 20, 10)->r.obj = LOCK + 64;
	make_switch(&s.m, 20, 1, 20, 0, CT_W_FUTEX, LOCK + 64);
	make_event(&s.m, 10 * MS, 2, CT_FUTEX, 30, 20)->r.obj = LOCK;
	make_switch(&s.m, 20, 2, 30, 0, CT_W_FUTEX, LOCK);
	play(&s, 30, 100);
	assert_int_equal(saved_ms(&s, NULL, 0), 0);
	assert_int_equal(without_wait(&s, 30, 50), 80);
	assert_int_equal(without_object(&s, LOCK + 64), 80);
	assert_int_equal(without_task(&s, 10), 80);
	assert_int_equal(without_task(&s, 20), 80);
	end(&s);
}

/* 10 tries again and again for the file lock that 20 holds until 55. */
static void test_polled(void **state)
{
	struct scene s = { 0 };
	struct window_event *e;

	make_task(&s.m, 10, 10, 1, "app");
	make_task(&s.m, 20, 20, 1, "db");
	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	make_event(&s.m, 0, 1, CT_FLOCK, 20, 0)->r.obj = FILE_A;
	for (uint64_t at = 10; at < 60; at += 20) {
		e = make_event(&s.m, at * MS, 0, CT_FLOCK, 10, (uint32_t)-11);
		e->r.obj = FILE_A;
		make_switch(&s.m, at, 0, 10, 0, CT_W_SLEEP, 0);
		make_event(&s.m, (at + 20) * MS, 0, CT_WAKE, 10, 0)->r.state = CT_CTX_TIMER;
		make_switch(&s.m, at + 20, 0, 0, 10, CT_W_NONE, 0);
	}
	play(&s, 10, 100);
	assert_int_equal(without_task(&s, 20), 60);
	assert_int_equal(without_object(&s, FILE_A), 60);
	/* 10 comes back earlier, but the lock is not free earlier */
	assert_int_equal(without_wait(&s, 10, 15), 0);
	end(&s);
}

/* 10 waits for 20 at most 30 ms, which passes; 20 would have signalled at 60. */
static void test_time_limit(void **state)
{
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	make_switch(&s.m, 10, 0, 10, 0, CT_W_READ, OTHER);
	make_wake(&s.m, 20, 0, 10, 20, OTHER);
	make_switch(&s.m, 20, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&s.m, 20, 0, 10, 0, CT_W_READ, PIPE)->r.flags = CT_SF_TIMEOUT;
	make_event(&s.m, 50 * MS, 0, CT_WAKE, 10, 0)->r.state = CT_CTX_TIMER;
	make_switch(&s.m, 50, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&s.m, 50, 0, 10, 0, CT_W_READ, PIPE)->r.flags = CT_SF_TIMEOUT;
	make_wake(&s.m, 60, 0, 10, 20, PIPE);
	make_switch(&s.m, 60, 0, 0, 10, CT_W_NONE, 0);
	play(&s, 10, 100);
	assert_int_equal(without_task(&s, 20), 50);
	/* the limit passes 10 ms earlier, the answer comes when it came */
	assert_int_equal(without_wait(&s, 10, 15), 0);
	assert_int_equal(without_wait(&s, 10, 55), 10);
	end(&s);
}

/* 10 gives up on the mutex of 20 after 30 ms: that limit is no longer when it comes there earlier. */
static void test_given_up(void **state)
{
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	wait_out(&s.m, 0, 10, 10, PIPE);
	wait_over(&s.m, 0, 10, 20, 20, PIPE);
	make_event(&s.m, 50 * MS, 0, CT_FUTEX, 10, 20)->r.obj = LOCK;
	make_switch(&s.m, 50, 0, 10, 0, CT_W_FUTEX, LOCK)->r.flags = CT_SF_TIMEOUT;
	make_event(&s.m, 80 * MS, 0, CT_WAKE, 10, 0)->r.state = CT_CTX_TIMER;
	make_switch(&s.m, 80, 0, 0, 10, CT_W_NONE, 0);
	play(&s, 10, 100);
	assert_int_equal(without_wait(&s, 10, 15), 10);
	assert_int_equal(without_task(&s, 20), 40);
	end(&s);
}

/* Woken while still on its way into the wait; and 20 is not known of before it first appears. */
static void test_edges_of_knowledge(void **state)
{
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 30);
	wait_out(&s.m, 0, 10, 0, OTHER);
	wait_over(&s.m, 0, 10, 5, 30, OTHER);
	make_wake(&s.m, 9, 1, 10, 30, PIPE);
	wait_out(&s.m, 0, 10, 10, PIPE);
	make_switch(&s.m, 30, 0, 0, 10, CT_W_NONE, 0);
	wait_out(&s.m, 0, 10, 50, PIPE);
	make_switch(&s.m, 60, 2, 0, 20, CT_W_NONE, 0);
	wait_over(&s.m, 0, 10, 90, 20, PIPE);
	play(&s, 10, 50);
	assert_int_equal(without_wait(&s, 10, 3), 1);
	whatif_free(s.x);
	play(&s, 10, 100);
	assert_int_equal(without_task(&s, 20), 40);
	whatif_free(s.x);
	play(&s, 20, 50);
	assert_int_equal(without_task(&s, 20), 50);
	end(&s);
}

/* 10 waits for 20, and later receives without a wait what 30 has sent 10 ms before. */
static void test_arrival(void **state)
{
	struct segment segments[] = { { .task = 0, .to_ns = 100 * MS }, { .task = 2, .to_ns = 100 * MS } };
	struct edge edges[] = { { .from = 1, .to = 0, .kind = EDGE_WAKE },
				{ .from = 1, .to = 0, .kind = EDGE_MESSAGE, .strength = EDGE_STRONG } };
	struct causal c = { .segments = segments, .n_segments = 2, .edges = edges, .n_edges = 2 };
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	wait_out(&s.m, 0, 10, 10, PIPE);
	wait_over(&s.m, 0, 10, 50, 20, PIPE);
	/* 10 runs, and waits for no wake-up */
	edges[0].event = edges[0].cause = (uint32_t)s.m.events.n;
	make_wake(&s.m, 60, 2, 10, 30, OTHER);
	edges[1].cause = (uint32_t)s.m.events.n;
	make_event(&s.m, 70 * MS, 2, CT_SEND, 30, 1)->r.obj = OTHER;
	edges[1].event = (uint32_t)s.m.events.n;
	make_event(&s.m, 80 * MS, 0, CT_RECV, 10, 1)->r.obj = OTHER;
	play(&s, 10, 100);
	assert_int_equal(s.g->tasks[0].tid, 10);
	assert_int_equal(s.g->tasks[2].tid, 30);
	assert_int_equal(without_task(&s, 20), 40);
	whatif_free(s.x);
	play_with(&s, &c, 10, 100);
	assert_int_equal(without_task(&s, 20), 10);
	assert_int_equal(without_task(&s, 30), 0);
	assert_int_equal(without_tasks(&s, 20, 30), 40);
	assert_int_equal(without_tasks(&s, 10, 20), 40 + 10 - 40 + 20); /* and nothing after 80 */
	end(&s);
}

/* What 20 sent is what 10 waited for: without the wait it holds nobody back. What it sends later does, unless
 * 10 waits for nothing of the kind. */
static void test_awaited(void **state)
{
	struct segment segments[] = { { .task = 0, .to_ns = 100 * MS }, { .task = 1, .to_ns = 100 * MS } };
	struct edge edges[] = { { .from = 1, .to = 0, .kind = EDGE_PIPE, .strength = EDGE_STRONG },
				{ .from = 1, .to = 0, .kind = EDGE_PIPE, .strength = EDGE_STRONG } };
	struct causal c = { .segments = segments, .n_segments = 2, .edges = edges, .n_edges = 1 };
	struct scene s = { 0 };
	struct whatif_without v;

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	wait_out(&s.m, 0, 10, 10, PIPE);
	wait_over(&s.m, 0, 10, 50, 20, PIPE);
	/* the receiver was faster than the record of the send */
	edges[0].event = (uint32_t)s.m.events.n;
	make_event(&s.m, 60 * MS, 0, CT_RECV, 10, 1)->r.obj = PIPE;
	edges[0].cause = edges[1].cause = (uint32_t)s.m.events.n;
	make_event(&s.m, 70 * MS, 1, CT_SEND, 20, 1)->r.obj = PIPE;
	edges[1].event = (uint32_t)s.m.events.n;
	make_event(&s.m, 75 * MS, 0, CT_RECV, 10, 1)->r.obj = PIPE;
	play_with(&s, &c, 10, 100);
	assert_int_equal(without_wait(&s, 10, 20), 40);
	assert_int_equal(without_task(&s, 20), 40);
	whatif_free(s.x);
	c.n_edges = 2;
	play_with(&s, &c, 10, 100);
	v = a_wait(&s, 10, 20);
	assert_int_equal(saved_ms(&s, &v, 1), 5);
	v.kind = WHATIF_WAITS;
	assert_int_equal(saved_ms(&s, &v, 1), 40);
	assert_int_equal(without_task(&s, 20), 40);
	end(&s);
}

/* 10 makes 20 and 30, and waits for the end of 20; by then 30 has ended, so that it does not wait for that.
 */
static void test_siblings(void **state)
{
	struct scene s = { 0 };

	make_task(&s.m, 10, 10, 1, "app");
	runs(&s.m, 0, 10);
	for (uint16_t i = 1; i <= 2; i++) {
		make_event(&s.m, 0, 0, CT_FORK, 10, 10 + 10u * i)->r.obj = 10 + 10u * i;
		runs(&s.m, i, 10 + 10u * i);
	}
	make_switch(&s.m, 10, 0, 10, 0, CT_W_CHILD, CT_OBJ_ID(CT_OBJ_TASK, 20));
	make_event(&s.m, 70 * MS, 2, CT_EXIT, 30, 0);
	make_switch(&s.m, 70, 2, 30, 0, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	make_event(&s.m, 90 * MS, 1, CT_EXIT, 20, 0);
	make_wake(&s.m, 90, 1, 10, 20, 0)->r.flags = CT_WF_EXITING;
	make_switch(&s.m, 90, 1, 20, 0, CT_W_EXITED, 0)->r.state = CT_ST_DEAD;
	make_switch(&s.m, 90, 0, 0, 10, CT_W_NONE, 0);
	play(&s, 10, 100);
	assert_int_equal(without_task(&s, 20), 20);
	assert_int_equal(without_task(&s, 30), 0);
	assert_int_equal(without_tasks(&s, 20, 30), 80);
	assert_int_equal(without_wait(&s, 10, 50), 80);
	end(&s);
}

/* Each task waits for the next one, far deeper than is followed: nothing is saved, and that is counted. */
static void test_depth(void **state)
{
	struct scene s = { 0 };
	uint32_t n = WHATIF_MAX_DEPTH + 10;

	for (uint32_t i = 1; i <= n; i++) {
		make_switch(&s.m, 1, 0, 0, i, CT_W_NONE, 0);
		make_event(&s.m, 1 * MS, 0, CT_FUTEX, i, i + 1)->r.obj = LOCK + 8 * i;
		make_switch(&s.m, 1, 0, i, 0, CT_W_FUTEX, LOCK + 8 * i);
	}
	make_switch(&s.m, 1, 0, 0, n + 1, CT_W_NONE, 0);
	play(&s, 1, 100);
	assert_int_equal(without_task(&s, n + 1), 0);
	assert_true(whatif_refused(s.x) > 0);
	end(&s);
}

/* The table of questions: what each saves beside what it is of the path. */
static void test_table(void **state)
{
	struct whatif_row *rows;
	struct scene s = { 0 };
	char words[ACCOUNT_WORDS_MAX];
	struct account *a;
	struct path *p;
	size_t n;

	make_task(&s.m, 10, 10, 1, "app");
	make_task(&s.m, 20, 20, 1, "long");
	make_task(&s.m, 30, 30, 1, "late");
	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	wait_out(&s.m, 0, 10, 0, PIPE);
	wait_over(&s.m, 0, 10, 80, 20, PIPE);
	wait_out(&s.m, 0, 10, 80, OTHER);
	wait_over(&s.m, 0, 10, 100, 30, OTHER);
	play(&s, 10, 110);
	assert_int_equal(path_walk(s.g, graph_task_at(s.g, 10, 0), 0, 110 * MS, &p), 0);
	assert_int_equal(account_new(s.g, p, &a), 0);
	assert_int_equal(whatif_table(s.x, p, a, &rows, &n), 0);
	/* two waits and three processes; an object with one wait and a process with one task say nothing new
	 */
	assert_int_equal(n, 5);
	whatif_words(s.x, &rows[0].without, words, sizeof(words));
	assert_string_equal(words, "waiting for late[30] (pipe:[78])");
	assert_int_equal(rows[0].saved_ns, 20 * MS);
	assert_int_equal(rows[0].path_ns, 20 * MS);
	whatif_words(s.x, &rows[1].without, words, sizeof(words));
	assert_string_equal(words, "all that process late[30] did");
	for (size_t i = 0; i < n; i++) {
		whatif_words(s.x, &rows[i].without, words, sizeof(words));
		if (strcmp(words, "all that process long[20] did"))
			continue;
		assert_int_equal(rows[i].saved_ns, 0);
		assert_int_equal(rows[i].path_ns, 80 * MS);
	}
	free(rows);
	account_free(a);
	path_free(p);
	end(&s);
}

static struct whatif_without anything(const struct graph *g, uint32_t *r)
{
	struct whatif_without v = { .kind = (uint8_t)random_below(r, WHATIF_OBJECT + 1),
				    .task = random_below(r, (uint32_t)g->n_tasks),
				    .time = (uint8_t)random_below(r, TIME_KINDS) };

	do
		v.interval = random_below(r, (uint32_t)g->n_intervals);
	while ((v.kind == WHATIF_WAIT || v.kind == WHATIF_WAITS) &&
	       g->intervals[v.interval].state != INTERVAL_BLOCKED);
	v.obj = g->intervals[v.interval].obj;
	return v;
}

static bool has_wait(const struct graph *g)
{
	for (size_t i = 0; i < g->n_intervals; i++)
		if (g->intervals[i].state == INTERVAL_BLOCKED)
			return true;
	return false;
}

/* Events that need not make sense: nothing is saved by nothing, and never more than there was. */
static void test_random(void **state)
{
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct make m = { 0 };
		uint32_t r = seed;
		uint64_t ms = random_window(&m, &r);
		struct graph *g;

		assert_int_equal(graph_build(make_done(&m, ms), &g), 0);
		for (uint32_t t = 0; t < g->n_tasks && has_wait(g); t++) {
			uint64_t from = random_below(&r, (uint32_t)ms) * MS, none, one, two, again;
			uint64_t to = from + 1 + random_below(&r, 1000) * MS;
			struct whatif_without v[2] = { anything(g, &r), anything(g, &r) };
			struct whatif *x;

			assert_int_equal(whatif_new(g, NULL, t, from, to, &x), 0);
			assert_int_equal(whatif_saved(x, v, 0, &none), 0);
			assert_int_equal(whatif_saved(x, v, 1, &one), 0);
			assert_int_equal(whatif_saved(x, v, 2, &two), 0);
			assert_int_equal(whatif_saved(x, v, 1, &again), 0);
			assert_int_equal(none, 0);
			assert_int_equal(one, again);
			assert_true(one <= to - from);
			assert_true(two <= to - from);
			assert_true(two >= one);
			whatif_free(x);
		}
		graph_free(g);
		make_free(&m);
	}
}

static void test_bad_arguments(void **state)
{
	struct scene s = { 0 };
	struct whatif *x;

	runs(&s.m, 0, 10);
	play(&s, 10, 10);
	assert_int_equal(whatif_new(s.g, NULL, 0, 5, 5, &x), -EINVAL);
	assert_int_equal(whatif_new(s.g, NULL, GRAPH_NONE, 0, 5, &x), -EINVAL);
	assert_int_equal(whatif_new(s.g, NULL, 1, 0, 5, &x), -EINVAL);
	whatif_free(NULL);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_serial),        cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_convoy),        cmocka_unit_test(test_pool),
		cmocka_unit_test(test_outside),       cmocka_unit_test(test_birth),
		cmocka_unit_test(test_cpu),           cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_polled),        cmocka_unit_test(test_time_limit),
		cmocka_unit_test(test_arrival),       cmocka_unit_test(test_awaited),
		cmocka_unit_test(test_given_up),      cmocka_unit_test(test_edges_of_knowledge),
		cmocka_unit_test(test_siblings),      cmocka_unit_test(test_depth),
		cmocka_unit_test(test_table),         cmocka_unit_test(test_random),
		cmocka_unit_test(test_bad_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
