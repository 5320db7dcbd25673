/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/unit/detect/detect_make.h"

#include <errno.h>

#define FUTEX(n) CT_OBJ_FUTEX_ID(10, 0x7f0000000000ULL + (n)*64)

static void loop_with(struct make *m, const char *comm)
{
	task(m, 10, comm);
	lives(m, 10, CT_W_EPOLL, EPOLL, 110, 100);
}
static void loop(struct make *m)
{
	loop_with(m, "app");
}

static void assert_told(struct make *m, unsigned n, enum ct_hang rule, uint32_t tid)
{
	assert_int_equal(m->n, n);
	assert_int_equal(m->hangs[n - 1].rule, rule);
	assert_int_equal(m->hangs[n - 1].tid, tid);
}

static void notices_a_blocked_loop(void **state)
{
	MAKE(m);
	uint64_t since;

	loop(&m);
	since = m.now;
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 2 * S - 1);
	assert_int_equal(m.n, 0);
	pass(&m, 500 * MS);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
	assert_int_equal(m.hangs[0].since_ns, since);
	assert_int_equal(m.hangs[0].threshold_ns, 2 * S);
	assert_int_equal(m.hangs[0].peer, 11);
	assert_int_equal(m.hangs[0].obj, FUTEX(1));
	assert_int_equal(m.hangs[0].wait, CT_W_FUTEX);
	assert_string_equal(m.hangs[0].comm, "app");
	pass(&m, 60 * S);
	assert_int_equal(m.n, 1);
	wakes(&m, 10);
	lives(&m, 10, CT_W_EPOLL, EPOLL, 1, 100);
	/* one long wait makes no habit, so the next wait on this lock is reported too */
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 3 * S);
	assert_told(&m, 2, CT_HANG_LOOP, 10);
}

static void leaves_those_alone_that_it_does_not_know(void **state)
{
	MAKE(m);

	/* Task 10 comes back to its idle point (detect.h) only 17 times. It would have to come back 20
	 * times before the detector judges it. */
	task(&m, 10, "app");
	lives(&m, 10, CT_W_EPOLL, EPOLL, 18, 1000);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 10 * S);
	/* Task 20 comes back 399 times, but for only 4 s. The detector judges a task after 5 s (learn_ns). */
	task(&m, 20, "other");
	lives(&m, 20, CT_W_EPOLL, EPOLL + 1, 400, 5);
	locks(&m, 20, FUTEX(1), 21);
	pass(&m, 10 * S);
	assert_int_equal(m.n, 0);
}

static void asks_how_long_it_was_away_before(void **state)
{
	MAKE(m);

	task(&m, 10, "app");
	lives(&m, 10, CT_W_EPOLL, EPOLL, 60, 100);
	m.now += 1200 * MS;
	detect_tick(m.d, m.now);
	lives(&m, 10, CT_W_EPOLL, EPOLL, 60, 100);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 3 * 1200 * MS);
	assert_int_equal(m.n, 0);
	pass(&m, 500 * MS);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
}

static void does_not_count_the_time_in_a_queue(void **state)
{
	MAKE(m);

	task(&m, 10, "app");
	lives(&m, 10, CT_W_EPOLL, EPOLL, 60, 100);
	leaves_cpu(&m, 10, CT_NR_NONE);
	pass(&m, 1900 * MS);
	runs(&m, 10);
	lives(&m, 10, CT_W_EPOLL, EPOLL, 60, 100);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 2500 * MS);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
}

/* how: makes the records before the wait, or NULL */
static void nothing_is_noticed(uint8_t wait, uint64_t obj, uint8_t st, void (*how)(struct make *m))
{
	MAKE(m);

	loop(&m);
	if (how)
		how(&m);
	rec(&m,
	    (struct ct_rec){ .kind = CT_SWITCH, .tid = 10, .state = st, .wait = wait, .obj = obj, .nr = 1 });
	pass(&m, 9 * S);
	assert_int_equal(m.n, 0);
}

static void forks(struct make *m)
{
	rec(m, (struct ct_rec){ .kind = CT_FORK, .tid = 10, .peer = 99 });
}

static void has_waited_there_for_long(struct make *m)
{
	blocks(m, 10, CT_W_READ, PIPE);
	pass(m, 600 * MS);
	wakes(m, 10);
	lives(m, 10, CT_W_EPOLL, EPOLL, 30, 100);
}

static void shares_its_epoll(struct make *m)
{
	task_of(m, 11, 10, "app", CT_TF_FOUND);
	lives(m, 11, CT_W_EPOLL, EPOLL, 3, 100);
	lives(m, 10, CT_W_EPOLL, EPOLL, 20, 100);
}

