/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs.h - the jobs of a window, from their records. */
#ifndef CTRACE_ANALYSIS_JOBS_JOBS_H
#define CTRACE_ANALYSIS_JOBS_JOBS_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

struct job {
	uint64_t obj;
	uint64_t function;
	uint64_t queued_ns, start_ns, end_ns; /* 0: not recorded */
	uint64_t cpu_ns;
	uint32_t enqueuer, worker;
	uint32_t tgid;
};
typedef VEC(struct job) job_list;

/* *ret has to be empty before the call. The caller frees ret->v, also after an error. Returns 0 or
 * -ENOMEM. */
int jobs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, job_list *ret);

#endif
