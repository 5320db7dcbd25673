/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests numbers of the governor in daemon/thresholds.h: each with a value below and a value above
 * it. If a number is changed, a test here fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "daemon/governor/governor.h"
#include "daemon/governor/governor_caps.h"
#include "daemon/governor/governor_groups.h"
#include "daemon/governor/governor_most.h"
#include "lib/clock.h"

#define MS     1000000ULL
#define BUDGET 10000 /* ppm; the machine has one CPU */

struct run {
	struct governor g;
	uint64_t now_ns;
	struct governor_spent by;
	double programs; /* the part of the cost that is in BPF programs */
	unsigned acts[GOVERNOR_UNCAP + 1];
};

static void run_init(struct run *r)
{
	*r = (struct run){ .now_ns = NSEC_PER_SEC };
	governor_init(&r->g, BUDGET, r->now_ns, &r->by, 1);
	r->g.coarse = true;
	r->programs = 0.5;
}

static enum governor_act run_tick(struct run *r, uint64_t dt_ns, double budgets)
{
	enum governor_act act;

	r->now_ns += dt_ns;
	r->by.capture_ns += (uint64_t)(budgets * BUDGET / 1e6 * (double)dt_ns);
	r->by.programs_ns += (uint64_t)(budgets * r->programs * BUDGET / 1e6 * (double)dt_ns);
	act = governor_tick(&r->g, r->now_ns, &r->by, 1);
	r->acts[act]++;
	return act;
}

static void run_for(struct run *r, uint64_t ns, double budgets)
{
	for (uint64_t end_ns = r->now_ns + ns; r->now_ns < end_ns;)
		run_tick(r, 25 * MS, budgets);
}

static uint64_t run_until(struct run *r, enum governor_act act, double budgets)
{
	uint64_t from_ns = r->now_ns;

	while (r->now_ns < from_ns + 100 * NSEC_PER_SEC)
		if (run_tick(r, 25 * MS, budgets) == act)
			return r->now_ns - from_ns;
	return 0;
}

static void run_calm(struct run *r)
{
	run_init(r);
	run_for(r, 12 * NSEC_PER_SEC, 0);
}

static void run_at(struct run *r, enum ct_shed step)
{
	run_calm(r);
	r->g.step = step;
	r->g.bucket_ns = -1;
}

static void start(void **state)
{
	struct run r;

	/* The full bucket (governor.h) holds the budget of 30 s. If tracing costs 4 times the
	 * budget, the bucket loses the budget of 3 s each second, and is empty after 10 s. */
	run_init(&r);
	assert_in_range(run_until(&r, GOVERNOR_STEP, 4) / MS, 10000, 10200);
	/* If tracing costs 6 times the budget, the full bucket is empty after 6 s. */
	run_init(&r);
	assert_in_range(run_until(&r, GOVERNOR_STEP, 6) / MS, 5900, 6200);
	run_calm(&r);
	assert_in_range(run_until(&r, GOVERNOR_STEP, 6) / MS, 150, 400);
}

static void tick(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		struct run r;

		run_calm(&r);
		run_tick(&r, i ? 20 * MS : 19 * MS, 1000);
		assert_int_equal(r.acts[GOVERNOR_STEP], i);
	}
}

static void settle(void **state)
{
	struct run r;

	run_at(&r, CT_SHED_NONE);
	assert_in_range(run_until(&r, GOVERNOR_STEP, 1.9) / MS, 25, 400);
	assert_in_range(run_until(&r, GOVERNOR_STEP, 1.9) / MS, 100, 124);
}

/* Tracing costs too much. If the capture costs less than 60 % of the budget, the governor stops the
 * inspections. Otherwise, the governor takes a step. */
static void capture(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		struct run r;

		run_at(&r, CT_SHED_HOOKS);
		for (unsigned n = 0; n < 100; n++) {
			r.by.other_ns += 25 * MS / 100;
			run_tick(&r, 25 * MS, i ? 0.65 : 0.55);
		}
		assert_int_equal(r.g.step > CT_SHED_HOOKS, i);
		assert_true(r.g.blind || i);
	}
}

