/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.h - private to analysis/: chooses which group of a task's time (breakdown.h) a chain
 * follows. This *branch* is the largest group, with these exceptions:
 *
 * - GROUP_UNKNOWN counts only if it has at least BRANCH_UNKNOWN_FIFTHS fifths of the time, or if it
 *   is the only group.
 * - A rule may exclude a group, or call a group the cause.
 * - A person may choose among the groups with more than 1/BRANCH_SHARE of the time. If only one
 *   group has so much, and this group is a guess, the limit is 1/BRANCH_SHARE_GUESS.
 * - If the rules leave no large group, or the person chooses none, the chain ends at this task,
 *   with a wait that has no known owner.
 *
 * Pure; any thread, but only one thread at a time may use a struct rules.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_BRANCH_H
#define CTRACE_ANALYSIS_DIAGNOSE_BRANCH_H

#include "analysis/diagnose/diagnosis.h"
#include "analysis/diagnose/breakdown.h"

struct branch {
	struct group *taken;
	char *choice; /* the decision in words, or NULL; the caller frees it */
	bool ranked;  /* the sizes of the groups decided, not a rule or a person */
	bool asked;
	bool refused;
};

/* Sets ret->taken to the branch: one of the groups of l, or NULL if l has no group. Sets ret->refused if
 * the rules leave no large group, or if the person (options->ask) chooses none. Then ret->taken is a group
 * all the same, but the chain ends with it. If it has the type GROUP_TASK, the type becomes GROUP_LEAF: a
 * wait with no known owner. Returns 0 or -ENOMEM. */
int branch_choose(const struct graph *g, const struct diagnose_options *options, uint32_t task,
		  struct breakdown *l, struct branch *ret);

#endif
