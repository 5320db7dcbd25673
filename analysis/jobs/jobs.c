// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/jobs.h"

#include <errno.h>

#include "lib/cleanup.h"
#include "lib/map.h"

static uint64_t key_of(const struct window *w, const struct window_event *e, uint32_t tgid)
{
	return window_words(w, e)[0] ^ (uint64_t)tgid * 0x9e3779b97f4a7c15ULL;
}

/* A recorded end may be too early (CT_JF_LOOSE). The work is over when the task waits next. */
static uint64_t loose_end_ns(const struct graph *g, uint32_t task, uint64_t start_ns)
{
	uint32_t i = graph_interval_at(g, task, start_ns);
	const struct graph_task *t = &g->tasks[task];

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals; i++)
		if (g->intervals[i].state == INTERVAL_BLOCKED)
			return MAX(g->intervals[i].from_ns, start_ns);
	return start_ns;
}

static uint64_t cpu_within(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns);
	uint64_t sum = 0;

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals; i++) {
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
	struct map open;  /* key_of() -> index in v of the open job */
	struct map loose; /* task -> index in v of its last job without an exact end */
	int err;
};

static struct job *job_new(struct finding *k, uint64_t key, const struct ct_rec *r, uint32_t tgid)
{
	struct job job = { .obj = r->obj, .enqueuer = GRAPH_NONE, .worker = GRAPH_NONE, .tgid = tgid };

	if (VEC_PUSH(k->v, job) || map_set(&k->open, key, k->v->n - 1)) {
		k->err = -ENOMEM;
		return NULL;
	}
	return &k->v->v[k->v->n - 1];
}

/* A second enqueue, or a second start, with the same address makes a new job. */
static struct job *job_of(struct finding *k, const struct window_event *e, uint32_t task)
{
	uint32_t tgid = k->g->tasks[task].tgid;
	uint64_t key = key_of(k->g->w, e, tgid), at;
	enum ct_job state = ct_job_state(&e->r);

	if (state != CT_JOB_ENQUEUE && map_get(&k->open, key, &at) &&
	    !(state == CT_JOB_START && k->v->v[at].start_ns))
		return &k->v->v[at];
	return job_new(k, key, &e->r, tgid);
}

/* A job without an exact end is over when its task begins the next job, at the latest. */
static void begin(struct finding *k, struct job *job, uint32_t task, uint64_t ts_ns)
{
	uint64_t at;

	job->start_ns = ts_ns;
	if (!map_get(&k->loose, task, &at))
		return;
	map_del(&k->loose, task);
	k->v->v[at].end_ns = MIN(k->v->v[at].end_ns, ts_ns);
}

static void end(struct finding *k, struct job *job, uint32_t task, const struct window_event *e)
{
	job->end_ns = e->r.ts;
	if (e->r.flags & CT_JF_LOOSE) {
		job->end_ns = loose_end_ns(k->g, task, e->r.ts);
		if (map_set(&k->loose, task, (uint64_t)(job - k->v->v)))
			k->err = -ENOMEM;
	}
	if (job->start_ns)
		map_del(&k->open, key_of(k->g->w, e, job->tgid));
}

static void read_record(struct finding *k, const struct window_event *e)
{
	uint32_t task = graph_task_at(k->g, e->r.tid, e->r.ts);
	struct job *job = task == GRAPH_NONE ? NULL : job_of(k, e, task);

	if (!job)
		return;
	if (!job->obj)
		job->obj = e->r.obj;
	if (!job->function)
		job->function = window_words(k->g->w, e)[1];
	if (ct_job_state(&e->r) == CT_JOB_ENQUEUE) {
		job->queued_ns = e->r.ts;
		job->enqueuer = task;
		return;
	}
	job->worker = task;
	if (ct_job_state(&e->r) == CT_JOB_START)
		begin(k, job, task, e->r.ts);
	else
		end(k, job, task, e);
}

static bool is_within(const struct job *j, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t first = j->queued_ns ? j->queued_ns : j->start_ns ? j->start_ns : j->end_ns;
	uint64_t last = j->end_ns ? j->end_ns : UINT64_MAX;

	return first < to_ns && last >= from_ns;
}

int jobs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, job_list *ret)
{
	struct finding k = { .g = g, .v = ret };
	size_t n = 0;

	for (size_t i = 0; i < g->w->n_events && !k.err; i++)
		if (g->w->events[i].r.kind == CT_JOB && g->w->events[i].r.ts < to_ns)
			read_record(&k, &g->w->events[i]);
	map_done(&k.open);
	map_done(&k.loose);
	for (size_t i = 0; i < ret->n; i++) {
		struct job *j = &ret->v[i];

		if (j->start_ns && j->end_ns)
			j->cpu_ns = cpu_within(g, j->worker, j->start_ns, j->end_ns);
	}
	for (size_t i = 0; i < ret->n; i++)
		if (is_within(&ret->v[i], from_ns, to_ns))
			ret->v[n++] = ret->v[i];
	ret->n = n;
	return k.err;
}
