// SPDX-License-Identifier: GPL-2.0-or-later
/* Edges of the causal graph: each kind but messages; and what holds for any window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/graph/causal_make.h"

/* 10 waits for what 20 does, and 20 wakes it. */
static struct window_event *one_wake(struct make *m, enum ct_wait wait, uint64_t obj, uint64_t by)
{
	runs(m, 10, 10, 1, "waiter");
	runs(m, 20, 20, 10, "waker");
	sleeps(m, 10, 10, wait, obj);
	return wakes(m, 20, 10, 20, by);
}

static void assert_wake(enum ct_wait wait, uint64_t obj, uint64_t by, uint8_t flags, enum edge_kind kind,
			enum edge_strength strength)
{
	struct make m = { 0 };
	struct built b;

	one_wake(&m, wait, obj, by)->r.flags = flags;
	b = built(&m, 50);
	assert_sound(&b);
	assert_edge(&b, kind, 20, 10, strength);
	built_free(&b, &m);
}

static void test_wakes(void **state)
{
	const uint64_t event = CT_OBJ_ID(CT_OBJ_EVENTFD, 1), file = CT_OBJ_ID(CT_OBJ_FILE, 1);
	const uint64_t fuse = CT_OBJ_ID(CT_OBJ_FUSEDEV, 1), pidfd = CT_OBJ_ID(CT_OBJ_PIDFD, 1);

	assert_wake(CT_W_READ, PIPE(1), PIPE(1), 0, EDGE_PIPE, EDGE_STRONG);
	assert_wake(CT_W_READ, PIPE(1), PIPE(2), 0, EDGE_PIPE, EDGE_WEAK);
	assert_wake(CT_W_POLL, 0, PIPE(2), 0, EDGE_PIPE, EDGE_STRONG);
	assert_wake(CT_W_EPOLL, EPOLL(1), event, 0, EDGE_EVENTFD, EDGE_STRONG);
	assert_wake(CT_W_FUTEX, FUTEX(1), FUTEX(1), 0, EDGE_POST, EDGE_STRONG);
	assert_wake(CT_W_FUTEX, FUTEX(1), FUTEX(2), 0, EDGE_POST, EDGE_STRONG);      /* shared */
	assert_wake(CT_W_FUTEX, FUTEX(1), 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG); /* join */
	assert_wake(CT_W_CHILD, 0, 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG);
	assert_wake(CT_W_SIGNAL, 0, 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG);     /* SIGCHLD */
	assert_wake(CT_W_READ, PIPE(1), 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG); /* its end of the pipe */
	assert_wake(CT_W_POLL, pidfd, 0, CT_WF_EXITING, EDGE_EXIT, EDGE_STRONG);
	assert_wake(CT_W_SIGNAL, 0, 0, 0, EDGE_SIGNAL, EDGE_STRONG);
	assert_wake(CT_W_VFORK, 0, 0, 0, EDGE_VFORK, EDGE_STRONG);
	assert_wake(CT_W_FLOCK, file, file, 0, EDGE_FILELOCK, EDGE_STRONG);
	assert_wake(CT_W_STOPPED, 0, 0, 0, EDGE_STOP, EDGE_STRONG);
	assert_wake(CT_W_READ, fuse, file, 0, EDGE_FUSE, EDGE_STRONG); /* request */
	assert_wake(CT_W_FILE, file, fuse, 0, EDGE_FUSE, EDGE_STRONG); /* answer */
	assert_wake(CT_W_READ, CT_OBJ_ID(CT_OBJ_TTY, 1), 0, 0, EDGE_WAKE, EDGE_WEAK);
	assert_wake(CT_W_WRITE, PIPE(1), PIPE(1), 0, EDGE_PIPE, EDGE_STRONG); /* room was made */
}

/* Who waits for a child is woken by somebody who is none, and lives on: by a signal. A child may have
 * stopped. */
static void test_wake_from_child_wait(void **state)
{
	for (int how = 0; how < 4; how++) {
		bool child = how & 1, exiting = how & 2;
		struct make m = { 0 };
		struct built b;

		runs(&m, 10, 10, 1, "parent");
		runs(&m, 20, 20, child ? 10 : 1, "waker");
		sleeps(&m, 10, 10, CT_W_CHILD, 0);
		wakes(&m, 20, 10, 20, 0)->r.flags = exiting ? CT_WF_EXITING : 0;
		b = built(&m, 50);
		assert_edge(&b, child || exiting ? EDGE_EXIT : EDGE_SIGNAL, 20, 10, EDGE_STRONG);
		built_free(&b, &m);
	}
}

