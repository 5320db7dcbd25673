/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * across.h - private to analysis/: how alike tasks and waits of two traces are. Task ids, object
 * ids and addresses differ between traces. So names, kinds, stacks, and the places of futexes in
 * their pages count.
 *
 * In all functions, `g` is the graph of the examined trace, and `good` is the graph of the other
 * trace. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_ACROSS_H
#define CTRACE_ANALYSIS_COMPARE_ACROSS_H

#include "analysis/compare/similar.h"

/* Returns true if the programs and the names of the tasks are the same, and also the scripts if
 * both are known. Numbers in names may differ. */
bool across_role(const struct graph *g, uint32_t task, const struct graph *good, uint32_t other);

/* How the process of `task` is related to the process of the task `of`. */
enum relation { RELATION_THREAD, RELATION_CHILD, RELATION_PARENT, RELATION_OTHER };
enum relation across_relation(const struct graph *g, uint32_t of, uint32_t task);

/* Returns 1 if names, or the place of a futex in its page, show that both waits are at one place.
 * Returns a number between 0 and 1 if only the call and the kind of the object are the same.
 * Returns 0 for different places. */
float across_place(const struct graph *g, const struct interval *a, const struct graph *good,
		   const struct interval *b);
/* Returns true if both waits are at one place. For this, across_place() must be above 0. If both stacks
 * are known, they must be alike. If a stack is not known, two waits for futexes need an across_place()
 * of 1. For other waits, any value above 0 is enough. */
bool across_same_place(const struct graph *g, const struct interval *a, const struct graph *good,
		       const struct interval *b);

struct across_set {
	struct similar_set set; /* waits of `good` */
	uint32_t mates;         /* tasks of `good` with the role of the waiter, up to SIMILAR_TASKS + 1 */
	bool blind;             /* only the kinds of call and object say which waits are alike */
};

/* Finds waits in `good` that are like the wait `interval` of g. Returns 0 or -ENOMEM. The caller
 * calls similar_done() in both cases. */
int across_find(const struct graph *g, uint32_t interval, const struct graph *good, struct across_set *ret);

#endif
