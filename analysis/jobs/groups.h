/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups.h - the jobs of a queue, by kind and by the call stack at their enqueue. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_JOBS_GROUPS_H
#define CTRACE_ANALYSIS_JOBS_GROUPS_H

#include "analysis/jobs/jobs.h"
#include "analysis/jobs/queue.h"

/* buf: room for n times. */
struct job_times groups_times(const struct job *v, size_t n, uint64_t *buf);
/* Sets the kinds and groups of q, also after an error. Changes the order of the n jobs in v. buf: room for n
 * times. Returns 0 or -ENOMEM. */
int groups_fill(const struct graph *g, struct queue *q, struct job *v, size_t n, uint64_t to_ns,
		uint64_t *buf);

#endif