static void test_mutex(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "waiter");
	runs(&m, 20, 10, 1, "holder");
	make_event(&m, 10 * MS, CPU(10), CT_FUTEX, 10, 20)->r.obj = FUTEX(1);
	sleeps(&m, 10, 10, CT_W_FUTEX, FUTEX(1));
	wakes(&m, 20, 10, 20, FUTEX(1));
	b = built(&m, 50);
	assert_edge(&b, EDGE_LOCK, 20, 10, EDGE_WEAK);
	built_free(&b, &m);
}

/* A read-write lock: it has an owner while it is written, and none while it is read. */
static void test_rwlock(void **state)
{
	for (int owned = 0; owned < 2; owned++) {
		struct make m = { 0 };
		struct window_event *e;
		struct built b;

		runs(&m, 10, 10, 1, "writer");
		runs(&m, 20, 10, 1, "reader");
		sleeps(&m, 10, 10, CT_W_FUTEX, FUTEX(12));
		wakes(&m, 20, 10, 20, FUTEX(12));
		/* the word at what may be an owner of a lock is a task's only if it is of this process */
		e = make_event(&m, 30 * MS, CPU(20), CT_FUTEX, 20, owned ? 10 : 1);
		e->r.obj = FUTEX(8);
		e->x[1] = 137;
		make_task(&m, 1, 1, 0, "init");
		b = built(&m, 50);
		assert_edge(&b, owned ? EDGE_LOCK : EDGE_POST, 20, 10, owned ? EDGE_WEAK : EDGE_STRONG);
		assert_int_equal(n_segments(&b, 10), owned ? 1 : 2);
		built_free(&b, &m);
	}
}

static void test_kernel_lock(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "waiter");
	runs(&m, 20, 20, 1, "holder");
	sleeps(&m, 10, 10, CT_W_OPEN, 0);
	m.events.v[m.events.n - 1].r.state = CT_ST_DISK;
	wakes(&m, 20, 10, 20, 0);
	b = built(&m, 50);
	assert_edge(&b, EDGE_KERNEL_LOCK, 20, 10, EDGE_WEAK);
	built_free(&b, &m);
}

/* Whoever is on the CPU at an interrupt has nothing to do with it. */
static void test_interrupts(void **state)
{
	static const enum ct_ctx contexts[] = { CT_CTX_TIMER, CT_CTX_HARDIRQ, CT_CTX_SOFTIRQ, CT_CTX_IPI };

	for (size_t i = 0; i < 4; i++) {
		struct make m = { 0 };
		struct built b;

		one_wake(&m, CT_W_EPOLL, EPOLL(1), 0)->r.state = contexts[i];
		b = built(&m, 50);
		assert_sound(&b);
		assert_edge(&b, i ? EDGE_IRQ : EDGE_TIMER, 0, 10, EDGE_WEAK);
		assert_int_equal(n_segments(&b, 10), 2);
		built_free(&b, &m);
	}
}

/* Three take turns in a lock that the program made of a condition variable. */
static void test_own_lock(void **state)
{
	struct make m = { 0 };
	struct built b;
	size_t weak = 0;

	for (uint32_t t = 10; t <= 30; t += 10)
		runs(&m, t, 10, 1, "thread");
	for (uint32_t i = 0; i < 6; i++) {
		sleeps(&m, 10 * i + 1, 10 + i % 3 * 10, CT_W_FUTEX, FUTEX(1));
		m.events.v[m.events.n - 1].r.flags = CT_SF_TIMEOUT;
		wakes(&m, 10 * i + 5, 10 + i % 3 * 10, 10 + (i + 1) % 3 * 10, FUTEX(1));
	}
	b = built(&m, 100);
	for (size_t i = 0; i < b.c->n_edges; i++)
		weak += b.c->edges[i].kind == EDGE_POST && b.c->edges[i].strength == EDGE_WEAK;
	assert_int_equal(weak, 5);
	built_free(&b, &m);
}