/* The daemon costs more than the budget, but the BPF programs hardly run, apart from the runs that the budget
 * does not count. So the daemon takes no step, and takes all steps back. With a little more of the programs, it
 * takes all steps. */
static void upkeep(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		struct run r;

		run_at(&r, i ? CT_SHED_NONE : CT_SHED_PAUSES);
		r.programs = i ? 0.08 : 0.055;
		for (unsigned n = 0; n < 2400; n++) {
			r.by.capture_ns += 5 * MS;
			r.by.programs_ns += 5 * MS;
			r.by.passed_ns += 5 * MS;
			run_tick(&r, 25 * MS, 1.5);
		}
		assert_int_equal(r.g.step, i ? CT_SHED_PAUSES : CT_SHED_NONE);
		assert_int_equal(r.acts[GOVERNOR_PAUSE] > 0, i);
	}
}

/* Returns the time until a step back, or 0 if there is none. The cost has to be low for some time before a
 * step back. patience: a factor for this time. budgets: the cost, as a multiple of the budget. */
static uint64_t stays_ms(enum ct_shed step, double budgets, unsigned patience)
{
	struct run r;

	run_at(&r, step);
	r.g.up_ns = r.now_ns;
	r.g.patience = patience;
	r.g.bucket_ns = 1;
	r.g.rate_ppm = r.g.capture_ppm = r.g.programs_ppm = budgets * BUDGET;
	return run_until(&r, GOVERNOR_STEP, budgets) / MS;
}

static void calm(void **state)
{
	assert_in_range(stays_ms(CT_SHED_HOOKS, 0.59, 1), 2000, 2050);
	assert_int_equal(stays_ms(CT_SHED_HOOKS, 0.61, 1), 0);
	assert_in_range(stays_ms(CT_SHED_PAUSES, 0.79, 1), 2000, 2050);
	/* CT_SHED_PAUSES ends after 10 s without a pause, as in no_pause(). */
	assert_in_range(stays_ms(CT_SHED_PAUSES, 0.81, 1), 10000, 10024);
	assert_in_range(stays_ms(CT_SHED_HOOKS, 0.24, 1), 1000, 1050);
	assert_in_range(stays_ms(CT_SHED_HOOKS, 0.26, 1), 2000, 2050);
	assert_in_range(stays_ms(CT_SHED_HOOKS, 0.24, 4), 4000, 4050);
}

static unsigned patience_after(uint64_t ns, unsigned patience)
{
	struct run r;

	run_at(&r, CT_SHED_NONE);
	r.g.patience = patience;
	r.g.down_ns = r.now_ns + 25 * MS - ns;
	r.g.rate_ppm = r.g.capture_ppm = r.g.programs_ppm = 1.5 * BUDGET;
	assert_true(run_tick(&r, 25 * MS, 1.5) == GOVERNOR_STEP);
	return r.g.patience;
}

static void flap(void **state)
{
	assert_int_equal(patience_after(9900 * MS, 1), 2);
	assert_int_equal(patience_after(10100 * MS, 1), 1);
	assert_int_equal(patience_after(5000 * MS, 16), 32);
	assert_int_equal(patience_after(5000 * MS, 32), 32);
	for (unsigned i = 0; i < 2; i++) {
		struct run r;

		run_at(&r, CT_SHED_HOOKS);
		r.g.patience = 8;
		r.g.bucket_ns = 1;
		r.g.calm_ns = 1;
		r.g.up_ns = r.now_ns + 25 * MS - (i ? 30100 : 29900) * MS;
		assert_true(run_tick(&r, 25 * MS, 0.1) == GOVERNOR_STEP);
		assert_int_equal(r.g.patience, i ? 4 : 8);
	}
}

/* Returns how long a pause lasts. budgets: the cost of the capture before the pause, as a multiple
 * of the budget. resume_ms: the cost of a resume. */
