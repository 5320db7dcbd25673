// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "analysis/stats/decide.h"
#include "analysis/stats/interval.h"
#include "analysis/stats/levels.h"
#include "analysis/stats/ranks.h"
#include "lib/cleanup.h"

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static struct ranks_p u_test(const double *a, size_t n, const double *b, size_t m)
{
	struct ranks_p p = { .p = -1 };

	assert_int_equal(ranks_mann_whitney(a, n, b, m, &p), 0);
	return p;
}

/* Hollander and Wolfe, "Nonparametric Statistical Methods" (1973), p. 69: permeability constants of
 * the human chorioamnion. W = 35, p = 0.1272 one-sided. */
static void permeability(void **state)
{
	const double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 },
		     early[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct ranks_p p = u_test(term, ARRAY_SIZE(term), early, ARRAY_SIZE(early));

	assert_true(p.exact);
	NEAR(p.score, 35, 0);
	NEAR(p.p, 2 * 0.1272, 1e-4);
	p = u_test(early, ARRAY_SIZE(early), term, ARRAY_SIZE(term));
	NEAR(p.score, 15, 0);
	NEAR(p.p, 2 * 0.1272, 1e-4);
}

/* The example of the documentation of scipy.stats.mannwhitneyu: ages at a diagnosis of diabetes. */
static void ages(void **state)
{
	const double males[] = { 19, 22, 16, 29, 24 }, females[] = { 20, 11, 17, 12 };
	struct ranks_p p = u_test(males, 5, females, 4);

	NEAR(p.score, 17, 0);
	NEAR(p.p, 1 / 9.0, 1e-9);
}

/* With ties, u_test() gives the approximate p. The expected value is worked out by hand: N = 6, one
 * group of two and one of three equal values, U = 1, variance 9/12 * (7 - 30/30) = 4.5. U is 3.5
 * below its mean, and the correction for continuity takes 0.5 from the 3.5. */
static void ties(void **state)
{
	const double a[] = { 1, 1, 2 }, b[] = { 2, 2, 3 };
	struct ranks_p p = u_test(a, 3, b, 3);

	assert_false(p.exact);
	NEAR(p.score, 1, 0);
	NEAR(p.p, erfc((3.5 - 0.5) / sqrt(4.5) / M_SQRT2), 1e-9);
}

static void no_values(void **state)
{
	const double a[] = { 1, 1, 1 };

	NEAR(u_test(a, 0, a, 3).p, 1, 0);
	NEAR(u_test(a, 3, a, 0).p, 1, 0);
	NEAR(u_test(a, 3, a, 3).p, 1, 0);
	NEAR(ranks_smallest_p(0, 5), 1, 0);
}

static void smallest_p(void **state)
{
	const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 };

	NEAR(u_test(low, 5, high, 5).p, 2 / 252.0, 1e-12);
	NEAR(ranks_smallest_p(5, 5), 2 / 252.0, 1e-12);
	NEAR(ranks_smallest_p(1, 1), 1, 0);
	NEAR(ranks_smallest_p(25, 25) * 126410606437752.0, 2, 1e-6);
}

/* With more than RANKS_EXACT_MAX values, or with equal values, p is approximate, but nearly exact. */
static void exact_and_approximate(void **state)
{
	double a[26], b[26];
	struct ranks_p exact, normal;

	for (int i = 0; i < 26; i++) {
		a[i] = 2 * i;
		b[i] = 2 * i + 9;
	}
	exact = u_test(a, 25, b, 25);
	normal = u_test(a, 26, b, 25);
	assert_true(exact.exact && !normal.exact);
	NEAR(exact.p, normal.p, 0.06);
	b[0] = a[5];
	normal = u_test(a, 25, b, 25);
	assert_false(normal.exact);
	NEAR(exact.p, normal.p, 0.01);
}

/* Kendall, "Rank Correlation Methods": P(S >= 6) = 0.042 for n = 4, P(S >= 8) = 0.042 for n = 5,
 * P(S >= 19) = 0.054 for n = 10. */
