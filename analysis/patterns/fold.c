// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/fold.h"

#include "lib/cleanup.h"
#include "lib/hash.h"

int fold_shapes_init(struct fold_shapes *s, size_t n_symbols)
{
	*s = (struct fold_shapes){ 0 };
	if (n_symbols > UINT32_MAX - FOLD_LOOPS_MAX)
		return -EINVAL;
	if (VEC_RESERVE(&s->v, n_symbols))
		return -ENOMEM;
	for (size_t i = 0; i < n_symbols; i++)
		s->v.v[i] = (struct fold_shape){ 0 };
	s->v.n = n_symbols;
	s->n_symbols = (uint32_t)n_symbols;
	return 0;
}

void fold_shapes_done(struct fold_shapes *s)
{
	VEC_FREE(&s->v);
	VEC_FREE(&s->kids);
	map_done(&s->by_hash);
}

/* Hashes the last item first: fold_known() extends the hash by one earlier item at a time. */
static uint64_t items_hash(const struct fold_item *v, size_t n)
{
	uint64_t h = HASH_START;

	while (n)
		h = hash_add(h, v[--n].shape);
	return h;
}

static bool is_body(const struct fold_shapes *s, uint32_t shape, const struct fold_item *v, size_t n)
{
	const struct fold_shape *p = &s->v.v[shape];

	if (p->n != n)
		return false;
	for (size_t i = n; i-- > 0;)
		if (s->kids.v[p->first + i] != v[i].shape)
			return false;
	return true;
}

static uint32_t loop_find(const struct fold_shapes *s, uint64_t hash, const struct fold_item *v, size_t n)
{
	uint64_t shape;

	if (!map_get(&s->by_hash, hash, &shape))
		return 0;
	while (shape && !is_body(s, (uint32_t)shape, v, n))
		shape = s->v.v[shape].same_hash;
	return (uint32_t)shape;
}

/* Returns 0 with *ret_shape 0 if a limit does not allow the loop. */
static int loop_get(struct fold_shapes *s, const struct fold_item *v, size_t n, uint32_t *ret_shape)
{
	uint64_t hash = items_hash(v, n), same = 0;
	struct fold_shape p = { .first = (uint32_t)s->kids.n, .n = (uint32_t)n };

	*ret_shape = loop_find(s, hash, v, n);
	if (*ret_shape)
		return 0;
	for (size_t i = 0; i < n; i++)
		p.depth = MAX(p.depth, s->v.v[v[i].shape].depth + 1);
	if (p.depth > FOLD_DEPTH_MAX || s->v.n - s->n_symbols >= FOLD_LOOPS_MAX) {
		s->refused++;
		return 0;
	}
	map_get(&s->by_hash, hash, &same);
	p.same_hash = (uint32_t)same;
	for (size_t i = 0; i < n; i++)
		if (VEC_PUSH(&s->kids, v[i].shape))
			return -ENOMEM;
	if (map_set(&s->by_hash, hash, s->v.n) || VEC_PUSH(&s->v, p))
		return -ENOMEM;
	*ret_shape = (uint32_t)s->v.n - 1;
	return 0;
}

uint64_t fold_shape_key(const struct fold_shapes *s, uint32_t shape)
{
	const struct fold_shape *p = &s->v.v[shape];
	uint64_t best = UINT64_MAX;

	if (!p->n)
		return hash_add(HASH_START, shape);
	for (uint32_t from = 0; from < p->n; from++) {
		uint64_t h = HASH_START;

		for (uint32_t i = 0; i < p->n; i++)
			h = hash_add(h, s->kids.v[p->first + (from + i) % p->n]);
		best = MIN(best, h);
	}
	return best;
}

int fold_shapes_learn(struct fold_shapes *s)
{
	_cleanup_(map_done) struct map best = { 0 };

	for (size_t i = s->n_symbols; i < s->v.n; i++) {
		uint64_t key = fold_shape_key(s, (uint32_t)i), other;

		if (map_get(&best, key, &other) && s->v.v[other].times >= s->v.v[i].times)
			continue;
		if (map_set(&best, key, i))
			return -ENOMEM;
	}
	for (size_t i = 0; i < best.cap; i++)
		if (best.slots[i].used) {
			s->v.v[best.slots[i].val].known = true;
			s->longest = MAX(s->longest, s->v.v[best.slots[i].val].n);
		}
	return 0;
}

/* b is the same item as a, in later turns of the loop. */
static void next_turn(struct fold *f, const struct fold_shapes *s, struct fold_item *a,
		      const struct fold_item *b)
{
	a->min = a->turns ? MIN(a->min, a->now) : a->now;
	a->max = MAX(a->max, a->now);
	a->sum += a->now;
	a->turns++;
	if (b->turns) {
		a->min = MIN(a->min, b->min);
		a->max = MAX(a->max, b->max);
	}
	a->sum += b->sum;
	a->turns += b->turns;
	a->now = b->now;
	a->events += b->events;
	a->ns += b->ns;
	for (uint32_t i = 0; i < s->v.v[a->shape].n; i++)
		next_turn(f, s, &f->kids.v[a->kids + i], &f->kids.v[b->kids + i]);
}

