// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/sequitur.h"

#include "lib/cleanup.h"

#define HEAD UINT32_MAX
#define FREE (UINT32_MAX - 1)

static bool is_rule(uint32_t value)
{
	return value >= SEQUITUR_RULE && value < FREE;
}

static struct sequitur_place *at(const struct sequitur *s, uint32_t place)
{
	return &s->places.v[place];
}

static int place_new(struct sequitur *s, uint32_t value, uint32_t *ret)
{
	struct sequitur_place p = { .value = value };

	if (s->unused.n) {
		*ret = s->unused.v[--s->unused.n];
		s->places.v[*ret] = p;
		return 0;
	}
	*ret = (uint32_t)s->places.n;
	return VEC_PUSH(&s->places, p);
}

static void join(struct sequitur *s, uint32_t a, uint32_t b)
{
	at(s, a)->next = b;
	at(s, b)->prev = a;
}

static void use(struct sequitur *s, uint32_t place)
{
	struct sequitur_place *p = at(s, place);
	struct sequitur_rule *r;

	if (!is_rule(p->value))
		return;
	r = &s->rules.v[p->value - SEQUITUR_RULE];
	p->use_next = r->first_use;
	if (r->first_use)
		at(s, r->first_use)->use_prev = place;
	r->first_use = place;
	r->uses++;
}

static int disuse(struct sequitur *s, uint32_t place)
{
	struct sequitur_place *p = at(s, place);
	struct sequitur_rule *r;

	if (!is_rule(p->value))
		return 0;
	r = &s->rules.v[p->value - SEQUITUR_RULE];
	if (p->use_prev)
		at(s, p->use_prev)->use_next = p->use_next;
	else
		r->first_use = p->use_next;
	if (p->use_next)
		at(s, p->use_next)->use_prev = p->use_prev;
	return --r->uses == 1 ? VEC_PUSH(&s->rare, p->value - SEQUITUR_RULE) : 0;
}

static bool digram_key(const struct sequitur *s, uint32_t place, uint64_t *ret)
{
	uint32_t a = at(s, place)->value, b = at(s, at(s, place)->next)->value;

	*ret = (uint64_t)a << 32 | b;
	return a != HEAD && a != FREE && b != HEAD;
}

/* Removes the digram at `place` from s->digrams. In a run like "aaa", the same digram also begins
 * at a neighbour. So if both values of the digram are equal, adds both neighbours to s->checks. */
static int digram_forget(struct sequitur *s, uint32_t place)
{
	uint64_t key, known;

	if (!digram_key(s, place, &key) || !map_get(&s->digrams, key, &known) || known != place)
		return 0;
	map_del(&s->digrams, key);
	if ((uint32_t)(key >> 32) != (uint32_t)key)
		return 0;
	return VEC_PUSH(&s->checks, at(s, place)->prev) || VEC_PUSH(&s->checks, at(s, place)->next) ? -ENOMEM
												    : 0;
}

/* s->checks may still have the place: check() skips a place with the value FREE. */
static int place_free(struct sequitur *s, uint32_t place)
{
	int r = disuse(s, place);

	at(s, place)->value = FREE;
	return r ? r : VEC_PUSH(&s->unused, place);
}

static int substitute(struct sequitur *s, uint32_t place, uint32_t rule)
{
	uint32_t second = at(s, place)->next, before = at(s, place)->prev, after = at(s, second)->next, now;
	int r = digram_forget(s, before);

	r = r ? r : digram_forget(s, place);
	r = r ? r : digram_forget(s, second);
	r = r ? r : place_new(s, SEQUITUR_RULE + rule, &now);
	if (r)
		return r;
	join(s, before, now);
	join(s, now, after);
	use(s, now);
	r = place_free(s, place);
	r = r ? r : place_free(s, second);
	r = r ? r : VEC_PUSH(&s->checks, now);
	return r ? r : VEC_PUSH(&s->checks, before);
}

static int rule_new(struct sequitur *s, uint32_t first, uint32_t second, uint32_t *ret)
{
	uint32_t head, a, b;

	if (place_new(s, HEAD, &head) || place_new(s, first, &a) || place_new(s, second, &b))
		return -ENOMEM;
	join(s, head, a);
	join(s, a, b);
	join(s, b, head);
	use(s, a);
	use(s, b);
	*ret = (uint32_t)s->rules.n;
	return VEC_PUSH(&s->rules, (struct sequitur_rule){ .head = head });
}

/* Returns true if the digram at `place` is the whole right side of the rule *ret, which is not rule 0. */
static bool whole_rule(const struct sequitur *s, uint32_t place, uint32_t *ret)
{
	uint32_t head = at(s, place)->prev;

	if (at(s, head)->value != HEAD || at(s, at(s, at(s, place)->next)->next)->value != HEAD)
		return false;
	*ret = at(s, head)->use_prev;
	return *ret != 0;
}

