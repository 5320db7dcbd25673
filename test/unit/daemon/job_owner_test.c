/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether an error in the count of the jobs of a process ever ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ctrace/job_owner.h"

#define PERIOD(n) ((n)*JOB_OWN_NS)

static void note(struct job_owner *o, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		job_owner_note(o);
}

static void full(void **state)
{
	struct job_owner o = { 0 };
	ct_u32 period = 0;

	note(&o, JOB_OWN_MAX - 1);
	assert_false(job_owner_is_full(&o));
	period = job_owner_note(&o);
	assert_true(job_owner_is_full(&o));
	job_owner_forget(&o, period);
	assert_false(job_owner_is_full(&o));
}

/* The map has forgotten the jobs, or they never end: nothing subtracts them. */
static void leaked(void **state)
{
	struct job_owner o = { .period = 7 };

	note(&o, JOB_OWN_MAX);
	job_owner_turn(&o, PERIOD(8) - 1);
	assert_true(job_owner_is_full(&o));
	job_owner_turn(&o, PERIOD(8));
	assert_true(job_owner_is_full(&o));
	job_owner_turn(&o, PERIOD(9));
	assert_false(job_owner_is_full(&o));
	assert_int_equal(o.n_now + o.n_before, 0);
}

/* The process did nothing for several periods. */
static void rested(void **state)
{
	struct job_owner o = { 0 };

	note(&o, JOB_OWN_MAX);
	job_owner_turn(&o, PERIOD(2));
	assert_int_equal(o.n_now + o.n_before, 0);
}

/* A job is subtracted from the period in which it was noted; an older one counts no more. */
static void late_ends(void **state)
{
	struct job_owner o = { 0 };
	ct_u32 first = job_owner_note(&o), second;

	job_owner_turn(&o, PERIOD(1));
	second = job_owner_note(&o);
	note(&o, 1);
	job_owner_forget(&o, first);
	assert_int_equal(o.n_before, 0);
	assert_int_equal(o.n_now, 2);
	job_owner_turn(&o, PERIOD(2));
	job_owner_forget(&o, first);
	assert_int_equal(o.n_now + o.n_before, 2);
	job_owner_forget(&o, second);
	assert_int_equal(o.n_now + o.n_before, 1);
}

/* Two CPUs forget the same job, or another owner noted it: the count is below 0, and not very large. */
static void below_zero(void **state)
{
	struct job_owner o = { 0 };

	job_owner_forget(&o, 0);
	job_owner_forget(&o, 0);
	assert_false(job_owner_is_full(&o));
	job_owner_turn(&o, PERIOD(1));
	assert_false(job_owner_is_full(&o));
	job_owner_turn(&o, PERIOD(2));
	assert_int_equal(o.n_now + o.n_before, 0);
}

/* The clock of another CPU is a little behind. */
static void clock_behind(void **state)
{
	struct job_owner o = { .period = 1 };

	note(&o, 5);
	job_owner_turn(&o, PERIOD(1) - 1);
	assert_int_equal(o.period, 1);
	assert_int_equal(o.n_now, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full),      cmocka_unit_test(leaked),     cmocka_unit_test(rested),
		cmocka_unit_test(late_ends), cmocka_unit_test(below_zero), cmocka_unit_test(clock_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
