/* SPDX-License-Identifier: GPL-2.0-or-later */
/* busy.h - when the threads of a queue did jobs. A job may run an event loop of its own, and so do further
 * jobs of the queue inside of itself: these are nested jobs. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_JOBS_BUSY_H
#define CTRACE_ANALYSIS_JOBS_BUSY_H

#include <stdint.h>

#include "analysis/jobs/jobs.h"
#include "lib/vec.h"

/* A time in which a task always did at least one job. to_ns UINT64_MAX: a job has not ended. */
struct busy {
	uint32_t worker;
	uint64_t from_ns, to_ns;
};
typedef VEC(struct busy) busy_list;

/* Sets `outer` of the jobs in v, and fills *ret, which has to be empty. The caller frees ret->v, also after
 * an error. Returns 0 or -ENOMEM. */
int busy_find(struct job *v, size_t n, busy_list *ret);

/* Sets *ret to how long in [from_ns, to_ns) at least `threads` tasks did jobs. Returns 0 or -ENOMEM. */
int busy_all(const busy_list *v, uint32_t threads, uint64_t from_ns, uint64_t to_ns, uint64_t *ret);

#endif