static void knows_waits_that_are_no_hang(void **state)
{
	nothing_is_noticed(CT_W_CHILD, 0, CT_ST_SLEEP, NULL);
	nothing_is_noticed(CT_W_VFORK, 0, CT_ST_DISK, NULL);
	nothing_is_noticed(CT_W_STOPPED, 0, CT_ST_STOPPED, NULL);
	nothing_is_noticed(CT_W_SIGNAL, 0, CT_ST_SLEEP, NULL);
	nothing_is_noticed(CT_W_READ, CT_OBJ_ID(CT_OBJ_TTY, 5), CT_ST_SLEEP, NULL);
	nothing_is_noticed(CT_W_EPOLL, EPOLL, CT_ST_SLEEP, NULL);
	nothing_is_noticed(CT_W_EPOLL, EPOLL + 1, CT_ST_SLEEP, NULL);
	nothing_is_noticed(CT_W_POLL, SOCK_A, CT_ST_SLEEP, NULL);
	nothing_is_noticed(CT_W_READ, PIPE, CT_ST_SLEEP, forks);
	nothing_is_noticed(CT_W_FUTEX, FUTEX(3), CT_ST_SLEEP, forks);
	nothing_is_noticed(CT_W_READ, PIPE, CT_ST_SLEEP, has_waited_there_for_long);
	nothing_is_noticed(CT_W_READ, PIPE, CT_ST_SLEEP, shares_its_epoll);
}

static void sends(struct make *m)
{
	moves(m, CT_SEND, 10, SOCK_A, 10);
}

static void something_is_noticed(uint8_t wait, uint64_t obj, void (*how)(struct make *m))
{
	MAKE(m);

	loop(&m);
	if (how)
		how(&m);
	blocks(&m, 10, wait, obj);
	pass(&m, 3 * S);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
}

static void knows_waits_that_are(void **state)
{
	something_is_noticed(CT_W_READ, PIPE, NULL);
	something_is_noticed(CT_W_READ, SOCK_A, sends);
	something_is_noticed(CT_W_POLL, SOCK_A, sends);
	something_is_noticed(CT_W_WRITE, SOCK_A, NULL);
	something_is_noticed(CT_W_CONNECT, SOCK_A, NULL);
	something_is_noticed(CT_W_SLEEP, 0, NULL);
	something_is_noticed(CT_W_FLOCK, CT_OBJ_ID(CT_OBJ_FILE, 3), NULL);
	something_is_noticed(CT_W_FUTEX, FUTEX(4), NULL);
}

static void worker(struct make *m)
{
	task_of(m, 12, 10, "worker", CT_TF_FOUND);
	for (unsigned i = 0; i < 60; i++) {
		lives(m, 12, CT_W_FUTEX, FUTEX(7), 1, 50);
		lives(m, 12, CT_W_FUTEX, FUTEX(7) + 4, 1, 50);
	}
}

static void notices_a_worker_behind_a_lock_only(void **state)
{
	MAKE(m);

	worker(&m);
	blocks(&m, 12, CT_W_FUTEX, FUTEX(9));
	pass(&m, 5 * S);
	assert_int_equal(m.n, 0);
	wakes(&m, 12);
	lives(&m, 12, CT_W_FUTEX, FUTEX(7), 1, 50);
	pass(&m, 20 * S);
	assert_int_equal(m.n, 0);
	lives(&m, 12, CT_W_FUTEX, FUTEX(7), 1, 50);
	locks(&m, 12, FUTEX(2), 13);
	pass(&m, 59 * S);
	assert_int_equal(m.n, 0);
	pass(&m, 3 * S);
	assert_told(&m, 1, CT_HANG_LOOP, 12);
}

static void notices_one_that_sleeps_again_and_again(void **state)
{
	MAKE(m);

	loop(&m);
	for (unsigned i = 0; i < 30; i++) {
		blocks(&m, 10, CT_W_SLEEP, 0);
		pass(&m, 100 * MS);
		if (i < 29)
			wakes(&m, 10);
	}
	assert_told(&m, 1, CT_HANG_LOOP, 10);
}

static void notices_a_busy_loop(void **state)
{
	MAKE(m);

	loop(&m);
	pass(&m, 1800 * MS);
	assert_int_equal(m.n, 0);
	pass(&m, 500 * MS);
	assert_int_equal(m.n, 0); /* no sample and no preemption has shown the task on the CPU */
	for (unsigned i = 0; i < 3; i++) {
		leaves_cpu(&m, 10, i ? 3 : CT_NR_NONE);
		runs(&m, 10);
	}
	pass(&m, 500 * MS);
	assert_told(&m, 1, CT_HANG_BUSY, 10);
	assert_int_equal(m.hangs[0].wait, CT_W_NONE);
}

/* The rule BUSY does not report these tasks: each of them makes progress, or has a CPU for less
 * than four fifths of the limit (BUSY_PART). */