static void trend(void **state)
{
	const double four[] = { 1, 2, 3, 4 }, five[] = { 1, 2, 3, 5, 4 },
		     ten[] = { 4, 3, 2, 1, 8, 7, 6, 5, 10, 9 }, flat[] = { 1, 1, 1, 1 };
	struct ranks_p p;

	assert_int_equal(ranks_trend(four, 4, &p), 0);
	NEAR(p.score, 6, 0);
	NEAR(p.p, 2 * 0.042, 1e-3);
	assert_int_equal(ranks_trend(five, 5, &p), 0);
	NEAR(p.score, 8, 0);
	NEAR(p.p, 2 * 0.042, 1e-3);
	assert_int_equal(ranks_trend(ten, 10, &p), 0);
	NEAR(p.score, 19, 0);
	NEAR(p.p, 2 * 0.054, 1e-3);
	assert_int_equal(ranks_trend(flat, 4, &p), 0);
	NEAR(p.p, 1, 0);
	assert_int_equal(ranks_trend(four, 2, &p), 0);
	NEAR(p.p, 1, 0);
}

static void interval(void **state)
{
	const double a[] = { 10, 11, 12, 13, 14 }, same[] = { 7, 7, 7, 7, 7 };
	struct stats_interval v, again;

	assert_int_equal(stats_interval(DELTA_MEAN, a, 5, same, 5, 1, &v), 0);
	assert_int_equal(stats_interval(DELTA_MEAN, a, 5, same, 5, 1, &again), 0);
	assert_memory_equal(&v, &again, sizeof(v));
	NEAR(v.a, 12, 1e-9);
	NEAR(v.b, 7, 1e-9);
	/* the standard error of a bootstrap mean is the population deviation over sqrt(n) */
	NEAR(v.a_error, sqrt(2 / 5.0), 0.03);
	NEAR(v.b_error, 0, 1e-9);
	assert_true(v.low < -6 && v.low > -6.6 && v.high > -4 && v.high < -3.4);
	assert_int_equal(stats_interval(DELTA_MEAN, a, 0, same, 5, 1, &v), -EINVAL);
	assert_int_equal(stats_interval(DELTA_MEAN, a, 5, same, STATS_RUNS_MAX + 1, 1, &v), -EINVAL);
}

static void warm_up(void **state)
{
	const double cold[] = { 150, 100, 101, 102, 100, 101, 103, 99 },
		     warm[] = { 103, 100, 101, 102, 100, 101, 103, 99 },
		     two[] = { 180, 150, 101, 102, 100, 101, 103, 99 };

	assert_int_equal(stats_warm_up(cold, 8), 1);
	assert_int_equal(stats_warm_up(two, 8), 2);
	assert_int_equal(stats_warm_up(warm, 8), 0);
	assert_int_equal(stats_warm_up(cold, 3), 0);
	assert_int_equal(stats_warm_up(cold, 0), 0);
}

static struct decision judge(double max_regress, bool old_fixed, const double *a, size_t n, const double *b,
			     size_t m)
{
	const struct decide_rule rule = { DELTA_P50, max_regress, 1, old_fixed };
	const struct decide_runs x = { a, n }, y = { b, m };
	struct decision d;

	assert_int_equal(decide(&rule, &x, &y, &d), 0);
	return d;
}

static void fill(double *v, size_t n, double from, double step)
{
	for (size_t i = 0; i < n; i++)
		v[i] = from + step * (double)(i * 7 % n);
}

static void edges(void **state)
{
	double a[10], b[10];
	struct decision d;

	fill(a, 10, 1000, 1);
	fill(b, 10, 1100.5, 1);
	d = judge(0.05, false, a, 10, b, 10);
	assert_int_equal(d.kind, DECIDE_REGRESSION);
	NEAR(d.new_ns - d.old_ns, 100.5, 1e-6);
	assert_true(d.low_ns < 100.5 && d.high_ns > 100.5 && d.p < 1e-4);
	assert_int_equal(judge(0.05, false, b, 10, a, 10).kind, DECIDE_IMPROVEMENT);
	assert_int_equal(judge(0.20, false, a, 10, b, 10).kind, DECIDE_OK);
	assert_int_equal(judge(0.05, false, a, 10, a, 10).kind, DECIDE_OK);
	d = judge(0.098, false, a, 10, b, 10);
	assert_int_equal(d.kind, DECIDE_UNDECIDED);
	assert_true(d.runs_needed > 10);
	/* the difference is as large as the limit, so not even a thousand runs decide */
	assert_int_equal(judge(100.5 / d.old_ns, false, a, 10, b, 10).runs_needed, 0);
	/* more new runs do not help: the old runs vary more than the gap to the limit */
	assert_int_equal(judge(0.0998, true, a, 10, b, 10).runs_needed, 0);
	fill(a, 10, 1000, 0);
	assert_int_equal(judge(0, false, a, 10, a, 10).kind, DECIDE_OK);
}