/* Adds the n items at v to `a`. If `alike`, v is the same item as `a`. Otherwise the n items are one
 * more turn of the loop `a`. */
static void absorb(struct fold *f, struct fold_shapes *s, struct fold_item *a, const struct fold_item *v,
		   size_t n, bool alike)
{
	const struct fold_shape *p = &s->v.v[a->shape];

	if (alike) {
		a->now += v->now;
		a->events += v->events;
		a->ns += v->ns;
		for (uint32_t i = 0; i < p->n; i++)
			next_turn(f, s, &f->kids.v[a->kids + i], &f->kids.v[v->kids + i]);
	} else {
		a->now++;
		for (size_t i = 0; i < n; i++) {
			a->events += v[i].events;
			a->ns += v[i].ns;
			next_turn(f, s, &f->kids.v[a->kids + i], &v[i]);
		}
	}
	s->v.v[a->shape].times++;
}

/* Returns true if the last n items are one more turn of a loop before them, or the same item once more.
 * Then adds the n items to this loop or item. Looks first at `top`, the item just before the n items.
 * Then looks at the last item in the body of `top`, then at the last item in the body of that one, and
 * so on. */
static bool try_absorb(struct fold *f, struct fold_shapes *s, size_t n)
{
	const struct fold_item *v = &f->items.v[f->items.n - n];
	struct fold_item *top = &f->items.v[f->items.n - n - 1], *a = top;

	for (;;) {
		const struct fold_shape *p = &s->v.v[a->shape];
		bool alike = n == 1 && v->shape == a->shape;

		if (alike || (p->n == n && is_body(s, a->shape, v, n))) {
			struct fold_item *i = top;

			for (; i != a; i = &f->kids.v[i->kids + s->v.v[i->shape].n - 1])
				for (size_t k = 0; k < n; k++) {
					i->events += v[k].events;
					i->ns += v[k].ns;
				}
			absorb(f, s, a, v, n, alike);
			f->items.n -= n;
			return true;
		}
		if (!p->n)
			return false;
		a = &f->kids.v[a->kids + p->n - 1];
	}
}

static int make_loop(struct fold *f, uint32_t shape, size_t from, size_t n)
{
	struct fold_item loop = { .shape = shape, .kids = (uint32_t)f->kids.n, .now = 1 };

	if (VEC_RESERVE(&f->kids, f->kids.n + n))
		return -ENOMEM;
	for (size_t i = from; i < from + n; i++) {
		f->kids.v[f->kids.n++] = f->items.v[i];
		loop.events += f->items.v[i].events;
		loop.ns += f->items.v[i].ns;
	}
	f->items.v[from] = loop;
	memmove(&f->items.v[from + 1], &f->items.v[from + n], (f->items.n - from - n) * sizeof(*f->items.v));
	f->items.n -= n - 1;
	return 0;
}

static bool ends_twice(const struct fold *f, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		if (f->items.v[f->items.n - i].shape != f->items.v[f->items.n - n - i].shape)
			return false;
	return true;
}

static int fold_known(struct fold *f, struct fold_shapes *s)
{
	uint64_t hash = HASH_START;

	for (size_t n = 1; n <= s->longest && n <= f->items.n; n++) {
		const struct fold_item *v = &f->items.v[f->items.n - n];
		uint32_t shape;

		hash = hash_add(hash, v->shape);
		shape = n > 1 ? loop_find(s, hash, v, n) : 0;
		if (shape && s->v.v[shape].known)
			return make_loop(f, shape, f->items.n - n, n) ? -ENOMEM : 1;
	}
	return 0;
}

static int fold_last(struct fold *f, struct fold_shapes *s)
{
	for (size_t n = 1; n <= FOLD_BODY_MAX && n < f->items.n; n++)
		if (try_absorb(f, s, n))
			return 1;
	for (size_t n = 2; n <= FOLD_BODY_MAX && 2 * n <= f->items.n; n++) {
		uint32_t shape;

		if (!ends_twice(f, n))
			continue;
		if (loop_get(s, &f->items.v[f->items.n - n], n, &shape))
			return -ENOMEM;
		if (!shape)
			continue;
		if (make_loop(f, shape, f->items.n - 2 * n, n))
			return -ENOMEM;
		try_absorb(f, s, n);
		return 1;
	}
	return fold_known(f, s);
}

int fold_add(struct fold *f, struct fold_shapes *s, uint32_t symbol, uint64_t ns)
{
	int r = symbol < s->n_symbols ? 0 : -EINVAL;

	r = r ? r
	      : VEC_PUSH(&f->items, (struct fold_item){ .shape = symbol, .now = 1, .events = 1, .ns = ns });
	if (r)
		return r;
	do
		r = fold_last(f, s);
	while (r > 0);
	return r;
}

void fold_clear(struct fold *f)
{
	f->items.n = 0;
	f->kids.n = 0;
}

void fold_done(struct fold *f)
{
	VEC_FREE(&f->items);
	VEC_FREE(&f->kids);
}