/* Two take turns in such a lock, and a third one posts there that never waits. */
static void test_turns(void **state)
{
	struct make m = { 0 };
	struct built b;
	size_t locks = 0, posts = 0;

	for (uint32_t t = 10; t <= 30; t += 10)
		runs(&m, t, 10, 1, "thread");
	for (uint32_t i = 0; i < 9; i++) {
		uint32_t waiter = i < 8 ? 10 + i % 2 * 10 : 10;

		sleeps(&m, 10 * i + 1, waiter, CT_W_FUTEX, FUTEX(1));
		wakes(&m, 10 * i + 5, waiter, i < 8 ? 30 - waiter : 30, FUTEX(1));
	}
	b = built(&m, 100);
	for (size_t i = 0; i < b.c->n_edges; i++) {
		const struct edge *e = &b.c->edges[i];

		locks += e->kind == EDGE_LOCK && e->strength == EDGE_WEAK;
		posts += e->kind == EDGE_POST;
	}
	assert_int_equal(locks, 8);
	assert_int_equal(posts, 1);
	built_free(&b, &m);
}

/* Who signals a condition variable waits inside it for one who was woken before; 24 bytes away from nothing
 * of the kind it is a post. */
static void test_inside_a_condition(void **state)
{
	for (int cond = 0; cond < 3; cond++) {
		/* two groups of waiters, side by side */
		const uint64_t signals = cond == 2 ? FUTEX(0x2c) : FUTEX(0x28),
			       refs = cond ? FUTEX(0x10) : FUTEX(0x18);
		struct make m = { 0 };
		struct built b;

		runs(&m, 10, 10, 1, "worker");
		runs(&m, 20, 10, 1, "main");
		sleeps(&m, 1, 10, CT_W_FUTEX, signals);
		wakes(&m, 5, 10, 20, signals);
		sleeps(&m, 6, 20, CT_W_FUTEX, refs);
		wakes(&m, 8, 20, 10, refs);
		b = built(&m, 20);
		assert_edge(&b, EDGE_POST, 20, 10, EDGE_STRONG);
		assert_edge(&b, cond ? EDGE_LOCK : EDGE_POST, 10, 20, cond ? EDGE_WEAK : EDGE_STRONG);
		assert_int_equal(n_segments(&b, 20), cond ? 1 : 2);
		built_free(&b, &m);
	}
}

/* A connection wakes two workers: the one who receives what is sent through it took it.  As long as nobody
 * does, and where both are one process, it may be either. */
static void test_connection_wakes_two(void **state)
{
	for (int sent = 0; sent < 2; sent++)
		for (int one = 0; one < 2; one++) {
			struct make m = { 0 };
			const struct edge *e = NULL;
			struct built b;

			connection(&m, SOCK(1), SOCK(2), 1);
			runs(&m, 10, 10, 1, "worker");
			runs(&m, 20, 20, 1, "client");
			runs(&m, 30, one ? 10 : 30, 1, "worker");
			sleeps(&m, 1, 10, CT_W_POLL, 0);
			sleeps(&m, 1, 30, CT_W_POLL, 0);
			wakes_in(&m, 5, 10, 20, CT_W_CONNECT, SOCK(9));
			wakes_in(&m, 5, 30, 20, CT_W_CONNECT, SOCK(9));
			sleeps(&m, 6, 10, CT_W_POLL, 0);
			sends(&m, 7, 20, SOCK(2), 10);
			if (sent)
				receives(&m, 8, 30, SOCK(1), 10);
			b = built(&m, 20);
			assert_sound(&b);
			for (size_t i = 0; i < b.c->n_edges; i++) {
				e = &b.c->edges[i];
				if (e->kind != EDGE_MESSAGE || e->flags & EDGE_BYTES)
					continue;
				assert_int_equal(!!(e->flags & EDGE_FALSE_WAKE),
						 sent && !one &&
							 b.c->segments[e->to].task == task_of(&b, 10));
				assert_int_equal(e->strength,
						 e->flags & EDGE_FALSE_WAKE ? EDGE_WEAK : EDGE_STRONG);
			}
			assert_int_equal(n_edges(&b, EDGE_MESSAGE), 2 + sent);
			built_free(&b, &m);
		}
}