static void tells_a_busy_loop_from_one_that_comes_round(void **state)
{
	MAKE(m);

	loop(&m);
	for (unsigned i = 0; i < 30; i++) {
		moves(&m, CT_RECV, 10, SOCK_A, 1);
		pass(&m, 100 * MS);
	}
	for (unsigned i = 0; i < 30; i++) {
		leaves_cpu(&m, 10, NR_EPOLL);
		runs(&m, 10);
		pass(&m, 100 * MS);
	}
	for (unsigned i = 0; i < 60; i++) {
		struct ct_rawstack_blob b = { .h = { .ts = m.now, .kind = CT_RAWSTACK, .tid = 10 },
					      .nr = (uint16_t)(i % 2) };

		detect_blob(m.d, &b.h);
		pass(&m, 50 * MS);
	}
	for (unsigned i = 0; i < 30; i++) {
		pass(&m, 20 * MS);
		leaves_cpu(&m, 10, CT_NR_NONE);
		pass(&m, 180 * MS);
		runs(&m, 10);
	}
	assert_int_equal(m.n, 0);
}

static void notices_who_gets_no_cpu(void **state)
{
	MAKE(m);

	for (uint32_t tid = 20; tid < 24; tid++) {
		task(&m, tid, "some");
		runs(&m, tid);
	}
	pass(&m, S);
	for (uint32_t tid = 20; tid < 23; tid++)
		leaves_cpu(&m, tid, CT_NR_NONE);
	rec(&m, (struct ct_rec){ .kind = CT_SWITCH, .tid = 23, .flags = CT_SF_PREEMPT, .aux = 139 });
	pass(&m, 1900 * MS);
	assert_int_equal(m.n, 0);
	pass(&m, 9 * S);
	assert_told(&m, 1, CT_HANG_STARVED, 20);
	assert_int_equal(detect_stats(m.d).behind, 2);

	/* Only the kernel shows that the task has the lowest priority (139). */
	make_done(&m);
	make_init(&m);
	task(&m, 20, "some");
	runs(&m, 20);
	pass(&m, S);
	leaves_cpu(&m, 20, CT_NR_NONE);
	m.look = 0;
	m.seen.wait.aux = 139;
	pass(&m, 9 * S);
	assert_int_equal(m.n, 0);
}

static void notices_a_stuck_disk(void **state)
{
	struct ct_rec d = { .kind = CT_SWITCH, .tid = 30, .state = CT_ST_DISK, .wait = CT_W_READ, .nr = 0 };
	MAKE(m);

	task(&m, 30, "reads");
	rec(&m, d);
	d.tid = 31;
	d.flags = CT_SF_IDLE;
	rec(&m, d);
	d.tid = 32;
	d.flags = CT_SF_KTHREAD;
	rec(&m, d);
	pass(&m, 9900 * MS);
	assert_int_equal(m.n, 0);
	pass(&m, 30 * S);
	assert_told(&m, 1, CT_HANG_DISK, 30);

	make_done(&m);
	make_init(&m);
	d = (struct ct_rec){ .kind = CT_SWITCH, .tid = 30, .state = CT_ST_DISK, .wait = CT_W_SYNC, .nr = 0 };
	rec(&m, d);
	pass(&m, 29900 * MS);
	assert_int_equal(m.n, 0);
	pass(&m, S);
	assert_told(&m, 1, CT_HANG_DISK, 30);
}

static void notices_a_deadlock_once(void **state)
{
	MAKE(m);

	for (uint32_t tid = 40; tid < 43; tid++)
		task_of(&m, tid, 40, "knot", CT_TF_FOUND);
	locks(&m, 42, FUTEX(2), 40);
	locks(&m, 40, FUTEX(0), 41);
	pass(&m, 3 * S);
	assert_int_equal(m.n, 0);
	locks(&m, 41, FUTEX(1), 42);
	pass(&m, 1900 * MS);
	assert_int_equal(m.n, 0);
	task(&m, 43, "client");
	locks(&m, 43, FUTEX(3), 42);
	pass(&m, 9 * S);
	assert_told(&m, 1, CT_HANG_DEADLOCK, 40);
	assert_int_equal(m.hangs[0].peer, 41);
}

/* The record of the exec is in the ring of another CPU, which is drained later. */
static void notices_a_deadlock_after_a_late_exec(void **state)
{
	MAKE(m);

	task_of(&m, 40, 40, "sh", CT_TF_FORK);
	m.now += 10 * MS;
	locks(&m, 40, FUTEX(0), 41);
	locks(&m, 41, FUTEX(1), 40);
	m.now -= 5 * MS;
	task_of(&m, 40, 40, "knot", CT_TF_EXEC);
	task_of(&m, 41, 40, "knot", CT_TF_FORK);
	m.now += 5 * MS;
	pass(&m, 9 * S);
	assert_told(&m, 1, CT_HANG_DEADLOCK, 40);
	assert_string_equal(m.hangs[0].comm, "knot");
}

