// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "graph/causal/pass.h"
#include "lib/cleanup.h"

static int work_cmp(const void *a, const void *b)
{
	const struct request_work *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return x->to_ns < y->to_ns ? -1 : x->to_ns > y->to_ns;
}

static uint64_t task_end_ns(const struct graph *g, uint32_t task)
{
	const struct graph_task *t = &g->tasks[task];

	return t->n_intervals ? g->intervals[t->first_interval + t->n_intervals - 1].to_ns : UINT64_MAX;
}

static uint64_t *segment_ends(const struct pass *p)
{
	uint64_t *ends = malloc((p->segments.n + 1) * sizeof(*ends));
	uint64_t *next = malloc((p->g->n_tasks + 1) * sizeof(*next));

	for (uint32_t i = 0; ends && next && i < p->g->n_tasks; i++)
		next[i] = task_end_ns(p->g, i);
	for (size_t i = p->segments.n; ends && next && i-- > 0;) {
		const struct open_segment *s = &p->segments.v[i];

		ends[i] = next[s->task];
		if (!s->gone)
			next[s->task] = s->from_ns;
	}
	free(next);
	if (!next)
		free(TAKE_PTR(ends));
	return ends;
}

static struct request_work work_of(const struct pass *p, const uint64_t *ends,
				   const struct request_part *part)
{
	uint32_t segment = part->segment;

	while (p->segments.v[segment].gone)
		segment = p->segments.v[segment].part_of;
	return (struct request_work){ .from_ns = p->e[part->event].r.ts,
				      .to_ns = ends[segment],
				      .task = p->segments.v[segment].task,
				      .request = part->request };
}

static int fill_works(struct pass *p, struct requests *q)
{
	_cleanup_free_ uint64_t *ends = segment_ends(p);
	size_t n = 0;

	q->works = malloc((p->parts.n + 1) * sizeof(*q->works));
	if (!ends || !q->works)
		return -ENOMEM;
	for (size_t i = 0; i < p->parts.n; i++)
		q->works[i] = work_of(p, ends, &p->parts.v[i]);
	qsort(q->works, p->parts.n, sizeof(*q->works), work_cmp);
	for (size_t i = 0; i < p->parts.n; i++) {
		struct request_work w = q->works[i];

		if (i + 1 < p->parts.n && q->works[i + 1].task == w.task)
			w.to_ns = MIN(w.to_ns, q->works[i + 1].from_ns);
		if (n && q->works[n - 1].task == w.task && q->works[n - 1].request == w.request &&
		    q->works[n - 1].to_ns >= w.from_ns)
			q->works[n - 1].to_ns = MAX(q->works[n - 1].to_ns, w.to_ns);
		else if (w.from_ns < w.to_ns)
			q->works[n++] = w;
	}
	q->n_works = n;
	return 0;
}

int requests_find(const struct graph *g, struct requests *ret)
{
	struct requests q = { 0 };
	struct pass p;
	int r = pass_init(&p, g, NULL);

	p.wants_requests = true;
	if (!r)
		r = flow_reverse_hubs(&p.flows, g);
	if (!r)
		r = pass_run(&p);
	if (!r)
		r = fill_works(&p, &q);
	if (!r) {
		q.n = p.requests.n;
		q.v = TAKE_PTR(p.requests.v);
	}
	pass_done(&p);
	if (r) {
		requests_done(&q);
		return r;
	}
	*ret = q;
	return 0;
}

void requests_done(struct requests *r)
{
	free(r->v);
	free(r->works);
	*r = (struct requests){ 0 };
}
