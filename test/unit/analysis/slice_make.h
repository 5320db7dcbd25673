/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice_make.h - causal graphs made by hand.
 *
 * Add the segments of each task in the order of time, one task after the other. Add records and
 * edges in any order. Times are in milliseconds.
 */
#ifndef CTRACE_TEST_SLICE_MAKE_H
#define CTRACE_TEST_SLICE_MAKE_H

#include "analysis/slice/slice.h"
#include "graph/causal/causal.h"
#include "test/unit/trace/window_make.h"

struct cmake {
	struct make m;
	VEC(struct segment) segments;
	VEC(struct edge) edges;
	VEC(uint32_t) tids; /* [segment]: the tid of its task */
	struct causal c;
	struct graph *g;
};

static inline uint32_t cmake_segment(struct cmake *k, uint32_t tid, uint64_t from_ms, uint64_t to_ms)
{
	struct segment s = { .from_ns = from_ms * MS,
			     .to_ns = to_ms * MS,
			     .event = GRAPH_NONE,
			     .behalf = GRAPH_NONE,
			     .cut = CUT_IDLE };

	if (VEC_PUSH(&k->segments, s) || VEC_PUSH(&k->tids, tid))
		abort();
	return (uint32_t)k->segments.n - 1;
}

/* Adds an edge. The result is valid until the next cmake_edge(). from: the segment of the cause, or
 * GRAPH_NONE if no task is the cause. */
static inline struct edge *cmake_edge(struct cmake *k, enum edge_kind kind, enum edge_strength strength,
				      uint32_t from, uint64_t left_ms, uint32_t to, uint64_t arrived_ms,
				      uint64_t obj)
{
	struct edge e = { .from = from, .to = to, .kind = (uint8_t)kind, .strength = (uint8_t)strength };

	e.cause = (uint32_t)k->m.events.n;
	make_event(&k->m, left_ms * MS, 0, CT_SEND, 0, 0)->r.obj = obj;
	e.event = (uint32_t)k->m.events.n;
	make_event(&k->m, arrived_ms * MS, 0, CT_RECV, 0, 0)->r.obj = obj;
	if (VEC_PUSH(&k->edges, e))
		abort();
	return &k->edges.v[k->edges.n - 1];
}

/* Sorts the records by time, and corrects the indices of records in edges. */
static inline void cmake_sort_events(struct cmake *k)
{
	size_t n = k->m.events.n;
	struct window_record *v = k->m.events.v;
	uint32_t *at = calloc(n + 1, sizeof(*at));
	struct window_record *sorted = calloc(n + 1, sizeof(*sorted));

	if (!at || !sorted)
		abort();
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++)
			at[i] += v[j].r.ts < v[i].r.ts || (v[j].r.ts == v[i].r.ts && j < i);
		sorted[at[i]] = v[i];
	}
	if (n)
		memcpy(v, sorted, n * sizeof(*v));
	for (size_t i = 0; i < k->edges.n; i++) {
		k->edges.v[i].event = at[k->edges.v[i].event];
		k->edges.v[i].cause = at[k->edges.v[i].cause];
	}
	free(at);
	free(sorted);
}

static inline int cmake_by_to(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static inline void cmake_out(struct cmake *k)
{
	struct causal *c = &k->c;
	uint32_t n = 0;

	c->out = calloc(c->n_edges + 1, sizeof(*c->out));
	c->out_first = calloc(c->n_segments + 1, sizeof(*c->out_first));
	if (!c->out || !c->out_first)
		abort();
	for (uint32_t s = 0; s < c->n_segments; s++) {
		uint32_t first = n;

		c->out_first[s] = n;
		for (uint32_t i = 0; i < c->n_edges; i++) {
			uint32_t at = n;

			if (c->edges[i].from != s)
				continue;
			for (; at > first && c->edges[c->out[at - 1]].event > c->edges[i].event; at--)
				c->out[at] = c->out[at - 1];
			c->out[at] = i;
			n++;
		}
	}
	c->out_first[c->n_segments] = n;
}

static inline const struct causal *cmake_done(struct cmake *k, uint64_t to_ms)
{
	struct causal *c = &k->c;

	cmake_sort_events(k);
	if (graph_build(make_done(&k->m, to_ms), &k->g))
		abort();
	for (size_t i = 0; i < k->segments.n; i++)
		k->segments.v[i].task = graph_task_at(k->g, k->tids.v[i], k->segments.v[i].from_ns);
	qsort(k->edges.v, k->edges.n, sizeof(*k->edges.v), cmake_by_to);
	for (uint32_t i = 0; i < k->edges.n; i++) {
		struct segment *s = &k->segments.v[k->edges.v[i].to];

		if (!s->n_in++)
			s->in = i;
	}
	*c = (struct causal){ .g = k->g,
			      .segments = k->segments.v,
			      .n_segments = k->segments.n,
			      .edges = k->edges.v,
			      .n_edges = k->edges.n,
			      .first = calloc(k->g->n_tasks + 1, sizeof(*c->first)) };
	if (!c->first)
		abort();
	for (uint32_t t = 0; t <= k->g->n_tasks; t++)
		while (c->first[t] < c->n_segments && c->segments[c->first[t]].task < t)
			c->first[t]++;
	cmake_out(k);
	return c;
}

static inline void cmake_free(struct cmake *k)
{
	free(k->c.first);
	free(k->c.out);
	free(k->c.out_first);
	graph_free(k->g);
	VEC_FREE(&k->segments);
	VEC_FREE(&k->edges);
	VEC_FREE(&k->tids);
	make_free(&k->m);
}

static inline void tasks(struct cmake *k, const char *const *names)
{
	for (uint32_t i = 0; names[i]; i++) {
		make_task(&k->m, 10 * (i + 1), 10 * (i + 1), 1, names[i]);
		make_switch(&k->m, 0, 0, 0, 10 * (i + 1), CT_W_NONE, 0);
	}
}
#define TASKS(k, ...) tasks((k), (const char *const[]){ __VA_ARGS__, NULL })

static inline struct slice *walk(const struct causal *c, uint32_t tid, uint64_t at_ms,
				 const struct slice_options *options)
{
	struct slice_options none = { 0 };
	struct slice *s;

	assert_int_equal(slice_walk(c, graph_task_at(c->g, tid, at_ms * MS), at_ms * MS,
				    options ? options : &none, &s),
			 0);
	return s;
}

static inline void assert_path(const struct slice *s, size_t n, ...)
{
	va_list ap;

	assert_int_equal(s->n_steps, n);
	va_start(ap, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(s->steps[i].segment, va_arg(ap, uint32_t));
	va_end(ap);
}

static inline void assert_score(float a, double b)
{
	assert_true((double)a > b - 1e-6 && (double)a < b + 1e-6);
}

#endif
