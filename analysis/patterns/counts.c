// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/counts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "trace/words/texts.h"

/* Without these records, events are missing, or have another text. */
#define LACKS (CT_LACK_MESSAGES | CT_LACK_WAIT_OBJECTS | CT_LACK_SWITCHES | CT_LACK_PAUSES)

static bool is_client_port(const char *digits, size_t n)
{
	return n <= sizeof("65535") - 1 && strtoul(digits, NULL, 10) >= PROFILE_CLIENT_PORT;
}

/* Writes '#' for each number that may be a port which the kernel chose: a test that starts its own
 * server has another port in each run. */
static void without_ports(const char *text, char buf[COUNTS_TEXT_MAX])
{
	size_t n = 0;

	for (const char *p = text; *p && n + 1 < COUNTS_TEXT_MAX;) {
		size_t digits = strspn(p, "0123456789");
		bool word = digits && (p == text || p[-1] == ' ') && (!p[digits] || p[digits] == ' ');

		if (word && is_client_port(p, digits)) {
			buf[n++] = '#';
			p += digits;
			continue;
		}
		buf[n++] = *p++;
	}
	buf[n] = '\0';
}

static void without_directories(const char *text, char buf[COUNTS_TEXT_MAX])
{
	size_t word = 0, n = 0;

	for (const char *p = text; *p && n + 1 < COUNTS_TEXT_MAX; p++) {
		if (*p == '/') {
			n = word;
			continue;
		}
		buf[n++] = *p;
		if (*p == ' ')
			word = n;
	}
	buf[n] = '\0';
}

/* If no row has this key, returns NULL, and sets *ret_hash to a free place in the map. */
static struct counts_row *row_of(const struct counts *c, const char *key, uint64_t *ret_hash)
{
	uint64_t i;

	*ret_hash = hash_text(HASH_START, key);
	for (; map_get(&c->by_key, *ret_hash, &i); (*ret_hash)++)
		if (!texts_order(c->rows.v[i].key, key))
			return &c->rows.v[i];
	return NULL;
}

static int row_new(struct counts *c, const char *text, const char *key, uint64_t hash,
		   struct counts_row **ret)
{
	struct counts_row row = { .text = strdup(text), .key = strdup(key) };

	if (!row.text || !row.key || map_set(&c->by_key, hash, c->rows.n) || VEC_PUSH(&c->rows, row)) {
		map_del(&c->by_key, hash);
		free(row.text);
		free(row.key);
		return -ENOMEM;
	}
	*ret = &c->rows.v[c->rows.n - 1];
	return 0;
}

int counts_begin(struct counts *c, size_t n)
{
	if (n > COUNTS_RUNS_MAX - c->n_runs)
		return -E2BIG;
	c->n_runs += n;
	return 0;
}

int counts_add(struct counts *c, size_t run, const char *text, uint64_t n)
{
	char words[COUNTS_TEXT_MAX], key[COUNTS_TEXT_MAX];
	struct counts_row *row;
	uint64_t hash;

	if (run >= c->n_runs)
		return -EINVAL;
	without_ports(text, words);
	without_directories(words, key);
	row = row_of(c, key, &hash);
	if (!row && c->rows.n >= COUNTS_ROWS_MAX) {
		c->refused++;
		return 0;
	}
	if (!row && row_new(c, words, key, hash, &row))
		return -ENOMEM;
	while (row->n.n <= run)
		if (VEC_PUSH(&row->n, 0))
			return -ENOMEM;
	if (n > COUNTS_MAX - row->n.v[run])
		return -E2BIG;
	row->n.v[run] += n;
	return 0;
}

