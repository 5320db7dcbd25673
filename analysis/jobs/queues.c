// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/queues.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/jobs/jobs.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "lib/vec.h"
#include "trace/words/texts.h"
#include "trace/words/words.h"

const char *queue_verdict_name(enum queue_verdict verdict)
{
	static const char *const names[QUEUE_VERDICTS] = { "fine",      "serial", "too-small", "overload",
							   "slow-kind", "stuck",  "late" };

	return names[verdict];
}

static int job_cmp(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->obj != y->obj)
		return x->obj < y->obj ? -1 : 1;
	if (x->queued_ns != y->queued_ns)
		return x->queued_ns < y->queued_ns ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int u64_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t execution_ns(const struct job *j)
{
	return j->start_ns && j->end_ns > j->start_ns ? j->end_ns - j->start_ns : 0;
}

static uint64_t queueing_ns(const struct job *j, uint64_t to_ns)
{
	uint64_t until = j->start_ns ? j->start_ns : to_ns;

	return j->queued_ns && until > j->queued_ns ? until - j->queued_ns : 0;
}

static struct job_times times_of(const struct job *v, size_t n, uint64_t *buf)
{
	struct job_times t = { 0 };
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		t.count += v[i].start_ns != 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].queued_ns && v[i].start_ns)
			buf[k++] = queueing_ns(&v[i], 0);
	qsort(buf, k, sizeof(*buf), u64_cmp);
	t.queueing = quantiles_of(buf, k);
	k = 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].start_ns && v[i].end_ns)
			buf[k++] = execution_ns(&v[i]);
	qsort(buf, k, sizeof(*buf), u64_cmp);
	t.execution = quantiles_of(buf, k);
	return t;
}

struct step {
	uint64_t ts_ns;
	int by;
};

static int step_cmp(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	/* at the same time, a job leaves before another one enters: the two do not overlap */
	return x->by - y->by;
}

static uint32_t most_at_once(struct step *v, size_t n)
{
	uint32_t most = 0;
	int now = 0;

	qsort(v, n, sizeof(*v), step_cmp);
	for (size_t i = 0; i < n; i++) {
		now += v[i].by;
		if (now > (int)most)
			most = (uint32_t)now;
	}
	return most;
}

static int count_sets(struct queue *q, const struct job *v, size_t n)
{
	_cleanup_free_ struct step *steps = malloc(2 * (n + 1) * sizeof(*steps));
	size_t k = 0;

	if (!steps)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (v[i].start_ns) {
			steps[k++] = (struct step){ v[i].start_ns, 1 };
			steps[k++] = (struct step){ v[i].end_ns ? v[i].end_ns : UINT64_MAX, -1 };
		}
	q->most_running = most_at_once(steps, k);
	k = 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].queued_ns) {
			steps[k++] = (struct step){ v[i].queued_ns, 1 };
			steps[k++] = (struct step){ v[i].start_ns ? v[i].start_ns : UINT64_MAX, -1 };
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

struct judged {
	uint64_t queueing_ns, execution_ns, cpu_ns;
	uint64_t long_ns;
	uint64_t last_end_ns;
	uint64_t oldest_waits_ns;
};

static struct judged judge_sums(const struct job *v, size_t n, uint64_t to_ns, uint64_t *buf)
{
	struct judged j = { 0 };
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t ran = execution_ns(&v[i]);

		j.queueing_ns += queueing_ns(&v[i], to_ns);
		j.execution_ns += ran;
		j.cpu_ns += v[i].cpu_ns;
		j.last_end_ns = MAX(j.last_end_ns, v[i].end_ns);
		if (v[i].queued_ns && !v[i].start_ns)
			j.oldest_waits_ns = MAX(j.oldest_waits_ns, queueing_ns(&v[i], to_ns));
		if (v[i].end_ns)
			buf[k++] = ran;
	}
	qsort(buf, k, sizeof(*buf), u64_cmp);
	for (size_t i = k - k / 10; i < k; i++)
		j.long_ns += buf[i];
	return j;
}

static enum queue_verdict verdict_of(const struct queue *q, const struct judged *j, uint64_t to_ns)
{
	/* all threads run jobs, and no job has ended since the oldest waiting job was enqueued */
	bool stuck = q->n_waiting && q->n_running && q->n_running >= q->n_threads &&
		     j->oldest_waits_ns >= QUEUE_STUCK_NS && j->last_end_ns + j->oldest_waits_ns <= to_ns;

	if (stuck)
		return QUEUE_STUCK;
	if ((double)j->queueing_ns < QUEUE_WAIT_SHARE * (double)(j->queueing_ns + j->execution_ns) ||
	    q->most_waiting < 2)
		return QUEUE_FINE;
	if (q->most_running < q->n_threads)
		return QUEUE_LATE;
	if (q->times.execution.p50 * QUEUE_LONG_TIMES <= q->times.execution.p99 &&
	    j->long_ns > j->execution_ns / 2)
		return QUEUE_SLOW_KIND;
	if (q->n_threads <= 1)
		return QUEUE_SERIAL;
	return q->on_cpu < QUEUE_CPU_SHARE ? QUEUE_TOO_SMALL : QUEUE_OVERLOAD;
}

