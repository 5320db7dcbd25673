// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/delta/metric.h"

#include <math.h>

#include "lib/cleanup.h"
#include "trace/words/texts.h"

#define BETA_STEPS 500
#define BETA_SMALL 1e-30
#define BETA_EXACT 1e-13

static const char *const names[DELTA_METRICS] = { "mean", "p50", "p95", "p99", "max", "total" };

const char *metric_name(enum delta_metric m)
{
	return (unsigned)m < DELTA_METRICS ? names[m] : "unknown";
}

enum delta_metric metric_of(const char *word)
{
	return (enum delta_metric)texts_find(names, DELTA_METRICS, word);
}

/* The continued fraction of the incomplete beta function, by the method of Lentz (Press et al.,
 * "Numerical Recipes in C", 6.4). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < BETA_SMALL ? BETA_SMALL : d);
	h = d;
	for (int m = 1; m <= BETA_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < BETA_SMALL ? BETA_SMALL : d);
		c = fabs(c) < BETA_SMALL ? BETA_SMALL : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < BETA_SMALL ? BETA_SMALL : d);
		c = fabs(c) < BETA_SMALL ? BETA_SMALL : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < BETA_EXACT)
			break;
	}
	return h;
}

static double log_gamma(double x)
{
	int sign; /* lgamma() would set a global */

	return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function: the share of the distribution Beta(a, b) below x. */
static double beta_share(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static void quantile(double q, size_t n, uint64_t *ret)
{
	double a = (double)(n + 1) * q, b = (double)(n + 1) * (1 - q), before = 0;

	for (size_t i = 0; i < n; i++) {
		double upto = beta_share(a, b, (double)(i + 1) / (double)n);
		double share = MAX(upto - before, 0.0);

		ret[i] = (uint64_t)(share * (double)METRIC_WEIGHTS_SUM);
		before = MAX(upto, before);
	}
}

/* The order of runs of equal length means nothing, so their weights become equal. */
static void level(const uint64_t *total_ns, size_t n, uint64_t *w)
{
	for (size_t i = 0, end; i < n; i = end) {
		uint64_t sum = 0, each;

		for (end = i; end < n && total_ns[end] == total_ns[i]; end++)
			sum += w[end];
		each = sum / (end - i);
		for (size_t j = i; j < end; j++)
			w[j] = each;
	}
}

void metric_weights(enum delta_metric metric, const uint64_t *total_ns, size_t n, uint64_t *ret)
{
	uint64_t sum = 0;
	size_t heavy = 0;

	for (size_t i = 0; i < n; i++)
		ret[i] = metric == DELTA_MEAN    ? METRIC_WEIGHTS_SUM / n
			 : metric == DELTA_TOTAL ? METRIC_WEIGHTS_SUM
						 : 0;
	if (metric == DELTA_TOTAL)
		return;
	switch (metric) {
	case DELTA_P50:
		quantile(0.5, n, ret);
		break;
	case DELTA_P95:
		quantile(0.95, n, ret);
		break;
	case DELTA_P99:
		quantile(0.99, n, ret);
		break;
	case DELTA_MAX:
		ret[n - 1] = METRIC_WEIGHTS_SUM;
		break;
	case DELTA_MEAN:
	case DELTA_TOTAL:
	case DELTA_METRICS:
		break;
	}
	level(total_ns, n, ret);
	for (size_t i = 0; i < n; i++) {
		sum += ret[i];
		heavy = ret[i] > ret[heavy] ? i : heavy;
	}
	ret[heavy] += METRIC_WEIGHTS_SUM - sum;
}
