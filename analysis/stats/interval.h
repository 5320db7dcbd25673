/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval.h - how far the difference of two groups of runs can be trusted. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_STATS_INTERVAL_H
#define CTRACE_ANALYSIS_STATS_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/delta/metric.h"

#define STATS_RESAMPLES 2000 /* 50 of them are beyond each end of a 95 % interval */
#define STATS_RUNS_MAX  1000 /* runs of one side */

struct stats_interval {
	double a, b;             /* the metric of each side */
	double low, high;        /* the 95 % interval of b - a; low <= high */
	double a_error, b_error; /* standard errors of a and b */
};

/*
 * The percentile interval of B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap"
 * (1993), chapter 13. Each side is resampled on its own. The same values and the same seed give the
 * same interval. Errors: -EINVAL (a side has no values or more than STATS_RUNS_MAX), -ENOMEM.
 */
int stats_interval(enum delta_metric metric, const double *a, size_t n, const double *b, size_t m,
		   uint64_t seed, struct stats_interval *ret);

/* Sets *ret to the metric of n values in any order. Errors: as of stats_interval(). */
int stats_metric_of(enum delta_metric metric, const double *v, size_t n, double *ret);

/* Returns the number of values in the warm-up, at most n / WARM_UP_SHARE, or -ENOMEM. The last value of
 * the warm-up is far above all later values (WARM_UP_SPREADS). */
int stats_warm_up(const double *v, size_t n);

#endif
