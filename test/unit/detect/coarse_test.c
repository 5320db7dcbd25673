/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In a coarse stretch, no CT_SWITCH is recorded. Instead, each CT_FOUND says what a task does. */
#include "test/unit/detect/detect_make.h"

#include <errno.h>

#define FUTEX(n) CT_OBJ_FUTEX_ID(40, 0x7f0000000000ULL + (n)*64)

static const struct ct_rec nothing;

static void loop_in_stretch(struct make *m)
{
	task(m, 10, "app");
	lives(m, 10, CT_W_EPOLL, EPOLL, 80, 100);
	step(m, CT_SHED_COARSE);
}

static void readings(struct make *m, unsigned n, uint32_t tid, enum ct_found what, struct ct_rec r,
		     uint64_t since_ns)
{
	for (unsigned i = 0; i < n; i++) {
		found_as(m, tid, what, r, what == CT_FOUND_FOLDED ? m->now : since_ns);
		pass(m, S);
	}
}

static void assert_told(const struct make *m, enum ct_hang rule, uint32_t tid, uint64_t since_ns)
{
	assert_int_equal(m->n, 1);
	assert_int_equal(m->hangs[0].rule, rule);
	assert_int_equal(m->hangs[0].tid, tid);
	assert_int_equal(m->hangs[0].since_ns, since_ns);
}

static void is_silent_about_folded_tasks(void **state)
{
	MAKE(m);

	loop_in_stretch(&m);
	readings(&m, 60, 10, CT_FOUND_FOLDED, nothing, 0);
	found_as(&m, 10, CT_FOUND_BLOCKED,
		 (struct ct_rec){ .state = CT_ST_SLEEP, .wait = CT_W_EPOLL, .obj = EPOLL, .nr = NR_EPOLL },
		 m.now - 10 * MS);
	pass(&m, 60 * S);
	assert_int_equal(m.n, 0);
}

static void notices_a_loop_that_waits(void **state)
{
	const struct ct_rec wait = { .state = CT_ST_SLEEP, .wait = CT_W_FLOCK, .obj = PIPE, .nr = 73 };
	uint64_t since;
	MAKE(m);

	loop_in_stretch(&m);
	readings(&m, 3, 10, CT_FOUND_FOLDED, nothing, 0);
	since = m.now - 100 * MS;
	readings(&m, 20, 10, CT_FOUND_BLOCKED, wait, since);
	assert_told(&m, CT_HANG_LOOP, 10, since);

	found_as(&m, 10, CT_FOUND_WAITED, wait, since);
	rec(&m, (struct ct_rec){ .kind = CT_WAKE, .tid = 10 });
	readings(&m, 20, 10, CT_FOUND_FOLDED, nothing, 0);
	found_as(&m, 10, CT_FOUND_WAITED, wait, m.now - 20 * MS);
	rec(&m, (struct ct_rec){ .kind = CT_WAKE, .tid = 10 });
	pass(&m, 60 * S);
	assert_int_equal(m.n, 1);
}

static void goes_on_with_a_wait_of_before(void **state)
{
	uint64_t since;
	MAKE(m);

	task(&m, 10, "app");
	lives(&m, 10, CT_W_EPOLL, EPOLL, 80, 100);
	since = m.now;
	blocks(&m, 10, CT_W_FLOCK, PIPE);
	m.now += 100 * MS;
	step(&m, CT_SHED_COARSE);
	pass(&m, 20 * S);
	assert_told(&m, CT_HANG_LOOP, 10, since);
}

static void notices_a_stuck_disk(void **state)
{
	uint64_t since;
	MAKE(m);

	loop_in_stretch(&m);
	task(&m, 30, "reads");
	since = m.now - 500 * MS;
	found_as(&m, 30, CT_FOUND_BLOCKED, (struct ct_rec){ .state = CT_ST_DISK, .wait = CT_W_READ }, since);
	found_as(&m, 32, CT_FOUND_BLOCKED,
		 (struct ct_rec){ .state = CT_ST_DISK, .wait = CT_W_READ, .flags = CT_SF_KTHREAD }, since);
	pass(&m, 30 * S);
	assert_told(&m, CT_HANG_DISK, 30, since);
}

