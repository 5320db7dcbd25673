/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * similar.h - finds earlier waits that are like a given wait. An earlier wait is like the given
 * wait if:
 * - it is at the same place;
 * - it belongs to the same task, or to another task of the same role;
 * - its task did much the same things before the wait;
 * - the awaited event ended it, not a time limit.
 *
 * A signature describes what a task did: its waits (system call, kind of object, kind of end), and
 * the kinds of its sends, receives and wakes, in order. A repeat of the same things counts once
 * (Argus: Weng, Huang, Yang, USENIX ATC 2021, section 4.2). The likeness of two signatures is the
 * length of their longest common subsequence, divided by their mean length. The score of an earlier
 * wait is this likeness, times a factor for the places of the two waits (similar_place()), times a
 * factor for their stacks.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_SIMILAR_H
#define CTRACE_ANALYSIS_COMPARE_SIMILAR_H

#include "graph/wake/blame.h"
#include "lib/vec.h"

#define SIMILAR_TOKENS    24   /* the most tokens of a signature */
#define SIMILAR_PERIOD    6    /* the most tokens of a repeat that counts once */
#define SIMILAR_INTERVALS 96   /* the most intervals that are looked at for one signature */
#define SIMILAR_EVENTS    256  /* the most records of one run that are looked at: its latest ones */
#define SIMILAR_MAX       128  /* the most waits in the result */
#define SIMILAR_LOOKS     1024 /* the most waits at the same place that one search looks at */
#define SIMILAR_TASKS     64   /* the most other tasks of the role whose waits are looked at */

struct signature {
	uint32_t token[SIMILAR_TOKENS]; /* the latest token first */
	uint32_t n;
};

struct similar {
	uint32_t interval; /* the wait, a BLOCKED interval */
	float score;       /* how alike this wait and the given wait are: 0..1 */
	struct blame blame;
};

struct similar_set {
	VEC(struct similar)
	v; /* first the waits of the task of the given wait, then those of other tasks; of each task
	      the latest wait first */
	uint32_t looked;  /* number of earlier waits at the same place that were looked at */
	uint32_t refused; /* number of waits and tasks that the limits above left out */
};

/* Fills *ret with the signature of the things that the task did up to this wait, a BLOCKED
 * interval. The signature says nothing of the end of this wait. */
void similar_signature(const struct graph *g, uint32_t interval, struct signature *ret);
/* Returns how alike two signatures are: from 0 (nothing in common) to 1 (equal). */
float similar_score(const struct signature *a, const struct signature *b);
/* Returns how alike the places of two waits are:
 * - 1 for the same object;
 * - a number between 0 and 1 for another object that serves the same purpose;
 * - 0 for different places. */
float similar_place(const struct graph *g, const struct interval *a, const struct interval *b);
/* Returns true if both tasks have one role: they have the same name, and their processes have the
 * same name. */
bool similar_role(const struct graph *g, uint32_t a, uint32_t b);
/* Returns true if chance decides whether the task waits here: the task waits for a mutex, for
 * memory or for a disk, or it is stopped. */
bool similar_is_chance(const struct graph *g, const struct interval *s);

/* Finds the waits that are like the wait `interval`, and that were over before it began. Returns 0
 * or -ENOMEM. The caller calls similar_done() in both cases. */
int similar_find(const struct graph *g, uint32_t interval, struct similar_set *ret);
/* Groups the waits by the role of the task that ended them, and by the way in which this task
 * ended them. Keeps the group with the greatest sum of scores. Drops waits with a score below
 * SIMILAR_LEAST. *ret_others grows by the number of the other dropped waits: those of other
 * groups, and those that no known task ended. If no known task ended any of the waits, drops all
 * waits, and does not change *ret_others. */
void similar_keep_commonest(const struct graph *g, struct similar_set *set, uint32_t *ret_others);
/* Returns the wait of median length among the waits whose score is at most SIMILAR_NEAR_BEST
 * below the best one. The set must not be empty. */
const struct similar *similar_median(const struct graph *g, const struct similar_set *set);
void similar_done(struct similar_set *s);

#endif