/* Producers and consumers of one semaphore; at a barrier the last one lets all the others go. */
static void test_many(void **state)
{
	for (int barrier = 0; barrier < 2; barrier++) {
		struct make m = { 0 };
		size_t many = 0;
		struct built b;

		for (uint32_t t = 10; t <= 40; t += 10)
			runs(&m, t, 10, 1, "thread");
		for (uint32_t i = 0; i < 6; i++) {
			uint32_t waiter = 10 + i % 2 * 10,
				 poster = barrier ? 30 - waiter : 30 + i / 2 % 2 * 10;

			sleeps(&m, 10 * i + 1, waiter, CT_W_FUTEX, FUTEX(1));
			wakes(&m, 10 * i + 5, waiter, poster, FUTEX(1));
		}
		b = built(&m, 100);
		for (size_t i = 0; i < b.c->n_edges; i++) {
			const struct edge *e = &b.c->edges[i];

			many += e->flags & EDGE_MANY ? 1 : 0;
			if (e->kind == EDGE_POST)
				assert_int_equal(e->strength == EDGE_WEAK, (e->flags & EDGE_MANY) != 0);
		}
		/* known from when the second of both has been seen */
		assert_int_equal(many, barrier ? 0 : 4);
		built_free(&b, &m);
	}
}

static void test_lives(void **state)
{
	struct make m = { 0 };
	const struct edge *e;
	struct built b;

	runs(&m, 10, 10, 1, "parent");
	make_event(&m, 5 * MS, CPU(10), CT_FORK, 10, 20)->r.obj = 20;
	make_switch(&m, 6, CPU(20), 0, 20, CT_W_NONE, 0);
	make_event(&m, 7 * MS, CPU(20), CT_EXEC, 20, 20);
	b = built(&m, 10);
	assert_sound(&b);
	assert_edge(&b, EDGE_FORK, 10, 20, EDGE_STRONG);
	e = edge_of(&b, EDGE_EXEC, 20, 20);
	assert_non_null(e);
	assert_int_equal(e->strength, EDGE_STRONG);
	assert_int_equal(e->from, segment_at(&b, 20, 6));
	assert_int_equal(e->to, segment_at(&b, 20, 8));
	built_free(&b, &m);
}

static struct window_event *sends_signal(struct make *m, uint64_t ms, uint32_t from, uint32_t to, uint8_t sig)
{
	struct window_event *e = make_event(m, ms * MS, CPU(from), CT_SIGNAL, from, to);

	e->r.state = sig;
	e->r.obj = to;
	return e;
}

static void test_signals(void **state)
{
	for (int kernel = 0; kernel < 2; kernel++) {
		struct make m = { 0 };
		struct built b;

		/* delivered while it runs */
		runs(&m, 10, 10, 1, "target");
		runs(&m, 20, 20, 1, "sender");
		sends_signal(&m, 5, 20, 10, 10)->r.flags = kernel ? CT_GF_KERNEL : 0;
		make_event(&m, 6 * MS, CPU(10), CT_SIGDELIVER, 10, 0)->r.state = 10;
		b = built(&m, 10);
		assert_edge(&b, EDGE_SIGNAL, kernel ? 0 : 20, 10, kernel ? EDGE_WEAK : EDGE_STRONG);
		built_free(&b, &m);
	}
}

/* What is ignored leads to nothing. */
static void test_signal_ignored(void **state)
{
	for (int ignored = 0; ignored < 2; ignored++) {
		struct make m = { 0 };
		struct built b;

		runs(&m, 10, 10, 1, "target");
		runs(&m, 20, 20, 1, "sender");
		sends_signal(&m, 5, 20, 10, 10)->r.flags = ignored ? CT_GF_IGNORED : 0;
		make_event(&m, 6 * MS, CPU(10), CT_SIGDELIVER, 10, 0)->r.state = 10;
		b = built(&m, 10);
		assert_int_equal(n_edges(&b, EDGE_SIGNAL), !ignored);
		built_free(&b, &m);
	}
}

/* The signal wakes its target from a wait for something else: one edge, from the signal. */
static void test_signal_wakes(void **state)
{
	struct make m = { 0 };
	struct built b;

	one_wake(&m, CT_W_READ, PIPE(1), 0);
	sends_signal(&m, 20, 20, 10, 10);
	make_event(&m, 21 * MS, CPU(10), CT_SIGDELIVER, 10, 0)->r.state = 10;
	b = built(&m, 50);
	assert_edge(&b, EDGE_SIGNAL, 20, 10, EDGE_STRONG);
	assert_int_equal(n_edges(&b, EDGE_WAKE), 0);
	built_free(&b, &m);
}

