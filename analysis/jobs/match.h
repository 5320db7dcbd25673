/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match.h - finds the queues of one trace in another trace, so that the two can be compared. Pure;
 * any thread. */
#ifndef CTRACE_ANALYSIS_JOBS_MATCH_H
#define CTRACE_ANALYSIS_JOBS_MATCH_H

#include "analysis/jobs/queues.h"

/* A trace and its queues. */
struct queues_of {
	const struct graph *g;
	const struct queues *q;
};

/*
 * For each queue now->q->v[i], sets ret[i] to the index of the same queue in before->q->v, or to
 * SIZE_MAX if there is none. No index is used twice.
 *
 * Two queues can be the same only if their processes have the same name (queue_comm()). The search
 * has two rounds. The first round matches only queues that also have the same name themselves. The
 * second round matches the remaining queues of each process in the order in which they stand in v.
 * (Usually a queue has the name of its framework, so several queues have the same name.)
 */
void queues_match(const struct queues_of *before, const struct queues_of *now, size_t *ret);

#endif
