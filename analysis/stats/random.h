/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random.h - private to analysis/stats/: random numbers that are the same in each run. Any thread. */
#ifndef CTRACE_ANALYSIS_STATS_RANDOM_H
#define CTRACE_ANALYSIS_STATS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). *state: any number at first. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Returns a number below n. 0 < n < 2^32. */
static inline size_t random_below(uint64_t *state, size_t n)
{
	return (random_next(state) >> 32) * n >> 32;
}

#endif
