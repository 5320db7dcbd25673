// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/transactions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "analysis/transactions/attributes.h"
#include "analysis/transactions/divide.h"
#include "analysis/transactions/find.h"
#include "analysis/transactions/group.h"
#include "lib/cleanup.h"

uint32_t transaction_task(const struct transaction *x)
{
	return x->begin_task == GRAPH_NONE ? x->end_task : x->begin_task;
}

static void find_by(struct finding *k, const struct transaction_rule *rule)
{
	switch (rule->source) {
	case TRANSACTION_MARK:
		find_marks(k, rule);
		break;
	case TRANSACTION_PROCESS:
		find_processes(k, rule);
		break;
	case TRANSACTION_REQUEST:
		find_requests(k, rule);
		break;
	case TRANSACTION_JOB:
		find_jobs(k, rule);
		break;
	case TRANSACTION_INPUT:
		find_inputs(k, rule);
		break;
	case TRANSACTION_TIMER:
		find_timers(k, rule);
		break;
	case TRANSACTION_SOURCES:
		break;
	}
}

static int by_type(const void *a, const void *b)
{
	const struct transaction *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return x->to_ns < y->to_ns ? -1 : x->to_ns > y->to_ns;
}

static int by_latency(const void *a, const void *b, void *arg)
{
	const struct transactions *t = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint64_t x = t->v[i].to_ns - t->v[i].from_ns, y = t->v[j].to_ns - t->v[j].from_ns;

	if (x != y)
		return x < y ? -1 : 1;
	return i < j ? -1 : i > j;
}

struct ranking {
	uint32_t *v;
	size_t n;
};

static int rank(struct transactions *t, uint32_t type, struct ranking *ret)
{
	ret->v = malloc((t->n + 1) * sizeof(*ret->v));
	if (!ret->v)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->v[i].type == type && t->v[i].to_ns)
			ret->v[ret->n++] = i;
	qsort_r(ret->v, ret->n, sizeof(*ret->v), by_latency, t);
	return 0;
}

/* Divides at most TRANSACTION_DIVIDED of the transactions in `all`, which are sorted by latency.
 * Takes transactions at equal distances in this order, and always the slowest one. */
static int divide_some(struct transactions *t, const struct ranking *all, transaction_parts *parts,
		       struct transaction_type *type)
{
	size_t n = MIN(all->n, (size_t)TRANSACTION_DIVIDED);
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		r = divide(t, &t->v[all->v[all->n - 1 - all->n * i / n]], parts);
	type->n_divided = n;
	for (size_t i = 0; i < all->n && !r; i++)
		type->n_truncated += t->v[all->v[i]].truncated;
	return r;
}

struct shape_range {
	size_t first, n;
	uint32_t shape;
};

