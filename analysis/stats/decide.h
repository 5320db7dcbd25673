/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decide.h - decides from the times (ns) of old and new runs whether a command became slower.
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_STATS_DECIDE_H
#define CTRACE_ANALYSIS_STATS_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/delta/metric.h"

#define DECIDE_RUNS_MIN 5 /* with fewer runs of a side, the interval comes out too narrow */

enum decision_kind { DECIDE_OK, DECIDE_REGRESSION, DECIDE_IMPROVEMENT, DECIDE_UNDECIDED };

struct decide_rule {
	enum delta_metric metric;
	double max_regress; /* share of the old metric: 0.05 is 5 % */
	unsigned looks;     /* how often the check may decide, each time with more runs; at least 1 */
	bool old_fixed;     /* only new runs can be added */
};

/* Returns the largest p-value with which a decision may report a difference, if there are `looks`
 * decisions. */
double decide_alpha(unsigned looks);

struct decide_runs { /* in the order of time; borrowed */
	const double *ns;
	size_t n;
};

struct decision {
	enum decision_kind kind;
	double old_ns, new_ns;  /* the metric */
	double low_ns, high_ns; /* 95 % interval of new - old */
	double limit_ns;        /* max_regress * old_ns */
	double p;               /* Mann-Whitney, two-sided */
	double alpha;           /* a regression or an improvement needs p <= alpha */
	double detectable_ns;   /* about four of five checks find a regression of this size */
	/* Undecided: how many runs each side (with old_fixed: the new side) needs in all. 0: more than
	 * STATS_RUNS_MAX. */
	size_t runs_needed;
	double old_trend_p, new_trend_p; /* of ranks_trend() */
	int old_warm_up, new_warm_up;    /* of stats_warm_up() */
};

/*
 * Regression: the interval of the difference is above the limit, and p <= alpha. Improvement: the
 * interval is below minus the limit, and p <= alpha. OK: the interval is below the limit.
 * Undecided: all other cases, and always if a side has fewer than DECIDE_RUNS_MIN runs.
 * Errors: -EINVAL (a side has no runs, or more than STATS_RUNS_MAX), -ENOMEM.
 */
int decide(const struct decide_rule *rule, const struct decide_runs *old_runs,
	   const struct decide_runs *new_runs, struct decision *ret);

#endif
