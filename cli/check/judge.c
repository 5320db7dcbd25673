// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/judge.h"

#include <errno.h>

#include "analysis/stats/interval.h"
#include "analysis/stats/ranks.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

/* Two reports of the same runs say the same. */
#define COST_SEED 1

size_t check_count(const struct baseline *side, enum check_timing timing)
{
	return timing == CHECK_TRACED ? side->n_runs : side->untraced.n;
}

static double *doubles(const struct baseline_clocks *c)
{
	double *v = calloc(c->n + 1, sizeof(*v));

	for (size_t i = 0; v && i < c->n; i++)
		v[i] = (double)c->v[i];
	return v;
}

static double *times_of(const struct baseline *side, enum check_timing timing)
{
	double *v;

	if (timing == CHECK_UNTRACED)
		return doubles(&side->untraced);
	v = calloc(side->n_runs + 1, sizeof(*v));
	for (size_t i = 0; v && i < side->n_runs; i++)
		v[i] = (double)side->runs[i]->total_ns;
	return v;
}

int tracer_cost_of(const struct baseline *side, double max_regress, struct tracer_cost *ret)
{
	struct tracer_cost c = { .n_traced = side->traced.n, .n_untraced = side->untraced.n };
	_cleanup_free_ double *with = doubles(&side->traced), *without = doubles(&side->untraced);
	struct stats_interval v;
	struct ranks_p p;
	int r;

	if (!with || !without)
		return -ENOMEM;
	c.known = MIN(c.n_traced, c.n_untraced) >= CHECK_UNTRACED_MIN;
	if (!c.known) {
		*ret = c;
		return 0;
	}
	r = stats_interval(DELTA_P50, without, c.n_untraced, with, c.n_traced, COST_SEED, &v);
	r = r ? r : ranks_mann_whitney(with, c.n_traced, without, c.n_untraced, &p);
	if (r)
		return r;
	c.ns = v.b - v.a;
	c.p = p.p;
	c.share = v.a > 0 ? c.ns / v.a : 0;
	c.unclear = c.ns < 0 && v.high > max_regress * v.a;
	c.high = c.share > max_regress || (c.ns > 0 && c.p <= CHECK_COST_P);
	*ret = c;
	return 0;
}

int judge(const struct decide_rule *rule, const struct baseline *old_side, const struct baseline *new_side,
	  enum check_timing timing, struct decision *ret)
{
	_cleanup_free_ double *x = times_of(old_side, timing), *y = times_of(new_side, timing);
	const struct decide_runs a = { x, check_count(old_side, timing) },
				 b = { y, check_count(new_side, timing) };

	return x && y ? decide(rule, &a, &b, ret) : -ENOMEM;
}

int judge_metric(enum delta_metric metric, const struct baseline *side, enum check_timing timing, double *ret)
{
	_cleanup_free_ double *v = times_of(side, timing);

	return v ? stats_metric_of(metric, v, check_count(side, timing), ret) : -ENOMEM;
}
