// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/contexts.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "analysis/requests/parts.h"
#include "cli/thresholds.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/vec.h"
#include "trace/words/markname.h"

enum { SOCKET, TRACE_HIGH, TRACE_LOW, PARENT, MARKS };

/* The marks that a task has made of its next context, at least one of them */
struct begun {
	uint32_t tid, request, n;
	uint64_t ids[MARKS];
	uint64_t from_ns, to_ns; /* the first and the last mark */
	bool preempted;          /* since the last mark */
};

struct reading {
	const struct services *s;
	struct contexts *ret;
	uint64_t names[MARKS]; /* the objects of the marks */
	/* Of the gap at this place and all later ones of g->gaps, the earliest begin */
	uint64_t *gaps_from_ns;
	VEC(struct begun) begun;
};

static int find_gaps(struct reading *k)
{
	const struct graph *g = k->s->g;
	uint64_t from_ns = UINT64_MAX;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->gaps, 0, &n);

	k->gaps_from_ns = calloc(n + 1, sizeof(*k->gaps_from_ns));
	if (!k->gaps_from_ns)
		return -ENOMEM;
	for (size_t i = n; i--;) {
		from_ns = MIN(from_ns, window_words(g->w, &g->w->events[r[i].event])[0]);
		k->gaps_from_ns[i] = from_ns;
	}
	return 0;
}

/* The time of a gap's record is the end of the gap. */
static bool has_gap(const struct reading *k, uint64_t from_ns, uint64_t to_ns)
{
	const struct window_event *events = k->s->g->w->events;
	size_t n;
	const struct graph_ref *r = graph_refs(&k->s->g->gaps, 0, &n);
	size_t i = BISECT(at, 0, n, events[r[at].event].r.ts >= from_ns);

	return i < n && k->gaps_from_ns[i] <= to_ns;
}

static uint32_t request_of(const struct services *s, uint32_t task, uint64_t ino, uint64_t ts_ns)
{
	const struct graph_task *tasks = s->g->tasks;
	uint32_t request;

	if (!ino)
		return parts_only_open(&s->parts, task, ts_ns, OTLP_CONTEXT_LOOKS);
	request = parts_open_on(&s->parts, CT_OBJ_ID(CT_OBJ_SOCK, ino), ts_ns, OTLP_CONTEXT_LOOKS);
	return request != GRAPH_NONE && tasks[s->requests.v[request].server].tgid == tasks[task].tgid
		       ? request
		       : GRAPH_NONE;
}

static int make_room(struct reading *k)
{
	struct contexts *c = k->ret;

	if (!c->v)
		c->v = calloc(k->s->requests.n, sizeof(*c->v));
	return c->v ? 0 : -ENOMEM;
}

/* A header of the request is not known. It may differ from the other headers of the request, so none of these
 * counts. */
static int spoil(struct reading *k, const struct begun *b)
{
	struct context *c;

	k->ret->n_unused++;
	if (b->request == GRAPH_NONE)
		return 0;
	if (make_room(k))
		return -ENOMEM;
	c = &k->ret->v[b->request];
	k->ret->n_unused += c->parent && !c->differ;
	c->differ = true;
	return 0;
}

static int set(struct reading *k, const struct begun *b)
{
	struct contexts *c = k->ret;
	struct context new = { .trace = { htobe64(b->ids[TRACE_HIGH]), htobe64(b->ids[TRACE_LOW]) },
			       .parent = htobe64(b->ids[PARENT]) },
		       *old;

	if (!(new.trace[0] | new.trace[1]) || !new.parent)
		return 0;
	if (b->request == GRAPH_NONE) {
		c->n_unused++;
		return 0;
	}
	if (make_room(k))
		return -ENOMEM;
	old = &c->v[b->request];
	if (old->differ) {
		c->n_unused++;
	} else if (!old->parent) {
		*old = new;
	} else if (old->trace[0] != new.trace[0] || old->trace[1] != new.trace[1] ||
		   old->parent != new.parent) {
		c->n_unused += 2;
		old->differ = true;
	}
	return 0;
}

static void drop(struct reading *k, size_t i)
{
	k->begun.v[i] = k->begun.v[--k->begun.n];
}

