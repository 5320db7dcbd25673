// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/jobs.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/jobs/unprobed.h"
#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "lib/map.h"

static uint64_t in_process(uint64_t id, uint32_t tgid)
{
	return id ^ (uint64_t)tgid * 0x9e3779b97f4a7c15ULL;
}

/* A number identifies a job only within one process and one framework. */
static uint64_t key_of(const struct window *w, const struct window_event *e, uint32_t tgid)
{
	return in_process(window_words(w, e)[0], tgid) ^ ct_job_framework(&e->r) * 0xbf58476d1ce4e5b9ULL;
}

static uint64_t in_task(uint64_t key, uint32_t task)
{
	return key ^ (task + 1ULL) * 0x94d049bb133111ebULL;
}

/* A job of the same number may be enqueued again. So the time belongs to the key. */
static uint64_t stack_key(const struct window *w, const struct window_event *e, uint32_t tgid)
{
	return key_of(w, e, tgid) ^ (e->r.ts + 1) * 0x94d049bb133111ebULL;
}

/* Intervals of a task, one after the other, in which the task did not wait: from `first` until before `stop`.
 * They end at end_ns. */
struct stretch {
	uint32_t first, stop;
	uint64_t end_ns;
};

/* A recorded end may be too early (CT_JF_LOOSE). The work is over when the task waits next, or ends. last:
 * the result for an earlier job of the task. Often, a task does very many jobs in one stretch. */
static uint64_t loose_end_ns(const struct graph *g, uint32_t task, uint64_t start_ns, struct stretch *last)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t at = graph_interval_at(g, task, start_ns), i = at;
	uint64_t end_ns = start_ns;

	if (at == GRAPH_NONE || (at >= last->first && at < last->stop))
		return at == GRAPH_NONE ? start_ns : MAX(last->end_ns, start_ns);
	for (; i < t->first_interval + t->n_intervals; i++) {
		const struct interval *s = &g->intervals[i];

		if (!scan_step(g))
			return MAX(end_ns, start_ns);
		if (s->state != INTERVAL_RUNNING && s->state != INTERVAL_RUNNABLE) {
			end_ns = s->from_ns;
			break;
		}
		end_ns = s->to_ns;
	}
	*last = (struct stretch){ at, i, end_ns };
	return MAX(end_ns, start_ns);
}

uint64_t jobs_cpu_ns(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns);
	uint64_t sum = 0;

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals && scan_step(g); i++) {
		const struct interval *s = &g->intervals[i];
		uint64_t from = MAX(s->from_ns, from_ns), to = MIN(s->to_ns, to_ns);
		struct interval_sums sums;

		if (s->from_ns >= to_ns)
			break;
		if (s->state == INTERVAL_RUNNING && from < to)
			sum += to - from;
		else if (s->state == INTERVAL_FOLDED && from < to && interval_sums(s, from, to, &sums))
			sum += sums.ran_ns;
	}
	return sum;
}

struct finding {
	const struct graph *g;
	job_list *v;
	struct map open; /* key_of() -> index in v of the open job that was enqueued last */
	/* key_of(), and in_task() of it -> index in v of the job that started last */
	struct map running;
	struct map loose;          /* task -> index in v of its last job without an exact end */
	struct map stacks;         /* stack_key() of an enqueue -> id of its stack */
	struct stretch *stretches; /* [task] */
	unprobed_list unprobed;
	int err;
};

/* Returns true if the framework was without probes for a part of (from_ns, to_ns]. */
static bool is_unprobed(const struct finding *k, uint16_t framework, uint64_t from_ns, uint64_t to_ns)
{
	const struct unprobed *off = unprobed_after(&k->unprobed, framework, from_ns);

	return off && off->from_ns <= to_ns;
}

static struct job *job_new(struct finding *k, uint64_t key, const struct ct_rec *r, uint32_t tgid)
{
	struct job job = { .obj = r->obj,
			   .enqueuer = GRAPH_NONE,
			   .worker = GRAPH_NONE,
			   .tgid = tgid,
			   .framework = ct_job_framework(r) };

	const struct unprobed *off = unprobed_after(&k->unprobed, job.framework, r->ts);

	job.until_ns = off ? off->from_ns : 0;
	if (VEC_PUSH(k->v, job) || map_set(&k->open, key, k->v->n - 1)) {
		k->err = -ENOMEM;
		return NULL;
	}
	return &k->v->v[k->v->n - 1];
}

/* key: a key of k->running. Returns the job if it still runs, else NULL. */
static struct job *running_job(struct finding *k, uint64_t key, const struct window_event *e)
{
	uint64_t at;

	if (!map_get(&k->running, key, &at) || k->v->v[at].end_ns ||
	    is_unprobed(k, ct_job_framework(&e->r), k->v->v[at].last_ns, e->r.ts))
		return NULL;
	return &k->v->v[at];
}

