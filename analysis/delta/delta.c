// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/delta/delta.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/map.h"
#include "lib/vec.h"

__extension__ typedef unsigned __int128 wide;

struct share {
	wide ns; /* in units of 1 / METRIC_WEIGHTS_SUM ns */
	double count;
};

struct building_row {
	struct delta_row row;
	struct share old, new;
	size_t n_runs; /* runs that have this part */
	bool merged;
};

struct building {
	VEC(struct building_row) rows;
	struct map by_name;
};

static void row_done(struct delta_row *r)
{
	free(r->key);
	free(r->detail);
	free(r->text);
}

static bool is_named(const struct delta_row *r, const char *key, const char *detail)
{
	return !part_name_order(r->key, r->detail, key, detail);
}

static int add_row(struct building *k, const struct profile_part *p, uint64_t hash)
{
	struct building_row b = { .row = { .key = strdup(p->key),
					   .detail = strdup(p->detail),
					   .text = strdup(p->text),
					   .class = p->class } };

	if (b.row.key && b.row.detail && b.row.text && !map_set(&k->by_name, hash, k->rows.n) &&
	    !VEC_PUSH(&k->rows, b))
		return 0;
	row_done(&b.row);
	return -ENOMEM;
}

/* Returns NULL, and a free place in by_name, if there is no row of this name. */
static struct building_row *find_row(const struct building *k, const char *key, const char *detail,
				     uint64_t *ret_free)
{
	uint64_t at, h = hash_text(hash_text(HASH_START, key), detail);

	for (; map_get(&k->by_name, h, &at); h++)
		if (is_named(&k->rows.v[at].row, key, detail))
			return &k->rows.v[at];
	*ret_free = h;
	return NULL;
}

static int row_of(struct building *k, const struct profile_part *p, struct building_row **ret)
{
	uint64_t h = 0;
	int r;

	*ret = find_row(k, p->key, p->detail, &h);
	if (*ret)
		return 0;
	r = add_row(k, p, h);
	if (!r)
		*ret = &k->rows.v[k->rows.n - 1];
	return r;
}

static int run_cmp(const void *a, const void *b)
{
	const struct profile *x = *(const struct profile *const *)a, *y = *(const struct profile *const *)b;

	return x->total_ns < y->total_ns ? -1 : x->total_ns > y->total_ns;
}

static int add_run(struct building *k, const struct profile *p, uint64_t weight, bool is_new)
{
	for (size_t i = 0; i < p->n_parts; i++) {
		struct building_row *b;
		struct share *s;
		int r = row_of(k, &p->parts[i], &b);

		if (r)
			return r;
		b->n_runs++;
		s = is_new ? &b->new : &b->old;
		s->ns += (wide)p->parts[i].ns * weight;
		s->count += (double)p->parts[i].count * ((double)weight / (double)METRIC_WEIGHTS_SUM);
	}
	return 0;
}

static int add_side(struct building *k, const struct profile *const *runs, size_t n, enum delta_metric metric,
		    bool is_new, struct delta_side *ret)
{
	_cleanup_free_ const struct profile **sorted = calloc(n, sizeof(*sorted));
	_cleanup_free_ uint64_t *ns = calloc(n, sizeof(*ns)), *w = calloc(n, sizeof(*w));
	wide sum = 0;
	int r = 0;

	if (!sorted || !ns || !w)
		return -ENOMEM;
	memcpy(sorted, runs, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), run_cmp);
	for (size_t i = 0; i < n; i++)
		ns[i] = sorted[i]->total_ns;
	metric_weights(metric, ns, n, w);
	for (size_t i = 0; i < n && !r; i++) {
		sum += (wide)ns[i] * w[i];
		r = add_run(k, sorted[i], w[i], is_new);
	}
	if (!r && sum / METRIC_WEIGHTS_SUM > INT64_MAX)
		return -EOVERFLOW;
	*ret = (struct delta_side){ .runs = n,
				    .value_ns = (uint64_t)(sum / METRIC_WEIGHTS_SUM),
				    .min_ns = ns[0],
				    .max_ns = ns[n - 1] };
	return r;
}