static void knows_what_is_no_deadlock(void **state)
{
	MAKE(m);

	/* At first, the wait of task 41 has a timeout. Later, task 41 goes on and comes back. */
	task(&m, 40, "knot");
	task(&m, 41, "knot");
	locks(&m, 40, FUTEX(0), 41);
	rec(&m, (struct ct_rec){ .kind = CT_FUTEX, .tid = 41, .peer = 40 });
	rec(&m, (struct ct_rec){ .kind = CT_SWITCH,
				 .tid = 41,
				 .state = CT_ST_SLEEP,
				 .wait = CT_W_FUTEX,
				 .flags = CT_SF_TIMEOUT,
				 .obj = FUTEX(1) });
	pass(&m, 5 * S);
	wakes(&m, 41);
	for (unsigned i = 0; i < 5; i++) {
		locks(&m, 41, FUTEX(1), 40);
		pass(&m, S);
		wakes(&m, 41);
	}
	assert_int_equal(m.n, 0);
}

static void notices_a_deadlock_of_before(void **state)
{
	MAKE(m);

	m.now += 5 * S;
	for (uint32_t tid = 40; tid < 42; tid++) {
		struct ct_iter_task it = {
			.task = { .h = { .ts = m.now, .kind = CT_TASK, .tid = tid },
				  .tgid = 40,
				  .comm = "knot" },
			.wait = { .state = CT_ST_SLEEP, .wait = CT_W_FUTEX, .obj = FUTEX(tid), .tid = tid },
			.sched_since = m.now - 4 * S,
		};

		detect_found(m.d, &it);
	}
	detect_resync(m.d, m.now);
	pass(&m, 5 * S);
	assert_int_equal(m.n, 0);
	rec(&m, (struct ct_rec){ .kind = CT_FUTEX, .tid = 40, .peer = 41, .obj = FUTEX(40) });
	rec(&m, (struct ct_rec){ .kind = CT_FUTEX, .tid = 41, .peer = 40, .obj = FUTEX(41) });
	pass(&m, S);
	assert_told(&m, 1, CT_HANG_DEADLOCK, 40);
}

static void knows_the_name_whose_record_was_lost(void **state)
{
	MAKE(m);
	struct ct_iter_task it = {
		.task = { .h = { .kind = CT_TASK, .tid = 40 }, .tgid = 40, .comm = "second" },
		.wait = { .state = CT_ST_SLEEP, .wait = CT_W_FUTEX, .obj = FUTEX(0), .tid = 40 },
	};

	loop_with(&m, "first");
	task(&m, 40, "first");
	detect_lost(m.d, m.now);
	pass(&m, S);
	it.task.h.ts = m.now;
	detect_found(m.d, &it);
	detect_resync(m.d, m.now);
	rec(&m, (struct ct_rec){ .kind = CT_FUTEX, .ts = m.now + 1, .tid = 40, .peer = 40, .obj = FUTEX(0) });
	pass(&m, 3 * S);
	assert_told(&m, 1, CT_HANG_DEADLOCK, 40);
	assert_string_equal(m.hangs[0].comm, "second");
}

static void notices_one_that_waits_for_itself(void **state)
{
	MAKE(m);

	task(&m, 40, "knot");
	locks(&m, 40, FUTEX(0), 40);
	pass(&m, 3 * S);
	assert_told(&m, 1, CT_HANG_DEADLOCK, 40);
}

static void talks_over(struct make *m, unsigned n)
{
	talk(m, 50, SOCK_A, 60, SOCK_B, n);
}

static void talks(struct make *m, unsigned n)
{
	pair(m, SOCK_A, SOCK_B);
	talks_over(m, n);
}

static void stop(struct make *m, uint32_t tid)
{
	rec(m,
	    (struct ct_rec){
		    .kind = CT_SWITCH, .tid = tid, .state = CT_ST_STOPPED, .wait = CT_W_STOPPED, .nr = 1 });
}

static void notices_a_service_that_does_not_read(void **state)
{
	MAKE(m);

	talks(&m, 30);
	stop(&m, 60);
	pass(&m, 20 * S);
	assert_int_equal(m.n, 0);
	moves(&m, CT_SEND, 50, SOCK_A, 10);
	blocks(&m, 50, CT_W_READ, SOCK_A);
	pass(&m, 2400 * MS);
	assert_int_equal(m.n, 0);
	pass(&m, S);
	assert_told(&m, 1, CT_HANG_SERVICE, 50);
	assert_int_equal(m.hangs[0].peer, 60);
	pass(&m, 40 * S);
	assert_int_equal(m.n, 1);
}

