// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/body.h"

#include <stdio.h>

#include "lib/cleanup.h"
#include "trace/words/texts.h"

/* A rule of the grammar (sequitur.h) may contain rules. The text shows this many levels of rules.
 * Deeper rules become "...". */
#define RULE_DEPTH_MAX 48

struct out {
	FILE *f;
	bool counts;
	bool full;
};

static void put_separator(struct out *o, bool first)
{
	if (!first && !o->full)
		fputs("; ", o->f);
}

static bool room(struct out *o)
{
	if (o->full)
		return false;
	if (ftell(o->f) < BODY_TEXT_MAX)
		return true;
	fputs("...", o->f);
	o->full = true;
	return false;
}

static void put_turns(struct out *o, const struct tally_turns *t)
{
	if (!o->counts) {
		fputs("+", o->f);
		return;
	}
	fprintf(o->f, "^%u", t->min);
	if (t->max > t->min)
		fprintf(o->f, "..%u", t->max);
}

static void put_shape(const struct tally *t, struct out *o, uint32_t shape, uint32_t from);

/* k: index in shapes.kids. An item that always stands once gets no count. */
static void put_kid(const struct tally *t, struct out *o, uint32_t k)
{
	uint32_t shape = t->shapes.kids.v[k];
	bool loop = o->counts ? t->turns[k].max > 1 : t->shapes.v.v[shape].n > 0;

	if (!room(o))
		return;
	fputs(loop ? "(" : "", o->f);
	put_shape(t, o, shape, 0);
	if (!loop || o->full)
		return;
	fputs(")", o->f);
	put_turns(o, &t->turns[k]);
}

static void put_shape(const struct tally *t, struct out *o, uint32_t shape, uint32_t from)
{
	const struct fold_shape *p = &t->shapes.v.v[shape];

	if (!p->n)
		fputs(t->q->symbols.v[shape].text, o->f);
	for (uint32_t i = 0; i < p->n && !o->full; i++) {
		put_separator(o, !i);
		put_kid(t, o, p->first + (from + i) % p->n);
	}
}

static void put_rule(const struct tally *t, struct out *o, uint32_t rule, unsigned depth, bool *first)
{
	const struct grammar *g = &t->grammar;

	for (uint32_t i = g->first[rule]; i < g->first[rule + 1] && !o->full; i++) {
		uint32_t v = g->values[i];
		bool loop;

		if (v >= SEQUITUR_RULE && depth < RULE_DEPTH_MAX) {
			put_rule(t, o, v - SEQUITUR_RULE, depth + 1, first);
			continue;
		}
		put_separator(o, *first);
		*first = false;
		if (!room(o))
			return;
		if (v >= SEQUITUR_RULE) {
			fputs("...", o->f);
			continue;
		}
		loop = t->shapes.v.v[v].n;
		fputs(loop ? "(" : "", o->f);
		put_shape(t, o, v, 0);
		fputs(loop && !o->full ? ")+" : "", o->f);
	}
}

/* from: the text of a loop begins with this item of its body. Returns NULL if out of memory. */
static char *write_body(const struct tally *t, uint32_t candidate, bool counts, uint32_t from)
{
	struct out o = { .counts = counts };
	uint32_t n_shapes = (uint32_t)t->shapes.v.n;
	bool first = true, failed;
	char *text = NULL;
	size_t size = 0;

	o.f = open_memstream(&text, &size);
	if (!o.f)
		return NULL;
	if (candidate < n_shapes)
		put_shape(t, &o, candidate, from);
	else
		put_rule(t, &o, candidate - n_shapes, 0, &first);
	failed = ferror(o.f);
	if (fclose(o.f) || failed)
		free(TAKE_PTR(text));
	return text;
}

/* Of all rotations of the body, returns the first text by texts_order(). NULL: out of memory. */
static char *write_key(const struct tally *t, uint32_t candidate)
{
	uint32_t n = candidate < t->shapes.v.n ? t->shapes.v.v[candidate].n : 0;
	char *best = write_body(t, candidate, false, 0);

	for (uint32_t from = 1; from < n && best; from++) {
		char *text = write_body(t, candidate, false, from);

		if (!text)
			free(TAKE_PTR(best));
		else if (texts_order(text, best) < 0) {
			free(best);
			best = TAKE_PTR(text);
		}
		free(text);
	}
	return best;
}

static void add_symbol(struct body_symbols *s, uint32_t symbol)
{
	size_t i = 0;

	while (i < s->n && s->v[i] < symbol)
		i++;
	if (i < s->n && s->v[i] == symbol)
		return;
	if (s->n == BODY_SYMBOLS_MAX) {
		s->all = false;
		return;
	}
	memmove(&s->v[i + 1], &s->v[i], (s->n - i) * sizeof(s->v[0]));
	s->v[i] = symbol;
	s->n++;
}

static void add_shape(const struct tally *t, uint32_t shape, struct body_symbols *s)
{
	const struct fold_shape *p = &t->shapes.v.v[shape];

	if (!p->n)
		add_symbol(s, shape);
	for (uint32_t i = 0; i < p->n && s->all; i++)
		add_shape(t, t->shapes.kids.v[p->first + i], s);
}

static void add_rule(const struct tally *t, uint32_t rule, unsigned depth, struct body_symbols *s)
{
	const struct grammar *g = &t->grammar;

	if (depth >= RULE_DEPTH_MAX)
		s->all = false;
	for (uint32_t i = g->first[rule]; i < g->first[rule + 1] && s->all; i++) {
		if (g->values[i] < SEQUITUR_RULE)
			add_shape(t, g->values[i], s);
		else
			add_rule(t, g->values[i] - SEQUITUR_RULE, depth + 1, s);
	}
}

void body_symbols(const struct tally *t, uint32_t candidate, struct body_symbols *ret)
{
	*ret = (struct body_symbols){ .all = true };
	if (candidate < t->shapes.v.n)
		add_shape(t, candidate, ret);
	else
		add_rule(t, candidate - (uint32_t)t->shapes.v.n, 0, ret);
}

bool body_within(const struct body_symbols *a, const struct body_symbols *b)
{
	size_t k = 0;

	for (size_t i = 0; i < a->n; i++) {
		while (k < b->n && b->v[k] < a->v[i])
			k++;
		if (k == b->n || b->v[k] != a->v[i])
			return false;
	}
	return a->all;
}

bool body_is_run(const struct tally *t, uint32_t candidate)
{
	const struct grammar *g = &t->grammar;
	uint32_t rule;

	if (candidate < t->shapes.v.n)
		return false;
	rule = candidate - (uint32_t)t->shapes.v.n;
	for (uint32_t i = g->first[rule] + 1; i < g->first[rule + 1]; i++)
		if (g->values[i] != g->values[i - 1])
			return false;
	return true;
}

int body_say(const struct tally *t, uint32_t candidate, struct pattern *p)
{
	struct body_symbols s;
	const char *example = "";

	body_symbols(t, candidate, &s);
	for (size_t i = 0; i < s.n && p->n_variants < 2; i++)
		if (t->q->symbols.v[s.v[i]].n_variants) {
			p->n_variants = t->q->symbols.v[s.v[i]].n_variants;
			example = t->q->symbols.v[s.v[i]].example;
		}
	p->example = strdup(example);
	p->text = write_body(t, candidate, true, 0);
	p->key = write_key(t, candidate);
	return p->text && p->key && p->example ? 0 : -ENOMEM;
}