static uint64_t pause_ms(double budgets, uint64_t resume_ms)
{
	struct run r;

	run_at(&r, CT_SHED_PAUSES);
	r.g.paused = true;
	r.g.pause_ns = r.now_ns;
	r.g.on_ns = (double)(resume_ms * MS);
	r.g.capture_ppm = r.g.programs_ppm = budgets * BUDGET;
	r.g.bucket_ns = 0;
	return run_until(&r, GOVERNOR_RESUME, 0) / MS;
}

static void pauses(void **state)
{
	assert_in_range(pause_ms(1, 0), 400, 424);
	assert_in_range(pause_ms(20, 0), 1200, 1250);
	assert_in_range(pause_ms(1, 200), 20000, 20100);
	assert_in_range(pause_ms(1, 1000), 30000, 30050);
}

/* Returns the step after one tick. ns: the time since the last step forward or, if from_pause,
 * since the last pause. */
static enum ct_shed after_no_pause(uint64_t ns, bool from_pause, bool capped)
{
	struct run r;

	run_at(&r, CT_SHED_PAUSES);
	r.g.up_ns = from_pause ? 1 : r.now_ns + 25 * MS - ns;
	r.g.pause_ns = from_pause ? r.now_ns + 25 * MS - ns : 1;
	r.g.cap_ns = capped ? r.now_ns : 0;
	r.g.rate_ppm = r.g.capture_ppm = r.g.programs_ppm = 0.95 * BUDGET;
	run_tick(&r, 25 * MS, 0.95);
	return r.g.step;
}

/* The step CT_SHED_PAUSES ends after 10 s without a pause, also while a group is capped. */
static void no_pause(void **state)
{
	struct run r;

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(after_no_pause(9900 * MS, i & 1, i & 2), CT_SHED_PAUSES);
		assert_int_equal(after_no_pause(10100 * MS, i & 1, i & 2), CT_SHED_COARSE);
	}
	run_at(&r, CT_SHED_PAUSES);
	r.g.rate_ppm = r.g.capture_ppm = r.g.programs_ppm = 1.5 * BUDGET;
	assert_true(run_tick(&r, 25 * MS, 1.5) == GOVERNOR_PAUSE);
}

static void cost_of_a_resume(void **state)
{
	struct run r;

	run_at(&r, CT_SHED_PAUSES);
	r.g.on_ns = 100 * MS;
	r.by.capture_ns += 500 * MS;
	governor_resumed(&r.g, r.now_ns, &r.by);
	assert_int_equal(r.g.on_ns, 200 * MS); /* 3/4 of the old cost, 1/4 of the new one */
}

static bool is_capped(double share, double budgets)
{
	struct run r;

	run_at(&r, CT_SHED_COARSE);
	r.g.rate_ppm = r.g.capture_ppm = r.g.programs_ppm = budgets * BUDGET;
	r.g.share = share;
	return run_tick(&r, 25 * MS, budgets) == GOVERNOR_CAP;
}

static void share(void **state)
{
	assert_false(is_capped(0.49, 3.9));
	assert_true(is_capped(0.51, 3.9));
	assert_false(is_capped(0.24, 4.1));
	assert_true(is_capped(0.26, 4.1));
}

/* Returns how long a cap lasts. budgets: the cost of all other tasks, as a multiple of the budget.
 * bucket_ms: the budget in the bucket when the cap begins. uncap_ms: how long the daemon needed to end
 * the previous cap. */
static uint64_t cap_ms(double budgets, double bucket_ms, uint64_t uncap_ms)
{
	struct run r;

	run_calm(&r);
	r.g.cap_ns = r.now_ns;
	r.g.uncap_ns = uncap_ms * MS;
	r.g.bucket_ns = bucket_ms * (double)MS * BUDGET / 1e6;
	return run_until(&r, GOVERNOR_UNCAP, budgets) / MS;
}

static void cap(void **state)
{
	assert_in_range(cap_ms(0, 1000, 0), 400, 424);
	assert_in_range(cap_ms(0, 0, 0), 900, 950); /* the cap ends when the bucket is nearly full */
	assert_in_range(cap_ms(0.95, 0, 0), 5000, 5024);
	assert_in_range(cap_ms(0, 1000, 100), 6400, 6424); /* 64 times uncap_ms */
}