/* The receives of a capped service are not recorded. The service may have read everything. */
static void leaves_alone_a_service_that_the_governor_caps(void **state)
{
	struct ct_rec cap = { .kind = CT_SHED, .flags = CT_GV_CAP | CT_GV_GROUP, .tid = 60 };
	MAKE(m);

	talks(&m, 30);
	rec(&m, cap);
	m.now += MS;
	moves(&m, CT_SEND, 50, SOCK_A, 10);
	blocks(&m, 50, CT_W_READ, SOCK_A);
	/* This switch is recorded because the next task on the CPU is not capped. The wake-up
	 * of task 60 before the switch is not recorded. */
	blocks(&m, 60, CT_W_SLEEP, 0);
	pass(&m, 4 * S);
	rec(&m, cap);
	blocks(&m, 60, CT_W_SLEEP, 0);
	pass(&m, 20 * S);
	assert_int_equal(m.n, 0);
	wakes(&m, 50);
	moves(&m, CT_SEND, 50, SOCK_A, 10);
	m.now += MS;
	moves(&m, CT_RECV, 60, SOCK_B, 10);
	blocks(&m, 50, CT_W_READ, SOCK_A);
	pass(&m, 20 * S);
	assert_int_equal(m.n, 0);
	wakes(&m, 50);
	stop(&m, 60);
	moves(&m, CT_SEND, 50, SOCK_A, 10);
	blocks(&m, 50, CT_W_READ, SOCK_A);
	pass(&m, 30 * S);
	assert_told(&m, 1, CT_HANG_SERVICE, 50);
}

static void counts_what_is_unread_from_when_it_can(void **state)
{
	MAKE(m);

	task(&m, 60, "server");
	moves(&m, CT_SEND, 50, SOCK_A, 1000);
	m.now += MS;
	pair(&m, SOCK_A, SOCK_B);
	moves(&m, CT_RECV, 60, SOCK_B, 1000);
	m.now += MS;
	for (unsigned i = 0; i < 30; i++) {
		m.now += MS;
		moves(&m, CT_SEND, 50, SOCK_A, 10);
		blocks(&m, 50, CT_W_POLL, SOCK_A);
		m.now += MS;
		moves(&m, CT_RECV, 60, SOCK_B, 10);
		pass(&m, 250 * MS);
		wakes(&m, 50);
	}
	stop(&m, 60);
	m.now += MS;
	moves(&m, CT_SEND, 50, SOCK_A, 10);
	blocks(&m, 50, CT_W_POLL, SOCK_A);
	pass(&m, 6 * S);
	assert_told(&m, 1, CT_HANG_SERVICE, 50);
}

/* A server for IPv4 and IPv6 has its client's address as ::ffff:127.0.0.1. */
static void pairs_the_ends_of_two_versions(void **state)
{
	struct ct_object_blob c = { .h = { .kind = CT_OBJECT, .size = sizeof(c) },
				    .id = SOCK_A,
				    .family = 2,
				    .lport = 4000,
				    .rport = 80,
				    .laddr = { 127, 0, 0, 1 },
				    .raddr = { 127, 0, 0, 1 } },
			      s = { .h = c.h,
				    .id = SOCK_B,
				    .family = 10,
				    .lport = 80,
				    .rport = 4000,
				    .laddr = { [10] = 0xff, 0xff, 127, 0, 0, 1 },
				    .raddr = { [10] = 0xff, 0xff, 127, 0, 0, 1 } };
	MAKE(m);

	detect_blob(m.d, &c.h);
	detect_blob(m.d, &s.h);
	talks_over(&m, 30);
	stop(&m, 60);
	moves(&m, CT_SEND, 50, SOCK_A, 10);
	blocks(&m, 50, CT_W_READ, SOCK_A);
	pass(&m, 6 * S);
	assert_told(&m, 1, CT_HANG_SERVICE, 50);
}

static void knows_a_service_that_takes_its_time(void **state)
{
	MAKE(m);

	talks(&m, 30);
	blocks(&m, 60, CT_W_READ, SOCK_B);
	m.now += MS;
	wakes(&m, 60);
	moves(&m, CT_RECV, 60, SOCK_B, 10);
	m.now += MS;
	moves(&m, CT_SEND, 50, SOCK_A, 10);
	blocks(&m, 50, CT_W_READ, SOCK_A);
	blocks(&m, 60, CT_W_SLEEP, 0);
	pass(&m, 20 * S);
	assert_int_equal(m.n, 0);
}

static void tells_of_one_for_all_behind_it(void **state)
{
	MAKE(m);

	loop(&m);
	blocks(&m, 10, CT_W_EPOLL, EPOLL);
	task(&m, 70, "app2");
	lives(&m, 70, CT_W_EPOLL, EPOLL + 8, 110, 100);
	pass(&m, 100 * MS);
	wakes(&m, 10);
	locks(&m, 10, FUTEX(1), 11);
	m.now += MS;
	blocks(&m, 70, CT_W_EPOLL, EPOLL + 8);
	m.now += MS;
	wakes(&m, 70);
	locks(&m, 70, FUTEX(2), 10);
	pass(&m, 10 * S);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
	assert_int_equal(detect_stats(m.d).behind, 1);
}

static void found(struct make *m, uint32_t tid, uint8_t wait, uint64_t obj)
{
	const struct ct_iter_task it = {
		.task = { .h = { .ts = m->now, .kind = CT_TASK, .tid = tid }, .tgid = tid, .comm = "app" },
		.wait = { .state = CT_ST_SLEEP, .wait = wait, .obj = obj, .tid = tid, .nr = 1 },
	};

	detect_found(m->d, &it);
}

