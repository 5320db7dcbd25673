/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fold.h - makes loops of symbols that repeat without a gap. A loop may contain loops.
 * "x a b a b b y" becomes "x (a b)^2 y", a loop with two turns. The first turn is "a b", the second one
 * "a b b". The turns belong to one loop, because they differ only in how often b repeats.
 *
 * The method uses a stack, like the recognition of nested loops by Ketterlin and Clauss (CGO 2008).
 *
 * Pure; one thread at a time for each structure.
 */
#ifndef CTRACE_ANALYSIS_PATTERNS_FOLD_H
#define CTRACE_ANALYSIS_PATTERNS_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/map.h"
#include "lib/vec.h"

#define FOLD_BODY_MAX  32      /* items in the body of a loop */
#define FOLD_DEPTH_MAX 16      /* loops in loops */
#define FOLD_LOOPS_MAX 1000000 /* different loops; further ones are not folded */

/* A symbol, or the body of a loop without its counts. */
struct fold_shape {
	uint32_t first, n; /* a loop: shapes.kids[first .. first + n); a symbol: n is 0 */
	uint32_t depth;
	uint32_t same_hash; /* the next loop with this hash; 0: none */
	uint64_t times;     /* how often the shape was found to repeat */
	/* Set for the body of a loop. Then fold_add() makes a loop also where the body stands only once:
	 * a loop with one turn. */
	bool known;
};

/* All folds share the shapes. The shapes 0 .. n_symbols - 1 are the symbols. */
struct fold_shapes {
	VEC(struct fold_shape) v;
	VEC(uint32_t) kids;
	struct map by_hash;
	uint32_t n_symbols;
	uint32_t longest; /* items in the longest known body */
	uint64_t refused; /* loops that were not folded, because of a limit */
};

/* A symbol or a loop. Its count: how often it repeats without a gap in one turn of the loop around it. In
 * "a b b", the count of b is 2. */
struct fold_item {
	uint32_t shape;
	uint32_t kids; /* a loop: the items of its body begin at fold.kids.v[kids] */
	uint32_t now;  /* the count in the last turn */
	/* In the earlier turns: least and largest count, number of turns, sum of the counts. */
	uint32_t min, max, turns;
	uint64_t sum;
	uint64_t events;
	uint64_t ns;
};

struct fold {
	VEC(struct fold_item) items;
	VEC(struct fold_item) kids;
};

/* Sets *s to n_symbols shapes, one for each symbol. fold_add() adds the shapes of loops later. Returns 0,
 * -EINVAL or -ENOMEM. The caller calls fold_shapes_done(). */
int fold_shapes_init(struct fold_shapes *s, size_t n_symbols);
void fold_shapes_done(struct fold_shapes *s);
/* Sets fold_shape.known for the loops of s. Of loops that differ only by the item at which they
 * begin, only one becomes known. Returns 0 or -ENOMEM. */
int fold_shapes_learn(struct fold_shapes *s);
/* Returns a hash that is the same for all rotations of the body, such as "a b" and "b a". */
uint64_t fold_shape_key(const struct fold_shapes *s, uint32_t shape);

/* Appends a symbol that takes ns. Returns 0, -EINVAL or -ENOMEM. */
int fold_add(struct fold *f, struct fold_shapes *s, uint32_t symbol, uint64_t ns);
void fold_clear(struct fold *f);
void fold_done(struct fold *f);

static inline uint64_t fold_count(const struct fold_item *i)
{
	return i->sum + i->now;
}
static inline uint32_t fold_min(const struct fold_item *i)
{
	return i->turns && i->min < i->now ? i->min : i->now;
}
static inline uint32_t fold_max(const struct fold_item *i)
{
	return i->max > i->now ? i->max : i->now;
}

#endif
