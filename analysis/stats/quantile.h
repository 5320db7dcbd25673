/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quantile.h - a metric of a few runs as a weighted sum of the sorted runs. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_STATS_QUANTILE_H
#define CTRACE_ANALYSIS_STATS_QUANTILE_H

#include <stddef.h>

enum stats_metric { STATS_P50, STATS_P95, STATS_P99, STATS_MAX, STATS_MEAN, STATS_METRICS };

/*
 * Fills w[0..n-1] with the weights of the sorted values; they sum to 1. A quantile uses the weights
 * of F. E. Harrell and C. E. Davis, "A new distribution-free quantile estimator", Biometrika 69
 * (1982) 635-640: an average of all values, which varies less from run to run than a single value.
 * n must not be 0.
 */
void stats_weights(enum stats_metric metric, size_t n, double *w);

/* The distribution function of the Beta distribution with parameters a, b > 0, for 0 <= x <= 1. */
double stats_beta(double a, double b, double x);

#endif
