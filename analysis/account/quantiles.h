/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quantiles.h - quantiles by nearest rank: the smallest value that at least so many of the values do not
 * exceed. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_ACCOUNT_QUANTILES_H
#define CTRACE_ANALYSIS_ACCOUNT_QUANTILES_H

#include <stddef.h>
#include <stdint.h>

struct quantiles {
	uint64_t p50, p95, p99, max;
};

/* The index of the quantile in n sorted values, n > 0. */
static inline size_t quantile_rank(size_t n, unsigned percent)
{
	size_t i = (n * percent + 99) / 100;

	return i ? i - 1 : 0;
}

/* The quantiles of sorted values; all 0 if there are none. */
static inline struct quantiles quantiles_of(const uint64_t *v, size_t n)
{
	if (!n)
		return (struct quantiles){ 0 };
	return (struct quantiles){ v[quantile_rank(n, 50)], v[quantile_rank(n, 95)], v[quantile_rank(n, 99)],
				   v[n - 1] };
}

#endif
