// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wake_edges.c - makes the edges of wake-ups, from the waker's segment to the wakee's.
 *
 * If a message may follow the wake-up, the edge of the wake-up is held back until it is known
 * whether a message explains the wake-up. If so, the edge is dropped: the message has its own edge.
 */
#include "graph/causal/wake_edges.h"

#include <errno.h>

#include "graph/causal/hands.h"
#include "graph/causal/segments.h"
#include "graph/wake/cause.h"

/* At the end of an interval of unknown state, a new segment begins. */
static void advance(struct pass *p, uint32_t task, uint32_t event)
{
	const struct graph_task *t = &p->g->tasks[task];
	const struct interval *s = p->g->intervals;
	uint32_t end = t->first_interval + t->n_intervals, i = p->work[task].interval;
	uint64_t known_ns = 0, ts = p->e[event].r.ts;

	for (; i < end && (s[i].to_ns < ts || (s[i].to_ns == ts && s[i].state == INTERVAL_UNKNOWN)); i++)
		if (s[i].state == INTERVAL_UNKNOWN)
			known_ns = s[i].to_ns;
	p->work[task].interval = i;
	if (known_ns && segments_cut(p, task, known_ns, GRAPH_NONE, CUT_FIRST)) {
		p->work[task].jobs = 0;
		p->work[task].jobs_from = event;
		p->work[task].taken = 0;
	}
}

static const struct interval *woken_interval(struct pass *p, uint32_t task, uint32_t event)
{
	const struct graph_task *t = &p->g->tasks[task];
	const struct interval *s = p->g->intervals;
	uint32_t end = t->first_interval + t->n_intervals;
	uint64_t ts = p->e[event].r.ts;

	advance(p, task, event);
	/* The wake may be recorded before the switch-out with which the wait begins. */
	for (uint32_t i = p->work[task].interval, last = 0; i < end && !last; i++) {
		last = s[i].from_ns > ts;
		if (s[i].state == INTERVAL_BLOCKED && s[i].wake == event)
			return &s[i];
	}
	return NULL;
}

static void posted(struct pass *p, uint32_t task, const struct interval *s, uint64_t ts_ns, uint32_t waker,
		   struct edge *e)
{
	if (hands_inside_cond(p, task, s->obj)) {
		e->kind = EDGE_LOCK;
		e->strength = EDGE_WEAK;
		return;
	}
	if (hands_post(p, s->obj, waker, task, ts_ns))
		e->flags |= EDGE_TOGETHER;
	if (hands_are_many(p, s)) {
		e->strength = EDGE_WEAK;
		e->flags |= EDGE_MANY;
	}
}

static bool may_be_false(const struct interval *s, const struct window_event *wake, const struct edge *e)
{
	bool wait = s->wait == CT_W_FUTEX || s->wait == CT_W_FLOCK || ct_wait_is_poll(s->wait) ||
		    s->st & CT_ST_DISK || (s->wait == CT_W_READ && CT_OBJ_KIND(s->obj) == CT_OBJ_SOCK);

	switch ((enum edge_kind)e->kind) {
	case EDGE_MESSAGE:
		/* After a wake-up by a connect or a close, the wakee may act without a record. So such a
		 * wake-up never counts as false. */
		return wait && wake &&
		       (ct_wake_call(&wake->r) == CT_W_WRITE || ct_wake_call(&wake->r) == CT_W_READ);
	case EDGE_WAKE:
	case EDGE_LOCK:
	case EDGE_POST:
	case EDGE_FILELOCK:
	case EDGE_KERNEL_LOCK:
	case EDGE_TIMER:
	case EDGE_IRQ:
		return wait;
	case EDGE_PIPE:
	case EDGE_EVENTFD:
	case EDGE_EXIT:
	case EDGE_SIGNAL:
	case EDGE_FORK:
	case EDGE_FUSE:
	case EDGE_VFORK:
	case EDGE_POLLED:
	case EDGE_OWNER:
	case EDGE_CPU:
	case EDGE_STOP:
	case EDGE_DISK:
	case EDGE_FLAG:
	case EDGE_JOB:
	case EDGE_ANSWER:
	case EDGE_NEIGHBOUR:
	case EDGE_EXEC:
	case EDGE_LOCK_ORDER:
		break;
	}
	return false;
}

/* Without wants_edges, only the edges of the last wake-ups are kept: see pass.edges. */
static uint32_t keep_last(struct pass *p, uint32_t task, const struct edge *e)
{
	if (VEC_RESERVE(&p->edges, p->g->n_tasks)) {
		p->err = -ENOMEM;
		return GRAPH_NONE;
	}
	p->edges.v[task] = *e;
	return task;
}

