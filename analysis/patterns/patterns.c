// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/patterns.h"

#include <math.h>

#include "analysis/patterns/body.h"
#include "analysis/patterns/tally.h"
#include "analysis/patterns/trend.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "lib/hash.h"

#define ALIKE_MAX 64 /* is_part_of_kept() compares a pattern with at most this many kept patterns */

struct found {
	uint32_t candidate;
	uint64_t counts_hash;
	struct trend trend;
	uint64_t total, in_a_row, events, ns;
	double share; /* the pattern's share of the events plus its share of the time: 0..2 */
	size_t first, n;
	bool grows;
	uint32_t next; /* the next kept pattern with the same counts: 1 + index; 0: none */
};

struct finding {
	struct tally tally;
	VEC(struct found) found;
	VEC(uint32_t) kept;
	struct map by_counts;
};

static void finding_done(struct finding *k)
{
	tally_done(&k->tally);
	VEC_FREE(&k->found);
	VEC_FREE(&k->kept);
	map_done(&k->by_counts);
}

static int add_found(struct finding *k, const struct sequence *q, size_t first, size_t n, uint32_t min_count)
{
	struct found f = { .candidate = k->tally.counts.v[first].candidate,
			   .counts_hash = HASH_START,
			   .first = first,
			   .n = n };
	struct trend_point *points = malloc(n * sizeof(*points));
	int r;

	if (!points)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct tally_count *c = &k->tally.counts.v[first + i];

		points[i] = (struct trend_point){ .at = c->transaction, .n = c->n };
		f.total += c->n;
		f.in_a_row = MAX(f.in_a_row, c->in_a_row);
		f.events += c->events;
		f.ns += c->ns;
		f.counts_hash = hash_add(hash_add(f.counts_hash, c->transaction), c->n);
	}
	r = trend_of(points, n, q->n_transactions, &f.trend);
	free(points);
	if (r || f.trend.max < min_count || body_is_run(&k->tally, f.candidate))
		return r;
	f.grows = q->n_transactions > 1 && f.trend.last > f.trend.first &&
		  f.trend.correlation >= PATTERNS_GROWS;
	f.share = (double)f.events / (double)MAX(q->events.n, (size_t)1) +
		  (double)f.ns / (double)MAX(q->ns, (uint64_t)1);
	return VEC_PUSH(&k->found, f);
}

static int order(double a, double b)
{
	return a > b ? -1 : a < b;
}

/* Rounds the correlation down, so that close correlations become equal. Of patterns with equal correlations,
 * found_cmp() puts the one with the largest growth first. */
static double sureness(const struct found *f)
{
	return floor(f->trend.correlation * PATTERNS_SURE + 1e-9);
}

static int found_cmp(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int r = (int)y->grows - (int)x->grows;

	if (!r && x->grows)
		r = order(sureness(x), sureness(y));
	if (!r && x->grows)
		r = order(x->trend.last - x->trend.first, y->trend.last - y->trend.first);
	r = r ? r : order(x->share, y->share);
	r = r ? r : order((double)x->total, (double)y->total);
	return r ? r : (x->candidate < y->candidate ? -1 : x->candidate > y->candidate);
}

static bool same_counts(const struct finding *k, const struct found *a, const struct found *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct tally_count *x = &k->tally.counts.v[a->first + i],
					 *y = &k->tally.counts.v[b->first + i];

		if (x->transaction != y->transaction || x->n != y->n)
			return false;
	}
	return true;
}

/* Returns true if a kept pattern has the same counts as f, no fewer events, and all symbols of f. */
static bool is_part_of_kept(struct finding *k, const struct found *f)
{
	struct body_symbols mine, other;
	uint64_t i;
	size_t looked = 0;

	if (!map_get(&k->by_counts, f->counts_hash, &i))
		return false;
	body_symbols(&k->tally, f->candidate, &mine);
	for (; i && looked < ALIKE_MAX; i = k->found.v[i - 1].next, looked++) {
		const struct found *o = &k->found.v[i - 1];

		if (!same_counts(k, f, o) || o->events < f->events)
			continue;
		body_symbols(&k->tally, o->candidate, &other);
		if (body_within(&mine, &other))
			return true;
	}
	return false;
}

static int keep(struct finding *k, uint32_t min_count, struct patterns *p)
{
	for (size_t i = 0; i < k->found.n; i++) {
		struct found *f = &k->found.v[i];
		uint64_t next = 0;

		if (k->kept.n == PATTERNS_MAX) {
			p->left_out = k->found.n - i;
			return 0;
		}
		if (min_count > 1 && is_part_of_kept(k, f))
			continue;
		map_get(&k->by_counts, f->counts_hash, &next);
		f->next = (uint32_t)next;
		if (map_set(&k->by_counts, f->counts_hash, i + 1) || VEC_PUSH(&k->kept, (uint32_t)i))
			return -ENOMEM;
	}
	return 0;
}

static int fill(const struct finding *k, struct patterns *p)
{
	p->v = calloc(k->kept.n + 1, sizeof(*p->v));
	if (!p->v)
		return -ENOMEM;
	for (size_t i = 0; i < k->kept.n; i++) {
		const struct found *f = &k->found.v[k->kept.v[i]];

		p->v[p->n++] = (struct pattern){ .total = f->total,
						 .min = f->trend.min,
						 .max = f->trend.max,
						 .in_a_row = f->in_a_row,
						 .first = f->trend.first,
						 .last = f->trend.last,
						 .correlation = f->trend.correlation,
						 .grows = f->grows,
						 .single = f->candidate < k->tally.shapes.n_symbols,
						 .events = f->events,
						 .ns = f->ns };
		for (size_t c = 0; c < f->n; c++) {
			const struct tally_count *t = &k->tally.counts.v[f->first + c];

			if (t->transaction < PATTERNS_COUNTS)
				p->v[i].counts[t->transaction] = (uint32_t)t->n;
		}
		if (body_say(&k->tally, f->candidate, &p->v[i]))
			return -ENOMEM;
	}
	return 0;
}

static int find(struct finding *k, const struct sequence *q, uint32_t min_count, struct patterns *p)
{
	int r = tally_init(&k->tally, q);
	const struct tally_count *v = k->tally.counts.v;
	size_t all = k->tally.counts.n;

	for (size_t i = 0, n; i < all && !r; i += n) {
		for (n = 1; i + n < all && v[i + n].candidate == v[i].candidate;)
			n++;
		r = add_found(k, q, i, n, min_count);
	}
	VEC_SORT(&k->found, found_cmp);
	r = r ? r : keep(k, min_count, p);
	return r ? r : fill(k, p);
}

int patterns_find(const struct sequence *q, uint32_t min_count, struct patterns **ret)
{
	_cleanup_(finding_done) struct finding k = { 0 };
	struct patterns *p = calloc(1, sizeof(*p));
	int r = p ? find(&k, q, min_count, p) : -ENOMEM;

	if (r) {
		patterns_free(p);
		return r;
	}
	p->n_transactions = q->n_transactions;
	p->n_events = q->events.n;
	p->ns = q->ns;
	p->refused = q->refused_events + q->refused_symbols + k.tally.shapes.refused;
	*ret = p;
	return 0;
}

void patterns_free(struct patterns *p)
{
	for (size_t i = 0; p && i < p->n; i++) {
		free(p->v[i].text);
		free(p->v[i].key);
		free(p->v[i].example);
	}
	if (p)
		free(p->v);
	free(p);
}