static void few_runs(void **state)
{
	double a[10], b[10];
	struct decide_rule rule = { DELTA_P50, 0.05, 4, false };
	struct decide_runs x = { a, 5 }, y = { b, 5 };
	struct decision d;

	fill(a, 10, 1000, 1);
	fill(b, 10, 2000, 1);
	assert_int_equal(judge(0.05, false, a, 4, b, 10).kind, DECIDE_UNDECIDED);
	assert_int_equal(judge(0.05, false, a, 1, a, 1).kind, DECIDE_UNDECIDED);
	assert_int_equal(judge(0.05, false, a, 5, b, 5).kind, DECIDE_REGRESSION);
	/* The check may try to decide four times, so p must be below 0.01/4 = 0.0025. The smallest
	 * p is 2/252 = 0.0079 with five runs on each side, and 2/924 = 0.0022 with six. */
	assert_int_equal(decide(&rule, &x, &y, &d), 0);
	assert_int_equal(d.kind, DECIDE_UNDECIDED);
	assert_int_equal(d.runs_needed, 6);
	assert_int_equal(decide(&rule, &x, &(struct decide_runs){ b, 0 }, &d), -EINVAL);
}

static uint64_t random_state = 42;

static double uniform(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

/* Returns the time of a run: 100 ms * factor, with log-normal noise. rare: the share of runs that
 * are up to twice as long. */
static double run_of(double factor, double noise, double rare)
{
	double normal = sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()),
	       slow = uniform() < rare ? 1 + uniform() : 1;

	return 100e6 * factor * exp(noise * normal) * slow;
}

static enum decision_kind simulate(double factor, double noise, double rare)
{
	const struct decide_rule rule = { DELTA_P50, 0.05, 5, false };
	double a[30], b[30];
	struct decision d = { .kind = DECIDE_UNDECIDED };

	for (size_t i = 0; i < 30; i++) {
		a[i] = run_of(1, noise, rare);
		b[i] = run_of(factor, noise, rare);
	}
	for (size_t n = 10; n <= 30 && d.kind == DECIDE_UNDECIDED; n += 5) {
		const struct decide_runs x = { a, n }, y = { b, n };

		assert_int_equal(decide(&rule, &x, &y, &d), 0);
	}
	return d.kind;
}

static unsigned share(unsigned sets, double factor, double noise, double rare, enum decision_kind want)
{
	unsigned found = 0;

	for (unsigned i = 0; i < sets; i++)
		found += simulate(factor, noise, rare) == want;
	print_message("factor %.2f, noise %.2f, rare %.2f: %u of %u\n", factor, noise, rare, found, sets);
	return found;
}

static void false_alarms(void **state)
{
	assert_true(share(1000, 1, 0.02, 0.05, DECIDE_REGRESSION) <= 1000 / 80);
	assert_true(share(500, 1, 0.10, 0.05, DECIDE_REGRESSION) <= 500 / 80);
	assert_true(share(500, 1, 0.30, 0.10, DECIDE_REGRESSION) <= 500 / 80);
}

static void power(void **state)
{
	assert_true(share(200, 1.10, 0.02, 0.05, DECIDE_REGRESSION) >= 190);
	assert_true(share(200, 1.10, 0.04, 0.05, DECIDE_REGRESSION) >= 170);
	/* a check ends as soon as it is sure that there is no regression, so it may miss the improvement */
	assert_true(share(100, 0.90, 0.02, 0.05, DECIDE_IMPROVEMENT) >= 60);
}

/* If both sides have the same distribution, p is at most 0.05 in one of 20 sets. */
static void p_is_right(void **state)
{
	unsigned small = 0;
	double a[8], b[9];

	for (unsigned i = 0; i < 20000; i++) {
		for (size_t k = 0; k < 9; k++) {
			a[k % 8] = run_of(1, 0.05, 0.1);
			b[k] = run_of(1, 0.05, 0.1);
		}
		small += u_test(a, 8, b, 9).p <= 0.05;
	}
	print_message("p <= 0.05 in %u of 20000\n", small);
	assert_in_range(small, 20000 / 20 * 8 / 10, 20000 / 20 * 11 / 10);
}