/* If records were lost, the next mark of a task may be of its next request, or of another header of the same
 * request. A task makes all four marks at once. So only marks without another act of the task, without a
 * gap, and without a pause between them count. But the task may lose its CPU for any time. */
static int read_mark(struct reading *k, size_t i, unsigned which, uint32_t request,
		     const struct window_event *e)
{
	struct begun *b = &k->begun.v[i];
	int r = 0;

	if (b->n != which || b->request != request ||
	    (!b->preempted && e->r.ts - b->to_ns > OTLP_CONTEXT_NS)) {
		r = spoil(k, b);
		drop(k, i);
		return r;
	}
	b->ids[b->n++] = window_words(k->s->g->w, e)[0];
	b->to_ns = e->r.ts;
	b->preempted = false;
	if (b->n < MARKS)
		return 0;
	r = has_gap(k, b->from_ns, b->to_ns) || graph_was_capped(k->s->g, b->tid, b->from_ns, b->to_ns)
		    ? spoil(k, b)
		    : set(k, b);
	drop(k, i);
	return r;
}

/* Returns MARKS if the record is no mark of a context. */
static unsigned which_mark(const struct reading *k, const struct ct_rec *rec)
{
	unsigned which = 0;

	if (rec->kind != CT_MARK || rec->flags || ct_mark_what(rec) != CT_MARK_POINT)
		return MARKS;
	while (which < MARKS && rec->obj != k->names[which])
		which++;
	return which;
}

/* Records that the task of r.tid may not make itself, and states, may come at any time. */
static bool is_act(const struct ct_rec *rec)
{
	return rec->kind != CT_GAP && rec->kind != CT_WAKE && rec->kind != CT_BLK_ISSUE &&
	       rec->kind != CT_BLK_DONE && rec->kind != CT_HELD && rec->kind != CT_FD &&
	       rec->kind != CT_EPMEMBER;
}

/* A task that calls sched_yield() acts. */
static bool is_preemption(const struct ct_rec *rec)
{
	return rec->kind == CT_SWITCH && rec->state == CT_ST_RUNNING && rec->wait != CT_W_YIELD;
}

static int read_event(struct reading *k, const struct window_event *e)
{
	unsigned which = which_mark(k, &e->r);
	uint64_t id = which == MARKS ? 0 : window_words(k->s->g->w, e)[0];
	uint32_t task;
	size_t i = 0;

	while (i < k->begun.n && (k->begun.v[i].tid != e->r.tid || !is_act(&e->r)))
		i++;
	if (i < k->begun.n && is_preemption(&e->r)) {
		k->begun.v[i].preempted = true;
		return 0;
	}
	if (i < k->begun.n && (which == MARKS || which == SOCKET)) {
		if (spoil(k, &k->begun.v[i]))
			return -ENOMEM;
		drop(k, i);
		i = k->begun.n;
	}
	if (which == MARKS || (which != SOCKET && i == k->begun.n))
		return 0;
	task = graph_task_at(k->s->g, e->r.tid, e->r.ts);
	if (task == GRAPH_NONE)
		return 0;
	if (which != SOCKET)
		return read_mark(k, i, which, request_of(k->s, task, k->begun.v[i].ids[SOCKET], e->r.ts), e);
	return VEC_PUSH(&k->begun, (struct begun){ .tid = e->r.tid,
						   .request = request_of(k->s, task, id, e->r.ts),
						   .n = 1,
						   .ids = { id },
						   .from_ns = e->r.ts,
						   .to_ns = e->r.ts });
}

int contexts_find(const struct services *s, struct contexts *ret)
{
	struct reading k = {
		.s = s,
		.ret = ret,
		.names = { markname_id("traceparent.socket"), markname_id("traceparent.trace-high"),
			   markname_id("traceparent.trace-low"), markname_id("traceparent.parent") }
	};
	const struct window *w = s->g->w;
	int r = find_gaps(&k);

	*ret = (struct contexts){ 0 };
	for (size_t i = 0; i < w->n_events && !r; i++)
		r = read_event(&k, &w->events[i]);
	for (size_t i = 0; i < k.begun.n && !r; i++)
		r = spoil(&k, &k.begun.v[i]);
	VEC_FREE(&k.begun);
	free(k.gaps_from_ns);
	return r;
}

void contexts_done(struct contexts *c)
{
	free(c->v);
	*c = (struct contexts){ 0 };
}
