/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.h - private to analysis/: chooses the branch that the chain follows from one task. A
 * branch is a group of the task's time. Pure; any thread, but one at a time for each struct rules.
 *
 * The chain follows the largest group, unless a rule excludes it or calls another group the cause.
 * A person is asked if a second group has more than a fifth of the time, or if the largest group is
 * a guess and a second one has more than a twentieth. If rules exclude the branch and no other
 * branch has more than a fifth, the chain ends here as "owner unknown".
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_BRANCH_H
#define CTRACE_ANALYSIS_DIAGNOSE_BRANCH_H

#include "analysis/diagnose/diagnosis.h"
#include "analysis/diagnose/breakdown.h"

struct branch {
	struct group *taken; /* NULL: the task has no time to divide */
	char *choice;        /* the decision in words, with the other branches; NULL: there was no choice.
				The caller frees it */
	bool ranked;         /* the sizes decided, not a rule or a person */
	bool asked;          /* a person was asked */
	bool refused;        /* a rule or a person excluded every branch */
};

/* Chooses the branch. If the group is refused, changes it in l: its wait then has no known owner.
 * ret->taken points into l. 0 or -ENOMEM. */
int branch_choose(const struct graph *g, const struct diagnose_options *options, uint32_t task,
		  struct breakdown *l, struct branch *ret);

#endif
