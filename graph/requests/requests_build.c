// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "graph/requests/asked.h"
#include "lib/cleanup.h"

static int work_cmp(const void *a, const void *b)
{
	const struct request_work *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	if ((x->request == GRAPH_NONE) != (y->request == GRAPH_NONE))
		return x->request == GRAPH_NONE ? -1 : 1;
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

/* A range without a request ends the range before it, and is dropped. */
static int fill_works(struct pass *p, const work_list *more, struct requests *q)
{
	_cleanup_free_ uint64_t *ends = segment_ends(p);
	size_t n = 0, all = p->parts.n + more->n;

	q->works = malloc((all + 1) * sizeof(*q->works));
	if (!ends || !q->works)
		return -ENOMEM;
	for (size_t i = 0; i < p->parts.n; i++)
		q->works[i] = work_of(p, ends, &p->parts.v[i]);
	for (size_t i = 0; i < more->n; i++) {
		q->works[p->parts.n + i] = more->v[i];
		q->works[p->parts.n + i].to_ns = MIN(more->v[i].to_ns, task_end_ns(p->g, more->v[i].task));
	}
	qsort(q->works, all, sizeof(*q->works), work_cmp);
	for (size_t i = 0; i < all; i++) {
		struct request_work w = q->works[i];

		if (i + 1 < all && q->works[i + 1].task == w.task)
			w.to_ns = MIN(w.to_ns, q->works[i + 1].from_ns);
		if (w.request == GRAPH_NONE)
			continue;
		if (n && q->works[n - 1].task == w.task && q->works[n - 1].request == w.request &&
		    q->works[n - 1].to_ns >= w.from_ns)
			q->works[n - 1].to_ns = MAX(q->works[n - 1].to_ns, w.to_ns);
		else if (w.from_ns < w.to_ns)
			q->works[n++] = w;
	}
	q->n_works = n;
	return 0;
}

static bool has_streams(const struct window *w)
{
	for (size_t i = window_next_words(w, 0); i < w->n_events; i = window_next_words(w, i + 1))
		if (w->events[i].r.kind == CT_MARK && w->events[i].r.flags & CT_MF_STREAM)
			return true;
	return false;
}

/* Returns an array that says for each of pass.requests whether it is no request. NULL: no memory. */
static bool *find_dropped(const struct pass *p)
{
	bool *dropped = calloc(p->requests.n + 1, sizeof(*dropped));
	uint64_t f;

	for (size_t i = 0; dropped && i < p->requests.n; i++)
		dropped[i] = p->turns.v[i].carrier && map_get(&p->flows.by_sock, p->requests.v[i].sock, &f) &&
			     p->flows.v.v[f].streamed;
	for (size_t i = 0; dropped && i < p->streams.n; i++)
		dropped[p->streams.v[i].request] = p->streams.v[i].gone;
	return dropped;
}

static uint32_t moved(const uint32_t *place, uint32_t request)
{
	return request == GRAPH_NONE ? GRAPH_NONE : place[request];
}

/* Takes the dropped ones out of pass.requests. */
static int drop_requests(struct pass *p, const bool *dropped, work_list *more)
{
	_cleanup_free_ uint32_t *place = malloc((p->requests.n + 1) * sizeof(*place));
	struct request *v = p->requests.v;
	uint32_t n = 0;

	if (!place)
		return -ENOMEM;
	for (size_t i = 0; i < p->requests.n; i++)
		place[i] = dropped[i] ? GRAPH_NONE : n++;
	for (size_t i = 0; i < p->requests.n; i++) {
		if (dropped[i])
			continue;
		v[place[i]] = v[i];
		v[place[i]].parent = moved(place, v[i].parent);
		v[place[i]].among = v[i].unsure ? moved(place, v[i].among) : GRAPH_NONE;
	}
	p->requests.n = n;
	for (size_t i = 0; i < p->parts.n; i++)
		p->parts.v[i].request = moved(place, p->parts.v[i].request);
	for (size_t i = 0; i < more->n; i++)
		more->v[i].request = moved(place, more->v[i].request);
	return 0;
}

static int settle_streams(struct pass *p, work_list *more)
{
	_cleanup_free_ bool *dropped = find_dropped(p);
	int r = dropped ? asked_find(p, dropped, more) : -ENOMEM;

	return r ? r : drop_requests(p, dropped, more);
}

int requests_find(const struct graph *g, struct requests *ret)
{
	struct requests q = { 0 };
	work_list more = { 0 };
	struct pass p;
	int r = pass_init(&p, g, NULL);

	p.wants_requests = true;
	p.has_streams = has_streams(g->w);
	if (!r)
		r = flow_reverse_hubs(&p.flows, g);
	if (!r)
		r = pass_run(&p);
	if (!r && p.has_streams)
		r = settle_streams(&p, &more);
	if (!r)
		r = fill_works(&p, &more, &q);
	if (!r) {
		q.n = p.requests.n;
		q.v = TAKE_PTR(p.requests.v);
	}
	VEC_FREE(&more);
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