static struct levels_factor explain(const double *v, size_t n, const uint32_t *of, size_t n_levels)
{
	struct levels_factor f = { .of = of, .n_levels = n_levels, .share = -1 };

	assert_int_equal(levels_explain(v, n, &f, 1), 0);
	return f;
}

/* Within the levels, the squares add up to 2 + 2 + 2 = 6 with 6 degrees of freedom, and between them to 54.
 * So epsilon squared is (54 - 2 * 1) / 60. */
static void levels_share(void **state)
{
	const double v[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, same[] = { 4, 4, 4, 4, 4, 4, 4, 4, 4 };
	const uint32_t of[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 }, one[9] = { 0 },
		       each[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };

	NEAR(explain(v, 9, of, 3).share, 52.0 / 60, 1e-9);
	NEAR(explain(v, 9, one, 1).share, 0, 0);
	NEAR(explain(v, 9, each, 9).share, 0, 0);
	NEAR(explain(same, 9, of, 3).share, 0, 0);
	NEAR(explain(v, 0, of, 3).share, 0, 0);
	assert_true(explain(same, 9, of, 3).by_chance && explain(v, 9, one, 1).by_chance &&
		    explain(v, 9, each, 9).by_chance);
}

/* Of 40 values, 8 have another level. They are 20 times as large, or there is no difference. */
static void levels_effect(void **state)
{
	uint32_t of[40];
	double v[40];

	for (uint32_t i = 0; i < 40; i++) {
		of[i] = i % 5 == 0;
		v[i] = (of[i] ? 20 : 1) + 0.1 * (i % 3);
	}
	assert_false(explain(v, 40, of, 2).by_chance);
	assert_true(explain(v, 40, of, 2).share > 0.99);
	for (uint32_t i = 0; i < 40; i++)
		v[i] = 1 + 0.1 * (i % 3);
	assert_true(explain(v, 40, of, 2).by_chance);
	/* one value of 40 is large: that its level is a rare one may be chance */
	v[5] = 100;
	assert_true(explain(v, 40, of, 2).by_chance);
}

/* Two factors, in both orders: only the one that has the effect explains the values. */
static void levels_two(void **state)
{
	uint32_t effect[60], other[60];
	double v[60];

	for (uint32_t i = 0; i < 60; i++) {
		effect[i] = i % 4;
		other[i] = i / 4 % 3;
		v[i] = 5.0 * effect[i] + i % 7;
	}
	for (int turned = 0; turned < 2; turned++) {
		struct levels_factor f[2] = { { .of = effect, .n_levels = 4 },
					      { .of = other, .n_levels = 3 } };

		if (turned) {
			f[0] = (struct levels_factor){ .of = other, .n_levels = 3 };
			f[1] = (struct levels_factor){ .of = effect, .n_levels = 4 };
		}
		assert_int_equal(levels_explain(v, 60, f, 2), 0);
		assert_true(!f[turned].by_chance && f[turned].share > 0.8);
		assert_true(f[!turned].by_chance);
	}
}

/* A factor without an effect seems to have one in about one of 500 sets, also if a few values are far larger
 * than the others. */
static void levels_chance(void **state)
{
	unsigned found = 0;
	uint32_t of[50];
	double v[50];

	for (uint32_t i = 0; i < 50; i++)
		of[i] = i % 4;
	for (unsigned i = 0; i < 5000; i++) {
		for (size_t k = 0; k < 50; k++)
			v[k] = run_of(1, 0.05, 0.1);
		found += !explain(v, 50, of, 4).by_chance;
	}
	print_message("%u of 5000\n", found);
	assert_in_range(found, 1, 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permeability), cmocka_unit_test(ages),
		cmocka_unit_test(ties),         cmocka_unit_test(no_values),
		cmocka_unit_test(smallest_p),   cmocka_unit_test(exact_and_approximate),
		cmocka_unit_test(trend),        cmocka_unit_test(interval),
		cmocka_unit_test(warm_up),      cmocka_unit_test(edges),
		cmocka_unit_test(few_runs),     cmocka_unit_test(false_alarms),
		cmocka_unit_test(power),        cmocka_unit_test(p_is_right),
		cmocka_unit_test(levels_share), cmocka_unit_test(levels_effect),
		cmocka_unit_test(levels_two),   cmocka_unit_test(levels_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
