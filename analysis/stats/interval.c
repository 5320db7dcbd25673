// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stats/interval.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats/random.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"

struct side {
	double *sorted;
	double *below;   /* below[i]: the sum of the weights of the first i sorted values */
	double *metrics; /* the metric of each resample */
	uint32_t *drawn; /* how often a resample has each value */
	size_t n;
};

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

static void side_done(struct side *s)
{
	free(s->sorted);
	free(s->below);
	free(s->metrics);
	free(s->drawn);
}

static int side_init(struct side *s, enum delta_metric metric, const double *v, size_t n)
{
	_cleanup_free_ uint64_t *order = calloc(n + 1, sizeof(*order)),
				*weights = calloc(n + 1, sizeof(*weights));

	if (!n || n > STATS_RUNS_MAX)
		return -EINVAL;
	s->n = n;
	s->sorted = calloc(n, sizeof(*s->sorted));
	s->below = calloc(n + 1, sizeof(*s->below));
	s->metrics = calloc(STATS_RESAMPLES, sizeof(*s->metrics));
	s->drawn = calloc(n, sizeof(*s->drawn));
	if (!order || !weights || !s->sorted || !s->below || !s->metrics || !s->drawn)
		return -ENOMEM;
	memcpy(s->sorted, v, n * sizeof(*v));
	qsort(s->sorted, n, sizeof(*v), by_value);
	/* The weights depend only on the order of the values, so `order` has their ranks. Equal values may
	 * exchange their weights: the sum of the weighted values does not change. */
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	metric_weights(metric, order, n, weights);
	for (size_t i = 0; i < n; i++)
		s->below[i + 1] = s->below[i] + (double)weights[i] / METRIC_WEIGHTS_SUM;
	return 0;
}

static double resample(struct side *s, uint64_t *state)
{
	double sum = 0;
	size_t at = 0;

	memset(s->drawn, 0, s->n * sizeof(*s->drawn));
	for (size_t i = 0; i < s->n; i++)
		s->drawn[random_below(state, s->n)]++;
	for (size_t i = 0; i < s->n; i++) {
		sum += s->sorted[i] * (s->below[at + s->drawn[i]] - s->below[at]);
		at += s->drawn[i];
	}
	return sum;
}

static double side_metric(const struct side *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += (s->below[i + 1] - s->below[i]) * s->sorted[i];
	return sum;
}

static double deviation(const double *v, size_t n)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

int stats_interval(enum delta_metric metric, const double *a, size_t n, const double *b, size_t m,
		   uint64_t seed, struct stats_interval *ret)
{
	_cleanup_(side_done) struct side x = { 0 }, y = { 0 };
	_cleanup_free_ double *differences = calloc(STATS_RESAMPLES, sizeof(*differences));
	int r = side_init(&x, metric, a, n);

	r = r ? r : side_init(&y, metric, b, m);
	if (r || !differences)
		return r ? r : -ENOMEM;
	for (size_t i = 0; i < STATS_RESAMPLES; i++) {
		x.metrics[i] = resample(&x, &seed);
		y.metrics[i] = resample(&y, &seed);
		differences[i] = y.metrics[i] - x.metrics[i];
	}
	qsort(differences, STATS_RESAMPLES, sizeof(*differences), by_value);
	*ret = (struct stats_interval){
		.a = side_metric(&x),
		.b = side_metric(&y),
		.low = differences[STATS_RESAMPLES / 40],
		.high = differences[STATS_RESAMPLES - 1 - STATS_RESAMPLES / 40],
		.a_error = deviation(x.metrics, STATS_RESAMPLES),
		.b_error = deviation(y.metrics, STATS_RESAMPLES),
	};
	return 0;
}

int stats_metric_of(enum delta_metric metric, const double *v, size_t n, double *ret)
{
	_cleanup_(side_done) struct side s = { 0 };
	int r = side_init(&s, metric, v, n);

	if (!r)
		*ret = side_metric(&s);
	return r;
}

static double median_of_sorted(const double *v, size_t n)
{
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

static bool stands_apart(const double *v, size_t n, size_t first, double *work)
{
	size_t m = n - first;
	double middle, largest;

	memcpy(work, v + first, m * sizeof(*v));
	qsort(work, m, sizeof(*work), by_value);
	middle = median_of_sorted(work, m);
	largest = work[m - 1];
	for (size_t i = 0; i < m; i++)
		work[i] = fabs(work[i] - middle);
	qsort(work, m, sizeof(*work), by_value);
	return v[first - 1] > largest + WARM_UP_SPREADS * median_of_sorted(work, m);
}

int stats_warm_up(const double *v, size_t n)
{
	_cleanup_free_ double *work = calloc(n + 1, sizeof(*work));
	int found = 0;

	if (!work)
		return -ENOMEM;
	for (size_t first = 1; first <= n / WARM_UP_SHARE; first++)
		if (stands_apart(v, n, first, work))
			found = (int)first;
	return found;
}
