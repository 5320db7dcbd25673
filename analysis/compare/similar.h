/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * similar.h - finds earlier waits that are like a given wait: they are at the same place, belong to
 * a task of the same role (similar_role()), and the awaited event ended them.
 *
 * A *signature* lists what a task did before a wait. The score of two waits is the likeness of
 * their signatures (longest common subsequence), times factors for places and stacks (Argus: Weng,
 * Huang, Yang, USENIX ATC 2021, section 4.2).
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_SIMILAR_H
#define CTRACE_ANALYSIS_COMPARE_SIMILAR_H

#include "graph/wake/blame.h"
#include "lib/vec.h"

#define SIMILAR_TOKENS    24
#define SIMILAR_PERIOD    6
#define SIMILAR_INTERVALS 96
#define SIMILAR_EVENTS    256
#define SIMILAR_MAX       128
#define SIMILAR_LOOKS     1024
#define SIMILAR_TASKS     64

struct signature {
	uint32_t token[SIMILAR_TOKENS]; /* the latest token first */
	uint32_t n;
};

struct similar {
	uint32_t interval;
	float score;
	struct blame blame;
};

struct similar_set {
	VEC(struct similar)
	v;
	uint32_t looked;
	uint32_t refused;
};

void similar_signature(const struct graph *g, uint32_t interval, struct signature *ret);
/* Returns 0 (nothing in common) to 1 (equal). */
float similar_score(const struct signature *a, const struct signature *b);
/* Returns 1 for the same call on the same object, or on the same condition variable. Returns a
 * number between 0 and 1 if the objects differ, but serve one purpose. Returns 0 for different
 * places. */
float similar_place(const struct graph *g, const struct interval *a, const struct interval *b);
/* Returns true if the tasks have the same name, and their processes too. */
bool similar_role(const struct graph *g, uint32_t a, uint32_t b);
/* Returns true for a wait of a kind that happens only by chance: for a futex with an owner, for
 * memory, or for a disk. Also returns true if the task is stopped. */
bool similar_is_chance(const struct graph *g, const struct interval *s);

/* Finds waits that ended before the wait `interval` began. Returns 0 or -ENOMEM. The caller
 * calls similar_done() in both cases. */
int similar_find(const struct graph *g, uint32_t interval, struct similar_set *ret);
/* Two waits are in one group if tasks of one role ended them, by the same kind of edge (such as a
 * message). A wait that no task ended is in no group. Keeps only the group with the largest sum of
 * scores, and drops the other waits. Also drops all waits with a score below SIMILAR_LEAST. Adds the
 * number of dropped waits with a score of SIMILAR_LEAST or more to *ret_others. */
void similar_keep_commonest(const struct graph *g, struct similar_set *set, uint32_t *ret_others);
/* Returns the wait of median length among those with the best scores (SIMILAR_NEAR_BEST). The set
 * must not be empty. */
const struct similar *similar_median(const struct graph *g, const struct similar_set *set);
void similar_done(struct similar_set *s);

#endif
