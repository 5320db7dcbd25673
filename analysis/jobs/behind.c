// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/behind.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/jobs/jobs.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"

static int queued_cmp(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return x->queued_ns < y->queued_ns ? -1 : x->queued_ns > y->queued_ns;
}

/* Returns for how long in the window of the diagnosis at least one job that `task` enqueued waited
 * in the queue. In a stuck queue, the time in which such a job runs counts too. jobs: sorted by
 * queued_ns. */
static uint64_t held_ns(const struct graph *g, const struct diagnosis *d, const struct queue *q,
			uint32_t task, const job_list *jobs)
{
	bool stuck = q->verdict == QUEUE_STUCK || q->verdict == QUEUE_ITSELF;
	uint64_t sum_ns = 0, done_ns = d->from_ns;

	for (size_t i = 0; i < jobs->n; i++) {
		const struct job *j = &jobs->v[i];
		uint64_t until_ns = stuck ? j->end_ns : job_left_ns(j), from_ns, to_ns;

		if (j->no_starts || j->enqueuer != task || j->obj != q->obj ||
		    j->tgid != g->tasks[q->task].tgid)
			continue;
		from_ns = MAX(j->queued_ns, done_ns);
		to_ns = MIN(until_ns ? until_ns : UINT64_MAX, d->to_ns);
		if (from_ns >= to_ns)
			continue;
		sum_ns += to_ns - from_ns;
		done_ns = to_ns;
	}
	return sum_ns;
}

static bool is_behind(const struct graph *g, const struct diagnosis *d, const struct queue *q,
		      const job_list *jobs)
{
	/* With VERDICT_NORMAL, the victim may have waited for many short jobs, one after the other.
	 * So the whole window counts. */
	uint64_t wait_ns = d->verdict == VERDICT_NORMAL ? d->to_ns - d->from_ns : d->stall_ns;

	for (size_t i = 0; i < d->n_chain && q->verdict != QUEUE_FINE && q->times.count; i++)
		if ((double)held_ns(g, d, q, d->chain[i].task, jobs) >= BEHIND_SHARE * (double)wait_ns)
			return true;
	return false;
}

int behind_find(const struct graph *g, const struct diagnosis *d, struct queues **ret)
{
	_cleanup_free_ bool *behind = NULL;
	job_list jobs = { 0 };
	struct queues *q;
	int r = jobs_find(g, d->from_ns, d->to_ns, &jobs);

	if (!r)
		r = queues_of_jobs(g, &jobs, d->from_ns, d->to_ns, &q);
	if (r) {
		VEC_FREE(&jobs);
		return r;
	}
	behind = calloc(q->n + 1, sizeof(*behind));
	VEC_SORT(&jobs, queued_cmp);
	for (size_t i = 0; behind && i < q->n; i++)
		behind[i] = is_behind(g, d, &q->v[i], &jobs);
	VEC_FREE(&jobs);
	if (!behind) {
		queues_free(q);
		return -ENOMEM;
	}
	queues_keep_marked(q, behind);
	*ret = q;
	return 0;
}
