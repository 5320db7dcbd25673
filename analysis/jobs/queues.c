// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/queues.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/jobs/busy.h"
#include "analysis/jobs/groups.h"
#include "analysis/jobs/jobs.h"
#include "analysis/jobs/length.h"
#include "analysis/jobs/verdict.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

static int job_cmp(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->obj != y->obj)
		return x->obj < y->obj ? -1 : 1;
	if (x->no_starts != y->no_starts)
		return x->no_starts ? 1 : -1;
	if (x->queued_ns != y->queued_ns)
		return x->queued_ns < y->queued_ns ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static uint32_t most_at_once(struct length_step *v, size_t n)
{
	uint32_t most = 0;
	int now = 0;

	qsort(v, n, sizeof(*v), length_step_cmp);
	for (size_t i = 0; i < n; i++) {
		now += v[i].by;
		if (now > (int)most)
			most = (uint32_t)now;
	}
	return most;
}

static int count_sets(struct queue *q, const struct job *v, size_t n, const busy_list *busy)
{
	_cleanup_free_ struct length_step *steps = malloc(2 * (n + 1) * sizeof(*steps));
	size_t k = 0;

	if (!steps)
		return -ENOMEM;
	for (size_t i = 0; i < busy->n; i++) {
		steps[k++] = (struct length_step){ busy->v[i].from_ns, 1 };
		steps[k++] = (struct length_step){ busy->v[i].to_ns, -1 };
	}
	q->most_running = most_at_once(steps, k);
	k = 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].queued_ns) {
			steps[k++] = (struct length_step){ v[i].queued_ns, 1 };
			steps[k++] =
				(struct length_step){ job_left_ns(&v[i]) ? job_left_ns(&v[i]) : UINT64_MAX,
						      -1 };
		}
	q->most_waiting = most_at_once(steps, k);
	return 0;
}

static int u32_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int count_threads(struct queue *q, const struct job *v, size_t n)
{
	_cleanup_free_ uint32_t *tasks = malloc((n + 1) * sizeof(*tasks));
	size_t k = 0;

	if (!tasks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (v[i].worker != GRAPH_NONE)
			tasks[k++] = v[i].worker;
	qsort(tasks, k, sizeof(*tasks), u32_cmp);
	for (size_t i = 0; i < k; i++)
		q->n_threads += i == 0 || tasks[i] != tasks[i - 1];
	q->task = k ? tasks[0] : v[0].enqueuer;
	return 0;
}

/* More jobs ran than the declared number allows: then it was smaller at the end than before, or it is
 * something else. So it is not used. */
static uint32_t declared_of(const struct graph *g, const struct queue *q)
{
	const struct window_object *o = q->obj ? window_object(g->w, q->obj) : NULL;

	if (!o || CT_OBJ_KIND(q->obj) != CT_OBJ_QUEUE || o->x < q->most_running || o->x > QUEUE_DECLARED_MAX)
		return 0;
	return (uint32_t)o->x;
}

/* Of the tasks that enqueued or ran these jobs, returns when the last one ended, but at most
 * to_ns. */
static uint64_t alive_until_ns(const struct graph *g, const struct job *v, size_t n, uint64_t to_ns)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].enqueuer != GRAPH_NONE)
			last_ns = MAX(last_ns, g->tasks[v[i].enqueuer].exit_ns);
		if (v[i].worker != GRAPH_NONE)
			last_ns = MAX(last_ns, g->tasks[v[i].worker].exit_ns);
	}
	return MIN(last_ns, to_ns);
}

/* v: n > 0 jobs, sorted by job_cmp(). Changes their order. The caller calls queue_done(q), also after an
 * error. */
