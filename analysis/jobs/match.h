/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match.h - finds the queues of one trace in another trace, to compare the two. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_JOBS_MATCH_H
#define CTRACE_ANALYSIS_JOBS_MATCH_H

#include "analysis/jobs/queues.h"

struct queues_of {
	const struct graph *g;
	const struct queues *q;
	const struct queues *pools; /* pools.h; NULL: not looked for. They are not compared */
	uint64_t from_ns, to_ns;    /* the time in which the jobs were looked for */
};

/*
 * Sets ret[i] to the index in before->q->v of the queue that matches now->q->v[i], or to SIZE_MAX.
 * The processes of both queues must have the same name. Queues with equal names match
 * first, then the others in order.
 */
void queues_match(const struct queues_of *before, const struct queues_of *now, size_t *ret);

#endif