/* That a child has ended is delivered to its parent at work. */
static void test_child_signal(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "parent");
	runs(&m, 20, 20, 10, "child");
	sends_signal(&m, 5, 20, 10, 17)->r.flags = CT_GF_KERNEL;
	make_event(&m, 6 * MS, CPU(10), CT_SIGDELIVER, 10, 0)->r.state = 17;
	b = built(&m, 10);
	assert_edge(&b, EDGE_EXIT, 20, 10, EDGE_STRONG);
	built_free(&b, &m);
}

static void flock_of(struct make *m, uint64_t ms, uint32_t tid, uint8_t what, int result)
{
	struct window_event *e = make_event(m, ms * MS, CPU(tid), CT_FLOCK, tid, (uint32_t)result);

	e->r.obj = CT_OBJ_ID(CT_OBJ_FILE, 1);
	e->r.state = what;
}

static void test_lock_order(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "second");
	runs(&m, 20, 20, 1, "first");
	flock_of(&m, 1, 20, 1, 0);
	flock_of(&m, 2, 10, 1, -11);
	flock_of(&m, 3, 20, 2, 0);
	flock_of(&m, 4, 10, 1, 0);
	b = built(&m, 10);
	assert_edge(&b, EDGE_LOCK_ORDER, 20, 10, EDGE_WEAK);
	built_free(&b, &m);
}

static void access_of(struct make *m, uint64_t ms, uint32_t tid, bool read, uint64_t value)
{
	struct window_event *e = make_event(m, ms * MS, CPU(tid), CT_ACCESS, tid, 0);

	e->r.obj = CT_OBJ_ID(CT_OBJ_DATA, 1);
	e->r.state = read;
	e->x[0] = value;
}

static void test_flag(void **state)
{
	struct make m = { 0 };
	struct built b;

	for (uint32_t t = 10; t <= 40; t += 10)
		runs(&m, t, t, 1, "task");
	access_of(&m, 1, 10, false, 1);
	access_of(&m, 2, 20, true, 1);
	access_of(&m, 3, 30, false, 1); /* no change */
	access_of(&m, 4, 40, false, 2);
	b = built(&m, 10);
	assert_edge(&b, EDGE_FLAG, 10, 20, EDGE_STRONG);
	assert_edge(&b, EDGE_FLAG, 30, 40, EDGE_WEAK);
	assert_int_equal(n_edges(&b, EDGE_FLAG), 2);
	built_free(&b, &m);
}

/* The address of a job is used again. */
static void test_jobs(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "worker");
	runs(&m, 20, 10, 1, "early");
	runs(&m, 30, 10, 1, "late");
	runs(&m, 40, 40, 1, "other process");
	job(&m, 1, 20, CT_JOB_ENQUEUE, 77);
	job(&m, 2, 30, CT_JOB_ENQUEUE, 77);
	job(&m, 3, 40, CT_JOB_ENQUEUE, 77);
	job(&m, 4, 10, CT_JOB_START, 77);
	job(&m, 5, 10, CT_JOB_END, 77);
	job(&m, 6, 10, CT_JOB_START, 77); /* nobody queued it */
	b = built(&m, 10);
	assert_sound(&b);
	assert_edge(&b, EDGE_JOB, 30, 10, EDGE_STRONG);
	assert_int_equal(n_edges(&b, EDGE_JOB), 1);
	assert_int_equal(edge_of(&b, EDGE_JOB, 30, 10)->to, segment_at(&b, 10, 4));
	built_free(&b, &m);
}

static void test_neighbours(void **state)
{
	static const char *frames[] = { "inner+0x1", "work+0x2 (a)", "loop+0x3 (a)", "main+0x4 (a)" };
	static const char *others[] = { "draw+0x1 (a)", "paint+0x2 (a)", "loop+0x3 (a)", "main+0x4 (a)" };
	struct window_stack stacks[] = { { 1, 4, frames }, { 2, 4, others }, { 3, 3, frames + 1 } };

	for (int alike = 0; alike < 2; alike++) {
		struct make m = { 0 };
		struct built b;
		const struct edge *e;

		m.w.stacks = stacks;
		m.w.n_stacks = 3;
		one_wake(&m, CT_W_EPOLL, EPOLL(1), PIPE(1));
		make_event(&m, 22 * MS, CPU(10), CT_SAMPLE, 10, 0)->x[0] = 1;
		sleeps(&m, 30, 10, CT_W_EPOLL, EPOLL(1));
		wakes(&m, 40, 10, 20, PIPE(1));
		make_event(&m, 42 * MS, CPU(10), CT_SAMPLE, 10, 0)->x[0] = alike ? 3 : 2;
		b = built(&m, 50);
		e = &b.c->edges[b.c->segments[segment_at(&b, 10, 45)].in];
		for (; e->kind != EDGE_NEIGHBOUR; e++)
			assert_true(e < b.c->edges + b.c->n_edges);
		assert_int_equal(e->from, segment_at(&b, 10, 25));
		assert_int_equal(e->strength, alike ? EDGE_BOOSTED : EDGE_WEAK);
		assert_int_equal(e->flags, alike ? EDGE_ALIKE : 0);
		built_free(&b, &m);
	}
}