static int most_first(const void *a, const void *b)
{
	const struct shape_range *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int by_shape(const void *a, const void *b, void *arg)
{
	const struct transactions *t = arg;
	uint32_t x = t->v[*(const uint32_t *)a].shape, y = t->v[*(const uint32_t *)b].shape;

	if (x != y)
		return x < y ? -1 : 1;
	return by_latency(a, b, arg);
}

static int fill_shapes(struct transactions *t, struct ranking *divided, struct transaction_type *type)
{
	VEC(struct shape_range) ranges = { 0 };
	int r = 0;

	qsort_r(divided->v, divided->n, sizeof(*divided->v), by_shape, t);
	for (size_t lo = 0, hi; lo < divided->n && !r; lo = hi) {
		uint32_t shape = t->v[divided->v[lo]].shape;

		for (hi = lo; hi < divided->n && t->v[divided->v[hi]].shape == shape; hi++)
			;
		r = VEC_PUSH(&ranges, (struct shape_range){ lo, hi - lo, shape });
	}
	VEC_SORT(&ranges, most_first);
	type->shapes = calloc(MIN(ranges.n, (size_t)TRANSACTION_SHAPES) + 1, sizeof(*type->shapes));
	if (!type->shapes)
		r = -ENOMEM;
	for (size_t i = 0; i < ranges.n && i < TRANSACTION_SHAPES && !r; i++) {
		struct transaction_group *group = &type->shapes[type->n_shapes++];

		group->shape = ranges.v[i].shape;
		r = group_fill(t, divided->v + ranges.v[i].first, ranges.v[i].n, group);
	}
	type->n_more_shapes = ranges.n - MIN(ranges.n, (size_t)TRANSACTION_SHAPES);
	VEC_FREE(&ranges);
	return r;
}

static int fill_type(struct transactions *t, uint32_t i, transaction_parts *parts)
{
	struct transaction_type *type = &t->types[i];
	struct ranking all = { 0 };
	size_t kept = 0;
	int r = rank(t, i, &all);

	if (!r)
		r = divide_some(t, &all, parts, type);
	t->parts = parts->v;
	t->n_parts = parts->n;
	type->all.shape = GRAPH_NONE;
	if (!r && all.n)
		r = group_fill(t, all.v, all.n, &type->all);
	for (size_t k = 0; k < all.n; k++)
		if (t->v[all.v[k]].shape != GRAPH_NONE)
			all.v[kept++] = all.v[k];
	all.n = kept;
	if (!r)
		r = attributes_fill(t, i, all.v, all.n, type);
	if (!r)
		r = fill_shapes(t, &all, type);
	free(all.v);
	return r;
}

struct type_place {
	double ns; /* negative: no transaction has this type */
	uint32_t type;
};

static int by_time(const void *a, const void *b)
{
	const struct type_place *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->type < y->type ? -1 : x->type > y->type;
}

static bool is_empty(const struct transaction_type *type)
{
	return !type->n_open && !type->n_cut && !type->n_silent;
}

static int sort_types(struct finding *k)
{
	_cleanup_free_ struct type_place *places = calloc(k->types.n + 1, sizeof(*places));
	_cleanup_free_ uint32_t *now = calloc(k->types.n + 1, sizeof(*now));
	struct transaction_type *types = calloc(k->types.n + 1, sizeof(*types));

	if (!places || !now || !types) {
		free(types);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < k->types.n; i++)
		places[i] = (struct type_place){ is_empty(&k->types.v[i]) ? -1 : 0, i };
	for (size_t i = 0; i < k->v.n; i++) {
		struct type_place *p = &places[k->v.v[i].type];

		if (k->v.v[i].to_ns)
			p->ns = MAX(p->ns, 0) + (double)(k->v.v[i].to_ns - k->v.v[i].from_ns);
	}
	qsort(places, k->types.n, sizeof(*places), by_time);
	for (; k->types.n && places[k->types.n - 1].ns < 0; k->types.n--)
		free(k->types.v[places[k->types.n - 1].type].name);
	for (uint32_t i = 0; i < k->types.n; i++) {
		now[places[i].type] = i;
		types[i] = k->types.v[places[i].type];
	}
	for (size_t i = 0; i < k->v.n; i++)
		k->v.v[i].type = now[k->v.v[i].type];
	free(k->types.v);
	k->types.v = types;
	return 0;
}

static int find_all(struct transactions *t, const struct transaction_rules *rules,
		    const struct transactions_filter *filter)
{
	struct finding k = { .t = t, .rules = rules };

	if (filter)
		k.filter = *filter;
	for (size_t i = 0; i < rules->v.n && !k.err; i++)
		find_by(&k, &rules->v.v[i]);
	if (!k.err)
		k.err = sort_types(&k);
	for (size_t i = 0; i < k.v.n; i++)
		k.v.v[i].shape = GRAPH_NONE;
	VEC_SORT(&k.v, by_type);
	t->v = k.v.v;
	t->n = k.v.n;
	t->types = k.types.v;
	t->n_types = k.types.n;
	texts_done(&k.names);
	VEC_FREE(&k.inputs);
	causal_free(k.causal);
	return k.err;
}

int transactions_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		      const struct transaction_rules *rules, const struct transactions_filter *filter,
		      struct transactions **ret)
{
	struct transactions *t = calloc(1, sizeof(*t));
	transaction_parts parts = { 0 };
	int r;

	if (!t)
		return -ENOMEM;
	*t = (struct transactions){ .g = g, .from_ns = from_ns, .to_ns = to_ns };
	r = find_all(t, rules, filter);
	for (uint32_t i = 0; i < t->n_types && !r; i++)
		r = fill_type(t, i, &parts);
	if (!t->parts)
		free(parts.v);
	if (r) {
		transactions_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

void transactions_free(struct transactions *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_types; i++) {
		struct transaction_type *type = &t->types[i];

		for (size_t k = 0; k < type->n_shapes; k++)
			group_done(&type->shapes[k]);
		free(type->shapes);
		attributes_done(type);
		group_done(&type->all);
		free(type->name);
	}
	free(t->types);
	free(t->v);
	free(t->parts);
	texts_done(&t->roles);
	texts_done(&t->shapes);
	texts_done(&t->cgroups);
	services_free(t->services);
	free(t);
}
