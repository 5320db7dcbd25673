/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * similar.h - finds earlier waits that are like a given one. A like wait is at the same place, and belongs to
 * the same task or to another task of its role. The task did the same things before it. The awaited event
 * ended it, not a time limit.
 *
 * A signature describes the doings of a task: its waits (system call, kind of object, kind of end), and the
 * kinds of its sends, receives and wakes, in order. Repeats are folded (Argus, section 4.2). The likeness of
 * two signatures is the length of their longest common subsequence, relative to their lengths. It is reduced
 * if the stacks of both waits are known and differ.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_SIMILAR_H
#define CTRACE_ANALYSIS_COMPARE_SIMILAR_H

#include "graph/wake/blame.h"
#include "lib/vec.h"

#define SIMILAR_TOKENS    24   /* of a signature, after folding */
#define SIMILAR_PERIOD    6    /* of the longest repeat that is folded */
#define SIMILAR_INTERVALS 96   /* intervals that are looked at for one signature */
#define SIMILAR_EVENTS    256  /* records that are looked at in one interval on a CPU: the last ones */
#define SIMILAR_MAX       128  /* waits that are compared */
#define SIMILAR_LOOKS     1024 /* waits whose end is looked at, for one comparison */
#define SIMILAR_TASKS     64   /* tasks of one role that are looked at */

struct signature {
	uint32_t token[SIMILAR_TOKENS]; /* the latest first */
	uint32_t n;
};

struct similar {
	uint32_t interval; /* BLOCKED */
	float score;       /* 0..1 */
	struct blame blame;
};

struct similar_set {
	VEC(struct similar)
	v;               /* the task's own waits come before those of other tasks; of each the latest first */
	uint32_t looked; /* how many earlier waits at that place were looked at */
	uint32_t refused; /* waits and tasks beyond the limits */
};

/* Fills in the signature of the task's doings up to this wait, a BLOCKED interval. The end of the
 * wait itself is left out. */
void similar_signature(const struct graph *g, uint32_t interval, struct signature *ret);
/* How alike two signatures are: from 0, nothing in common, to 1, equal. */
float similar_score(const struct signature *a, const struct signature *b);
/* How alike the places of two waits are: 1: the same object; less: another object of its kind; 0:
 * different. */
float similar_place(const struct graph *g, const struct interval *a, const struct interval *b);
/* True: the tasks have one role: the same name, and the same name of their processes. */
bool similar_role(const struct graph *g, uint32_t a, uint32_t b);
/* True: a wait by chance, which no task ends on purpose: for a mutex, for memory, for a disk, for a
 * debugger. */
bool similar_is_chance(const struct interval *s);

/* Finds the waits like interval that were over before it began. 0 or -ENOMEM. The caller calls
 * similar_done() in both cases. */
int similar_find(const struct graph *g, uint32_t interval, struct similar_set *ret);
/* Groups the waits by the role of the task that ended them, and by how it ended them. Keeps the
 * group with the greatest sum of scores, and drops waits that are hardly alike. *ret_others: the
 * number of waits that ended in another way. */
void similar_keep_commonest(const struct graph *g, struct similar_set *set, uint32_t *ret_others);
/* Of the waits that are most alike, the one of median length. The set must not be empty. */
const struct similar *similar_median(const struct graph *g, const struct similar_set *set);
void similar_done(struct similar_set *s);

#endif
