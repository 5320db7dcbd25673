/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.h - private to analysis/: chooses the branch that the chain follows from one task. A
 * branch is a group of the task's time (breakdown.h). Pure; any thread, but only one thread at a
 * time may use a struct rules.
 *
 * The chain follows the largest group, unless a rule excludes it or calls another group the cause.
 * Unknown time counts as a group only if it is at least BRANCH_UNKNOWN_FIFTHS fifths of the task's
 * time, or the only group.
 *
 * If a person can be asked and no rule calls a group the cause, the person decides between the
 * groups that no rule excludes and that have more than a fifth of the task's time (BRANCH_SHARE).
 * If there are fewer than two such groups, and the largest group that no rule excludes is a guess,
 * the person decides between the groups with more than a twentieth of the task's time
 * (BRANCH_SHARE_GUESS).
 *
 * If rules exclude the largest group and no other group has more than a fifth of the time, the
 * chain ends at this task. The wait of the task then has no known owner.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_BRANCH_H
#define CTRACE_ANALYSIS_DIAGNOSE_BRANCH_H

#include "analysis/diagnose/diagnosis.h"
#include "analysis/diagnose/breakdown.h"

struct branch {
	struct group *taken; /* the chosen group; NULL: the task has no time to divide */
	char *choice;        /* the decision in words, with the other branches; NULL: there was no
				choice. The caller frees the text */
	bool ranked;         /* the sizes of the groups decided, not a rule or a person */
	bool asked;          /* a question was put to a person */
	bool refused;        /* the rules left no branch to follow, or a person answered that the
				chain goes no further */
};

/* Chooses one of the groups of `task` in l. ret->taken points into l. If ret->refused is set,
 * ret->taken is the largest group (after the answer of a person: the largest group that no rule
 * excludes). If that group is a wait for a task, it becomes in l a wait with no known owner.
 * Returns 0 or -ENOMEM. */
int branch_choose(const struct graph *g, const struct diagnose_options *options, uint32_t task,
		  struct breakdown *l, struct branch *ret);

#endif
