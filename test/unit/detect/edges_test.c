/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests numbers of detect/thresholds.h: each with a value below and a value above it. If a number
 * is changed, a test here fails. */
#include "test/unit/detect/detect_make.h"

#define FUTEX(n) CT_OBJ_FUTEX_ID(10, 0x7f0000000000ULL + (n)*64)

static void loop(struct make *m, unsigned n)
{
	task(m, 10, "app");
	lives(m, 10, CT_W_EPOLL, EPOLL, n, 100);
}

static void waits_for_disk(struct make *m, uint32_t tid)
{
	rec(m, (struct ct_rec){ .kind = CT_SWITCH, .tid = tid, .state = CT_ST_DISK, .wait = CT_W_READ });
}

static void is_preempted(struct make *m, uint32_t tid, uint8_t prio)
{
	rec(m,
	    (struct ct_rec){
		    .kind = CT_SWITCH, .tid = tid, .flags = CT_SF_PREEMPT, .nr = CT_NR_NONE, .aux = prio });
}

static void assert_within(struct make *m, uint64_t ns, unsigned n)
{
	pass(m, ns);
	assert_int_equal(m->n, n);
}

static void quiet(void **state)
{
	MAKE(m);

	/* Within 30 s after a report, no other starved task is reported. */
	for (uint32_t tid = 20; tid < 23; tid++) {
		task(&m, tid, tid == 20 ? "a" : tid == 21 ? "b" : "c");
		runs(&m, tid);
	}
	pass(&m, 5 * S);
	is_preempted(&m, 20, 120);
	assert_within(&m, 2 * S, 1);
	pass(&m, 27 * S);
	is_preempted(&m, 21, 120);
	assert_within(&m, 2 * S, 1);
	pass(&m, S);
	is_preempted(&m, 22, 120);
	assert_within(&m, 2250 * MS, 2);
}

static void cap(void **state)
{
	struct detect_settings s;
	_cleanup_(make_done) struct make m;

	make_settings(&s);
	s.limits.after_ns[CT_HANG_DISK] = 2 * S;
	make_with(&m, &s, 0);
	task(&m, 10, "app");
	rec(&m, (struct ct_rec){ .kind = CT_SHED, .flags = CT_GV_CAP, .tid = 10 });
	waits_for_disk(&m, 10);
	assert_within(&m, 9500 * MS, 0);
	assert_within(&m, S, 1);
}

static void low_priority(void **state)
{
	for (uint8_t prio = 129; prio <= 130; prio++) {
		MAKE(m);

		task(&m, 20, "nice");
		runs(&m, 20);
		pass(&m, 5 * S);
		is_preempted(&m, 20, prio);
		assert_within(&m, 10 * S, prio < 130);
	}
}

/* Task 10 runs for on_ms of every 100 ms, without a wait. The task is preempted after each run. If
 * on_ms is 100, it is preempted only `looks` times. */
static void is_busy(struct make *m, unsigned on_ms, unsigned looks, uint64_t ns)
{
	for (uint64_t end = m->now + ns; m->now < end;) {
		pass(m, on_ms * MS);
		if (on_ms == 100 && !looks)
			continue;
		looks -= looks > 0;
		is_preempted(m, 10, 120);
		pass(m, (100 - on_ms) * MS);
		runs(m, 10);
	}
}