static char *say_verdict(const struct queue *q, const struct judged *j)
{
	struct words t = { 0 };
	unsigned off = (unsigned)((1 - q->on_cpu) * 100 + 0.5);

	switch (q->verdict) {
	case QUEUE_STUCK:
		words_add(&t, "stuck: %zu job%s all %u thread%s and %s not ended for ", q->n_running,
			  q->n_running == 1 ? " takes" : "s take", q->n_threads, q->n_threads == 1 ? "" : "s",
			  q->n_running == 1 ? "has" : "have");
		words_duration(&t, j->oldest_waits_ns);
		words_add(&t, ", while %zu job%s", q->n_waiting, q->n_waiting == 1 ? " waits" : "s wait");
		break;
	case QUEUE_SERIAL:
		words_add(&t, "one thread runs all jobs, one after the other");
		break;
	case QUEUE_TOO_SMALL:
		words_add(
			&t,
			"the %u threads are too few: the jobs wait for something themselves for %u %% of their execution",
			q->n_threads, off);
		break;
	case QUEUE_OVERLOAD:
		words_add(&t, "overloaded: all %u threads compute", q->n_threads);
		break;
	case QUEUE_SLOW_KIND:
		words_add(&t, "a few long jobs hold up the others: one in ten takes %u %% of the execution",
			  (unsigned)(100 * j->long_ns / MAX(j->execution_ns, (uint64_t)1)));
		break;
	case QUEUE_LATE:
		words_add(&t, "jobs wait although threads are free: at most %u of %u ran at one time",
			  q->most_running, q->n_threads);
		break;
	case QUEUE_FINE:
	case QUEUE_VERDICTS:
		words_add(&t, "jobs hardly wait");
		break;
	}
	return words_take(&t);
}

static int group_cmp(const void *a, const void *b, void *graph)
{
	const struct graph *g = graph;
	const struct job *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->enqueuer == y->enqueuer || x->enqueuer == GRAPH_NONE || y->enqueuer == GRAPH_NONE)
		return (x->enqueuer == GRAPH_NONE) - (y->enqueuer == GRAPH_NONE);
	return texts_order(graph_comm(g, x->enqueuer, x->queued_ns),
			   graph_comm(g, y->enqueuer, y->queued_ns));
}

static int most_time_cmp(const void *a, const void *b)
{
	const struct job_group *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int fill_groups(const struct graph *g, struct queue *q, struct job *v, size_t n, uint64_t *buf)
{
	VEC(struct job_group) groups = { 0 };

	qsort_r(v, n, sizeof(*v), group_cmp, (void *)g);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		struct job_group x = { .enqueuer = v[lo].enqueuer, .function = v[lo].function };

		for (hi = lo; hi < n && !group_cmp(&v[lo], &v[hi], (void *)g); hi++)
			x.total_ns += execution_ns(&v[hi]);
		x.times = times_of(v + lo, hi - lo, buf);
		if (VEC_PUSH(&groups, x)) {
			VEC_FREE(&groups);
			return -ENOMEM;
		}
	}
	VEC_SORT(&groups, most_time_cmp);
	q->groups = groups.v;
	q->n_groups = groups.n;
	return 0;
}

/* n > 0. Changes the order of v. The caller calls queue_done(q), also after an error. */
static int fill_queue(const struct graph *g, struct queue *q, struct job *v, size_t n, uint64_t to_ns)
{
	_cleanup_free_ uint64_t *buf = malloc((n + 1) * sizeof(*buf));
	struct judged j;
	int r;

	if (!buf)
		return -ENOMEM;
	*q = (struct queue){ .obj = v[0].obj };
	for (size_t i = 0; i < n; i++) {
		q->n_waiting += v[i].queued_ns && !v[i].start_ns;
		q->n_running += v[i].start_ns && !v[i].end_ns;
	}
	q->times = times_of(v, n, buf);
	r = count_sets(q, v, n);
	if (!r)
		r = count_threads(q, v, n);
	if (r)
		return r;
	j = judge_sums(v, n, to_ns, buf);
	q->on_cpu = j.execution_ns ? (double)j.cpu_ns / (double)j.execution_ns : 0;
	q->verdict = verdict_of(q, &j, to_ns);
	q->text = say_verdict(q, &j);
	return q->text ? fill_groups(g, q, v, n, buf) : -ENOMEM;
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
	free(q->groups);
}

int queues_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct queues **ret)
{
	struct queues *q = calloc(1, sizeof(*q));
	VEC(struct queue) v = { 0 };
	job_list jobs = { 0 };
	int r = q ? jobs_find(g, from_ns, to_ns, &jobs) : -ENOMEM;

	VEC_SORT(&jobs, job_cmp);
	for (size_t lo = 0, hi; lo < jobs.n && !r; lo = hi) {
		struct queue one = { 0 };

		for (hi = lo;
		     hi < jobs.n && jobs.v[hi].tgid == jobs.v[lo].tgid && jobs.v[hi].obj == jobs.v[lo].obj;
		     hi++)
			;
		r = fill_queue(g, &one, jobs.v + lo, hi - lo, MIN(to_ns, g->w->to_ns));
		if (VEC_PUSH(&v, one)) {
			queue_done(&one);
			r = -ENOMEM;
		}
	}
	VEC_FREE(&jobs);
	if (!q) {
		VEC_FREE(&v);
		return -ENOMEM;
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

static bool has_process(const struct graph *g, const bool *tasks, uint32_t tgid)
{
	for (uint32_t i = 0; i < g->n_tasks; i++)
		if (tasks[i] && g->tasks[i].tgid == tgid)
			return true;
	return false;
}

void queues_keep(struct queues *q, const struct graph *g, const bool *tasks)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++)
		if (has_process(g, tasks, g->tasks[q->v[i].task].tgid))
			q->v[n++] = q->v[i];
		else
			queue_done(&q->v[i]);
	q->n = n;
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