void wake_edges_settle(struct pass *p, uint32_t task)
{
	struct work *w = &p->work[task];

	if (!w->wake.kind)
		return;
	w->wake_edge = p->wants_edges ? pass_edge(p, &w->wake) : keep_last(p, task, &w->wake);
	w->wake.kind = 0;
}

void wake_edges_explained(struct pass *p, uint32_t task, uint64_t sock, uint32_t from)
{
	struct work *w = &p->work[task];

	if (!w->wake.kind)
		return;
	if (w->wake_sock == sock || (w->wake.from != GRAPH_NONE && pass_task_of(p, w->wake.from) == from))
		w->wake.kind = 0;
}

uint32_t wake_edges_adopt(struct pass *p, uint32_t task, uint64_t sock)
{
	if (!p->work[task].wake.kind || p->work[task].wake_sock != sock)
		return GRAPH_NONE;
	wake_edges_settle(p, task);
	return p->wants_edges ? p->work[task].wake_edge : GRAPH_NONE;
}

static bool hands_on(uint8_t kind)
{
	return kind == EDGE_POST || kind == EDGE_PIPE || kind == EDGE_EVENTFD;
}

/* No message follows a wake-up by a connect, by a close, or by a receive that made room. */
static bool may_be_message(const struct interval *s, const struct window_event *wake, const struct edge *e)
{
	if (e->kind != EDGE_MESSAGE || s->wait == CT_W_WRITE)
		return false;
	return e->from == GRAPH_NONE || ct_wake_call(&wake->r) == CT_W_WRITE;
}

static void wake_edges_ended(struct pass *p, uint32_t task, const struct interval *s, uint32_t event)
{
	const struct window_event *wake = &p->e[event];
	struct edge e = { .from = GRAPH_NONE, .event = event, .cause = event };
	struct work *w = &p->work[task];
	bool by_task = ct_wake_by_task(&wake->r);
	uint32_t waker =
		ct_wake_waker(&wake->r) ? pass_task(p, ct_wake_waker(&wake->r), wake->r.ts) : GRAPH_NONE;
	struct wake_cause cause;

	wake_cause(p->g, s, wake, waker == GRAPH_NONE ? 0 : p->work[waker].spoke, &cause);
	e.kind = cause.edge;
	e.strength = cause.strength;
	if (cause.task != GRAPH_NONE)
		e.from = pass_segment(p, cause.task, wake->r.ts);
	else if (e.kind == EDGE_MESSAGE)
		e.strength = EDGE_WEAK;
	if (cause.task != GRAPH_NONE && e.kind == EDGE_POST)
		posted(p, task, s, wake->r.ts, cause.task, &e);
	segments_wait(p, task, s, wake->r.ts, event);
	e.to = pass_segment(p, task, wake->r.ts);
	w->may_be_false = p->policy != POLICY_PANAPPTICON && may_be_false(s, wake, &e);
	w->posted = e.kind == EDGE_POST;
	if (e.kind == EDGE_MESSAGE && e.from != GRAPH_NONE && pass_open(p, task)->event == event)
		w->guest = 1 + cause.task;
	if (p->err || e.from == e.to || (cause.task == task && by_task))
		return;
	if (cause.task != GRAPH_NONE && by_task && e.strength == EDGE_STRONG && hands_on(e.kind))
		segments_inherit(p, task, cause.task, event);
	w->wake = e;
	if (p->policy == POLICY_CTRACE && may_be_message(s, wake, &e))
		w->wake_sock =
			wake->r.flags & CT_WF_READY ? wake->r.obj : graph_peer_object(p->g, wake->r.obj);
	else
		wake_edges_settle(p, task);
}

