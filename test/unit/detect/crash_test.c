// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/unit/detect/detect_make.h"

#include "detect/thresholds.h"

#define SEGV 11
#define KILL 9

static void fatal(struct make *m, uint32_t tid, uint8_t signal)
{
	rec(m, (struct ct_rec){ .kind = CT_SIGDELIVER, .tid = tid, .state = signal, .flags = CT_GF_FATAL });
}

static void ends(struct make *m, uint32_t tid, uint32_t tgid, uint32_t status, bool last)
{
	rec(m, (struct ct_rec){ .kind = CT_EXIT,
				.tid = tid,
				.peer = status,
				.obj = tgid,
				.flags = last ? CT_LF_GROUP_DEAD : 0 });
}

/* Of the threads of a process, only the one with the first fatal signal crashed. */
static void reported(void **state)
{
	MAKE(m);

	task_of(&m, 10, 10, "shopd", CT_TF_FOUND);
	task_of(&m, 11, 10, "worker", CT_TF_FOUND);
	m.now += MS;
	fatal(&m, 11, SEGV);
	fatal(&m, 10, KILL);
	ends(&m, 10, 10, SEGV, false);
	ends(&m, 11, 10, SEGV | 0x80, true);
	assert_int_equal(m.n, 0); /* only a tick reports */
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].rule, CT_HANG_CRASH);
	assert_int_equal(m.hangs[0].tid, 11);
	assert_int_equal(m.hangs[0].tgid, 10);
	assert_string_equal(m.hangs[0].comm, "worker");
	assert_int_equal(m.hangs[0].since_ns, 100 * S + MS);
	assert_true(m.hangs[0].found_ns >= m.hangs[0].since_ns);
	assert_int_equal(detect_stats(m.d).found[CT_HANG_CRASH], 1);
}

static void no_crash(void **state)
{
	MAKE(m);

	task(&m, 10, "handles");
	task(&m, 20, "killed");
	task(&m, 30, "fails");
	task_of(&m, 9, 9, "ctraced", CT_TF_FOUND);
	rec(&m, (struct ct_rec){ .kind = CT_SIGDELIVER, .tid = 10, .state = SEGV }); /* has a handler */
	fatal(&m, 20, KILL);
	ends(&m, 20, 20, KILL, true);
	ends(&m, 30, 30, 1 << 8, true);
	fatal(&m, 9, SEGV); /* the daemon itself */
	pass(&m, S);
	assert_int_equal(m.n, 0);
}

/* The record of the signal is missing. */
static void only_the_end(void **state)
{
	MAKE(m);

	task(&m, 10, "app");
	ends(&m, 10, 10, 6, true);
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].tid, 10);
}

/* The record that names the task comes later, through the ring of another CPU. */
static void named_late(void **state)
{
	MAKE(m);

	m.now += MS;
	rec(&m, (struct ct_rec){ .kind = CT_SWITCH, .peer = 11, .nr = CT_NR_NONE });
	fatal(&m, 11, SEGV);
	ends(&m, 11, 10, SEGV, true);
	m.now -= MS;
	task_of(&m, 11, 10, "worker", CT_TF_FOUND);
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_string_equal(m.hangs[0].comm, "worker");
}

/* The end comes first, through the ring of one CPU. Then the name and the signal come through another one. */
static void ended_before_named(void **state)
{
	uint64_t start;
	MAKE(m);

	start = m.now;
	rec(&m, (struct ct_rec){ .kind = CT_SWITCH, .peer = 11, .nr = CT_NR_NONE });
	rec(&m, (struct ct_rec){ .kind = CT_SWITCH, .peer = 12, .nr = CT_NR_NONE });
	m.now = start + 2 * MS;
	if (*state) /* the name, too, comes through the ring of the end */
		task_of(&m, 11, 10, "worker", 0);
	m.now = start + 4 * MS;
	ends(&m, 11, 10, SEGV, false);
	ends(&m, 12, 10, SEGV, true);
	m.now = start + 5 * MS; /* the task is not at its end: it closes its files */
	rec(&m, (struct ct_rec){ .kind = CT_SWITCH, .tid = 11, .flags = CT_SF_PREEMPT, .nr = CT_NR_NONE });
	m.now = start + 6 * MS;
	rec(&m, (struct ct_rec){ .kind = CT_SWITCH, .tid = 11, .state = CT_ST_DEAD, .nr = CT_NR_NONE });
	m.now = start + MS;
	task_of(&m, 11, 10, "shopd", CT_TF_FORK);
	task_of(&m, 12, 10, "other", CT_TF_FORK);
	m.now = start + 2 * MS;
	if (!*state)
		task_of(&m, 11, 10, "worker", 0);
	m.now = start + 3 * MS;
	fatal(&m, 11, SEGV);
	m.now = start + 6 * MS;
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].tid, 11);
	assert_string_equal(m.hangs[0].comm, "worker");
}

