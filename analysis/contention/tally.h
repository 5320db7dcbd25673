/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - private to analysis/contention/: adds up times, or bytes, by task. */
#ifndef CTRACE_ANALYSIS_CONTENTION_TALLY_H
#define CTRACE_ANALYSIS_CONTENTION_TALLY_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/map.h"

/* Returns for how long [a0, a1) and [b0, b1) overlap. */
static inline uint64_t overlap(uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1)
{
	uint64_t from = MAX(a0, b0), to = MIN(a1, b1);

	return from < to ? to - from : 0;
}

/* Returns 0 or -ENOMEM. */
static inline int tally_add(struct map *tally, uint64_t key, uint64_t n)
{
	uint64_t had = 0;

	if (!n)
		return 0;
	map_get(tally, key, &had);
	return map_set(tally, key, had + n);
}

#endif