static void busy(void **state)
{
	static const struct {
		unsigned rounds, on_ms, looks;
		uint64_t ns;
		unsigned n;
	} rows[] = {
		{ 101, 100, 3, 3000 * MS, 1 }, { 99, 100, 3, 3000 * MS, 0 },  { 101, 100, 2, 3000 * MS, 0 },
		{ 101, 40, 99, 3800 * MS, 0 }, { 101, 40, 99, 4200 * MS, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		MAKE(m);

		loop(&m, rows[i].rounds);
		is_busy(&m, rows[i].on_ms, rows[i].looks, rows[i].ns);
		assert_int_equal(m.n, rows[i].n);
	}
}

/* The task worked for 200 ms before. A run 20 times as long (4 s) is a hang. */
static void times_busy(void **state)
{
	MAKE(m);

	loop(&m, 60);
	pass(&m, 195 * MS);
	lives(&m, 10, CT_W_EPOLL, EPOLL, 60, 100);
	is_busy(&m, 100, 9, 3700 * MS);
	assert_int_equal(m.n, 0);
	is_busy(&m, 100, 9, 600 * MS);
	assert_int_equal(m.n, 1);
}

/* The task was in a CPU's queue for 1 s before. Four times as long (4 s) is a hang. */
static void times_starved(void **state)
{
	MAKE(m);

	task(&m, 20, "a");
	runs(&m, 20);
	is_preempted(&m, 20, 120);
	pass(&m, S);
	runs(&m, 20);
	pass(&m, 5 * S);
	is_preempted(&m, 20, 120);
	assert_within(&m, 3900 * MS, 0);
	assert_within(&m, 300 * MS, 1);
}

static void starved_when_known(void **state)
{
	struct detect_settings s;
	_cleanup_(make_done) struct make m;

	make_settings(&s);
	s.learn_ns = 60 * S;
	make_with(&m, &s, 0);
	task(&m, 20, "a");
	runs(&m, 20);
	is_preempted(&m, 20, 120);
	assert_within(&m, 5750 * MS, 0);
	assert_within(&m, 500 * MS, 1);
}

/* After a first wait of 1 s or more (1010 ms), the limit is four times this wait. After a shorter
 * one (990 ms), the limit is the setting, 2 s. */
static void times_disk(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct detect_settings s;
		_cleanup_(make_done) struct make m;

		make_settings(&s);
		s.limits.after_ns[CT_HANG_DISK] = 2 * S;
		make_with(&m, &s, 0);
		task(&m, 10, "app");
		waits_for_disk(&m, 10);
		pass(&m, i ? 1010 * MS : 990 * MS);
		wakes(&m, 10);
		waits_for_disk(&m, 10);
		assert_within(&m, 3900 * MS, !i);
		assert_within(&m, 500 * MS, 1);
	}
}

static void returns(void **state)
{
	for (unsigned n = 20; n <= 21; n++) {
		MAKE(m);

		task(&m, 10, "app");
		lives(&m, 10, CT_W_EPOLL, EPOLL, n, 1000);
		locks(&m, 10, FUTEX(1), 11);
		assert_within(&m, 10 * S, n == 21);
	}
}

/* After three reports about the same wait, the detector takes it for normal, and no longer reports it. */
static void told(void **state)
{
	MAKE(m);

	loop(&m, 60);
	for (unsigned i = 1; i <= 3; i++) {
		blocks(&m, 10, CT_W_READ, PIPE);
		assert_within(&m, 40 * S, i);
		wakes(&m, 10);
		lives(&m, 10, CT_W_EPOLL, EPOLL, 3, 100);
	}
	blocks(&m, 10, CT_W_READ, PIPE);
	assert_within(&m, 600 * S, 3);
}

static void patient(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		struct detect_settings s;
		_cleanup_(make_done) struct make m;

		make_settings(&s);
		for (unsigned rule = 0; rule < CT_HANG_RULES; rule++)
			s.limits.after_ns[rule] = i < 2 ? 1 * S : 8 * S;
		make_with(&m, &s, 0);
		loop(&m, 60);
		blocks(&m, 10, CT_W_READ, PIPE);
		pass(&m, (i < 2 ? 245 : 495) * MS + i % 2 * 10 * MS);
		wakes(&m, 10);
		lives(&m, 10, CT_W_EPOLL, EPOLL, 60, 100);
		blocks(&m, 10, CT_W_READ, PIPE);
		assert_within(&m, 30 * S, !(i % 2));
	}
}

static void gap(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		MAKE(m);

		loop(&m, 60);
		pass(&m, 250 * MS);
		locks(&m, 10, FUTEX(1), 11);
		m.now += i ? 1500 * MS : 1490 * MS;
		detect_tick(m.d, m.now);
		assert_within(&m, 750 * MS, !i);
	}
}

