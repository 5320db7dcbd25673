/* SPDX-License-Identifier: GPL-2.0-or-later */
/* causal_make.h - windows for tests of the causal graph. */
#ifndef CTRACE_TEST_CAUSAL_MAKE_H
#define CTRACE_TEST_CAUSAL_MAKE_H

#include "graph/causal/causal.h"
#include "test/unit/trace/window_make.h"

#define CPU(tid) ((uint16_t)((tid) / 10))

#define SOCK(n)  CT_OBJ_ID(CT_OBJ_SOCK, n)
#define PIPE(n)  CT_OBJ_ID(CT_OBJ_PIPE, n)
#define FUTEX(n) CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000 + (n))
#define EPOLL(n) CT_OBJ_ID(CT_OBJ_EPOLL, n)

#define STREAM 1
#define DGRAM  2

static inline void runs(struct make *m, uint32_t tid, uint32_t tgid, uint32_t ppid, const char *comm)
{
	make_task(m, tid, tgid, ppid, comm);
	make_switch(m, 0, CPU(tid), 0, tid, CT_W_NONE, 0);
}

static inline void sleeps(struct make *m, uint64_t ms, uint32_t tid, enum ct_wait wait, uint64_t obj)
{
	make_switch(m, ms, CPU(tid), tid, 0, wait, obj);
}

static inline struct window_record *wakes(struct make *m, uint64_t ms, uint32_t tid, uint32_t waker,
					  uint64_t obj)
{
	size_t at = m->events.n;

	make_wake(m, ms, CPU(waker), tid, waker, obj);
	make_switch(m, ms, CPU(tid), 0, tid, CT_W_NONE, 0);
	return &m->events.v[at];
}

static inline void sends(struct make *m, uint64_t ms, uint32_t tid, uint64_t sock, uint32_t bytes)
{
	make_event(m, ms * MS, CPU(tid), CT_SEND, tid, bytes)->r.obj = sock;
}

static inline void receives(struct make *m, uint64_t ms, uint32_t tid, uint64_t sock, uint32_t bytes)
{
	make_event(m, ms * MS, CPU(tid), CT_RECV, tid, bytes)->r.obj = sock;
}

static inline void connection(struct make *m, uint64_t server, uint64_t client, uint16_t type)
{
	struct window_object *o = make_object(m, server);

	o->peer = client;
	o->family = 1;
	o->type = type;
	o->name = "/run/server";
	o = make_object(m, client);
	o->peer = server;
	o->family = 1;
	o->type = type;
}

struct built {
	struct graph *g;
	struct causal *c;
};

static inline struct built built_with(struct make *m, uint64_t to_ms, enum causal_policy policy,
				      uint32_t cuts_off)
{
	struct causal_options o = { .policy = policy, .cuts_off = cuts_off };
	struct built b;

	assert_int_equal(graph_build(make_done(m, to_ms), &b.g), 0);
	assert_int_equal(causal_build(b.g, &o, &b.c), 0);
	return b;
}

static inline struct built built(struct make *m, uint64_t to_ms)
{
	return built_with(m, to_ms, POLICY_CTRACE, 0);
}

static inline void built_free(struct built *b, struct make *m)
{
	causal_free(b->c);
	graph_free(b->g);
	make_free(m);
}

static inline uint32_t task_of(const struct built *b, uint32_t tid)
{
	return graph_task_at(b->g, tid, 0);
}

static inline uint32_t segment_at(const struct built *b, uint32_t tid, uint64_t ms)
{
	return causal_segment_at(b->c, task_of(b, tid), ms * MS);
}

static inline uint32_t n_segments(const struct built *b, uint32_t tid)
{
	uint32_t task = task_of(b, tid);

	return b->c->first[task + 1] - b->c->first[task];
}

/* Returns the only edge of this kind between two tasks, or NULL. If `from` is 0, the edge comes
 * from no task. */
