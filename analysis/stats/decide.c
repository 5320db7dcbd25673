// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stats/decide.h"

#include <math.h>

#include "analysis/stats/interval.h"
#include "analysis/stats/ranks.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"

#define Z_95        1.959964 /* 97.5 % of the normal distribution is below */
#define Z_80        0.841621 /* 80 % of the normal distribution is below */
#define ROUNDING_NS 0.5      /* a smaller difference is rounding */
#define SEED        0x63747261636521ULL

double decide_alpha(unsigned looks)
{
	return DECIDE_ALPHA / looks;
}

static enum decision_kind kind_of(const struct decision *d)
{
	bool surely = d->p <= d->alpha;

	if (surely && d->low_ns > d->limit_ns + ROUNDING_NS)
		return DECIDE_REGRESSION;
	if (surely && d->high_ns < -d->limit_ns - ROUNDING_NS)
		return DECIDE_IMPROVEMENT;
	return d->high_ns <= d->limit_ns + ROUNDING_NS ? DECIDE_OK : DECIDE_UNDECIDED;
}

/* Returns the fewest runs with which p can be alpha or less, or 0 if STATS_RUNS_MAX runs are not enough. */
static size_t runs_for_alpha(const struct decide_rule *rule, double alpha, size_t n_old)
{
	for (size_t n = DECIDE_RUNS_MIN; n <= STATS_RUNS_MAX; n++)
		if (ranks_smallest_p(rule->old_fixed ? n_old : n, n) <= alpha)
			return n;
	return 0;
}

/* Estimates how many runs are needed until the limit is outside of the interval of the difference
 * (low_ns to high_ns). The estimate assumes that the width of the interval is proportional to
 * 1 / sqrt(runs). Returns 0 if STATS_RUNS_MAX runs are not enough. */
static size_t runs_needed(const struct decide_rule *rule, const struct decision *d,
			  const struct stats_interval *v, size_t n_old, size_t n_new)
{
	double gap = fabs(d->new_ns - d->old_ns - d->limit_ns) / Z_95, old_var = v->a_error * v->a_error,
	       new_var = v->b_error * v->b_error, runs;
	size_t least = runs_for_alpha(rule, d->alpha, n_old);

	if (rule->old_fixed && (n_old < DECIDE_RUNS_MIN || gap * gap <= old_var))
		return 0;
	if (rule->old_fixed)
		runs = new_var * (double)n_new / (gap * gap - old_var);
	else
		runs = (old_var * (double)n_old + new_var * (double)n_new) / (gap * gap);
	/* more than the present runs, because the present runs did not lead to a decision */
	runs = fmax(fmax(ceil(runs), (double)least), (double)n_new + 1);
	return least && runs <= STATS_RUNS_MAX ? (size_t)runs : 0;
}

int decide(const struct decide_rule *rule, const struct decide_runs *old_runs,
	   const struct decide_runs *new_runs, struct decision *ret)
{
	struct ranks_p p, old_trend, new_trend;
	struct stats_interval v;
	struct decision d;
	int r = stats_interval(rule->metric, old_runs->ns, old_runs->n, new_runs->ns, new_runs->n, SEED, &v);

	r = r ? r : ranks_mann_whitney(old_runs->ns, old_runs->n, new_runs->ns, new_runs->n, &p);
	r = r ? r : ranks_trend(old_runs->ns, old_runs->n, &old_trend);
	r = r ? r : ranks_trend(new_runs->ns, new_runs->n, &new_trend);
	if (r)
		return r;
	d = (struct decision){
		.old_ns = v.a,
		.new_ns = v.b,
		.low_ns = v.low,
		.high_ns = v.high,
		.limit_ns = rule->max_regress * v.a,
		.p = p.p,
		.alpha = decide_alpha(rule->looks),
		.old_trend_p = old_trend.p,
		.new_trend_p = new_trend.p,
		.old_warm_up = stats_warm_up(old_runs->ns, old_runs->n),
		.new_warm_up = stats_warm_up(new_runs->ns, new_runs->n),
	};
	if (d.old_warm_up < 0 || d.new_warm_up < 0)
		return d.old_warm_up < 0 ? d.old_warm_up : d.new_warm_up;
	d.detectable_ns = d.limit_ns + (Z_95 + Z_80) * sqrt(v.a_error * v.a_error + v.b_error * v.b_error);
	d.kind = MIN(old_runs->n, new_runs->n) < DECIDE_RUNS_MIN ? DECIDE_UNDECIDED : kind_of(&d);
	if (d.kind == DECIDE_UNDECIDED)
		d.runs_needed = runs_needed(rule, &d, &v, old_runs->n, new_runs->n);
	*ret = d;
	return 0;
}
