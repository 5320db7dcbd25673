// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/tally.h"

#include "lib/cleanup.h"

/* The items of all strands, one strand after the other, are one sequence. A place is an item in this
 * sequence, or the end of a strand. */
struct place {
	uint64_t events, ns; /* the sums over all items before this one */
	uint32_t strand;
};

struct making {
	struct tally *t;
	struct sequitur sequitur;
	VEC(struct place) places;
	VEC(uint32_t) latest; /* [candidate]: 1 + index of its last count in t->counts; 0: none */
};

static void making_done(struct making *m)
{
	sequitur_done(&m->sequitur);
	VEC_FREE(&m->places);
	VEC_FREE(&m->latest);
}

static int add(struct making *m, const struct tally_count *c)
{
	while (m->latest.n <= c->candidate)
		if (VEC_PUSH(&m->latest, 0))
			return -ENOMEM;
	if (m->latest.v[c->candidate]) {
		struct tally_count *old = &m->t->counts.v[m->latest.v[c->candidate] - 1];

		if (old->transaction == c->transaction) {
			old->n += c->n;
			old->in_a_row = MAX(old->in_a_row, c->in_a_row);
			old->events += c->events;
			old->ns += c->ns;
			return 0;
		}
	}
	if (VEC_PUSH(&m->t->counts, *c))
		return -ENOMEM;
	m->latest.v[c->candidate] = (uint32_t)m->t->counts.n;
	return 0;
}

/* Recursive, at most FOLD_DEPTH_MAX levels deep. */
static int count_item(struct making *m, const struct fold *f, const struct fold_item *i, uint32_t transaction)
{
	const struct fold_shape *p = &m->t->shapes.v.v[i->shape];
	int r = add(m, &(struct tally_count){ .candidate = i->shape,
					      .transaction = transaction,
					      .n = fold_count(i),
					      .in_a_row = fold_max(i),
					      .events = i->events,
					      .ns = i->ns });

	for (uint32_t k = 0; k < p->n && !r; k++) {
		const struct fold_item *kid = &f->kids.v[i->kids + k];
		struct tally_turns *t = &m->t->turns[p->first + k];

		t->min = t->max ? MIN(t->min, fold_min(kid)) : fold_min(kid);
		t->max = MAX(t->max, fold_max(kid));
		r = count_item(m, f, kid, transaction);
	}
	return r;
}

static int fold_strand(const struct sequence *q, const struct sequence_strand *s, struct fold *f,
		       struct fold_shapes *shapes)
{
	int r = 0;

	fold_clear(f);
	for (size_t i = s->first; i < s->first + s->n && !r; i++)
		r = fold_add(f, shapes, q->events.v[i].symbol, q->events.v[i].ns);
	return r;
}

static int turns_grow(struct tally *t, size_t *had)
{
	struct tally_turns *v;

	if (t->turns && *had >= t->shapes.kids.n)
		return 0;
	v = realloc(t->turns, (2 * t->shapes.kids.n + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	memset(v + *had, 0, (2 * t->shapes.kids.n + 1 - *had) * sizeof(*v));
	t->turns = v;
	*had = 2 * t->shapes.kids.n + 1;
	return 0;
}

static int take_strand(struct making *m, const struct fold *f, uint32_t strand)
{
	uint32_t transaction = m->t->q->strands.v[strand].transaction;
	struct place end;
	int r = 0;

	for (size_t i = 0; i < f->items.n && !r; i++) {
		struct place next = m->places.v[m->places.n - 1];

		m->places.v[m->places.n - 1].strand = strand;
		next.events += f->items.v[i].events;
		next.ns += f->items.v[i].ns;
		r = count_item(m, f, &f->items.v[i], transaction);
		r = r ? r : sequitur_add(&m->sequitur, f->items.v[i].shape);
		r = r ? r : VEC_PUSH(&m->places, next);
	}
	/* a value that stands nowhere else, so no rule goes over the end of a strand */
	r = r ? r : sequitur_add(&m->sequitur, SEQUITUR_RULE - 1 - strand);
	end = m->places.v[m->places.n - 1];
	return r ? r : VEC_PUSH(&m->places, end);
}

/* Folds twice: the second pass knows all loops already at its first event. */
static int fold_all(struct making *m)
{
	struct tally *t = m->t;
	struct fold f = { 0 };
	size_t had = 0;
	int r = 0;

	for (size_t i = 0; i < t->q->strands.n && !r; i++)
		r = fold_strand(t->q, &t->q->strands.v[i], &f, &t->shapes);
	r = r ? r : fold_shapes_learn(&t->shapes);
	for (size_t i = 0; i < t->q->strands.n && !r; i++) {
		r = fold_strand(t->q, &t->q->strands.v[i], &f, &t->shapes);
		r = r ? r : turns_grow(t, &had);
		r = r ? r : take_strand(m, &f, (uint32_t)i);
	}
	fold_done(&f);
	return r;
}

struct reading {
	uint32_t rule, at;
	size_t from; /* index in making.places: where this occurrence of the rule begins */
};

static int count_rules(struct making *m)
{
	const struct grammar *g = &m->t->grammar;
	uint32_t n_shapes = (uint32_t)m->t->shapes.v.n;
	VEC(struct reading) stack = { 0 };
	size_t place = 0;
	int r = VEC_PUSH(&stack, (struct reading){ 0 });

	while (!r && stack.n) {
		struct reading *top = &stack.v[stack.n - 1];

		if (top->at < g->first[top->rule + 1] - g->first[top->rule]) {
			uint32_t value = g->values[g->first[top->rule] + top->at++];

			if (value < SEQUITUR_RULE)
				place++;
			else
				r = VEC_PUSH(&stack, (struct reading){ value - SEQUITUR_RULE, 0, place });
			continue;
		}
		if (top->rule) {
			const struct place *a = &m->places.v[top->from], *b = &m->places.v[place];

			r = add(m, &(struct tally_count){ .candidate = n_shapes + top->rule,
							  .transaction =
								  m->t->q->strands.v[a->strand].transaction,
							  .n = 1,
							  .in_a_row = 1,
							  .events = b->events - a->events,
							  .ns = b->ns - a->ns });
		}
		stack.n--;
	}
	VEC_FREE(&stack);
	return r;
}

static int count_cmp(const void *a, const void *b)
{
	const struct tally_count *x = a, *y = b;

	if (x->candidate != y->candidate)
		return x->candidate < y->candidate ? -1 : 1;
	return x->transaction < y->transaction ? -1 : x->transaction > y->transaction;
}

int tally_init(struct tally *t, const struct sequence *q)
{
	_cleanup_(making_done) struct making m = { .t = t };
	int r;

	*t = (struct tally){ .q = q };
	r = fold_shapes_init(&t->shapes, q->symbols.n);
	if (!r && q->strands.n >= SEQUITUR_RULE / 2)
		r = -E2BIG;
	r = r ? r : VEC_PUSH(&m.places, (struct place){ 0 });
	r = r ? r : fold_all(&m);
	r = r ? r : sequitur_grammar(&m.sequitur, &t->grammar);
	if (!r && t->grammar.n_rules)
		r = count_rules(&m);
	VEC_SORT(&t->counts, count_cmp);
	return r;
}

void tally_done(struct tally *t)
{
	fold_shapes_done(&t->shapes);
	grammar_done(&t->grammar);
	VEC_FREE(&t->counts);
	free(t->turns);
	*t = (struct tally){ 0 };
}
