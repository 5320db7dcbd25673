/* SPDX-License-Identifier: GPL-2.0-or-later */
/* length.h - how many jobs waited in a queue, over time. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_JOBS_LENGTH_H
#define CTRACE_ANALYSIS_JOBS_LENGTH_H

#include "analysis/jobs/jobs.h"
#include "analysis/jobs/queue.h"

/* At this time, a job enters (by 1) or leaves (by -1). */
struct length_step {
	uint64_t ts_ns;
	int by;
};
/* For qsort(). If a job leaves at the time at which another one enters, it leaves first, so that the two do
 * not overlap. */
int length_step_cmp(const void *a, const void *b);

/* Fills *ret for the time [from_ns, to_ns). v: n jobs. A job that has not left the queue waits until
 * until_ns. Returns 0 or -ENOMEM. */
int length_find(const struct job *v, size_t n, uint64_t from_ns, uint64_t to_ns, uint64_t until_ns,
		struct queue_length *ret);

#endif