/* When a coarse step has begun, records from before the step still arrive. So the governor takes no
 * other step for a while. */
static void rest(void **state)
{
	struct run r;

	run_at(&r, CT_SHED_COARSE);
	r.g.rate_ns = r.now_ns;
	r.g.rate_ppm = r.g.capture_ppm = r.g.programs_ppm = 1.5 * BUDGET;
	assert_in_range(run_until(&r, GOVERNOR_STEP, 1.5) / MS, 1500, 1524);
}

static void passed(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		struct run r;

		run_calm(&r);
		for (unsigned n = 0; n < 100; n++) {
			uint64_t ns = (i ? 22 : 19) * 25 * MS / 100;

			r.by.capture_ns += ns;
			r.by.programs_ns += ns;
			r.by.passed_ns += ns;
			run_tick(&r, 25 * MS, 0);
		}
		assert_int_equal(r.acts[GOVERNOR_STEP] > 0, i);
	}
}

/* The cost in the status is smoothed over 2 s. The cost for decisions is smoothed over 200 ms. */
static void smoothing(void **state)
{
	struct run r;

	run_calm(&r);
	run_for(&r, 200 * MS, 1);
	/* 1 - 1/e is 63 % */
	assert_in_range((uint64_t)r.g.rate_ppm, 60 * BUDGET / 100, 70 * BUDGET / 100);
	run_for(&r, 1800 * MS, 1);
	assert_in_range((uint64_t)r.g.cost_ppm, 60 * BUDGET / 100, 70 * BUDGET / 100);
}

static void groups(void **state)
{
	struct groups g;
	double share;

	groups_init(&g, 0);
	for (unsigned i = 0; i < 255; i++)
		groups_add(&g, 1000);
	assert_true(groups_most(&g, &share) == 0);
	groups_add(&g, 1000);
	assert_true(groups_most(&g, &share) == 1000);
	groups_age(&g, 499 * MS);
	assert_true(groups_most(&g, &share) == 1000);
	groups_age(&g, 500 * MS);
	assert_true(groups_most(&g, &share) == 0);
}

static void note(struct caps *c, uint32_t tid, unsigned n)
{
	const struct ct_rec r = { .kind = CT_FUTEX, .tid = tid };

	for (unsigned i = 0; i < n * 16; i++)
		caps_note(c, &r);
}

/* Of `all` counted records, task 100 makes n, and 20 other tasks make the rest. One record in
 * CAPS_SAMPLE is counted. */
static enum most_kind most_of(unsigned n, unsigned all)
{
	struct caps c;

	caps_init(&c, 0, 0);
	note(&c, 100, n);
	for (unsigned i = n; i < all; i++)
		note(&c, 101 + i % 20, 1);
	return most_task(&c, 1).kind;
}

static void most(void **state)
{
	assert_int_equal(most_of(255, 255), MOST_NONE);
	assert_int_equal(most_of(256, 256), MOST_TASK);
	assert_int_equal(most_of(100, 400), MOST_NONE);
	assert_int_equal(most_of(101, 400), MOST_TASK);
	for (unsigned n = 250; n <= 251; n++) {
		struct groups g;

		groups_init(&g, 0);
		for (unsigned i = 0; i < 1000; i++)
			groups_add(&g, i < n ? 1000 : 0);
		assert_int_equal(most_group(&g, 1).kind, n > 250 ? MOST_USER : MOST_NONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start),     cmocka_unit_test(tick),
		cmocka_unit_test(settle),    cmocka_unit_test(capture),
		cmocka_unit_test(upkeep),    cmocka_unit_test(calm),
		cmocka_unit_test(flap),      cmocka_unit_test(pauses),
		cmocka_unit_test(no_pause),  cmocka_unit_test(cost_of_a_resume),
		cmocka_unit_test(share),     cmocka_unit_test(cap),
		cmocka_unit_test(rest),      cmocka_unit_test(passed),
		cmocka_unit_test(smoothing), cmocka_unit_test(groups),
		cmocka_unit_test(most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
