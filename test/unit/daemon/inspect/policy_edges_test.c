/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests numbers of daemon/thresholds.h: each with a value below and a value above it. If a number
 * is changed, a test here fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/inspect/inspect_policy.h"
#include "daemon/record/tasks.h"
#include "lib/cleanup.h"

#define MS 1000000ULL
#define S  (1000 * MS)

struct one {
	struct tasks *t;
	struct inspect_policy p;
	unsigned n;
};

static void one_init(struct one *o)
{
	*o = (struct one){ .t = tasks_new(10000) };
	assert_non_null(o->t);
	inspect_policy_init(&o->p, 200 * MS, 0);
}

static void one_done(struct one *o)
{
	tasks_free(o->t);
}

#define ONE(o)                                                                                               \
	_cleanup_(one_done) struct one o;                                                                    \
	one_init(&o)

static bool inspect(void *arg, struct task *task)
{
	struct one *o = arg;

	o->n++;
	return true;
}

static unsigned scan(struct one *o, uint64_t now_ns)
{
	o->n = 0;
	inspect_policy_scan(&o->p, o->t, now_ns, inspect, o);
	return o->n;
}

static void blocks(struct one *o, uint32_t tid, uint64_t ts, uint8_t wait, uint64_t obj)
{
	const struct ct_rec r = { .ts = ts,
				  .kind = CT_SWITCH,
				  .state = CT_ST_SLEEP,
				  .wait = wait,
				  .flags = wait == CT_W_SLEEP ? CT_SF_TIMEOUT : 0,
				  .tid = tid,
				  .nr = wait,
				  .obj = obj };

	tasks_record(o->t, 0, &r);
}

static void runs(struct one *o, uint64_t ts)
{
	const struct ct_rec wake = { .ts = ts, .kind = CT_WAKE, .state = CT_CTX_TIMER, .tid = 7 },
			    in = { .ts = ts, .kind = CT_SWITCH, .peer = 7, .nr = CT_NR_NONE };

	tasks_record(o->t, 0, &wake);
	tasks_record(o->t, 0, &in);
}

static struct task *task_of(struct one *o)
{
	return tasks_get(o->t, 7);
}

static void loop(struct one *o, uint64_t until_ns)
{
	for (uint64_t now_ns = 1 * MS; now_ns < until_ns; now_ns += 10 * MS) {
		blocks(o, 7, now_ns, CT_W_SLEEP, 0);
		runs(o, now_ns + 10 * MS - 1);
	}
	blocks(o, 7, until_ns, CT_W_SLEEP, 0);
}

static void age_of_a_loop(void **state)
{
	ONE(o);

	loop(&o, 991 * MS);
	assert_int_equal(scan(&o, 1000 * MS), 0);
	assert_int_equal(scan(&o, 1100 * MS), 1);
}

static void waits_of_a_loop(void **state)
{
	for (unsigned waits = 2; waits <= 3; waits++) {
		ONE(o);

		for (unsigned i = 0; i < waits; i++) {
			runs(&o, (1 + 1100 * i) * MS);
			blocks(&o, 7, (2 + 1100 * i) * MS, CT_W_SLEEP, 0);
		}
		assert_int_equal(scan(&o, (2 + 1100 * (waits - 1) + 150) * MS), waits == 3);
	}
}

static bool is_loop(uint64_t sleep_us, uint64_t ran_us)
{
	ONE(o);
	uint64_t now_ns = MS;

	blocks(&o, 7, now_ns, CT_W_SLEEP, 0);
	runs(&o, now_ns += sleep_us * 1000);
	blocks(&o, 7, now_ns += ran_us * 1000, CT_W_SLEEP, 0);
	return task_of(&o)->loop_waits == 2;
}

static void work_in_a_loop(void **state)
{
	assert_true(is_loop(2000, 990));
	assert_false(is_loop(2000, 1010));
	assert_true(is_loop(90500, 9500));
	assert_false(is_loop(89500, 10500));
}

static void loop_again(void **state)
{
	ONE(o);

	loop(&o, 1501 * MS);
	assert_int_equal(scan(&o, 1600 * MS), 1);
	/* inspect_next_ns = 0 switches off the back-off of repeated waits. The back-off would delay
	 * the inspection. */
	task_of(&o)->inspect_next_ns = 0;
	assert_int_equal(scan(&o, 3590 * MS), 0);
	assert_int_equal(scan(&o, 3690 * MS), 1);
}