/* The order of the records: the owner of task 40's futex, the states of both tasks, the owner of task
 * 41's futex. */
static void notices_a_deadlock(void **state)
{
	uint64_t since;
	MAKE(m);

	loop_in_stretch(&m);
	task_of(&m, 40, 40, "knot", CT_TF_FOUND);
	task_of(&m, 41, 40, "knot", CT_TF_FOUND);
	since = m.now;
	m.now += 400 * MS;
	rec(&m, (struct ct_rec){ .kind = CT_FUTEX, .tid = 40, .peer = 41, .obj = FUTEX(0) });
	m.now += 100 * MS;
	for (uint32_t tid = 40; tid < 42; tid++)
		found_as(
			&m, tid, CT_FOUND_BLOCKED,
			(struct ct_rec){
				.state = CT_ST_SLEEP, .wait = CT_W_FUTEX, .obj = FUTEX(tid - 40), .nr = 202 },
			since);
	m.now += 100 * MS;
	rec(&m, (struct ct_rec){ .kind = CT_FUTEX, .tid = 41, .peer = 40, .obj = FUTEX(1) });
	pass(&m, 9 * S);
	assert_told(&m, CT_HANG_DEADLOCK, 40, since);
}

static void notices_a_starved_task(void **state)
{
	uint64_t since;
	MAKE(m);

	loop_in_stretch(&m);
	readings(&m, 1, 10, CT_FOUND_FOLDED, nothing, 0);
	since = m.now - 50 * MS;
	readings(&m, 20, 10, CT_FOUND_QUEUED, nothing, since);
	assert_told(&m, CT_HANG_STARVED, 10, since);

	/* a late record of a wake-up does not make a task starved */
	readings(&m, 1, 10, CT_FOUND_FOLDED, nothing, 0);
	rec(&m, (struct ct_rec){ .kind = CT_WAKE, .tid = 10 });
	task(&m, 11, "new");
	rec(&m, (struct ct_rec){ .kind = CT_WAKE_NEW, .tid = 11, .peer = 10 });
	pass(&m, 60 * S);
	assert_int_equal(m.n, 1);
}

/* A CT_SWITCH that comes in a coarse stretch does not count, because it can only be a late record of an
 * earlier switch. */
static void goes_back_to_switches(void **state)
{
	uint64_t since;
	MAKE(m);

	loop_in_stretch(&m);
	m.now += MS;
	blocks(&m, 10, CT_W_FLOCK, PIPE);
	pass(&m, 30 * S);
	assert_int_equal(m.n, 0);
	since = m.now - 3 * MS;
	step(&m, CT_SHED_NONE);
	/* This CT_FOUND counts, although the coarse stretch is over: the detector has no later record of
	 * the task yet. */
	m.now += 5 * MS;
	found_as(&m, 10, CT_FOUND_BLOCKED,
		 (struct ct_rec){ .state = CT_ST_SLEEP, .wait = CT_W_FLOCK, .obj = PIPE, .nr = 73 }, since);
	pass(&m, 20 * S);
	assert_told(&m, CT_HANG_LOOP, 10, since);
	wakes(&m, 10);
	lives(&m, 10, CT_W_EPOLL, EPOLL, 3, 100);
	/* This CT_FOUND does not count: the coarse stretch is over, and the detector knows the state of the
	 * task from later records. */
	found_as(&m, 10, CT_FOUND_BLOCKED,
		 (struct ct_rec){ .state = CT_ST_DISK, .wait = CT_W_READ, .obj = PIPE, .nr = 73 }, since);
	blocks(&m, 10, CT_W_EPOLL, EPOLL);
	pass(&m, 60 * S);
	assert_int_equal(m.n, 1);
}

