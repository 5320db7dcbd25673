// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/job_spans.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/jobs/jobs.h"
#include "cli/otlp/request_spans.h"
#include "cli/otlp/spent.h"
#include "cli/thresholds.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

enum { JOB_ATTRS = 6 + SPENT_ATTRS };

/* Where a job stands in the trees of spans. */
struct place {
	uint32_t parent;  /* the job in which this job was enqueued; GRAPH_NONE: none */
	uint32_t request; /* the request for which this job was enqueued; GRAPH_NONE: none, or not known */
	uint32_t root;    /* the outermost job of the tree */
	uint32_t depth;   /* jobs above this one */
};

struct making {
	struct batch *b;
	const struct services *s;
	const struct contexts *c;
	job_list jobs;        /* in order of begin_ns() */
	struct place *places; /* of each job */
	uint32_t *started;    /* the jobs with a worker, in order of worker and start */
	size_t n_started;
};

static uint64_t begin_ns(const struct job *j)
{
	if (!j->queued_ns || !j->start_ns)
		return j->queued_ns | j->start_ns;
	return MIN(j->queued_ns, j->start_ns);
}

static int by_begin(const void *a, const void *b)
{
	const struct job *x = a, *y = b;
	uint64_t from[2] = { begin_ns(x), begin_ns(y) };

	return from[0] != from[1] ? (from[0] < from[1] ? -1 : 1) : x->obj < y->obj ? -1 : x->obj > y->obj;
}

