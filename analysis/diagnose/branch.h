/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.h - private to analysis/: which of the things that a task's time went to
 * the chain follows.
 *
 * The largest, unless a rule says that it is not a cause, or that another one is; a person
 * is asked where a second one has at least a fifth of the time, or where the largest
 * is a guess.  What is refused, and nothing else has a fifth, stays a wait of which
 * nobody knows whom it was for.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_BRANCH_H
#define CTRACE_ANALYSIS_DIAGNOSE_BRANCH_H

#include "analysis/diagnose/diagnosis.h"
#include "analysis/diagnose/breakdown.h"

struct branch {
	struct group *taken; /* NULL: there is nothing to take */
	char *choice;        /* what was decided, by whom, and what else there was; NULL: no choice. Owned by
				the caller */
	bool ranked;         /* it was decided by rank */
	bool asked;
	bool refused; /* by a rule or a person: nobody is to be followed */
};

/* May change a group of l: what was refused is a wait for nobody.  0 or -ENOMEM. */
int branch_choose(const struct graph *g, const struct diagnose_options *options, uint32_t task,
		  struct breakdown *l, struct branch *ret);

#endif
