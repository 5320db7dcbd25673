// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/own.h"

#include <errno.h>
#include <string.h>

#include "analysis/stats/decide.h"
#include "analysis/stats/ranks.h"
#include "lib/cleanup.h"
#include "lib/vec.h"
#include "trace/words/texts.h"

/* The price of a wait (own.h) is queued_ns / wakes. merge_prices() sums up all parts with the same key. */
struct price {
	const char *key;           /* of a struct profile_part, which owns the text */
	uint64_t wakes, queued_ns; /* as in struct profile_part */
};

struct prices {
	VEC(struct price) v; /* sorted by key */
};

static int price_cmp(const void *a, const void *b)
{
	return texts_order(((const struct price *)a)->key, ((const struct price *)b)->key);
}

static int add_prices(struct prices *p, const struct baseline *b)
{
	int r = 0;

	for (size_t i = 0; i < b->n_runs; i++)
		for (size_t k = 0; k < b->runs[i]->n_parts && !r; k++) {
			const struct profile_part *part = &b->runs[i]->parts[k];
			const struct price x = { part->key, part->wakes, part->queued_ns };

			if (part->wakes && part->class != PART_CLASS_ENVIRONMENT)
				r = VEC_PUSH(&p->v, x);
		}
	return r;
}

static void merge_prices(struct prices *p)
{
	size_t n = 0;

	VEC_SORT(&p->v, price_cmp);
	for (size_t i = 0; i < p->v.n; i++) {
		if (n && !price_cmp(&p->v.v[n - 1], &p->v.v[i])) {
			p->v.v[n - 1].wakes += p->v.v[i].wakes;
			p->v.v[n - 1].queued_ns += p->v.v[i].queued_ns;
		} else {
			p->v.v[n++] = p->v.v[i];
		}
	}
	p->v.n = n;
}

static uint64_t share_of(const struct prices *p, const struct profile_part *part)
{
	const struct price key = { .key = part->key }, *x;

	if (!part->wakes || !p->v.n || part->class == PART_CLASS_ENVIRONMENT)
		return 0;
	x = bsearch(&key, p->v.v, p->v.n, sizeof(key), price_cmp);
	return x ? (uint64_t)((double)part->wakes * ((double)x->queued_ns / (double)x->wakes)) : 0;
}

static void free_profile(struct profile **p)
{
	profile_free(*p);
}

static int add_part(struct profile *p, const struct profile_part *part, uint64_t more_ns)
{
	struct profile_part *to = &p->parts[p->n_parts++];

	*to = *part;
	to->key = strdup(part->key);
	to->detail = strdup(part->detail);
	to->text = strdup(part->text);
	to->ns += more_ns;
	p->total_ns += to->ns;
	return to->key && to->detail && to->text ? 0 : -ENOMEM;
}

static int add_run(const struct baseline *b, const struct profile *run, const struct prices *prices,
		   struct baseline *ret)
{
	_cleanup_(free_profile) struct profile *p = calloc(1, sizeof(*p));
	int r = 0;

	if (!p)
		return -ENOMEM;
	p->truncated = run->truncated;
	p->parts = calloc(run->n_parts + 1, sizeof(*p->parts));
	if (!p->parts)
		return -ENOMEM;
	for (size_t i = 0; i < run->n_parts && !r; i++)
		if (run->parts[i].class != PART_CLASS_ENVIRONMENT)
			r = add_part(p, &run->parts[i], share_of(prices, &run->parts[i]));
	r = r ? r : baseline_add(ret, p, &b->machine, b->command);
	if (!r)
		p = NULL;
	return r;
}

static int add_runs(const struct baseline *b, const struct prices *prices, struct baseline *ret)
{
	int r = 0;

	for (size_t i = 0; i < b->n_runs && !r; i++)
		r = add_run(b, b->runs[i], prices, ret);
	return r;
}

/* Returns an array of the queue times of the runs (own.h), which the caller frees. NULL: out of memory. */
static double *queues_of(const struct baseline *b, const struct prices *prices, double *ret_mean)
{
	double *v = calloc(b->n_runs + 1, sizeof(*v)), sum = 0;

	for (size_t i = 0; v && i < b->n_runs; i++) {
		for (size_t k = 0; k < b->runs[i]->n_parts; k++)
			v[i] += (double)share_of(prices, &b->runs[i]->parts[k]);
		sum += v[i];
	}
	*ret_mean = b->n_runs ? sum / (double)b->n_runs : 0;
	return v;
}

static int compare_queues(const struct baseline *old_side, const struct baseline *new_side,
			  const struct prices *prices, unsigned looks, struct own_queue *ret)
{
	struct own_queue q = { 0 };
	_cleanup_free_ double *x = queues_of(old_side, prices, &q.old_ns);
	_cleanup_free_ double *y = queues_of(new_side, prices, &q.new_ns);
	struct ranks_p p = { 0 };
	int r = x && y ? ranks_mann_whitney(x, old_side->n_runs, y, new_side->n_runs, &p) : -ENOMEM;

	if (r)
		return r;
	q.p = p.p;
	q.counted = p.p <= decide_alpha(looks) && q.new_ns > q.old_ns;
	*ret = q;
	return 0;
}

int own_sides(const struct baseline *old_side, const struct baseline *new_side, bool in_turn, unsigned looks,
	      struct baseline *ret_old, struct baseline *ret_new, struct own_queue *ret_queue)
{
	struct prices prices = { 0 };
	struct own_queue queue = { 0 };
	int r = 0;

	if (in_turn) {
		r = add_prices(&prices, old_side);
		r = r ? r : add_prices(&prices, new_side);
		merge_prices(&prices);
		r = r ? r : compare_queues(old_side, new_side, &prices, looks, &queue);
	}
	if (!queue.counted)
		prices.v.n = 0;
	r = r ? r : add_runs(old_side, &prices, ret_old);
	r = r ? r : add_runs(new_side, &prices, ret_new);
	VEC_FREE(&prices.v);
	if (!r)
		*ret_queue = queue;
	return r;
}