static int by_worker(const void *a, const void *b, void *arg)
{
	const struct job *jobs = arg, *x = &jobs[*(const uint32_t *)a], *y = &jobs[*(const uint32_t *)b];

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static bool ran(const struct job *j)
{
	return j->start_ns && j->worker != GRAPH_NONE;
}

static bool has_spans(const struct making *m, const struct job *j)
{
	return export_is_of(m->b->x, j->enqueuer, j->worker) && (j->queued_ns || ran(j));
}

static uint64_t end_of_run_ns(const struct making *m, const struct job *j)
{
	return MAX(j->end_ns ? j->end_ns : m->b->x->to_ns, j->start_ns);
}

/* Returns the innermost job that the task ran at ts_ns, of the last OTLP_PARENTS jobs that it began before.
 * GRAPH_NONE: none. A job that begins at ts_ns does not count. So the job begins before all that it
 * enqueues. */
static uint32_t job_at(const struct making *m, uint32_t task, uint64_t ts_ns)
{
	const struct job *jobs = m->jobs.v;
	size_t i = BISECT(at, 0, m->n_started,
			  jobs[m->started[at]].worker > task || (jobs[m->started[at]].worker == task &&
								 jobs[m->started[at]].start_ns >= ts_ns));

	for (int looks = 0; i-- && looks < OTLP_PARENTS && jobs[m->started[i]].worker == task; looks++)
		if (end_of_run_ns(m, &jobs[m->started[i]]) > ts_ns)
			return m->started[i];
	return GRAPH_NONE;
}

/* Returns the open request for which the enqueuer worked. */
static uint32_t request_at(const struct making *m, uint32_t task, uint64_t ts_ns)
{
	uint32_t request = parts_request_at(&m->s->parts, task, ts_ns);

	return request != GRAPH_NONE && parts_is_open(&m->s->parts, request, ts_ns) &&
			       request_spans_has(m->b->x, m->s, request)
		       ? request
		       : GRAPH_NONE;
}

/* A job that always enqueues the next one would make a tree without an end. So the tree ends at a depth of
 * OTLP_PARENTS, and the next job begins a tree of its own. */
static void place(struct making *m, uint32_t i)
{
	const struct job *j = &m->jobs.v[i];
	struct place *p = &m->places[i];
	bool in_order = j->queued_ns && (!j->start_ns || j->queued_ns <= j->start_ns);

	*p = (struct place){ .parent = GRAPH_NONE, .request = GRAPH_NONE, .root = i };
	if (!in_order || j->enqueuer == GRAPH_NONE)
		return;
	p->parent = job_at(m, j->enqueuer, j->queued_ns);
	if (p->parent != GRAPH_NONE && !has_spans(m, &m->jobs.v[p->parent]))
		p->parent = GRAPH_NONE;
	if (p->parent == GRAPH_NONE)
		p->request = request_at(m, j->enqueuer, j->queued_ns);
	else if (m->places[p->parent].depth + 1 < OTLP_PARENTS) {
		p->root = m->places[p->parent].root;
		p->depth = m->places[p->parent].depth + 1;
	}
}

static int place_all(struct making *m)
{
	size_t n = m->jobs.n;

	VEC_SORT(&m->jobs, by_begin);
	m->places = calloc(n + 1, sizeof(*m->places));
	m->started = calloc(n + 1, sizeof(*m->started));
	if (!m->places || !m->started)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (ran(&m->jobs.v[i]))
			m->started[m->n_started++] = i;
	qsort_r(m->started, m->n_started, sizeof(*m->started), by_worker, m->jobs.v);
	for (uint32_t i = 0; i < n; i++)
		place(m, i);
	return 0;
}

static uint32_t tid_of(const struct making *m, uint32_t task)
{
	return task == GRAPH_NONE ? 0 : m->b->x->g->tasks[task].tid;
}

/* of: 'e' for the time in the queue, 'j' for the execution, 'T' and 't' for the trace of a tree of jobs */
static uint64_t hash_job(const struct making *m, uint32_t i, char of)
{
	const struct job *j = &m->jobs.v[i];
	bool queue = of == 'e' || (of != 'j' && j->queued_ns);

	return batch_hash(m->b,
			  (uint64_t[]){ (uint64_t)of, j->obj, j->tgid,
					tid_of(m, queue ? j->enqueuer : j->worker),
					queue ? j->queued_ns : j->start_ns },
			  5);
}

static struct span_ids ids_of(const struct making *m, uint32_t i, char of)
{
	const struct place *root = &m->places[m->places[i].root];
	uint64_t trace[2] = { hash_job(m, m->places[i].root, 'T'), hash_job(m, m->places[i].root, 't') };
	uint64_t span = hash_job(m, i, of);
	struct span_ids ids;

	if (root->request != GRAPH_NONE)
		ids = request_spans_ids(m->b, m->s, m->c, root->request);
	else
		memcpy(ids.trace, trace, sizeof(ids.trace));
	memcpy(ids.span, &span, sizeof(ids.span));
	return ids;
}

static void put_parent(struct making *m, Ot__Span *span, const struct span_ids *parent)
{
	span->has_parent_span_id = true;
	batch_set_bytes(m->b, &span->parent_span_id, parent->span, SPAN_ID_LEN);
}

static void put_outer_parent(struct making *m, Ot__Span *span, uint32_t i)
{
	const struct place *p = &m->places[i];
	struct span_ids ids;

	if (p->request != GRAPH_NONE) {
		ids = request_spans_ids(m->b, m->s, m->c, p->request);
		put_parent(m, span, &ids);
	} else if (p->parent != GRAPH_NONE) {
		ids = ids_of(m, p->parent, 'j');
		if (p->depth)
			put_parent(m, span, &ids);
		else
			batch_link(m->b, span, &ids, "is enqueued by this job");
	}
}

static struct attrs attributes(struct making *m, uint32_t i, uint32_t task, uint64_t from_ns,
			       const char *state)
{
	const struct job *j = &m->jobs.v[i];
	struct attrs a = attrs_new(m->b, JOB_ATTRS);
	char queue[DESCRIBE_MAX] = "", function[32];

	describe_object(m->s->g->w, j->obj, queue, sizeof(queue));
	attrs_text(&a, "ctrace.job.queue", queue);
	snprintf(function, sizeof(function), "0x%llx", (unsigned long long)j->function);
	attrs_text(&a, "ctrace.job.function", j->function ? function : NULL);
	attrs_text(&a, "ctrace.job.state", state);
	attrs_thread(&a, m->s->g, task, from_ns);
	return a;
}

static Ot__Span *begin_span(struct making *m, uint32_t i, uint32_t task, char of, uint64_t from_ns,
			    uint64_t to_ns)
{
	char name[DESCRIBE_MAX + 32], queue[DESCRIBE_MAX] = "";
	struct span_ids ids = ids_of(m, i, of);
	Ot__Span *span;

	describe_object(m->s->g->w, m->jobs.v[i].obj, queue, sizeof(queue));
	snprintf(name, sizeof(name), "%s %s", of == 'e' ? "wait in" : "job of", queue);
	span = batch_span(m->b, task, &ids, name, from_ns, to_ns);
	if (span)
		span->kind = of == 'e' ? SPAN_PRODUCER : SPAN_CONSUMER;
	return span;
}

static const char *queue_state(const struct job *j)
{
	if (j->start_ns)
		return "began";
	return j->no_starts ? "begin not recorded" : j->end_ns ? "cancelled" : "waits";
}

static void put_queueing(struct making *m, uint32_t i)
{
	const struct job *j = &m->jobs.v[i];
	uint32_t task = j->enqueuer == GRAPH_NONE ? j->worker : j->enqueuer;
	uint64_t left_ns = job_left_ns(j), kinds[TIME_KINDS] = { 0 };
	uint64_t to_ns = MAX(left_ns ? left_ns : m->b->x->to_ns, j->queued_ns);
	struct span_ids run;
	struct attrs a;
	Ot__Span *span = begin_span(m, i, task, 'e', j->queued_ns, to_ns);

	if (!span)
		return;
	put_outer_parent(m, span, i);
	if (ran(j)) {
		run = ids_of(m, i, 'j');
		batch_link(m->b, span, &run, "is executed here");
	}
	a = attributes(m, i, task, j->queued_ns, queue_state(j));
	kinds[j->no_starts ? TIME_UNKNOWN : TIME_QUEUE] = to_ns - j->queued_ns;
	spent_put_kinds(&a, kinds);
	span->n_attributes = a.n;
	span->attributes = a.v;
}

static int put_execution(struct making *m, uint32_t i)
{
	const struct job *j = &m->jobs.v[i];
	uint64_t to_ns = end_of_run_ns(m, j);
	spent_list spent = { 0 };
	struct span_ids queued;
	struct attrs a;
	int r = spent_find_work(m->s->g, j->worker, j->start_ns, to_ns, &spent);
	Ot__Span *span = r ? NULL : begin_span(m, i, j->worker, 'j', j->start_ns, to_ns);

	if (span) {
		if (j->queued_ns) {
			queued = ids_of(m, i, 'e');
			put_parent(m, span, &queued);
		}
		a = attributes(m, i, j->worker, j->start_ns, j->end_ns ? "ended" : "runs");
		spent_put_times(&a, m->s->g, &spent, j->start_ns, to_ns);
		span->n_attributes = a.n;
		span->attributes = a.v;
		spent_put_waits(m->b, span, &spent, j->start_ns, to_ns);
	}
	VEC_FREE(&spent);
	return r;
}

int job_spans_put(struct batch *b, const struct services *s, const struct contexts *c)
{
	struct making m = { .b = b, .s = s, .c = c };
	const struct job *jobs;
	int r = jobs_find(b->x->g, b->x->from_ns, b->x->to_ns, &m.jobs);

	if (!r)
		r = place_all(&m);
	jobs = m.jobs.v;
	for (uint32_t i = 0; !r && i < m.jobs.n && !b->failed && !export_stopped(b->x); i++) {
		if (!has_spans(&m, &jobs[i]))
			continue;
		if (jobs[i].queued_ns)
			put_queueing(&m, i);
		if (ran(&jobs[i]))
			r = put_execution(&m, i);
	}
	VEC_FREE(&m.jobs);
	free(m.places);
	free(m.started);
	return r;
}
