/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trend.h - private to analysis/patterns: how a count grows over the transactions. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_PATTERNS_TREND_H
#define CTRACE_ANALYSIS_PATTERNS_TREND_H

#include <stddef.h>
#include <stdint.h>

struct trend_point {
	size_t at; /* the number of the transaction */
	uint64_t n;
};

struct trend {
	uint64_t min, max;
	double first, last, correlation; /* as in struct pattern */
};

/* n_all: the number of transactions. A transaction without a point has the count 0. points: sorted by
 * `at`, which is below n_all; the function reorders them. Returns 0 or -EINVAL. */
int trend_of(struct trend_point *points, size_t n, size_t n_all, struct trend *ret);

#endif