static void named_after_a_tick(void **state)
{
	uint64_t start, tick;
	MAKE(m);

	start = m.now;
	m.now += MS;
	fatal(&m, 11, SEGV);
	ends(&m, 11, 10, SEGV, true);
	pass(&m, 250 * MS);
	assert_int_equal(m.n, 0);
	tick = m.now;
	m.now = start;
	task_of(&m, 11, 10, "worker", CT_TF_FOUND);
	m.now = tick;
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].tgid, 10);
	assert_string_equal(m.hangs[0].comm, "worker");
}

static void pid_again(void **state)
{
	MAKE(m);

	task(&m, 10, "app");
	for (unsigned i = 0; i < 3; i++) {
		fatal(&m, 10, SEGV);
		ends(&m, 10, 10, SEGV, true);
		pass(&m, 2 * S);
		task_of(&m, 10, 10, "app", CT_TF_FORK);
		assert_int_equal(m.n, i + 1);
	}
}

/* Two processes with the same pid crash within CRASH_SAME_NS. These are two crashes, because the end of the
 * first process is recorded. */
static void pid_again_at_once(void **state)
{
	MAKE(m);

	for (unsigned i = 0; i < 2; i++) {
		task_of(&m, 10, 10, "app", i ? CT_TF_FORK : CT_TF_FOUND);
		task_of(&m, 11, 10, "worker", CT_TF_FORK);
		m.now += MS;
		fatal(&m, 11, SEGV);
		fatal(&m, 10, SEGV);
		m.now += MS;
		ends(&m, 11, 10, SEGV, true);
		ends(&m, 10, 10, SEGV, true);
		m.now += MS;
	}
	pass(&m, S);
	assert_int_equal(m.n, 2);
}

static void crash_storm(void **state)
{
	MAKE(m);

	for (uint32_t tid = 1000; tid < 1020; tid++) {
		task(&m, tid, "app");
		fatal(&m, tid, SEGV);
		ends(&m, tid, tid, SEGV, true);
	}
	pass(&m, S);
	assert_int_equal(m.n, CRASHES_PER_TICK);
	assert_int_equal(detect_stats(m.d).crashes_refused, 20 - CRASHES_PER_TICK);
}

static void off(void **state)
{
	struct detect_settings s;
	struct make m;

	make_settings(&s);
	s.overrides[0] = (struct detect_override){ .match = "fuzz*", .set = 1u << CT_HANG_CRASH };
	s.n_overrides = 1;
	make_with(&m, &s, 0);
	task(&m, 10, "fuzzed");
	task(&m, 20, "other");
	fatal(&m, 10, SEGV);
	fatal(&m, 20, SEGV);
	pass(&m, S);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.hangs[0].tid, 20);
	make_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reported),
		cmocka_unit_test(no_crash),
		cmocka_unit_test(only_the_end),
		cmocka_unit_test(pid_again),
		cmocka_unit_test(pid_again_at_once),
		cmocka_unit_test(crash_storm),
		cmocka_unit_test(off),
		cmocka_unit_test(named_late),
		cmocka_unit_test(ended_before_named),
		cmocka_unit_test_prestate(ended_before_named, "renamed"),
		cmocka_unit_test(named_after_a_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
