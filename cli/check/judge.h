/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h - decides whether the new runs of a command are slower than the old ones, and measures
 * what tracing costs. A *side* is the old runs, or the new runs. Pure; any thread. */
#ifndef CTRACE_CLI_CHECK_JUDGE_H
#define CTRACE_CLI_CHECK_JUDGE_H

#include "analysis/stats/decide.h"
#include "cli/compare/baseline.h"

/* Which runs are compared. CHECK_TRACED: the traced runs; the profile of a run says how long it took.
 * CHECK_UNTRACED: the runs without tracing; their times were measured around the command. */
enum check_timing { CHECK_TRACED, CHECK_UNTRACED };

size_t check_count(const struct baseline *side, enum check_timing timing);

/* What tracing costs a run: the median time of the traced runs of one side, minus that of its untraced
 * runs. The times are measured around the command. */
struct tracer_cost {
	bool known;   /* n_traced and n_untraced are at least CHECK_UNTRACED_MIN */
	double ns, p; /* p: of the Mann-Whitney U test, traced against untraced runs */
	double share; /* the cost divided by the untraced median */
	/* ns is negative, but its 95 % interval has costs that are more than max_regress of the untraced
	 * median: the runs differ too much to say that the cost is small. */
	bool unclear;
	size_t n_traced, n_untraced;
	/* True if the traced times mislead. They mislead if share > max_regress, or if ns > 0 and
	 * p <= CHECK_COST_P. */
	bool high;
};

/* Errors: -ENOMEM, -EINVAL (more than STATS_RUNS_MAX runs). */
int tracer_cost_of(const struct baseline *side, double max_regress, struct tracer_cost *ret);

/*
 * Decides from the runs that `timing` names. Errors: -EINVAL (a side has no such run, or more than
 * STATS_RUNS_MAX such runs), -ENOMEM.
 */
int judge(const struct decide_rule *rule, const struct baseline *old_side, const struct baseline *new_side,
	  enum check_timing timing, struct decision *ret);

/* Sets *ret to the metric of the runs that `timing` names. Errors: as judge(). */
int judge_metric(enum delta_metric metric, const struct baseline *side, enum check_timing timing,
		 double *ret);

#endif
