// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/causal.h"

#include <stdlib.h>

#include "graph/thresholds.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

const char *causal_policy_name(enum causal_policy policy)
{
	switch (policy) {
	case POLICY_PANAPPTICON:
		return "panappticon";
	case POLICY_APPINSIGHT:
		return "appinsight";
	case POLICY_CTRACE:
		break;
	}
	return "ctrace";
}

void causal_free(struct causal *c)
{
	if (!c)
		return;
	free(c->segments);
	free(c->first);
	free(c->edges);
	free(c->out);
	free(c->out_first);
	free(c);
}

int causal_link_add(struct causal_link_list *list, const struct causal_link *link)
{
	int64_t back = (int64_t)link->event - link->cause;
	bool wide = link->from >= LINK_WIDE || back < INT16_MIN || back > INT16_MAX;

	if (list->v.n >= GRAPH_NONE - 1)
		return -E2BIG;
	if (wide && VEC_PUSH(&list->wide, *link))
		return -ENOMEM;
	return VEC_PUSH(&list->v,
			(struct packed_link){ .event = wide ? (uint32_t)list->wide.n - 1 : link->event,
					      .from = wide ? LINK_WIDE : (uint16_t)link->from,
					      .back = wide ? 0 : (int16_t)back });
}

void causal_link_list_done(struct causal_link_list *list)
{
	VEC_FREE(&list->v);
	VEC_FREE(&list->wide);
}

void causal_links_done(struct causal_links *links)
{
	for (size_t t = 0; t < links->n_tasks; t++)
		causal_link_list_done(&links->to[t]);
	free(links->to);
	*links = (struct causal_links){ 0 };
}

uint32_t causal_segment_at(const struct causal *c, uint32_t task, uint64_t ts_ns)
{
	uint32_t lo, hi;

	if (task >= c->g->n_tasks)
		return GRAPH_NONE;
	lo = c->first[task];
	hi = c->first[task + 1];
	if (lo == hi || ts_ns < c->segments[lo].from_ns || ts_ns > c->segments[hi - 1].to_ns)
		return GRAPH_NONE;
	return BISECT(i, lo + 1, hi, c->segments[i].from_ns > ts_ns) - 1;
}

static bool idles_again(const struct graph *g, const struct segment *s, const struct interval *last)
{
	uint32_t i =
		s->cut == CUT_IDLE && s->from_ns ? graph_interval_at(g, s->task, s->from_ns - 1) : GRAPH_NONE;
	const struct interval *before = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return before && before->state == INTERVAL_BLOCKED && before->wait == last->wait &&
	       before->obj == last->obj;
}

uint64_t segment_work_end(const struct causal *c, uint32_t segment)
{
	const struct segment *s = &c->segments[segment];
	const struct graph *g = c->g;
	uint64_t exit_ns = g->tasks[s->task].exit_ns;
	bool is_last = segment + 1 == c->first[s->task + 1];
	uint32_t i = s->to_ns ? graph_interval_at(g, s->task, s->to_ns - 1) : GRAPH_NONE;
	const struct interval *last = i == GRAPH_NONE ? NULL : &g->intervals[i];
	bool blocked = last && last->state == INTERVAL_BLOCKED;

	if (is_last && exit_ns != UINT64_MAX)
		return exit_ns;
	if (is_last && !(blocked && idles_again(g, s, last)))
		return 0;
	return blocked ? MAX(last->from_ns, s->from_ns) : s->to_ns;
}

uint64_t edge_left_ns(const struct causal *c, const struct edge *e)
{
	return e->cause == GRAPH_NONE ? c->segments[e->to].from_ns : c->g->w->events[e->cause].r.ts;
}

uint64_t edge_arrived_ns(const struct causal *c, const struct edge *e)
{
	return e->event == GRAPH_NONE ? c->segments[e->to].from_ns : c->g->w->events[e->event].r.ts;
}

const struct interval *causal_wait_ended(const struct causal *c, const struct edge *e)
{
	const struct graph *g = c->g;
	uint32_t task = c->segments[e->to].task,
		 end = g->tasks[task].first_interval + g->tasks[task].n_intervals;
	const struct window_event *at = e->event == GRAPH_NONE ? NULL : &g->w->events[e->event];
	uint32_t i;

	if (!at || at->r.kind != CT_WAKE)
		return NULL;
	i = graph_interval_at(g, task, at->r.ts ? at->r.ts - 1 : 0);
	/* Also tries the intervals after i: some are empty, and the wake-up may be recorded before
	 * the switch-out. */
	for (int n = 0; n < WAIT_ENDED_LOOKS && i < end; n++, i++)
		if (g->intervals[i].state != INTERVAL_FOLDED && g->intervals[i].wake == e->event)
			return &g->intervals[i];
	return NULL;
}

uint64_t edge_object(const struct causal *c, const struct edge *e)
{
	const struct window_event *at = e->event == GRAPH_NONE ? NULL : &c->g->w->events[e->event];
	const struct interval *s;

	if (!at || e->kind == EDGE_NEIGHBOUR || e->kind == EDGE_TIMER)
		return 0;
	switch (at->r.kind) {
	case CT_WAKE:
		s = causal_wait_ended(c, e);
		if ((!s || !s->obj || s->wait == CT_W_EPOLL) &&
		    (ct_wake_context(&at->r) == CT_CTX_TASK || at->r.flags & CT_WF_READY))
			return at->r.obj;
		return s ? s->obj : 0;
	case CT_SEND:
	case CT_RECV:
	case CT_FLOCK:
	case CT_ACCESS:
	case CT_JOB:
		return at->r.obj;
	default:
		return 0;
	}
}