int counts_run(struct counts *c, const struct collected *life)
{
	const struct sequence *q = &life->sequence;
	_cleanup_free_ uint64_t *n = NULL;
	int r;

	if ((life->lacks & LACKS) || q->refused_events || q->refused_symbols) {
		c->n_incomplete++;
		return 0;
	}
	n = calloc(q->symbols.n + 1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	for (size_t i = 0; i < q->events.n; i++)
		n[q->events.v[i].symbol]++;
	r = counts_begin(c, 1);
	for (size_t i = 0; i < q->symbols.n && !r; i++)
		r = n[i] ? counts_add(c, c->n_runs - 1, q->symbols.v[i].text, n[i]) : 0;
	return r;
}

void counts_done(struct counts *c)
{
	for (size_t i = 0; i < c->rows.n; i++) {
		free(c->rows.v[i].text);
		free(c->rows.v[i].key);
		VEC_FREE(&c->rows.v[i].n);
	}
	VEC_FREE(&c->rows);
	map_done(&c->by_key);
	*c = (struct counts){ 0 };
}

static void range_of(const struct counts_row *row, size_t n_runs, uint64_t *ret_min, uint64_t *ret_max)
{
	uint64_t min = UINT64_MAX, max = 0;

	for (size_t i = 0; i < n_runs; i++) {
		uint64_t n = row && i < row->n.n ? row->n.v[i] : 0;

		min = MIN(min, n);
		max = MAX(max, n);
	}
	*ret_min = min;
	*ret_max = max;
}

static int add_row(struct counts_result *r, const struct counts_row *was, const struct counts_row *is)
{
	struct counts_change c = { .text = is ? is->text : was->text };

	range_of(was, r->n_old, &c.old_min, &c.old_max);
	range_of(is, r->n_new, &c.new_min, &c.new_max);
	r->n_varying += MIN(c.old_min, c.new_min) != MAX(c.old_max, c.new_max);
	r->n_grew += c.new_min > c.old_max;
	return c.new_min > c.old_max || c.new_max < c.old_min ? VEC_PUSH(&r->changes, c) : 0;
}

static int change_cmp(const void *a, const void *b)
{
	const struct counts_change *x = a, *y = b;
	bool more = x->new_min > x->old_max;
	uint64_t dx, dy;

	if (more != (y->new_min > y->old_max))
		return more ? -1 : 1;
	dx = more ? x->new_min - x->old_max : x->old_min - x->new_max;
	dy = more ? y->new_min - y->old_max : y->old_min - y->new_max;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return texts_order(x->text, y->text);
}

/* Returns 1 / C(n + m, n), where C is the binomial coefficient. If the old and the new command are equal,
 * all n values of one side are above all m values of the other side with at most this probability. */
static double apart(size_t n, size_t m)
{
	double c = 1;

	for (size_t i = 1; i <= m; i++)
		c *= (double)(n + i) / (double)i;
	return 1 / c;
}

static void decide_kind(struct counts_result *r, unsigned looks)
{
	double limit = COUNTS_ALPHA / looks, times = (double)MAX(r->n_varying, (size_t)1);

	r->p = MIN(times * apart(r->n_old, r->n_new), 1.0);
	if (!r->n_grew)
		r->kind = COUNTS_OK;
	else if (r->p <= limit)
		r->kind = COUNTS_GREW;
	else
		for (size_t n = 1; n <= COUNTS_RUNS_MAX && !r->runs_needed; n++)
			r->runs_needed = times * apart(n, n) <= limit ? n : 0;
}

int counts_compare(const struct counts *old_side, const struct counts *new_side, unsigned looks,
		   struct counts_result *ret)
{
	struct counts_result r = {
		.kind = COUNTS_OPEN, .n_old = old_side->n_runs, .n_new = new_side->n_runs, .p = 1
	};
	uint64_t hash;
	int err = 0;

	*ret = r;
	if (!r.n_old || !r.n_new || old_side->refused || new_side->refused)
		return 0;
	for (size_t i = 0; i < new_side->rows.n && !err; i++) {
		const struct counts_row *row = &new_side->rows.v[i];

		err = add_row(&r, row_of(old_side, row->key, &hash), row);
	}
	for (size_t i = 0; i < old_side->rows.n && !err; i++)
		if (!row_of(new_side, old_side->rows.v[i].key, &hash))
			err = add_row(&r, &old_side->rows.v[i], NULL);
	VEC_SORT(&r.changes, change_cmp);
	decide_kind(&r, MAX(looks, 1u));
	*ret = r;
	return err;
}

void counts_result_done(struct counts_result *r)
{
	VEC_FREE(&r->changes);
	*r = (struct counts_result){ 0 };
}
