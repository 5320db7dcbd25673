// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/trend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"

static int point_cmp(const void *a, const void *b)
{
	const struct trend_point *x = a, *y = b;

	return x->n < y->n ? -1 : x->n > y->n;
}

/* Returns Spearman's rank correlation of the counts with `at`, for points sorted by count. Equal
 * counts share the mean of their ranks. */
static double spearman(const struct trend_point *points, size_t n, size_t n_all)
{
	double mean = ((double)n_all + 1) / 2, both = 0, ranks = 0, others, zeros = (double)(n_all - n);
	double ats = 0, at_squares = (double)n_all * ((double)n_all * (double)n_all - 1) / 12;

	for (size_t i = 0, same; i < n; i += same) {
		double rank, at = 0;

		for (same = 1; i + same < n && points[i + same].n == points[i].n;)
			same++;
		for (size_t k = i; k < i + same; k++)
			at += (double)points[k].at + 1 - mean;
		rank = zeros + (double)i + ((double)same + 1) / 2 - mean;
		both += rank * at;
		ranks += rank * rank * (double)same;
		ats += at;
	}
	others = (zeros + 1) / 2 - mean;
	/* The sum of (at + 1 - mean) over all transactions is 0. The sum over the transactions with a
	 * point is `ats`. So the sum over the others, which have the count 0, is -ats. */
	both += others * -ats;
	ranks += others * others * zeros;
	return ranks > 0 && at_squares > 0 ? both / sqrt(ranks * at_squares) : 0;
}

int trend_of(struct trend_point *points, size_t n, size_t n_all, struct trend *ret)
{
	size_t third = MAX(n_all / PATTERNS_ENDS, (size_t)1);

	if (!n || points[n - 1].at >= n_all)
		return -EINVAL;
	*ret = (struct trend){ .min = n < n_all ? 0 : UINT64_MAX };
	for (size_t i = 0; i < n; i++) {
		ret->min = MIN(ret->min, points[i].n);
		ret->max = MAX(ret->max, points[i].n);
		if (points[i].at < third)
			ret->first += (double)points[i].n / (double)third;
		if (points[i].at >= n_all - third)
			ret->last += (double)points[i].n / (double)third;
	}
	qsort(points, n, sizeof(*points), point_cmp);
	ret->correlation = spearman(points, n, n_all);
	return 0;
}
