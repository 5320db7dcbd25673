/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs.h - the jobs of a window, from their records. */
#ifndef CTRACE_ANALYSIS_JOBS_JOBS_H
#define CTRACE_ANALYSIS_JOBS_JOBS_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

struct job {
	uint64_t obj;                         /* id of the queue; 0: not known */
	uint64_t function;                    /* address of the job's function; 0: not known */
	uint64_t queued_ns, start_ns, end_ns; /* 0: not recorded */
	/* how long `worker` had a CPU between start_ns and end_ns */
	uint64_t cpu_ns;
	/* the tasks that enqueued and ran the job; GRAPH_NONE: not known */
	uint32_t enqueuer, worker;
	uint32_t tgid;
};
typedef VEC(struct job) job_list;

/* Finds the jobs that waited, ran or ended in [from_ns, to_ns), in the order of their first
 * records. *ret has to be empty before the call. The caller frees ret->v, also after an error.
 * Returns 0 or -ENOMEM. */
int jobs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, job_list *ret);

#endif
