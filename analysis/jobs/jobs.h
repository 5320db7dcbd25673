/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs.h - the jobs of a window, from their records. */
#ifndef CTRACE_ANALYSIS_JOBS_JOBS_H
#define CTRACE_ANALYSIS_JOBS_JOBS_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

struct job {
	uint64_t obj;
	uint64_t function;
	/* 0: not recorded. A job with an enqueue, an end and no start was cancelled while it waited, unless
	 * no_starts. */
	uint64_t queued_ns, start_ns, end_ns;
	uint64_t cpu_ns;
	uint64_t stack; /* of the enqueue (window_stack()); 0: not recorded */
	uint32_t enqueuer, worker;
	uint32_t tgid;
	/* Only inside jobs_find(). last_ns: time of the last record of the job. loose: end_ns is not exact
	 * (CT_JF_LOOSE). */
	uint64_t last_ns;
	uint64_t until_ns; /* end of the time with probes in which the job began; 0: no such end */
	uint16_t framework;
	bool unseen, loose;
	/* Jobs of the queue that ran before this one were left out, because their starts were not recorded
	 * (JOB_UNSEEN_NS). */
	bool after_unseen;
	bool outer; /* its worker did other jobs of the queue inside of it; set by busy.h */
	/* The job has no recorded start. But it may have begun, because its function may have had
	 * no probe. This is so if one of these is true:
	 * - No start of any job of the function is recorded in the process.
	 * - No start of any job of the function is recorded in the queue, and the job was enqueued
	 *   at most JOB_UNSEEN_NS after the first job of the function. */
	bool no_starts;
};
typedef VEC(struct job) job_list;

/* Returns 0 if the start or the end was not recorded. */
static inline uint64_t job_execution_ns(const struct job *j)
{
	return j->start_ns && j->end_ns > j->start_ns ? j->end_ns - j->start_ns : 0;
}

/* A job that has started and not ended runs until to_ns. */
static inline uint64_t job_so_far_ns(const struct job *j, uint64_t to_ns)
{
	uint64_t until = j->end_ns ? j->end_ns : to_ns;

	return j->start_ns && until > j->start_ns ? until - j->start_ns : 0;
}

/* Returns when the job left the queue, or 0 for a job that still waits. */
static inline uint64_t job_left_ns(const struct job *j)
{
	return j->start_ns ? j->start_ns : j->end_ns;
}

/* A job that has not left the queue waits until to_ns. */
static inline uint64_t job_queueing_ns(const struct job *j, uint64_t to_ns)
{
	uint64_t until = job_left_ns(j) ? job_left_ns(j) : to_ns;

	return j->queued_ns && until > j->queued_ns ? until - j->queued_ns : 0;
}

/* Returns how long the task ran in [from_ns, to_ns). */
uint64_t jobs_cpu_ns(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Leaves out jobs whose last records may be missing because the probes of their framework were
 * detached (unprobed.h): such a job seems to wait or to run, but may have ended. *ret has to be empty
 * before the call. The caller frees ret->v, also after an error. Returns 0 or -ENOMEM. */
int jobs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, job_list *ret);

#endif