/* Who waits was seen in a function that locks: the hand-over is no cause, though nobody owns the futex. */
static void test_seen_locking(void **state)
{
	static const char *lock[] = { "k:futex_wait+0x1", "pthread_rwlock_wrlock+0x2 (libc.so.6)",
				      "main+0x4 (a)" };
	static const char *other[] = { "k:futex_wait+0x1", "pthread_cond_wait+0x2 (libc.so.6)",
				       "main+0x4 (a)" };
	struct window_stack stacks[] = { { 1, 3, lock }, { 2, 3, other } };

	for (uint64_t stack = 1; stack <= 2; stack++) {
		struct make m = { 0 };
		struct window_event *e;
		struct built b;

		m.w.stacks = stacks;
		m.w.n_stacks = 2;
		runs(&m, 10, 10, 1, "writer");
		runs(&m, 20, 10, 1, "reader");
		sleeps(&m, 5, 10, CT_W_FUTEX, FUTEX(1));
		e = make_event(&m, 7 * MS, CPU(10), CT_VISIT, 10, 0);
		e->r.obj = FUTEX(1);
		e->r.wait = CT_W_FUTEX;
		e->x[0] = stack;
		wakes(&m, 10, 10, 20, FUTEX(1));
		b = built(&m, 20);
		assert_edge(&b, stack == 1 ? EDGE_LOCK : EDGE_POST, 20, 10,
			    stack == 1 ? EDGE_WEAK : EDGE_STRONG);
		built_free(&b, &m);
	}
}

/* The wake was recorded before the switch-out of the wait that it ends. */
static void test_wake_before_switch_out(void **state)
{
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "reader");
	runs(&m, 20, 20, 1, "writer");
	make_wake(&m, 9, CPU(20), 10, 20, PIPE(1));
	sleeps(&m, 10, 10, CT_W_READ, PIPE(1));
	make_switch(&m, 10, CPU(10), 0, 10, CT_W_NONE, 0);
	b = built(&m, 20);
	assert_sound(&b);
	assert_edge(&b, EDGE_PIPE, 20, 10, EDGE_STRONG);
	assert_int_equal(n_segments(&b, 10), 2);
	built_free(&b, &m);
}

/* A task that slept when the window began, of which its wake-up is the first record.  Tasks with lower ids
 * have done more before and after it. */
static void test_wake_comes_first(void **state)
{
	struct window_state asleep = { .last = { .ts = 1, .kind = CT_SWITCH, .tid = 10, .wait = CT_W_READ },
				       .cpu = FORMAT_CPU_NONE };
	struct make m = { 0 };
	struct built b;

	asleep.last.state = CT_ST_SLEEP;
	asleep.last.obj = PIPE(1);
	m.w.states = &asleep;
	m.w.n_states = 1;
	make_task(&m, 10, 10, 1, "reader");
	runs(&m, 1, 1, 0, "init");
	runs(&m, 20, 20, 1, "writer");
	for (uint64_t ms = 2; ms < 20; ms += 2) {
		sleeps(&m, ms, 1, CT_W_SLEEP, 0);
		if (ms == 10)
			wakes(&m, ms, 10, 20, PIPE(1));
		make_switch(&m, ms + 1, CPU(1), 0, 1, CT_W_NONE, 0);
	}
	b = built(&m, 30);
	assert_sound(&b);
	assert_edge(&b, EDGE_PIPE, 20, 10, EDGE_STRONG);
	built_free(&b, &m);
}

static uint32_t rnd(uint64_t *s)
{
	*s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*s >> 33);
}