/* The records of one job have the same address. But each enqueue makes a new job, and so does a
 * second start of a job. A job may be enqueued again while it runs. So an end is that of a running job,
 * first of one that this task began. If no such job runs, the end cancels the job that waits. */
static struct job *job_of(struct finding *k, const struct window_event *e, uint32_t task)
{
	uint32_t tgid = k->g->tasks[task].tgid;
	uint64_t key = key_of(k->g->w, e, tgid), at;
	enum ct_job state = ct_job_state(&e->r);
	struct job *job = state == CT_JOB_END ? running_job(k, in_task(key, task), e) : NULL;

	if (!job && state == CT_JOB_END)
		job = running_job(k, key, e);
	if (job)
		return job;
	if (state != CT_JOB_ENQUEUE && map_get(&k->open, key, &at) &&
	    !(state == CT_JOB_START && k->v->v[at].start_ns) &&
	    !is_unprobed(k, ct_job_framework(&e->r), k->v->v[at].last_ns, e->r.ts))
		return &k->v->v[at];
	return job_new(k, key, &e->r, tgid);
}

/* A job without an exact end is over when its task begins the next job, at the latest. */
static void begin(struct finding *k, struct job *job, uint32_t task, const struct window_event *e)
{
	uint64_t key = key_of(k->g->w, e, job->tgid), at = (uint64_t)(job - k->v->v), ts_ns = e->r.ts;

	job->start_ns = ts_ns;
	if (map_set(&k->running, key, at) || map_set(&k->running, in_task(key, task), at))
		k->err = -ENOMEM;
	if (!map_get(&k->loose, task, &at))
		return;
	map_del(&k->loose, task);
	k->v->v[at].end_ns = MIN(k->v->v[at].end_ns, ts_ns);
}

static void end(struct finding *k, struct job *job, uint32_t task, const struct window_event *e)
{
	uint64_t key = key_of(k->g->w, e, job->tgid), at;

	job->end_ns = e->r.ts;
	job->loose = e->r.flags & CT_JF_LOOSE;
	if (job->loose) {
		job->end_ns = loose_end_ns(k->g, task, e->r.ts, &k->stretches[task]);
		if (map_set(&k->loose, task, (uint64_t)(job - k->v->v)))
			k->err = -ENOMEM;
	}
	if (map_get(&k->open, key, &at) && job == &k->v->v[at])
		map_del(&k->open, key);
}

/* The record of a stack may come before or after that of its enqueue. */
static void read_stack(struct finding *k, const struct window_event *e)
{
	uint32_t task = graph_task_at(k->g, e->r.tid, e->r.ts);
	uint64_t id = window_words(k->g->w, e)[1];

	if (task == GRAPH_NONE || !window_stack(k->g->w, id))
		return;
	if (map_set(&k->stacks, stack_key(k->g->w, e, k->g->tasks[task].tgid), id))
		k->err = -ENOMEM;
}

static void read_record(struct finding *k, const struct window_event *e)
{
	uint32_t task = graph_task_at(k->g, e->r.tid, e->r.ts);
	struct job *job;

	/* With some of the probes attached, the records of a job are not complete. */
	if (ct_job_state(&e->r) > CT_JOB_END || task == GRAPH_NONE ||
	    is_unprobed(k, ct_job_framework(&e->r), e->r.ts, e->r.ts))
		return;
	job = job_of(k, e, task);
	if (!job)
		return;
	job->last_ns = e->r.ts;
	if (!job->obj)
		job->obj = e->r.obj;
	if (!job->function)
		job->function = window_words(k->g->w, e)[1];
	if (ct_job_state(&e->r) == CT_JOB_ENQUEUE) {
		job->queued_ns = e->r.ts;
		job->enqueuer = task;
		map_get(&k->stacks, stack_key(k->g->w, e, job->tgid), &job->stack);
		return;
	}
	if (ct_job_state(&e->r) == CT_JOB_START || (!job->start_ns && !job->queued_ns))
		job->worker = task;
	if (ct_job_state(&e->r) == CT_JOB_START)
		begin(k, job, task, e);
	else
		end(k, job, task, e);
}

static bool is_within(const struct job *j, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t first = j->queued_ns ? j->queued_ns : j->start_ns ? j->start_ns : j->end_ns;
	uint64_t last = j->end_ns ? j->end_ns : UINT64_MAX;

	return first < to_ns && last >= from_ns;
}

/* A function gets its probe anew after each time without probes. */
static uint64_t function_key(const struct job *j)
{
	return in_process(j->function, j->tgid) ^ j->until_ns * 0x94d049bb133111ebULL;
}

static uint64_t queue_key(const struct job *j)
{
	return function_key(j) ^ j->obj * 0xbf58476d1ce4e5b9ULL;
}

struct firsts {
	struct map enqueue; /* function_key() -> queued_ns of the job that was enqueued first */
	struct map start;   /* queue_key() -> index of the job that started first */
	struct map started; /* function_key() of each job with a start */
};