static inline const struct edge *edge_of(const struct built *b, enum edge_kind kind, uint32_t from,
					 uint32_t to)
{
	const struct edge *found = NULL;

	for (size_t i = 0; i < b->c->n_edges; i++) {
		const struct edge *e = &b->c->edges[i];
		uint32_t tid = e->from == GRAPH_NONE ? 0 : b->g->tasks[b->c->segments[e->from].task].tid;

		if (e->kind != kind || tid != from || b->g->tasks[b->c->segments[e->to].task].tid != to)
			continue;
		assert_null(found);
		found = e;
	}
	return found;
}

static inline void assert_edge(const struct built *b, enum edge_kind kind, uint32_t from, uint32_t to,
			       enum edge_strength strength)
{
	const struct edge *e = edge_of(b, kind, from, to);
	char text[EDGE_EXPLAIN_MAX];

	assert_non_null(e);
	assert_int_equal(e->strength, strength);
	assert_true(edge_explain(b->c, e, text, sizeof(text)) < sizeof(text));
	assert_non_null(strstr(text, "["));
	assert_int_equal(strstr(text, "weak") != NULL, strength == EDGE_WEAK);
}

static inline size_t n_edges(const struct built *b, enum edge_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < b->c->n_edges; i++)
		n += b->c->edges[i].kind == kind;
	return n;
}

static inline void assert_sound(const struct built *b)
{
	const struct causal *c = b->c;
	size_t n = 0;

	for (uint32_t t = 0; t < b->g->n_tasks; t++) {
		const struct graph_task *k = &b->g->tasks[t];

		if (k->n_intervals) {
			const struct interval *last =
				&b->g->intervals[k->first_interval + k->n_intervals - 1];

			assert_true(c->first[t] < c->first[t + 1]);
			assert_true(c->segments[c->first[t]].from_ns <=
				    b->g->intervals[k->first_interval].from_ns);
			assert_true(c->segments[c->first[t + 1] - 1].to_ns >= last->to_ns);
		}
		for (uint32_t i = c->first[t]; i < c->first[t + 1]; i++) {
			assert_int_equal(c->segments[i].task, t);
			assert_true(c->segments[i].from_ns <= c->segments[i].to_ns);
			if (i > c->first[t])
				assert_int_equal(c->segments[i].from_ns, c->segments[i - 1].to_ns);
		}
	}
	assert_int_equal(c->first[b->g->n_tasks], c->n_segments);
	for (uint32_t i = 0; i < c->n_segments; i++) {
		assert_int_equal(c->segments[i].in, n);
		n += c->segments[i].n_in;
		for (uint32_t k = c->segments[i].in; k < n; k++) {
			assert_int_equal(c->edges[k].to, i);
			assert_true(c->edges[k].from == GRAPH_NONE || c->edges[k].from < c->n_segments);
			assert_int_not_equal(c->edges[k].from, i);
			if (k > c->segments[i].in)
				assert_true(c->edges[k - 1].event <= c->edges[k].event);
		}
	}
	assert_int_equal(n, c->n_edges);
	for (uint32_t i = 0; i < c->n_segments; i++)
		for (uint32_t k = c->out_first[i]; k < c->out_first[i + 1]; k++) {
			assert_int_equal(c->edges[c->out[k]].from, i);
			if (k > c->out_first[i] && c->edges[c->out[k - 1]].event == c->edges[c->out[k]].event)
				assert_true(c->out[k - 1] < c->out[k]);
			else if (k > c->out_first[i])
				assert_true(c->edges[c->out[k - 1]].event < c->edges[c->out[k]].event);
		}
	for (size_t i = n = 0; i < c->n_edges; i++)
		n += c->edges[i].from != GRAPH_NONE;
	assert_int_equal(c->out_first[c->n_segments], n);
	n = 0;
	for (int i = 0; i < CUT_RULES; i++)
		n += c->n_cuts[i];
	assert_int_equal(n, c->n_segments);
}

#endif