static void forgets_who_ended_unheard(void **state)
{
	struct detect_settings s;
	_cleanup_(make_done) struct make m;

	make_settings(&s);
	make_with(&m, &s, 3000);
	for (uint32_t tid = 1001; tid <= 4000; tid++)
		blocks(&m, tid, CT_W_READ, PIPE);
	blocks(&m, 5000, CT_W_READ, PIPE);
	assert_int_equal(detect_stats(m.d).tasks_refused, 1);
	pass(&m, S);
	/* detect_resync() removes each task that was not found and has no new record. Two tasks stay:
	 * 1004, because it is found, and 1002, because its record is as new as the resync. */
	found(&m, 1004, CT_W_READ, PIPE);
	blocks(&m, 1002, CT_W_READ, PIPE);
	detect_resync(m.d, m.now);
	pass(&m, 2 * S);
	assert_int_equal(detect_stats(m.d).tasks, 2);
	for (uint32_t tid = 6001; tid <= 8998; tid++)
		blocks(&m, tid, CT_W_READ, PIPE);
	assert_int_equal(detect_stats(m.d).tasks, 3000);
	assert_int_equal(detect_stats(m.d).tasks_refused, 1);
	pass(&m, S);
	found(&m, 1004, CT_W_READ, PIPE);
	detect_resync(m.d, m.now);
	pass(&m, 2 * S);
	assert_int_equal(detect_stats(m.d).tasks, 1);
	detect_resync(m.d, m.now);
	pass(&m, 2 * S);
	assert_int_equal(detect_stats(m.d).tasks, 0);
}

/* During a wait, the machine sleeps for an hour. The detector's tick comes before or after the end
 * of the wait. */
static void learns_no_patience_from_a_sleep(void **state)
{
	for (int tick = 0; tick < 2; tick++) {
		MAKE(m);

		loop(&m);
		blocks(&m, 10, CT_W_READ, PIPE);
		m.now += 3600 * S;
		if (tick)
			detect_tick(m.d, m.now);
		wakes(&m, 10);
		detect_tick(m.d, m.now);
		lives(&m, 10, CT_W_EPOLL, EPOLL, 2, 100);
		blocks(&m, 10, CT_W_READ, PIPE);
		pass(&m, 60 * S);
		assert_told(&m, 1, CT_HANG_LOOP, 10);
	}
}

/* A new task has the habits of an earlier task of the same name, until it has a history of its own. */
static void is_as_patient_as_its_name_for_a_while(void **state)
{
	MAKE(m);

	loop(&m);
	has_waited_there_for_long(&m);
	rec(&m, (struct ct_rec){ .kind = CT_EXIT, .tid = 10 });
	pass(&m, 2 * S);
	loop(&m);
	blocks(&m, 10, CT_W_READ, PIPE);
	pass(&m, 9 * S);
	assert_int_equal(m.n, 0);
	rec(&m, (struct ct_rec){ .kind = CT_EXIT, .tid = 10 });
	pass(&m, 2 * S);
	task(&m, 10, "app");
	lives(&m, 10, CT_W_EPOLL, EPOLL, 600, 100);
	blocks(&m, 10, CT_W_READ, PIPE);
	pass(&m, 9 * S);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
}

static void is_blind_after_a_loss(void **state)
{
	MAKE(m);

	loop(&m);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, S);
	rec(&m, (struct ct_rec){ .kind = CT_GAP, .state = CT_LOSS_RING_FULL, .flags = CT_GF_SIDE });
	assert_false(detect_is_blind(m.d));
	rec(&m, (struct ct_rec){ .kind = CT_GAP, .state = CT_LOSS_RING_FULL });
	assert_true(detect_is_blind(m.d));
	pass(&m, 10 * S);
	assert_int_equal(m.n, 0);
	found(&m, 10, CT_W_FUTEX, FUTEX(1));
	detect_resync(m.d, m.now);
	assert_false(detect_is_blind(m.d));
	pass(&m, 1900 * MS);
	assert_int_equal(m.n, 0);
	pass(&m, S);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
	assert_true(detect_stats(m.d).blind_ns >= 9 * S);
}

static void sees_stuck_disks_and_deadlocks_all_the_same(void **state)
{
	struct ct_rec disk = { .kind = CT_SWITCH, .tid = 30, .state = CT_ST_DISK, .wait = CT_W_READ };
	MAKE(m);

	task(&m, 30, "reads");
	rec(&m, disk);
	rec(&m, (struct ct_rec){ .kind = CT_GAP, .state = CT_LOSS_RING_FULL });
	pass(&m, 12 * S);
	assert_int_equal(m.n, 0);
	m.look = 0;
	m.seen.wait = (struct ct_rec){ .state = CT_ST_DISK, .wait = CT_W_READ };
	m.seen.sched_since = 100 * S;
	pass(&m, S);
	assert_told(&m, 1, CT_HANG_DISK, 30);

	make_done(&m);
	make_init(&m);
	task_of(&m, 40, 40, "knot", CT_TF_FOUND);
	task_of(&m, 41, 40, "knot", CT_TF_FOUND);
	locks(&m, 40, FUTEX(0), 41);
	locks(&m, 41, FUTEX(1), 40);
	rec(&m, (struct ct_rec){ .kind = CT_SHED, .state = CT_SHED_WAITS });
	m.look = 0;
	m.seen.wait = (struct ct_rec){ .state = CT_ST_SLEEP, .wait = CT_W_FUTEX };
	pass(&m, 3 * S);
	assert_told(&m, 1, CT_HANG_DEADLOCK, 40);
}