static void yields(void **state)
{
	for (unsigned n = 9; n <= 10; n++) {
		ONE(o);

		runs(&o, MS);
		scan(&o, 10 * MS);
		for (unsigned i = 0; i < n; i++) {
			const struct ct_rec r = {
				.ts = 20 * MS + i, .kind = CT_SWITCH, .wait = CT_W_YIELD, .tid = 7, .peer = 7
			};

			tasks_record(o.t, 0, &r);
		}
		assert_int_equal(scan(&o, 110 * MS), n == 10);
	}
}

static void per_second(void **state)
{
	ONE(o);

	for (uint32_t tid = 1; tid <= 1000; tid++)
		blocks(&o, tid, 1, CT_W_READ, 99);
	assert_int_equal(scan(&o, 1 * S), 100);
	assert_int_equal(scan(&o, 2 * S), 100);
}

static void back_off(void **state)
{
	static const unsigned after_s[] = { 2, 4, 8, 16, 32, 64, 64 };
	uint64_t now_ns = S;
	ONE(o);

	for (size_t i = 0; i < ARRAY_SIZE(after_s); i++) {
		blocks(&o, 7, now_ns, CT_W_READ, 99);
		now_ns += 200 * MS;
		assert_int_equal(scan(&o, now_ns), 1);
		assert_int_equal(task_of(&o)->inspect_next_ns, now_ns + after_s[i] * S);
		runs(&o, now_ns + MS);
		now_ns += after_s[i] * S;
	}
}

/* The back-off of repeated waits does not delay the inspection of a wait that has lasted for 2 s.
 * But a task is inspected at most once in 10 s. */
static void stuck(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		ONE(o);

		blocks(&o, 7, MS, CT_W_READ, 99);
		assert_int_equal(scan(&o, 300 * MS), 1);
		task_of(&o)->inspect_next_ns = 1000 * S;
		runs(&o, 400 * MS);
		blocks(&o, 7, i ? 9000 * MS : 1000 * MS, CT_W_READ, 99);
		assert_int_equal(scan(&o, i ? 10990 * MS : 10290 * MS), 0);
		assert_int_equal(scan(&o, i ? 11090 * MS : 10390 * MS), 1);
	}
}

/* The table of shares has entries for INSPECT_POLICY_GROUPS = 16 groups, and one entry for all
 * further groups. An entry gets at most about half of all inspections. So the 400 tasks of group 17
 * get no more than half of the inspections of a second. */
static void groups(void **state)
{
	ONE(o);

	for (uint32_t tid = 1; tid <= 416; tid++) {
		blocks(&o, tid, MS, CT_W_READ, 99);
		tasks_get(o.t, tid)->group = MIN(tid, 17u);
	}
	for (uint64_t now_ns = 300 * MS; now_ns <= 900 * MS; now_ns += 100 * MS)
		scan(&o, now_ns);
	for (uint32_t tid = 17, n = 0; tid <= 416; tid++) {
		n += tasks_get(o.t, tid)->inspect_ns != 0;
		assert_in_range(n, 0, 51);
	}
}

/* The kernel shows a wait that began 19 or 21 ms after the recorded begin. If the difference is at
 * most 20 ms, it is the same wait, and the recorded begin stays. */
static void since(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		struct ct_iter_task it = {
			.task = { .h = { .ts = S, .kind = CT_TASK, .tid = 7 }, .tgid = 7 },
			.wait = { .ts = S, .tid = 7, .state = CT_ST_SLEEP, .wait = CT_W_READ, .obj = 99 },
			.sched_since = 100 * MS + (i ? 21 : 19) * MS
		};
		ONE(o);

		it.task.h.size = sizeof(it.task);
		blocks(&o, 7, 100 * MS, CT_W_READ, 99);
		tasks_found_begin(o.t, S);
		tasks_found(o.t, &it);
		assert_int_equal(task_of(&o)->st.last.ts, i ? 121 * MS : 100 * MS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(age_of_a_loop),  cmocka_unit_test(waits_of_a_loop),
		cmocka_unit_test(work_in_a_loop), cmocka_unit_test(loop_again),
		cmocka_unit_test(yields),         cmocka_unit_test(per_second),
		cmocka_unit_test(back_off),       cmocka_unit_test(stuck),
		cmocka_unit_test(since),          cmocka_unit_test(groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