static int match(struct sequitur *s, uint32_t place, uint32_t known)
{
	uint32_t rule;
	int r;

	if (whole_rule(s, known, &rule))
		return substitute(s, place, rule);
	if (whole_rule(s, place, &rule)) {
		r = substitute(s, known, rule);
		return r ? r : VEC_PUSH(&s->checks, place);
	}
	r = rule_new(s, at(s, place)->value, at(s, at(s, place)->next)->value, &rule);
	if (r)
		return r;
	at(s, s->rules.v[rule].head)->use_prev = rule;
	r = substitute(s, known, rule);
	r = r ? r : substitute(s, place, rule);
	return r ? r : VEC_PUSH(&s->checks, at(s, s->rules.v[rule].head)->next);
}

static int check(struct sequitur *s, uint32_t place)
{
	uint64_t key, known;

	if (!digram_key(s, place, &key))
		return 0;
	if (!map_get(&s->digrams, key, &known))
		return map_set(&s->digrams, key, place);
	/* "aaa" has the digram "aa" twice, but only one can be replaced */
	if (known == place || at(s, (uint32_t)known)->next == place || at(s, place)->next == known)
		return 0;
	return match(s, place, (uint32_t)known);
}

static int dissolve(struct sequitur *s, uint32_t rule)
{
	struct sequitur_rule *u = &s->rules.v[rule];
	uint32_t place, before, after, first, last;
	int r;

	if (!u->head || u->uses != 1)
		return 0;
	place = u->first_use;
	before = at(s, place)->prev;
	after = at(s, place)->next;
	first = at(s, u->head)->next;
	last = at(s, u->head)->prev;
	r = digram_forget(s, before);
	r = r ? r : digram_forget(s, place);
	if (r)
		return r;
	join(s, before, first);
	join(s, last, after);
	at(s, u->head)->value = FREE;
	r = VEC_PUSH(&s->unused, u->head);
	u->head = 0;
	u->uses = 0;
	at(s, place)->value = FREE;
	r = r ? r : VEC_PUSH(&s->unused, place);
	r = r ? r : VEC_PUSH(&s->checks, before);
	return r ? r : VEC_PUSH(&s->checks, last);
}

static int settle(struct sequitur *s)
{
	int r = 0;

	while (!r && (s->checks.n || s->rare.n)) {
		if (s->checks.n)
			r = check(s, s->checks.v[--s->checks.n]);
		else
			r = dissolve(s, s->rare.v[--s->rare.n]);
	}
	return r;
}

static int begin(struct sequitur *s)
{
	uint32_t head;

	if (VEC_PUSH(&s->places, (struct sequitur_place){ .value = FREE }) || place_new(s, HEAD, &head))
		return -ENOMEM;
	join(s, head, head);
	return VEC_PUSH(&s->rules, (struct sequitur_rule){ .head = head });
}

int sequitur_add(struct sequitur *s, uint32_t value)
{
	uint32_t place, head;
	int r = value < SEQUITUR_RULE ? 0 : -EINVAL;

	if (!r && s->n >= SEQUITUR_MAX)
		r = -E2BIG;
	if (!r && !s->rules.n)
		r = begin(s);
	r = r ? r : place_new(s, value, &place);
	if (r)
		return r;
	s->n++;
	head = s->rules.v[0].head;
	join(s, at(s, head)->prev, place);
	join(s, place, head);
	r = VEC_PUSH(&s->checks, at(s, place)->prev);
	return r ? r : settle(s);
}

void sequitur_done(struct sequitur *s)
{
	VEC_FREE(&s->places);
	VEC_FREE(&s->rules);
	VEC_FREE(&s->checks);
	VEC_FREE(&s->rare);
	VEC_FREE(&s->unused);
	map_done(&s->digrams);
	s->n = 0;
}

static size_t rule_length(const struct sequitur *s, uint32_t head)
{
	size_t n = 0;

	for (uint32_t p = at(s, head)->next; p != head; p = at(s, p)->next)
		n++;
	return n;
}

int sequitur_grammar(const struct sequitur *s, struct grammar *ret)
{
	_cleanup_free_ uint32_t *now = calloc(s->rules.n + 1, sizeof(*now));
	struct grammar g = { 0 };
	size_t n = 0, all = 0;

	for (size_t i = 0; now && i < s->rules.n; i++)
		if (s->rules.v[i].head) {
			now[i] = (uint32_t)g.n_rules++;
			all += rule_length(s, s->rules.v[i].head);
		}
	g.values = malloc((all + 1) * sizeof(*g.values));
	g.first = calloc(g.n_rules + 1, sizeof(*g.first));
	if (!now || !g.values || !g.first) {
		grammar_done(&g);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->rules.n; i++) {
		uint32_t head = s->rules.v[i].head;

		for (uint32_t p = head ? at(s, head)->next : 0; p != head; p = at(s, p)->next) {
			uint32_t v = at(s, p)->value;

			g.values[n++] = is_rule(v) ? SEQUITUR_RULE + now[v - SEQUITUR_RULE] : v;
		}
		if (head)
			g.first[now[i] + 1] = (uint32_t)n;
	}
	*ret = g;
	return 0;
}

void grammar_done(struct grammar *g)
{
	free(g->values);
	free(g->first);
	*g = (struct grammar){ 0 };
}
