// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/group.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/thresholds.h"
#include "analysis/transactions/divide.h"
#include "lib/cleanup.h"

static uint64_t ns_of(const struct transactions *t, uint32_t i)
{
	return t->v[i].to_ns - t->v[i].from_ns;
}

/* Overwrites ns. */
static uint64_t mad_of(uint64_t *ns, size_t n, uint64_t median)
{
	for (size_t i = 0; i < n; i++)
		ns[i] = ns[i] > median ? ns[i] - median : median - ns[i];
	quantiles_sort(ns, n);
	return ns[quantile_rank(n, 50)];
}

static int fill_latency(const struct transactions *t, const uint32_t *v, size_t n,
			struct transaction_group *ret)
{
	_cleanup_free_ uint64_t *ns = malloc(n * sizeof(*ns));
	double sum = 0, squares = 0;

	if (!ns)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		ns[i] = ns_of(t, v[i]);
		sum += (double)ns[i];
	}
	ret->count = n;
	ret->latency = quantiles_of(ns, n);
	ret->mean_ns = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += ((double)ns[i] - ret->mean_ns) * ((double)ns[i] - ret->mean_ns);
	ret->sd_ns = sqrt(squares / (double)n);
	if (n >= TRANSACTION_OUTLIERS_OF) {
		ret->mad_ns = mad_of(ns, n, ret->latency.p50);
		ret->sd_limit_ns = (uint64_t)(ret->mean_ns + TRANSACTION_SD * ret->sd_ns);
		ret->mad_limit_ns = ret->latency.p50 + TRANSACTION_MAD * ret->mad_ns;
	}
	for (size_t i = 0; i < n; i++) {
		ret->n_sd += ret->sd_limit_ns && ns_of(t, v[i]) > ret->sd_limit_ns;
		ret->n_mad += ret->mad_limit_ns && ns_of(t, v[i]) > ret->mad_limit_ns;
	}
	for (size_t i = 0; i < GROUP_SLOWEST && i < n; i++)
		ret->slowest[ret->n_slowest++] = v[n - 1 - i];
	return 0;
}

static int by_share(const void *a, const void *b)
{
	const struct group_part *x = a, *y = b;

	if (x->variance != y->variance)
		return x->variance > y->variance ? -1 : 1;
	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	return (int)x->time - (int)y->time;
}

struct spread {
	double n, sum_ns, mean_ns, variance;
};

static struct spread spread_of(const struct transactions *t, const uint32_t *v, size_t n)
{
	struct spread s = { 0 };

	for (size_t i = 0; i < n; i++)
		if (t->v[v[i]].shape != GRAPH_NONE) {
			s.n++;
			s.sum_ns += (double)ns_of(t, v[i]);
		}
	s.mean_ns = s.n ? s.sum_ns / s.n : 0;
	for (size_t i = 0; i < n; i++)
		if (t->v[v[i]].shape != GRAPH_NONE) {
			double d = (double)ns_of(t, v[i]) - s.mean_ns;

			s.variance += d * d / s.n;
		}
	return s;
}

/*
 * Adds the parts of one transaction. The covariance of a part and the total is the mean of
 * part * (total - mean), because the mean of (total - mean) is 0. So a transaction without the part
 * adds nothing, and the covariances of all parts add up to the variance of the total.
 */
static int add_parts(const struct transactions *t, const struct transaction *x, const struct spread *s,
		     struct transaction_group *ret, struct map *at, size_t *cap)
{
	double off_ns = (double)(x->to_ns - x->from_ns) - s->mean_ns;

	for (size_t i = 0; i < x->n_parts; i++) {
		const struct transaction_part *p = &t->parts[x->first_part + i];
		uint64_t key = (uint64_t)p->role << 8 | p->time, k;

		if (!map_get(at, key, &k)) {
			k = ret->n_parts;
			if (vec_grow((void **)&ret->parts, cap, k + 1, sizeof(*ret->parts)) ||
			    map_set(at, key, k))
				return -ENOMEM;
			ret->parts[ret->n_parts++] = (struct group_part){ .role = p->role, .time = p->time };
		}
		ret->parts[k].mean_ns += (double)p->ns / s->n;
		ret->parts[k].share += s->sum_ns > 0 ? (double)p->ns / s->sum_ns : 0;
		ret->parts[k].variance += s->variance > 0 ? (double)p->ns * off_ns / s->n / s->variance : 0;
	}
	return 0;
}

static int fill_parts(const struct transactions *t, const uint32_t *v, size_t n,
		      struct transaction_group *ret)
{
	struct spread s = spread_of(t, v, n);
	struct map at = { 0 };
	size_t cap = 0;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		if (t->v[v[i]].shape != GRAPH_NONE)
			r = add_parts(t, &t->v[v[i]], &s, ret, &at, &cap);
	map_done(&at);
	if (ret->n_parts)
		qsort(ret->parts, ret->n_parts, sizeof(*ret->parts), by_share);
	return r;
}

static int sum_reasons(const struct transactions *t, const uint32_t *v, size_t lo, size_t hi,
		       enum reason_group group, struct reasons *k)
{
	size_t n = MIN(hi - lo, (size_t)TRANSACTION_SAMPLE);
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		r = divide_reasons(t, &t->v[v[lo + (hi - lo) * i / n]], group, k);
	return r;
}

static int fill_reasons(const struct transactions *t, const uint32_t *v, size_t n,
			struct transaction_group *ret)
{
	size_t usual = n * REQUEST_USUAL_FROM / 100, end = MAX(n * REQUEST_USUAL_TO / 100, usual + 1);
	struct reasons k = { 0 };
	int r = sum_reasons(t, v, usual, end, REASON_USUAL, &k);

	if (!r)
		r = sum_reasons(t, v, quantile_rank(n, REQUEST_SLOW_FROM), n, REASON_SLOW, &k);
	if (!r)
		r = reasons_shares(&k, &ret->reasons, &ret->n_reasons);
	reasons_done(&k);
	return r;
}

int group_fill(const struct transactions *t, const uint32_t *v, size_t n, struct transaction_group *ret)
{
	int r = fill_latency(t, v, n, ret);

	if (!r)
		r = fill_parts(t, v, n, ret);
	return r ? r : fill_reasons(t, v, n, ret);
}

void group_done(struct transaction_group *group)
{
	reasons_free(group->reasons, group->n_reasons);
	free(group->parts);
}