static int fill_queue(const struct graph *g, struct queue *q, struct job *v, size_t n, uint64_t from_ns,
		      uint64_t to_ns)
{
	_cleanup_free_ uint64_t *buf = malloc((n + 1) * sizeof(*buf));
	busy_list busy = { 0 };
	uint64_t alive_ns;
	size_t judged = n;
	int r;

	if (!buf)
		return -ENOMEM;
	while (judged && v[judged - 1].no_starts)
		judged--;
	*q = (struct queue){ .obj = v[0].obj, .n_no_starts = n - judged };
	for (size_t i = 0; i < judged; i++)
		q->n_waiting += v[i].queued_ns && !job_left_ns(&v[i]);
	q->times = groups_times(v, n, buf);
	r = busy_find(v, judged, &busy);
	if (!r)
		r = count_sets(q, v, judged, &busy);
	for (size_t i = 0; i < busy.n; i++)
		q->n_running += busy.v[i].to_ns == UINT64_MAX;
	if (!r)
		r = count_threads(q, v, n);
	if (!r)
		q->declared = declared_of(g, q);
	alive_ns = alive_until_ns(g, v, n, to_ns);
	if (!r)
		r = length_find(v, judged, MAX(from_ns, g->w->from_ns), to_ns, alive_ns, &q->length);
	to_ns = alive_ns;
	if (!r)
		r = groups_fill(g, q, v, n, to_ns, buf);
	qsort(v, n, sizeof(*v), job_cmp);
	if (!r)
		r = verdict_find(g, q, v, judged, &busy, from_ns, to_ns);
	VEC_FREE(&busy);
	return r;
}

static int most_queueing_cmp(const void *a, const void *b)
{
	const struct queue *x = a, *y = b;
	double p = (double)x->times.queueing.p95 * (double)x->times.count;
	double q = (double)y->times.queueing.p95 * (double)y->times.count;

	if (x->n_waiting != y->n_waiting && (!x->n_waiting || !y->n_waiting))
		return x->n_waiting ? -1 : 1;
	return p != q ? (p > q ? -1 : 1) : 0;
}

static void queue_done(struct queue *q)
{
	free(q->text);
	free(q->kinds);
	free(q->groups);
}

int queues_of_jobs(const struct graph *g, job_list *jobs, uint64_t from_ns, uint64_t to_ns,
		   struct queues **ret)
{
	struct queues *q = calloc(1, sizeof(*q));
	VEC(struct queue) v = { 0 };
	int r = 0;

	if (!q)
		return -ENOMEM;
	VEC_SORT(jobs, job_cmp);
	for (size_t lo = 0, hi; lo < jobs->n && !r; lo = hi) {
		struct job *x = jobs->v;
		struct queue one = { 0 };

		for (hi = lo; hi < jobs->n && x[hi].tgid == x[lo].tgid && x[hi].obj == x[lo].obj; hi++)
			;
		r = fill_queue(g, &one, x + lo, hi - lo, from_ns, MIN(to_ns, g->w->to_ns));
		if (VEC_PUSH(&v, one)) {
			queue_done(&one);
			r = -ENOMEM;
		}
	}
	VEC_SORT(&v, most_queueing_cmp);
	*q = (struct queues){ v.v, v.n };
	if (r) {
		queues_free(q);
		return r;
	}
	*ret = q;
	return 0;
}

int queues_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct queues **ret)
{
	job_list jobs = { 0 };
	int r = jobs_find(g, from_ns, to_ns, &jobs);

	if (!r)
		r = queues_of_jobs(g, &jobs, from_ns, to_ns, ret);
	VEC_FREE(&jobs);
	return r;
}

static bool has_process(const struct graph *g, const bool *tasks, uint32_t tgid)
{
	for (uint32_t i = 0; i < g->n_tasks; i++)
		if (tasks[i] && g->tasks[i].tgid == tgid)
			return true;
	return false;
}

void queues_keep_marked(struct queues *q, const bool *marked)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++)
		if (marked[i])
			q->v[n++] = q->v[i];
		else
			queue_done(&q->v[i]);
	q->n = n;
}

int queues_keep(struct queues *q, const struct graph *g, const bool *tasks)
{
	_cleanup_free_ bool *marked = calloc(q->n + 1, sizeof(*marked));

	if (!marked)
		return -ENOMEM;
	for (size_t i = 0; i < q->n; i++)
		marked[i] = has_process(g, tasks, g->tasks[q->v[i].task].tgid);
	queues_keep_marked(q, marked);
	return 0;
}

void queues_free(struct queues *q)
{
	for (size_t i = 0; q && i < q->n; i++)
		queue_done(&q->v[i]);
	if (q)
		free(q->v);
	free(q);
}

const char *queue_comm(const struct graph *g, const struct queue *q)
{
	uint32_t main_thread = graph_task_at(g, g->tasks[q->task].tgid, g->w->to_ns);

	return graph_comm(g, main_thread == GRAPH_NONE ? q->task : main_thread, g->w->to_ns);
}