struct fraction {
	uint64_t rest; /* in units of 1 / METRIC_WEIGHTS_SUM ns, less than 1 ns */
	size_t row;
};

static int fraction_cmp(const void *a, const void *b)
{
	const struct fraction *x = a, *y = b;

	if (x->rest != y->rest)
		return x->rest > y->rest ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Rounds the time of each row down to whole ns. Then the rows that lost most by this get 1 ns more,
 * so that all rows add up to value_ns. */
static int round_side(struct building *k, bool is_new, uint64_t value_ns)
{
	_cleanup_free_ struct fraction *v = calloc(k->rows.n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < k->rows.n; i++) {
		struct building_row *b = &k->rows.v[i];
		wide ns = is_new ? b->new.ns : b->old.ns;
		uint64_t whole = (uint64_t)(ns / METRIC_WEIGHTS_SUM);

		*(is_new ? &b->row.new_ns : &b->row.old_ns) = whole;
		v[i] = (struct fraction){ (uint64_t)(ns % METRIC_WEIGHTS_SUM), i };
		value_ns -= whole;
	}
	qsort(v, k->rows.n, sizeof(*v), fraction_cmp);
	for (size_t i = 0; i < k->rows.n && value_ns; i++, value_ns--)
		(*(is_new ? &k->rows.v[v[i].row].row.new_ns : &k->rows.v[v[i].row].row.old_ns))++;
	return 0;
}

static int name_cmp(const void *a, const void *b)
{
	const struct building_row *x = a, *y = b;

	return part_name_order(x->row.key, x->row.detail, y->row.key, y->row.detail);
}

static int64_t change(const struct building_row *b)
{
	return (int64_t)(b->row.new_ns - b->row.old_ns);
}

/* The rows [first, end) have one key, and row `first` has no detail: see delta_new(). */
static void merge_key(struct building *k, size_t first, size_t end)
{
	struct building_row *from = &k->rows.v[first], *to = NULL;
	int64_t sign = change(from) < 0 ? -1 : 1, most = 0;

	for (size_t i = first + 1; i < end && change(from); i++) {
		int64_t against = -sign * change(&k->rows.v[i]);

		if (against > most) {
			most = against;
			to = &k->rows.v[i];
		}
	}
	if (!to)
		return;
	to->row.old_ns += from->row.old_ns;
	to->row.new_ns += from->row.new_ns;
	to->old.count += from->old.count;
	to->new.count += from->new.count;
	from->merged = true;
}

static bool has_key(const struct building_row *a, const struct building_row *b)
{
	return !part_name_order(a->row.key, "", b->row.key, "");
}

static void merge(struct building *k)
{
	VEC_SORT(&k->rows, name_cmp);
	for (size_t i = 0, end; i < k->rows.n; i = end) {
		for (end = i + 1; end < k->rows.n && has_key(&k->rows.v[end], &k->rows.v[i]);)
			end++;
		if (!k->rows.v[i].row.detail[0])
			merge_key(k, i, end);
	}
}

/* Writes `name` with '*' in place of the word of n bytes at `at`. */
static void with_star(const char *name, size_t at, size_t n, char buf[PART_TEXT_MAX])
{
	snprintf(buf, PART_TEXT_MAX, "%.*s*%s", (int)at, name, name + at + n);
}

/* Returns the length of the word at s, and sets *ret_letters to the least number of letters and digits that
 * it stands for: role_path() puts '#' in place of PROFILE_NUMBER_DIGITS digits or more. */
static size_t word_at(const char *s, size_t *ret_letters)
{
	size_t n;

	*ret_letters = 0;
	for (n = 0; isalnum((unsigned char)s[n]) || s[n] == '#'; n++)
		*ret_letters += s[n] == '#' ? PROFILE_NUMBER_DIGITS : 1;
	return n;
}

/* Returns the row that has the name of b, but with '*' in place of one word of the key, or of the detail. */
static struct building_row *starred(const struct building *k, const struct building_row *b, bool in_detail)
{
	const char *name = in_detail ? b->row.detail : b->row.key;
	char star[PART_TEXT_MAX];
	struct building_row *to;
	uint64_t unused;

	for (size_t at = 0, n, letters; name[at]; at += MAX(n, (size_t)1)) {
		n = word_at(name + at, &letters);
		if (letters < PROFILE_RANDOM_LETTERS)
			continue;
		with_star(name, at, n, star);
		to = in_detail ? find_row(k, b->row.key, star, &unused)
			       : find_row(k, star, b->row.detail, &unused);
		if (to && !to->merged)
			return to;
	}
	return NULL;
}

/* See delta_new(). Call this before the shares are rounded. */
static void merge_random_names(struct building *k)
{
	for (size_t i = 0; i < k->rows.n; i++) {
		struct building_row *from = &k->rows.v[i], *to;

		if (from->n_runs != 1)
			continue;
		to = starred(k, from, false);
		to = to ? to : starred(k, from, true);
		if (!to)
			continue;
		to->old.ns += from->old.ns;
		to->new.ns += from->new.ns;
		to->old.count += from->old.count;
		to->new.count += from->new.count;
		from->old = from->new = (struct share){ 0 };
		from->merged = true;
	}
}

static uint64_t size_of(int64_t ns)
{
	return ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
}

static int row_cmp(const void *a, const void *b)
{
	const struct delta_row *x = a, *y = b;
	uint64_t m = size_of(x->difference_ns), n = size_of(y->difference_ns);

	if (m != n)
		return m > n ? -1 : 1;
	if (x->new_ns != y->new_ns)
		return x->new_ns > y->new_ns ? -1 : 1;
	return part_name_order(x->key, x->detail, y->key, y->detail);
}

static int take_rows(struct building *k, struct delta *d)
{
	d->rows = calloc(k->rows.n + 1, sizeof(*d->rows));
	if (!d->rows)
		return -ENOMEM;
	for (size_t i = 0; i < k->rows.n; i++) {
		struct building_row *b = &k->rows.v[i];

		if (b->merged || (!b->row.old_ns && !b->row.new_ns))
			continue;
		b->row.difference_ns = change(b);
		b->row.old_count = b->old.count;
		b->row.new_count = b->new.count;
		if (b->row.class == PART_CLASS_ENVIRONMENT)
			d->environment_ns += b->row.difference_ns;
		d->rows[d->n_rows++] = b->row;
		b->row = (struct delta_row){ 0 };
	}
	qsort(d->rows, d->n_rows, sizeof(*d->rows), row_cmp);
	return 0;
}

static int build(struct building *k, struct delta *d)
{
	int r;

	merge_random_names(k);
	r = round_side(k, false, d->old.value_ns);
	r = r ? r : round_side(k, true, d->new.value_ns);
	if (r)
		return r;
	merge(k);
	d->difference_ns = (int64_t)(d->new.value_ns - d->old.value_ns);
	r = take_rows(k, d);
	if (r)
		return r;
	d->sentence = delta_words(d);
	return d->sentence ? 0 : -ENOMEM;
}

int delta_new(const struct profile *const *old, size_t n_old, const struct profile *const *new, size_t n_new,
	      enum delta_metric metric, struct delta **ret)
{
	struct delta *d = calloc(1, sizeof(*d));
	struct building k = { 0 };
	int r = d ? 0 : -ENOMEM;

	if (r)
		return r;
	d->metric = metric;
	r = add_side(&k, old, n_old, metric, false, &d->old);
	r = r ? r : add_side(&k, new, n_new, metric, true, &d->new);
	r = r ? r : build(&k, d);
	for (size_t i = 0; i < k.rows.n; i++)
		row_done(&k.rows.v[i].row);
	VEC_FREE(&k.rows);
	map_done(&k.by_name);
	if (r) {
		delta_free(d);
		return r;
	}
	*ret = d;
	return 0;
}

void delta_free(struct delta *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_rows; i++)
		row_done(&d->rows[i]);
	free(d->rows);
	free(d->sentence);
	free(d);
}
