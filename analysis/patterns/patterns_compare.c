// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "analysis/patterns/patterns.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/texts.h"

/* For each change, drop_parts() looks at no more than this many changes before it. */
#define ALIKE_MAX 64

static int key_cmp(const void *a, const void *b)
{
	const struct pattern *const *x = a, *const *y = b;

	return texts_order((*x)->key, (*y)->key);
}

static const struct pattern **by_key(const struct patterns *p)
{
	const struct pattern **v = malloc((p->n + 1) * sizeof(*v));

	for (size_t i = 0; v && i < p->n; i++)
		v[i] = &p->v[i];
	if (v)
		qsort(v, p->n, sizeof(*v), key_cmp);
	return v;
}

static double each(const struct pattern *p, const struct patterns *of)
{
	return p && of->n_transactions ? (double)p->total / (double)of->n_transactions : 0;
}

static const char *key_of(const struct pattern_change *c)
{
	return c->now ? c->now->key : c->before->key;
}

static int order(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int change_cmp(const void *a, const void *b)
{
	const struct pattern_change *x = a, *y = b;
	int r = order(fabs(x->is - x->was), fabs(y->is - y->was));

	r = r ? r : order(x->is, y->is);
	r = r ? r : order((double)strlen(key_of(x)), (double)strlen(key_of(y)));
	return r ? r : texts_order(key_of(x), key_of(y));
}

/* If a pattern and a part of it change equally, drops the change of the part. change_cmp() has sorted
 * the longer pattern before its part. */
static size_t drop_parts(struct pattern_change *v, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		bool part = false;

		for (size_t k = to; k > 0 && to - k < ALIKE_MAX && !part; k--) {
			const struct pattern_change *o = &v[k - 1];

			if (order(o->is, v[i].is) || order(o->was, v[i].was))
				break;
			part = strstr(key_of(o), key_of(&v[i])) != NULL;
		}
		if (!part)
			v[to++] = v[i];
	}
	return to;
}

/* Returns true if the counts of the pattern are exact. This is so for a single symbol, and for a pattern
 * that occurs more than once in a transaction. */
static bool matters(const struct pattern *p)
{
	return p && (p->single || p->max > 1);
}

/* Two patterns may have the same key: the body of a loop, and a rule of the grammar (patterns.h).
 * Of the patterns with the key `key`, returns the one with the largest total. Sets *at to the first
 * pattern with another key. */
static const struct pattern *take(const struct pattern **v, size_t n, size_t *at, const char *key)
{
	const struct pattern *best = NULL;

	for (; *at < n && !texts_order(v[*at]->key, key); ++*at)
		if (!best || v[*at]->total > best->total)
			best = v[*at];
	return best;
}

int patterns_compare(const struct patterns *before, const struct patterns *now, struct pattern_change **ret,
		     size_t *ret_n)
{
	_cleanup_free_ const struct pattern **a = by_key(before), **b = by_key(now);
	struct pattern_change *v = malloc((before->n + now->n + 1) * sizeof(*v));
	size_t i = 0, k = 0, n = 0;

	if (!a || !b || !v) {
		free(v);
		return -ENOMEM;
	}
	while (i < before->n || k < now->n) {
		const char *key = i == before->n || (k < now->n && texts_order(b[k]->key, a[i]->key) < 0)
					  ? b[k]->key
					  : a[i]->key;
		struct pattern_change c = { .before = take(a, before->n, &i, key),
					    .now = take(b, now->n, &k, key) };

		c.was = each(c.before, before);
		c.is = each(c.now, now);
		if ((matters(c.before) || matters(c.now)) &&
		    fabs(c.is - c.was) >= PATTERNS_CHANGED * MAX(c.is, c.was))
			v[n++] = c;
	}
	qsort(v, n, sizeof(*v), change_cmp);
	*ret = v;
	*ret_n = drop_parts(v, n);
	return 0;
}
