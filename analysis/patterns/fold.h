/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fold.h - the lossy step: folds repetitions that stand side by side, also nested ones, into loops.
 * "x a b a b b y" becomes "x (a b)^2 y". Loops with the same body are alike, whatever their counts.
 * So a body with one repetition inside is the same as a body with ten.
 *
 * The method is a stack, as in the recognition of nested loops by Ketterlin and Clauss (CGO 2008).
 * The time is linear in the number of events, times FOLD_BODY_MAX at worst.
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

/* A symbol, or the body of a loop. Counts are no part of it. */
struct fold_shape {
	uint32_t first, n; /* a loop: shapes.kids[first .. first + n); n 0: a symbol */
	uint32_t depth;
	uint32_t same_hash; /* the next loop with this hash; 0: none */
	uint64_t times;     /* how often a loop was found to go round again */
	bool known;         /* fold() makes a loop of this body where it stands alone too */
};

/* The shapes of all sequences. The shapes 0 .. n_symbols - 1 are the symbols. */
struct fold_shapes {
	VEC(struct fold_shape) v;
	VEC(uint32_t) kids;
	struct map by_hash;
	uint32_t n_symbols;
	uint32_t longest; /* items in the longest known body */
	uint64_t refused; /* loops that were not folded, because of a limit */
};

/* How often something stands in a row: in each turn of the loop around it. */
struct fold_item {
	uint32_t shape;
	uint32_t kids;            /* a loop: index in fold.kids of the items of its body */
	uint32_t now;             /* in the last turn */
	uint32_t min, max, turns; /* in the earlier turns */
	uint64_t sum;
	uint64_t events;
	uint64_t ns;
};

struct fold {
	VEC(struct fold_item) items;
	VEC(struct fold_item) kids;
};

/* Makes the shapes of n symbols. Returns 0, -EINVAL or -ENOMEM. The caller calls fold_shapes_done(). */
int fold_shapes_init(struct fold_shapes *s, size_t n_symbols);
void fold_shapes_done(struct fold_shapes *s);
/* Marks the loops found so far as known. Of loops that differ only by the item at which they begin,
 * one becomes known. Returns 0 or -ENOMEM. */
int fold_shapes_learn(struct fold_shapes *s);
/* Returns the hash of the body, whatever the item at which it begins. */
uint64_t fold_shape_key(const struct fold_shapes *s, uint32_t shape);

/* Appends a symbol that takes ns. Returns 0, -EINVAL or -ENOMEM. */
int fold_add(struct fold *f, struct fold_shapes *s, uint32_t symbol, uint64_t ns);
/* Empties the fold, and keeps its memory. */
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
