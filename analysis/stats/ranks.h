/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranks.h - statistical tests that use only the order of values. So a few extreme values do not
 * mislead these tests. Pure; any thread. Values are in any unit.
 */
#ifndef CTRACE_ANALYSIS_STATS_RANKS_H
#define CTRACE_ANALYSIS_STATS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#define RANKS_EXACT_MAX 50 /* with at most this many values in all, and no ties, p is exact */

struct ranks_p {
	double p;     /* two-sided, 0 to 1 */
	double score; /* U of ranks_mann_whitney(), or S of ranks_trend() */
	bool exact;   /* false: p is from the normal approximation */
};

/*
 * The U test of H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
 * stochastically larger than the other", Ann. Math. Stat. 18 (1947) 50-60. The approximation has
 * the corrections for ties and for continuity of E. L. Lehmann, "Nonparametrics" (1975), sections
 * 1.2 and 1.4. score is U of a: the number of pairs in which a's value is the larger. A tie counts
 * as half a pair. If n or m is 0, or all values are equal, p is 1. Returns 0 or -ENOMEM.
 */
int ranks_mann_whitney(const double *a, size_t n, const double *b, size_t m, struct ranks_p *ret);

/* The smallest p that ranks_mann_whitney() can give for n and m values without ties. */
double ranks_smallest_p(size_t n, size_t m);

/*
 * The trend test of H. B. Mann, "Nonparametric tests against trend", Econometrica 13 (1945)
 * 245-259, for values in the order of time. score is S: the number of pairs that rise, minus the
 * number of pairs that fall. The approximation has the correction for ties of M. G. Kendall, "Rank
 * Correlation Methods" (1975). With fewer than 3 values p is 1. Returns 0 or -ENOMEM.
 */
int ranks_trend(const double *v, size_t n, struct ranks_p *ret);

#endif
