// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stats/quantile.h"

#include <math.h>

/* The continued fraction of the incomplete Beta function (Abramowitz and Stegun, 26.5.8), with the
 * method of W. J. Lentz, Applied Optics 15 (1976) 668-671. Converges fast for x < (a+1)/(a+b+2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 / fmax(fabs(1 - (a + b) * x / (a + 1)), tiny), f = d;

	for (int m = 1; m <= 1000; m++) {
		double odd, even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), step;

		odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		f *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return f;
}

/* log of the Gamma function of x > 0 (C. Lanczos, 1964). lgamma() would write a global. */
static double log_gamma(double x)
{
	static const double c[] = { 676.5203681218851,     -1259.1392167224028,  771.32342877765313,
				    -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
				    9.9843695780195716e-6, 1.5056327351493116e-7 };
	double sum = 0.99999999999980993, t = x + 6.5;

	for (int i = 0; i < 8; i++)
		sum += c[i] / (x + i);
	return 0.5 * log(2 * M_PI) + (x - 0.5) * log(t) - t + log(sum);
}

double stats_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static void quantile_weights(double q, size_t n, double *w)
{
	double a = (double)(n + 1) * q, b = (double)(n + 1) * (1 - q), before = 0;

	for (size_t i = 0; i < n; i++) {
		double at = stats_beta(a, b, (double)(i + 1) / (double)n);

		w[i] = at - before;
		before = at;
	}
}

void stats_weights(enum stats_metric metric, size_t n, double *w)
{
	static const double q[STATS_METRICS] = { [STATS_P50] = 0.5, [STATS_P95] = 0.95, [STATS_P99] = 0.99 };

	if (metric < STATS_MAX) {
		quantile_weights(q[metric], n, w);
		return;
	}
	for (size_t i = 0; i < n; i++)
		w[i] = metric == STATS_MEAN ? 1 / (double)n : i + 1 == n;
}