static void server_in_step(struct make *m, enum ct_shed step_now, uint8_t wait, uint64_t obj)
{
	struct ct_rec away = { .state = CT_ST_SLEEP, .wait = wait, .obj = obj, .nr = 1 };
	struct ct_rec asks = { .state = CT_ST_SLEEP, .wait = CT_W_READ, .obj = SOCK_A, .nr = 1 };

	pair(m, SOCK_A, SOCK_B);
	talk(m, 50, SOCK_A, 60, SOCK_B, 30);
	step(m, step_now);
	m->now += 100 * MS;
	if (step_now == CT_SHED_HOOKS) {
		blocks(m, 60, wait, obj);
		blocks(m, 50, CT_W_READ, SOCK_A);
		return;
	}
	found_as(m, 60, CT_FOUND_BLOCKED, away, m->now - 50 * MS);
	found_as(m, 50, CT_FOUND_BLOCKED, asks, m->now - 20 * MS);
}

/* No record shows that the request is unread, so the detector asks the kernel. */
static void notices_a_server_that_does_not_read(void **state)
{
	static const enum ct_shed steps[] = { CT_SHED_HOOKS, CT_SHED_COARSE, CT_SHED_PAUSES };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		MAKE(m);

		m.unread = 1;
		server_in_step(&m, steps[i], CT_W_STOPPED, 0);
		pass(&m, 5 * S);
		assert_int_equal(m.asked, 1);
		assert_int_equal(m.n, 0);
		pass(&m, S);
		assert_int_equal(m.asked, 2);
		assert_int_equal(m.n, 1);
		assert_int_equal(m.hangs[0].rule, CT_HANG_SERVICE);
		assert_int_equal(m.hangs[0].tid, 50);
		assert_int_equal(m.hangs[0].peer, 60);
		pass(&m, 60 * S);
		assert_int_equal(m.n, 1);
	}
}

static void leaves_alone_a_server_that_may_have_read(void **state)
{
	struct ct_rec away = { .state = CT_ST_STOPPED, .wait = CT_W_STOPPED, .nr = 1 };

	/* first no bytes are unread, then the kernel does not know the socket */
	for (int unread = 0; unread >= -ENOENT; unread -= ENOENT) {
		MAKE(m);

		m.unread = unread;
		server_in_step(&m, CT_SHED_COARSE, CT_W_STOPPED, 0);
		pass(&m, 60 * S);
		assert_in_range(m.asked, 10, 30);
		assert_int_equal(m.n, 0);
	}
	/* The kernel cannot answer at first, so the detector asks again. */
	{
		MAKE(m);

		m.unread = -EBUSY;
		server_in_step(&m, CT_SHED_COARSE, CT_W_STOPPED, 0);
		pass(&m, 10 * S);
		assert_true(m.asked > 20);
		m.unread = 1;
		pass(&m, 2 * S);
		assert_int_equal(m.n, 0);
		pass(&m, S);
		assert_int_equal(m.n, 1);
	}
	{
		MAKE(m);

		m.unread = 1;
		server_in_step(&m, CT_SHED_COARSE, CT_W_READ, SOCK_B);
		pass(&m, 60 * S);
		assert_int_equal(m.asked, 0);
		assert_int_equal(m.n, 0);
	}
	/* the server is in another wait each time, so it may have read the request */
	{
		MAKE(m);

		m.unread = 1;
		server_in_step(&m, CT_SHED_COARSE, CT_W_STOPPED, 0);
		for (unsigned i = 0; i < 20; i++) {
			pass(&m, 2 * S);
			found_as(&m, 60, CT_FOUND_BLOCKED, away, m.now - 10 * MS);
		}
		assert_true(m.asked > 1);
		assert_int_equal(m.n, 0);
		pass(&m, 6 * S);
		assert_int_equal(m.n, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_silent_about_folded_tasks),
		cmocka_unit_test(notices_a_loop_that_waits),
		cmocka_unit_test(goes_on_with_a_wait_of_before),
		cmocka_unit_test(notices_a_stuck_disk),
		cmocka_unit_test(notices_a_server_that_does_not_read),
		cmocka_unit_test(leaves_alone_a_server_that_may_have_read),
		cmocka_unit_test(notices_a_deadlock),
		cmocka_unit_test(notices_a_starved_task),
		cmocka_unit_test(goes_back_to_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
