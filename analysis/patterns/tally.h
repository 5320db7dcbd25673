/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - private to analysis/patterns: how often each candidate for a pattern occurs in each
 * transaction. The candidates are the shapes of fold.h, then the rules of sequitur.h.
 *
 * Pure; one thread at a time.
 */
#ifndef CTRACE_ANALYSIS_PATTERNS_TALLY_H
#define CTRACE_ANALYSIS_PATTERNS_TALLY_H

#include "analysis/patterns/fold.h"
#include "analysis/patterns/sequence.h"
#include "analysis/patterns/sequitur.h"

struct tally_count {
	uint32_t candidate, transaction;
	uint64_t n, in_a_row, events, ns;
};

/* For one item in the body of a loop: how often it occurs in a row in one turn, at least and at most.
 * Example: a loop has the turns "a b" and "a b b". For b, min is 1 and max is 2. All loops with this body
 * count. */
struct tally_turns {
	uint32_t min, max; /* max 0: no loop with this body was counted */
};

struct tally {
	const struct sequence *q;
	struct fold_shapes shapes;
	struct grammar grammar;
	VEC(struct tally_count) counts; /* sorted by (candidate, transaction) */
	struct tally_turns *turns;      /* by index in shapes.kids */
};

/* Returns 0, -ENOMEM or -E2BIG. The caller calls tally_done() in all cases. */
int tally_init(struct tally *t, const struct sequence *q);
void tally_done(struct tally *t);

#endif
