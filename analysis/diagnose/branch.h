/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.h - private to analysis/: chooses which group of a task's time (breakdown.h) a chain
 * follows. This *branch* is the largest group, with these exceptions:
 *
 * - GROUP_UNKNOWN counts only if it has at least BRANCH_UNKNOWN_FIFTHS fifths of the time, or if it
 *   is the only group.
 * - A rule may exclude a group, or call a group the cause.
 * - A person may choose among the groups with more than 1/BRANCH_SHARE of the time. If this is only
 *   one group, and its task is a guess, all groups with more than 1/BRANCH_SHARE_GUESS are offered.
 * - The chain ends at this task if the person chooses no group. It also ends if a rule excludes a
 *   group, no rule calls a group the cause, and no other group has more than 1/BRANCH_SHARE.
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
	bool ranked;  /* the branch was chosen by size, not by a rule or a person */
	bool asked;
	bool refused;
};

/* Sets ret->taken to the branch, or to NULL if l has no group. Sets ret->refused if rules, or the answer of
 * the person (options->ask), end the chain at this task. In this case too, ret->taken is a group of l: it
 * becomes the end of the chain. If its type is GROUP_TASK, the type becomes GROUP_LEAF: a wait with no
 * known owner. Returns 0 or -ENOMEM. */
int branch_choose(const struct graph *g, const struct diagnose_options *options, uint32_t task,
		  struct breakdown *l, struct branch *ret);

#endif
