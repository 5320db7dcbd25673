// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/path/lost.h"

#include "graph/path/newcomer.h"
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"

/* Returns the last thread that the task started before ts_ns, or GRAPH_NONE. */
static uint32_t last_started(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t last = GRAPH_NONE;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[task].tgid, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct graph_task *t = &g->tasks[r[i].event];

		if (t->parent == task && t->born_ns && t->born_ns <= ts_ns &&
		    (last == GRAPH_NONE || t->born_ns > g->tasks[last].born_ns))
			last = r[i].event;
	}
	return last;
}

/* Returns true if the task woke another task than `thread`, or sent a message, from from_ns to to_ns. */
static bool told_others(const struct graph *g, uint32_t task, uint32_t thread, uint64_t from_ns,
			uint64_t to_ns)
{
	const struct window_event *e = g->w->events;
	uint32_t me = g->tasks[task].tid;

	for (size_t i = window_lower_bound(g->w, from_ns); i < g->w->n_events && e[i].r.ts <= to_ns; i++) {
		if (!scan_step(g))
			return true;
		if ((e[i].r.kind == CT_SEND && e[i].r.tid == me) ||
		    (e[i].r.kind == CT_WAKE && ct_wake_by_task(&e[i].r) && ct_wake_waker(&e[i].r) == me &&
		     e[i].r.tid != g->tasks[thread].tid))
			return true;
	}
	return false;
}

bool lost_thread(const struct graph *g, uint32_t interval, const struct blame *b)
{
	const struct interval *s = &g->intervals[interval], *x;
	uint32_t thread, i;
	uint64_t end_ns;

	if (!newcomer_is_post(g, s, b))
		return false;
	thread = last_started(g, s->task, s->from_ns);
	if (thread == GRAPH_NONE || g->tasks[thread].born_ns + OTHER_WAIT_NS < s->from_ns)
		return false;
	end_ns = g->tasks[thread].exit_ns;
	if (end_ns < s->from_ns || end_ns >= b->until_ns || b->until_ns - end_ns <= OTHER_WAIT_NS)
		return false;
	i = graph_interval_at(g, b->task, end_ns);
	x = i == GRAPH_NONE ? NULL : &g->intervals[i];
	return x && x->from_ns <= end_ns && x->state == INTERVAL_BLOCKED &&
	       x->to_ns - end_ns > OTHER_WAIT_NS &&
	       !told_others(g, s->task, thread, g->tasks[thread].born_ns, s->from_ns);
}