static void takes_a_long_silence_for_sleep(void **state)
{
	MAKE(m);

	loop(&m);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, S);
	m.now += 3600 * S;
	detect_tick(m.d, m.now);
	pass(&m, 1900 * MS);
	assert_int_equal(m.n, 0);
}

static void leaves_alone_whom_the_governor_caps(void **state)
{
	MAKE(m);

	loop(&m);
	rec(&m, (struct ct_rec){ .kind = CT_SHED, .flags = CT_GV_CAP, .tid = 10 });
	pass(&m, 9 * S);
	assert_int_equal(m.n, 0);
}

static void asks_the_kernel_first(void **state)
{
	MAKE(m);

	loop(&m);
	m.look = 0;
	m.seen = (struct ct_iter_task){ .task = { .h = { .ts = m.now + 10 * S, .tid = 10 } },
					.wait = { .state = CT_ST_SLEEP, .wait = CT_W_EPOLL, .obj = EPOLL } };
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 5 * S);
	assert_int_equal(m.n, 0);
	assert_int_equal(detect_stats(m.d).withdrawn, 1);

	make_done(&m);
	make_init(&m);
	loop(&m);
	m.look = -ESRCH;
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 5 * S);
	assert_int_equal(m.n, 0);

	make_done(&m);
	make_init(&m);
	loop(&m);
	m.look = 0;
	m.seen.wait = (struct ct_rec){ .state = CT_ST_SLEEP, .wait = CT_W_FUTEX };
	m.seen.sched_since = m.now;
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 5 * S);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
}

static void hears_of_one_task_through_two_rings(void **state)
{
	MAKE(m);

	task(&m, 10, "app");
	for (unsigned i = 0; i < 60; i++) {
		uint64_t began = m.now;

		lives(&m, 10, CT_W_EPOLL, EPOLL, 1, 100);
		m.now += 100 * MS;
		rec(&m, (struct ct_rec){ .ts = m.now, .kind = CT_SWITCH, .peer = 10 });
		rec(&m, (struct ct_rec){ .ts = m.now - 50 * MS,
					 .kind = CT_SWITCH,
					 .tid = 10,
					 .state = CT_ST_SLEEP,
					 .wait = CT_W_EPOLL,
					 .obj = EPOLL,
					 .nr = NR_EPOLL });
		assert_true(m.now > began);
	}
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 2500 * MS);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
}

static void begins_anew_with_another_program(void **state)
{
	MAKE(m);

	loop(&m);
	m.now += MS;
	task_of(&m, 10, 10, "next", CT_TF_EXEC);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 9 * S);
	assert_int_equal(m.n, 0);
	/* This record comes late: it is of a fork before the exec. */
	m.now -= 10 * S;
	task_of(&m, 10, 10, "app", CT_TF_FORK);
	m.now += 10 * S;
	wakes(&m, 10);
	lives(&m, 10, CT_W_EPOLL, EPOLL, 110, 100);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 9 * S);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
	assert_string_equal(m.hangs[0].comm, "next");
}

static void remembers_what_others_of_that_name_did(void **state)
{
	MAKE(m);

	loop(&m);
	m.now += 1400 * MS;
	detect_tick(m.d, m.now);
	lives(&m, 10, CT_W_EPOLL, EPOLL, 1, 100);
	rec(&m, (struct ct_rec){ .kind = CT_EXIT, .tid = 10 });
	pass(&m, 2 * S);
	assert_int_equal(detect_stats(m.d).tasks, 0);
	loop(&m);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 4 * S);
	assert_int_equal(m.n, 0);
	pass(&m, S);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
}

static void cgroup_blob(struct make *m, uint32_t id)
{
	union {
		char room[sizeof(struct ct_object_blob) + 16];
		struct ct_object_blob o;
	} b = { 0 };

	b.o = (struct ct_object_blob){ .h = { .kind = CT_OBJECT, .size = sizeof(b) },
				       .id = CT_OBJ_ID(CT_OBJ_CGROUP, id),
				       .name_len = 9 };
	memcpy(b.o.name, "/batch/xy", 9);
	detect_blob(m->d, &b.o.h);
}

