// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stats/ranks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/cleanup.h"

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

/* Equal values form a group; a value that occurs once is a group of 1. Returns the sum of f(number of values
 * in the group) over all groups. */
static double over_ties(const double *sorted, size_t n, double (*f)(double))
{
	double sum = 0;

	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && sorted[j] == sorted[i];)
			j++;
		sum += f((double)(j - i));
	}
	return sum;
}

/* Returns the two-sided p by the normal approximation. off: the score minus its mean. step: the
 * correction for continuity. */
static double normal_p(double off, double variance, double step)
{
	double z = variance > 0 ? fmax(fabs(off) - step, 0) / sqrt(variance) : 0;

	return erfc(z / M_SQRT2);
}

/* Both tests count pairs of values: see u_counts() and trend_counts(). counts[k]: how many orders
 * of the values have k such pairs, or the share of these orders. counts[0..top] are symmetric.
 * Returns the two-sided p of `at` pairs. */
static double exact_p(const double *counts, size_t top, size_t at)
{
	double all = 0, tail = 0;

	at = MIN(at, top - at);
	for (size_t i = 0; i <= top; i++) {
		all += counts[i];
		tail += i <= at ? counts[i] : 0;
	}
	return fmin(2 * tail / all, 1);
}

/* Fills counts[0..n*m] with the number of ways to get each U: the coefficients of the
 * Gaussian binomial, the product of (1 - q^(m+i)) / (1 - q^i), i = 1..n. All are whole numbers
 * below 2^53, so a double holds them exactly. */
static void u_counts(size_t n, size_t m, double *counts)
{
	size_t top = n * m;

	counts[0] = 1;
	for (size_t i = 1; i <= top; i++)
		counts[i] = 0;
	for (size_t i = 1; i <= n; i++) {
		for (size_t k = top; k >= m + i && k <= top; k--)
			counts[k] -= counts[k - (m + i)];
		for (size_t k = i; k <= top; k++)
			counts[k] += counts[k - i];
	}
}

static double pairs_cubed(double t)
{
	return t * t * t - t;
}

static double score_of(const double *a, size_t n, const double *b, size_t m, bool *ret_ties)
{
	double u = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++) {
			*ret_ties |= a[i] == b[j];
			u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
		}
	return u;
}

int ranks_mann_whitney(const double *a, size_t n, const double *b, size_t m, struct ranks_p *ret)
{
	_cleanup_free_ double *all = NULL, *counts = NULL;
	double nm = (double)n * (double)m, sum = (double)(n + m), cubes;
	struct ranks_p r = { .p = 1 };
	bool ties = false;

	r.score = score_of(a, n, b, m, &ties);
	if (!n || !m) {
		*ret = r;
		return 0;
	}
	if (!ties && n + m <= RANKS_EXACT_MAX) {
		counts = calloc(n * m + 1, sizeof(*counts));
		if (!counts)
			return -ENOMEM;
		u_counts(n, m, counts);
		r.p = exact_p(counts, n * m, (size_t)r.score);
		r.exact = true;
		*ret = r;
		return 0;
	}
	all = calloc(n + m, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n + m; i++)
		all[i] = i < n ? a[i] : b[i - n];
	qsort(all, n + m, sizeof(*all), by_value);
	cubes = over_ties(all, n + m, pairs_cubed);
	r.p = normal_p(r.score - nm / 2, nm / 12 * (sum + 1 - cubes / (sum * (sum - 1))), 0.5);
	*ret = r;
	return 0;
}

double ranks_smallest_p(size_t n, size_t m)
{
	double ways = 1;

	if (!n || !m)
		return 1;
	if (n + m > RANKS_EXACT_MAX) {
		double nm = (double)n * (double)m;

		return normal_p(nm / 2, nm * (double)(n + m + 1) / 12, 0.5);
	}
	for (size_t i = 1; i <= n; i++)
		ways *= (double)(m + i) / (double)i;
	return fmin(2 / ways, 1);
}

/* Fills counts[0..n(n-1)/2]. n different values have n! orders. counts[k] is the share of the orders
 * with exactly k pairs in which the earlier value is the larger one. */
static void trend_counts(size_t n, double *counts, double *next)
{
	size_t top = 0;

	counts[0] = 1;
	for (size_t i = 2; i <= n; i++) {
		for (size_t k = 0; k <= top + i - 1; k++) {
			next[k] = 0;
			for (size_t j = k >= i ? k - i + 1 : 0; j <= MIN(k, top); j++)
				next[k] += counts[j] / (double)i;
		}
		top += i - 1;
		for (size_t k = 0; k <= top; k++)
			counts[k] = next[k];
	}
}

static double trend_ties(double t)
{
	return t * (t - 1) * (2 * t + 5);
}

static int trend_exact(size_t n, struct ranks_p *r)
{
	size_t top = n * (n - 1) / 2;
	_cleanup_free_ double *counts = calloc(top + 1, sizeof(*counts)),
			      *next = calloc(top + 1, sizeof(*next));

	if (!counts || !next)
		return -ENOMEM;
	trend_counts(n, counts, next);
	r->p = exact_p(counts, top, (size_t)(((double)top - r->score) / 2));
	r->exact = true;
	return 0;
}

int ranks_trend(const double *v, size_t n, struct ranks_p *ret)
{
	_cleanup_free_ double *sorted = NULL;
	struct ranks_p r = { .p = 1 };
	bool ties = false;
	int e;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			ties |= v[i] == v[j];
			r.score += (v[j] > v[i]) - (v[j] < v[i]);
		}
	if (n >= 3 && !ties && n <= RANKS_EXACT_MAX) {
		e = trend_exact(n, &r);
		if (e)
			return e;
	} else if (n >= 3) {
		sorted = calloc(n, sizeof(*sorted));
		if (!sorted)
			return -ENOMEM;
		for (size_t i = 0; i < n; i++)
			sorted[i] = v[i];
		qsort(sorted, n, sizeof(*sorted), by_value);
		r.p = normal_p(r.score, (trend_ties((double)n) - over_ties(sorted, n, trend_ties)) / 18, 1);
	}
	*ret = r;
	return 0;
}