static void dead(void **state)
{
	MAKE(m);

	task(&m, 10, "app");
	rec(&m, (struct ct_rec){ .kind = CT_EXIT, .tid = 10 });
	pass(&m, 990 * MS);
	assert_int_equal(detect_stats(m.d).tasks, 1);
	pass(&m, 250 * MS);
	assert_int_equal(detect_stats(m.d).tasks, 0);
}

static void futex_early(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		MAKE(m);

		loop(&m, 60);
		rec(&m, (struct ct_rec){ .kind = CT_FUTEX, .tid = 10, .peer = 11, .obj = FUTEX(1) });
		m.now += i ? 1010000 : 990000;
		blocks(&m, 10, CT_W_FUTEX, FUTEX(1));
		pass(&m, 3 * S);
		assert_int_equal(m.n, 1);
		assert_int_equal(m.hangs[0].peer, i ? 0 : 11);
	}
}

/* The kernel shows a wait that began 0.99 or 1.01 s after the recorded begin. If the difference is
 * at most 1 s, it is the same wait, and the recorded begin counts. */
static void adopt_slack(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		struct ct_iter_task it;
		MAKE(m);

		loop(&m, 60);
		it = (struct ct_iter_task){
			.task = { .h = { .kind = CT_TASK, .tid = 10 }, .tgid = 10, .comm = "app" },
			.wait = { .state = CT_ST_SLEEP, .wait = CT_W_READ, .obj = PIPE, .tid = 10, .nr = 1 },
			.sched_since = m.now + (i ? 1010 : 990) * MS
		};
		blocks(&m, 10, CT_W_READ, PIPE);
		pass(&m, 1100 * MS);
		it.task.h.ts = m.now;
		detect_found(m.d, &it);
		assert_within(&m, 1150 * MS, !i);
	}
}

/* A CT_FOUND says since when a task waits. If this is at most 1 ms after the recorded start of the wait, both
 * belong to one wait, and the recorded start counts. Otherwise the CT_FOUND belongs to a new wait. */
static void coarse_slack(void **state)
{
	static const uint64_t later_ns[] = { 900000, 1500000 };

	for (size_t i = 0; i < ARRAY_SIZE(later_ns); i++) {
		struct ct_rec disk = { .state = CT_ST_DISK, .wait = CT_W_READ };
		MAKE(m);
		uint64_t since = m.now;

		task(&m, 10, "app");
		waits_for_disk(&m, 10);
		step(&m, CT_SHED_COARSE);
		m.now += 10 * MS;
		found_as(&m, 10, CT_FOUND_BLOCKED, disk, since + later_ns[i]);
		assert_within(&m, 11 * S, 1);
		assert_int_equal(m.hangs[0].since_ns, since + (i ? later_ns[i] : 0));
	}
}

/* The epoll and the futex get votes for the idle point (VOTES_MAX in detect/thresholds.h). In each
 * pass of the inner loop, the epoll gets VOTES_LOOP votes, and the futex gets 15 or 20 votes. With
 * 20 votes, the futex becomes the idle point, so no hang is reported. */
static void votes_loop(void **state)
{
	for (unsigned others = 15; others <= 20; others += 5) {
		MAKE(m);

		task(&m, 10, "app");
		for (unsigned i = 0; i < 60; i++) {
			lives(&m, 10, CT_W_EPOLL, EPOLL, 1, 100);
			lives(&m, 10, CT_W_FUTEX, FUTEX(7), others, 1);
		}
		locks(&m, 10, FUTEX(1), 11);
		assert_within(&m, 10 * S, others == 15);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet),
		cmocka_unit_test(cap),
		cmocka_unit_test(low_priority),
		cmocka_unit_test(busy),
		cmocka_unit_test(times_busy),
		cmocka_unit_test(times_starved),
		cmocka_unit_test(starved_when_known),
		cmocka_unit_test(times_disk),
		cmocka_unit_test(returns),
		cmocka_unit_test(told),
		cmocka_unit_test(patient),
		cmocka_unit_test(gap),
		cmocka_unit_test(dead),
		cmocka_unit_test(futex_early),
		cmocka_unit_test(adopt_slack),
		cmocka_unit_test(coarse_slack),
		cmocka_unit_test(votes_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
