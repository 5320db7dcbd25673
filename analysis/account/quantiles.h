/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quantiles.h - quantiles by nearest rank. The quantile of p per cent is the smallest value v for
 * which at least p per cent of all values are v or less. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_ACCOUNT_QUANTILES_H
#define CTRACE_ANALYSIS_ACCOUNT_QUANTILES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct quantiles {
	uint64_t p50, p95, p99, max;
};

static inline int quantiles_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static inline void quantiles_sort(uint64_t *v, size_t n)
{
	qsort(v, n, sizeof(*v), quantiles_cmp);
}

/* Returns the index of the quantile in n sorted values, n > 0. */
static inline size_t quantile_rank(size_t n, unsigned percent)
{
	size_t i = (n * percent + 99) / 100;

	return i ? i - 1 : 0;
}

/* v is sorted. */
static inline struct quantiles quantiles_of(const uint64_t *v, size_t n)
{
	if (!n)
		return (struct quantiles){ 0 };
	return (struct quantiles){ v[quantile_rank(n, 50)], v[quantile_rank(n, 95)], v[quantile_rank(n, 99)],
				   v[n - 1] };
}

#endif
