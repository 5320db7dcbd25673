/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job.h - queues of jobs. Prints "job=ADDRESS ENQUEUED_BY DONE_BY" for each job, in the order of enqueues. */
#ifndef CTRACE_TEST_LIVE_JOB_H
#define CTRACE_TEST_LIVE_JOB_H

#include "work.h"

#define JOBS 10000

struct job {
	int by, done_by;
	unsigned work;
} __attribute__((aligned(64)));

static struct job jobs[JOBS];

static inline void job_prepare(struct job *j, unsigned i)
{
	j->by = gettid();
	j->work = i % 100 == 0 ? 100000 : i % 7 * 10;
}

static inline void job_do(struct job *j)
{
	volatile unsigned x = 0;

	for (unsigned i = 0; i < j->work; i++)
		x = x + i;
	j->done_by = gettid();
}

static inline void job_pause(unsigned i)
{
	if (i % 50 == 0)
		nap_ms(2);
}

static inline int job_tell(void)
{
	for (size_t i = 0; i < JOBS; i++)
		say("job=0x%lx %d %d\n", (unsigned long)&jobs[i], jobs[i].by, jobs[i].done_by);
	return 0;
}

#endif