static int find_firsts(const job_list *v, struct firsts *f)
{
	uint64_t at;
	int r = 0;

	for (size_t i = 0; i < v->n && !r; i++) {
		const struct job *j = &v->v[i];

		if (j->queued_ns && (!map_get(&f->enqueue, function_key(j), &at) || j->queued_ns < at))
			r = map_set(&f->enqueue, function_key(j), j->queued_ns);
		if (!r && j->start_ns &&
		    (!map_get(&f->start, queue_key(j), &at) || j->start_ns < v->v[at].start_ns))
			r = map_set(&f->start, queue_key(j), i);
		if (!r && j->start_ns)
			r = map_set(&f->started, function_key(j), 0);
	}
	return r;
}

/* Sets unseen and no_starts. */
static void judge_start(const job_list *v, const struct firsts *f, struct job *j)
{
	uint64_t first_ns, at = 0;
	bool may_be_missing = j->function && j->queued_ns && !j->start_ns &&
			      map_get(&f->enqueue, function_key(j), &first_ns) &&
			      j->queued_ns - first_ns <= JOB_UNSEEN_NS;
	bool queue_starts = map_get(&f->start, queue_key(j), &at);

	j->unseen = may_be_missing && queue_starts && j->queued_ns < v->v[at].queued_ns;
	j->no_starts = (may_be_missing && !queue_starts) || !map_get(&f->started, function_key(j), NULL);
}

/*
 * A job function gets its probe only when its first job is enqueued, so the starts of its first
 * jobs may be missing (doc/frameworks.md). Removes the jobs that probably began without a record.
 * For such a job, all of the following is true:
 * - Its start is not recorded. Its end may be: a job that is deleted ends without the probe. So the job
 *   looks like a cancelled one.
 * - It was enqueued at most JOB_UNSEEN_NS after the first job of the same function.
 * - A later job of the same function overtook it: of this function in this queue, the first
 *   recorded start is that of a job that was enqueued later.
 * Sets no_starts of the other jobs, and after_unseen of the job that overtook.
 */
static int drop_unseen(job_list *v)
{
	struct firsts f = { 0 };
	uint64_t at;
	size_t n = 0;
	int r = find_firsts(v, &f);

	for (size_t i = 0; i < v->n && !r; i++) {
		judge_start(v, &f, &v->v[i]);
		if (v->v[i].unseen && map_get(&f.start, queue_key(&v->v[i]), &at))
			v->v[at].after_unseen = true;
	}
	map_done(&f.enqueue);
	map_done(&f.start);
	map_done(&f.started);
	for (size_t i = 0; i < v->n && !r; i++)
		if (!v->v[i].unseen)
			v->v[n++] = v->v[i];
	if (!r)
		v->n = n;
	return r;
}

/* Removes the jobs that may have ended without a record. The end of a loose job comes from later
 * records of the task, among which starts of further jobs may be missing. */
static void drop_cut(struct finding *k, uint64_t to_ns)
{
	job_list *v = k->v;
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct job *j = &v->v[i];
		uint64_t until_ns = !j->end_ns ? to_ns : j->loose ? j->end_ns : j->last_ns;

		if (!is_unprobed(k, j->framework, j->last_ns, until_ns))
			v->v[n++] = *j;
	}
	v->n = n;
}

int jobs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, job_list *ret)
{
	struct finding k = { .g = g, .v = ret };
	const struct window *w = g->w;
	size_t n = 0;

	k.stretches = calloc(g->n_tasks + 1, sizeof(*k.stretches));
	if (!k.stretches)
		return -ENOMEM;
	k.err = unprobed_find(w, &k.unprobed);
	for (size_t i = window_next_words(w, 0); i < w->n_events && !k.err; i = window_next_words(w, i + 1))
		if (w->events[i].r.kind == CT_JOB_STACK)
			read_stack(&k, &w->events[i]);
	for (size_t i = window_next_words(w, 0); i < w->n_events && !k.err; i = window_next_words(w, i + 1))
		if (w->events[i].r.kind == CT_JOB && w->events[i].r.ts < to_ns)
			read_record(&k, &w->events[i]);
	map_done(&k.open);
	map_done(&k.running);
	map_done(&k.loose);
	map_done(&k.stacks);
	free(k.stretches);
	drop_cut(&k, to_ns);
	VEC_FREE(&k.unprobed);
	if (!k.err)
		k.err = drop_unseen(ret);
	for (size_t i = 0; i < ret->n; i++) {
		struct job *j = &ret->v[i];

		if (j->start_ns && j->end_ns)
			j->cpu_ns = jobs_cpu_ns(g, j->worker, j->start_ns, j->end_ns);
	}
	for (size_t i = 0; i < ret->n; i++)
		if (is_within(&ret->v[i], from_ns, to_ns))
			ret->v[n++] = ret->v[i];
	ret->n = n;
	return k.err;
}