static void has_other_limits_for_some(void **state)
{
	struct detect_settings s;
	_cleanup_(make_done) struct make m;
	make_settings(&s);
	s.n_overrides = 2;
	s.overrides[0] = (struct detect_override){ .match = "app*", .set = 1 << CT_HANG_LOOP };
	s.overrides[0].limits.after_ns[CT_HANG_LOOP] = 4 * S;
	s.overrides[1] = (struct detect_override){ .is_cgroup = true, .match = "/batch/*", .set = ~0u };
	make_with(&m, &s, 0);
	loop_with(&m, "apple");
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 3900 * MS);
	assert_int_equal(m.n, 0);
	pass(&m, S);
	assert_told(&m, 1, CT_HANG_LOOP, 10);
	make_done(&m);
	make_with(&m, &s, 0);
	for (uint32_t i = 0; i < 70000; i++)
		cgroup_blob(&m, 100000 + i);
	cgroup_blob(&m, 4242);
	loop_with(&m, "other");
	for (uint32_t i = 0; i < 70000; i++)
		cgroup_blob(&m, 200000 + i);
	locks(&m, 10, FUTEX(1), 11);
	pass(&m, 9 * S);
	assert_int_equal(m.n, 0);
}

static void is_bounded(void **state)
{
	struct detect_settings s;
	_cleanup_(make_done) struct make m;

	make_settings(&s);
	make_with(&m, &s, 1000);
	for (uint32_t tid = 1; tid <= 3000; tid++)
		blocks(&m, tid, CT_W_EPOLL, EPOLL);
	assert_int_equal(detect_stats(m.d).tasks, 1000);
	assert_int_equal(detect_stats(m.d).tasks_refused, 2000);
	for (uint32_t tid = 1; tid <= 1000; tid++)
		rec(&m, (struct ct_rec){ .kind = CT_EXIT, .tid = tid });
	pass(&m, 2 * S);
	assert_int_equal(detect_stats(m.d).tasks, 0);
	for (uint32_t tid = 70000; tid < 71000; tid++)
		blocks(&m, tid, CT_W_EPOLL, EPOLL);
	assert_int_equal(detect_stats(m.d).tasks, 1000);
	for (unsigned i = 0; i < 100000; i++)
		moves(&m, CT_SEND, 70000, CT_OBJ_ID(CT_OBJ_SOCK, i), 1);
}

static void says_nothing_of_itself(void **state)
{
	MAKE(m);

	task(&m, 9, "daemon");
	lives(&m, 9, CT_W_EPOLL, EPOLL, 110, 100);
	locks(&m, 9, FUTEX(1), 11);
	pass(&m, 9 * S);
	assert_int_equal(m.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notices_a_blocked_loop),
		cmocka_unit_test(leaves_those_alone_that_it_does_not_know),
		cmocka_unit_test(asks_how_long_it_was_away_before),
		cmocka_unit_test(does_not_count_the_time_in_a_queue),
		cmocka_unit_test(knows_waits_that_are_no_hang),
		cmocka_unit_test(knows_waits_that_are),
		cmocka_unit_test(notices_a_worker_behind_a_lock_only),
		cmocka_unit_test(notices_one_that_sleeps_again_and_again),
		cmocka_unit_test(notices_a_busy_loop),
		cmocka_unit_test(tells_a_busy_loop_from_one_that_comes_round),
		cmocka_unit_test(notices_who_gets_no_cpu),
		cmocka_unit_test(notices_a_stuck_disk),
		cmocka_unit_test(notices_a_deadlock_once),
		cmocka_unit_test(notices_a_deadlock_after_a_late_exec),
		cmocka_unit_test(knows_what_is_no_deadlock),
		cmocka_unit_test(notices_a_deadlock_of_before),
		cmocka_unit_test(knows_the_name_whose_record_was_lost),
		cmocka_unit_test(notices_one_that_waits_for_itself),
		cmocka_unit_test(notices_a_service_that_does_not_read),
		cmocka_unit_test(leaves_alone_a_service_that_the_governor_caps),
		cmocka_unit_test(counts_what_is_unread_from_when_it_can),
		cmocka_unit_test(pairs_the_ends_of_two_versions),
		cmocka_unit_test(knows_a_service_that_takes_its_time),
		cmocka_unit_test(tells_of_one_for_all_behind_it),
		cmocka_unit_test(forgets_who_ended_unheard),
		cmocka_unit_test(learns_no_patience_from_a_sleep),
		cmocka_unit_test(is_as_patient_as_its_name_for_a_while),
		cmocka_unit_test(is_blind_after_a_loss),
		cmocka_unit_test(sees_stuck_disks_and_deadlocks_all_the_same),
		cmocka_unit_test(takes_a_long_silence_for_sleep),
		cmocka_unit_test(leaves_alone_whom_the_governor_caps),
		cmocka_unit_test(asks_the_kernel_first),
		cmocka_unit_test(hears_of_one_task_through_two_rings),
		cmocka_unit_test(begins_anew_with_another_program),
		cmocka_unit_test(remembers_what_others_of_that_name_did),
		cmocka_unit_test(has_other_limits_for_some),
		cmocka_unit_test(is_bounded),
		cmocka_unit_test(says_nothing_of_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