static void random_window(struct make *m, uint64_t seed)
{
	static const uint8_t kinds[] = { CT_SWITCH, CT_SWITCH, CT_SWITCH, CT_WAKE,      CT_WAKE, CT_SEND,
					 CT_RECV,   CT_SEND,   CT_RECV,   CT_FORK,      CT_EXEC, CT_EXIT,
					 CT_SIGNAL, CT_JOB,    CT_FLOCK,  CT_VISIT,     CT_GAP,  CT_ACCESS,
					 CT_SAMPLE, CT_WAITFD, CT_FUTEX,  CT_SIGDELIVER };
	uint64_t ts = MS, s = seed;

	for (uint32_t t = 1; t < 12; t++)
		make_task(m, t, t / 3 * 3 + 1, t / 2, "task");
	connection(m, SOCK(1), SOCK(2), STREAM);
	connection(m, SOCK(3), SOCK(4), DGRAM);
	for (uint64_t i = 5; i < 8; i++)
		make_object(m, SOCK(i))->peer = SOCK(12 - i);
	for (int i = 0; i < 3000; i++) {
		uint32_t kind = kinds[rnd(&s) % (sizeof(kinds) / sizeof(kinds[0]))];
		struct window_event *e;

		ts += rnd(&s) % 3 * 30000;
		e = make_event(m, ts, rnd(&s) % 3, kind, rnd(&s) % 13, rnd(&s) % 13);
		e->r.wait = kind == CT_WAITFD ? rnd(&s) % 9 : rnd(&s) % (CT_W_YIELD + 1);
		e->r.state = kind == CT_SWITCH ? (rnd(&s) % 9 ? rnd(&s) % 3 : CT_ST_DEAD) : rnd(&s) % 5;
		e->r.flags = rnd(&s) % 64;
		e->r.nr = rnd(&s) % 400;
		e->r.aux = rnd(&s) % 8;
		e->r.obj = kind == CT_SEND || kind == CT_RECV || rnd(&s) % 3
				   ? SOCK(rnd(&s) % 8 + 1)
				   : CT_OBJ_ID(rnd(&s) % 22, rnd(&s) % 3);
		e->x[0] = rnd(&s) % 4;
		if (kind == CT_SEND || kind == CT_RECV)
			e->r.peer = rnd(&s) % 100 + 1;
	}
}

static void test_random(void **state)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct causal_options o = { .policy = seed % 3, .cuts_off = seed % 5 ? 0 : (uint32_t)seed };
		struct make m = { 0 };
		struct causal *again;
		struct built b;

		random_window(&m, seed);
		b = built_with(&m, 1000, o.policy, o.cuts_off);
		assert_sound(&b);
		/* the same again, to the last bit */
		assert_int_equal(causal_build(b.g, &o, &again), 0);
		assert_int_equal(again->n_segments, b.c->n_segments);
		assert_int_equal(again->n_edges, b.c->n_edges);
		assert_memory_equal(again->segments, b.c->segments,
				    again->n_segments * sizeof(*again->segments));
		assert_memory_equal(again->edges, b.c->edges, again->n_edges * sizeof(*again->edges));
		causal_free(again);
		for (size_t i = 0; i < b.c->n_edges; i++) {
			char text[8];

			assert_true(edge_explain(b.c, &b.c->edges[i], text, sizeof(text)) > 8);
			assert_int_equal(strlen(text), 7);
			assert_true(edge_explain(b.c, &b.c->edges[i], NULL, 0) < EDGE_EXPLAIN_MAX);
		}
		built_free(&b, &m);
	}
}

static void test_empty(void **state)
{
	struct make m = { 0 };
	struct built b = built(&m, 10);

	assert_int_equal(b.c->n_segments, 0);
	assert_int_equal(b.c->n_edges, 0);
	assert_int_equal(causal_segment_at(b.c, 0, 5), GRAPH_NONE);
	built_free(&b, &m);
	causal_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wakes),
		cmocka_unit_test(test_wake_from_child_wait),
		cmocka_unit_test(test_mutex),
		cmocka_unit_test(test_rwlock),
		cmocka_unit_test(test_kernel_lock),
		cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_connection_wakes_two),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_inside_a_condition),
		cmocka_unit_test(test_seen_locking),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_own_lock),
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_signal_ignored),
		cmocka_unit_test(test_signal_wakes),
		cmocka_unit_test(test_child_signal),
		cmocka_unit_test(test_lock_order),
		cmocka_unit_test(test_flag),
		cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_wake_before_switch_out),
		cmocka_unit_test(test_wake_comes_first),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
