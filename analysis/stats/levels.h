/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * levels.h - analysis of variance with one factor: whether some values depend on a factor, such as the
 * CPU on which a transaction ran. Each value has one level of the factor, such as CPU 3. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_STATS_LEVELS_H
#define CTRACE_ANALYSIS_STATS_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct levels_factor {
	const uint32_t *of; /* [i]: the level of value i, below n_levels; borrowed */
	size_t n_levels;    /* each level has a value */
	/* The share of the variance that the levels explain, 0 to 1. A random factor explains a little
	 * too. This is subtracted: epsilon squared of T. L. Kelley, "An unbiased correlation ratio
	 * measure", Proc. Natl. Acad. Sci. 21 (1935) 554-559. */
	double share;
	/* More than LEVELS_AS_LARGE of LEVELS_SHUFFLES random orders of the values explain as much. Such a
	 * permutation test (R. A. Fisher, "The Design of Experiments" (1935), section 21) is right for all
	 * distributions, also if a few values are far larger than the others. It takes the values for
	 * independent of each other. Values that change slowly over time are not: they seem to depend on
	 * each factor that changes slowly too. */
	bool by_chance;
};

/* Sets share and by_chance of each factor. If a factor has fewer than two levels, or as many levels as there
 * are values, or if all values are equal, its share is 0 and by_chance is true. The same arguments give the
 * same result. Needs n < 2^32. Returns 0 or -ENOMEM. */
int levels_explain(const double *v, size_t n, struct levels_factor *factors, size_t n_factors);

#endif