void wake_edges_wake(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task = pass_task(p, r->tid, r->ts);
	uint32_t waker = ct_wake_by_task(r) ? pass_task(p, ct_wake_waker(r), r->ts) : GRAPH_NONE;
	bool follow = task != GRAPH_NONE && !(p->plain && p->plain[task] == PLAIN_FULLY);
	const struct interval *s = follow ? woken_interval(p, task, event) : NULL;
	struct work *w;

	if (waker != GRAPH_NONE && waker != task && !pass_is_plain(p, waker)) {
		pass_segment(p, waker, r->ts);
		p->work[waker].acts++;
	}
	if (!s || pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	w = &p->work[task];
	wake_edges_settle(p, task);
	w->wake_edge = GRAPH_NONE;
	w->woken = event;
	w->wait = s->wait;
	w->wait_obj = s->obj;
	w->ran_ns = 0;
	w->in_ns = 0;
	w->acts = 0;
	wake_edges_ended(p, task, s, event);
}

bool wake_edges_by_signal(struct pass *p, uint32_t task, uint32_t sender, uint32_t event)
{
	struct work *w = &p->work[task];
	const struct window_event *e = &p->e[event];
	struct edge *wake = w->wake_edge != GRAPH_NONE ? &p->edges.v[w->wake_edge] : NULL;

	if (!wake || wake->from == GRAPH_NONE || pass_task_of(p, wake->from) != sender ||
	    (wake->kind != EDGE_WAKE && wake->kind != EDGE_SIGNAL && wake->kind != EDGE_EXIT) ||
	    e->r.ts - p->e[wake->event].r.ts > SIGNAL_LATE_NS)
		return false;
	wake->cause = event;
	if (wake->kind != EDGE_EXIT) {
		wake->kind = EDGE_SIGNAL;
		wake->strength = e->r.flags & CT_GF_KERNEL ? EDGE_WEAK : EDGE_STRONG;
	}
	w->may_be_false = false;
	return true;
}

static void find_false_wake(struct pass *p, uint32_t task, const struct ct_rec *r)
{
	struct work *w = &p->work[task];
	const struct open_segment *s = pass_open(p, task);

	/* In a coarse stretch, it is not known what the task did after the wake-up. */
	if (!w->may_be_false || w->acts || w->ran_ns > FALSE_WAKE_NS || w->wait != ct_switch_wait(r) ||
	    w->wait_obj != r->obj || p->e[w->woken].r.ts <= p->coarse_ns)
		return;
	wake_edges_settle(p, task);
	if (w->posted && !hands_are_herd(p, task, r->ts))
		return;
	if (w->wake_edge != GRAPH_NONE) {
		p->edges.v[w->wake_edge].strength = EDGE_WEAK;
		p->edges.v[w->wake_edge].flags |= EDGE_FALSE_WAKE;
	}
	if (s->cut == CUT_IDLE && s->event == w->woken && w->before != GRAPH_NONE)
		segments_undo(p, task);
}

static void socket_found_empty(struct pass *p, uint64_t sock, uint64_t ts_ns)
{
	uint32_t f = pass_flow(p, sock);

	if (f != GRAPH_NONE)
		bytes_found_empty(&p->flows.pool, p->g, &p->flows.v.v[f].bytes, ts_ns);
}

static void wait_begins(struct pass *p, uint32_t task, const struct ct_rec *r, uint32_t event)
{
	if (ct_switch_wait(r) != CT_W_WRITE)
		p->work[task].parted = event;
	if (ct_switch_wait(r) == CT_W_READ && CT_OBJ_KIND(r->obj) == CT_OBJ_SOCK)
		socket_found_empty(p, r->obj, r->ts);
}

static void switch_out(struct pass *p, uint32_t task, const struct ct_rec *r, uint32_t event)
{
	struct work *w = &p->work[task];

	if (pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	if (w->in_ns)
		w->ran_ns += r->ts - w->in_ns;
	w->in_ns = 0;
	if (ct_switch_state(r) == CT_ST_RUNNING)
		return;
	find_false_wake(p, task, r);
	w->may_be_false = false;
	wake_edges_settle(p, task);
	w->visit_stack = 0;
	wait_begins(p, task, r, event);
}

static void switch_in(struct pass *p, uint32_t task, const struct ct_rec *r, uint32_t event)
{
	const struct graph_task *t = &p->g->tasks[task];
	const struct interval *s = p->g->intervals;
	struct work *w = &p->work[task];
	uint32_t end = t->first_interval + t->n_intervals;

	if (pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	advance(p, task, event);
	for (uint32_t i = w->interval; i < end && s[i].to_ns == r->ts && s[i].from_ns < r->ts; i++)
		if (s[i].state == INTERVAL_BLOCKED && s[i].wake == GRAPH_NONE)
			segments_wait(p, task, &s[i], r->ts, event);
	w->in_ns = r->ts;
}

void wake_edges_switch(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task = r->tid ? pass_task(p, r->tid, r->ts) : GRAPH_NONE;

	if (task != GRAPH_NONE && !pass_is_plain(p, task))
		switch_out(p, task, r, event);
	else if (task != GRAPH_NONE && ct_switch_state(r) != CT_ST_RUNNING)
		wait_begins(p, task, r, event);
	task = ct_switch_next(r) ? pass_task(p, ct_switch_next(r), r->ts) : GRAPH_NONE;
	if (task != GRAPH_NONE && !pass_is_plain(p, task))
		switch_in(p, task, r, event);
}
