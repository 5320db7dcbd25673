// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/timeline/graph.h"

#include <string.h>

#include "graph/thresholds.h"
#include "graph/timeline/tids.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

uint32_t graph_task_at(const struct graph *g, uint32_t tid, uint64_t ts_ns)
{
	const struct graph_task *t = g->tasks;
	uint32_t first = tids_get(g->first_of, tid);
	size_t lo = first == TIDS_NONE ? 0 : first, step = 1, at;

	if (first == TIDS_NONE && tid < TIDS_MAX)
		return GRAPH_NONE;
	/* most tids have one or two tasks */
	for (; lo + step < g->n_tasks && t[lo + step].tid == tid && t[lo + step].from_ns <= ts_ns; step *= 2)
		lo += step;
	at = BISECT(i, lo, first == TIDS_NONE ? g->n_tasks : MIN(lo + step, g->n_tasks),
		    t[i].tid > tid || (t[i].tid == tid && t[i].from_ns > ts_ns));
	if (at && t[at - 1].tid == tid)
		return (uint32_t)at - 1;
	return at < g->n_tasks && t[at].tid == tid ? (uint32_t)at : GRAPH_NONE;
}

uint32_t graph_interval_near(const struct graph *g, uint32_t task, uint64_t ts_ns, uint32_t near)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t lo = t->first_interval, end = lo + t->n_intervals, hi = end;

	if (near > lo && near < end && g->intervals[near - 1].to_ns <= ts_ns) {
		lo = near;
		for (uint32_t step = 1; step < end - lo; step *= 2) {
			if (g->intervals[lo + step - 1].to_ns > ts_ns) {
				hi = lo + step - 1;
				break;
			}
			lo += step;
		}
	}
	lo = BISECT(i, lo, hi, g->intervals[i].to_ns > ts_ns);
	return lo < end ? lo : GRAPH_NONE;
}

uint32_t graph_interval_at(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	return graph_interval_near(g, task, ts_ns, GRAPH_NONE);
}

size_t graph_dropped_before(const struct graph *g, uint64_t ts_ns)
{
	const struct window_event *e = g->w->events;
	const struct graph_dropped *d = g->dropped;
	size_t next = window_lower_bound(g->w, ts_ns);

	return BISECT(i, 0, g->n_dropped,
		      d[i].next > next || (d[i].next == next && e[next - 1].r.ts + d[i].since_ns >= ts_ns));
}

static const struct interval_look *look_of(const struct graph *g, const struct interval *interval)
{
	size_t index = (size_t)(interval - g->intervals);
	size_t at = BISECT(i, 0, g->n_looks, g->looks[i].interval >= index);

	return at < g->n_looks && g->looks[at].interval == index ? &g->looks[at] : NULL;
}

uint32_t graph_visit(const struct graph *g, const struct interval *interval)
{
	const struct interval_look *l = look_of(g, interval);

	return l ? l->visit : GRAPH_NONE;
}

uint32_t graph_futex_owner(const struct graph *g, const struct interval *interval)
{
	const struct interval_look *l = look_of(g, interval);

	return l ? l->owner : 0;
}

uint64_t graph_futex_owner_ns(const struct graph *g, const struct interval *interval)
{
	const struct interval_look *l = look_of(g, interval);

	return l && l->futex != GRAPH_NONE ? g->w->events[l->futex].r.ts : interval->from_ns;
}

uint64_t graph_visit_stack(const struct graph *g, const struct interval *interval)
{
	uint32_t visit = graph_visit(g, interval);

	return visit == GRAPH_NONE ? 0 : window_words(g->w, &g->w->events[visit])[0];
}

bool graph_descends_from(const struct graph *g, uint32_t task, uint32_t tgid)
{
	for (int i = 0; i < ANCESTORS_MAX && task != GRAPH_NONE; i++) {
		uint32_t up = g->tasks[task].ptgid;

		if (up <= 1)
			return false;
		if (up == tgid)
			return true;
		task = g->tasks[task].ancestor;
	}
	return false;
}

/* Outside of the task's life, its tid may belong to another task. */
static uint64_t in_life(const struct graph_task *t, uint64_t ts_ns)
{
	if (t->exit_ns != UINT64_MAX && ts_ns > t->exit_ns)
		ts_ns = t->exit_ns;
	return MAX(ts_ns, t->born_ns);
}

bool interval_sums(const struct interval *s, uint64_t from_ns, uint64_t to_ns, struct interval_sums *ret)
{
	double share =
		s->to_ns > s->from_ns ? (double)(to_ns - from_ns) / (double)(s->to_ns - s->from_ns) : 0;
	uint64_t ran_ns, queued_ns;

	*ret = (struct interval_sums){ 0 };
	if (s->state != INTERVAL_FOLDED || !(s->flags & INTERVAL_SUMS) || from_ns >= to_ns)
		return false;
	ran_ns = (uint64_t)((double)((s->obj & UINT32_MAX) * CT_FOUND_UNIT_NS) * share);
	queued_ns = (uint64_t)((double)((s->obj >> 32) * CT_FOUND_UNIT_NS) * share);
	ret->ran_ns = MIN(ran_ns, to_ns - from_ns);
	ret->queued_ns = MIN(queued_ns, to_ns - from_ns - ret->ran_ns);
	ret->switches = (uint32_t)(s->switches * share + 0.5);
	return true;
}

const char *graph_comm(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	const struct window_task *t;

	if (task == GRAPH_NONE)
		return "?";
	t = window_task_at(g->w, g->tasks[task].tid, in_life(&g->tasks[task], ts_ns));
	return t && t->comm[0] ? t->comm : "?";
}

const char *graph_last_comm(const struct graph *g, uint32_t task)
{
	return graph_comm(g, task, MIN(g->tasks[task].exit_ns - 1, g->w->to_ns));
}

bool graph_is_called(const struct graph *g, uint32_t task, uint64_t ts_ns, const char *comm)
{
	return !strcmp(comm, graph_comm(g, task, ts_ns));
}

const char *graph_cmdline(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	if (task == GRAPH_NONE)
		return "";
	return window_cmdline(g->w, g->tasks[task].tid, in_life(&g->tasks[task], ts_ns));
}

struct cgroup_name graph_place(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	if (task == GRAPH_NONE)
		return (struct cgroup_name){ .cgroup = "" };
	return cgroup_name_of(g->w, g->tasks[task].tid, in_life(&g->tasks[task], ts_ns));
}

bool graph_fits(const struct graph *g, uint32_t task, const struct selector *s, uint64_t ts_ns)
{
	return task != GRAPH_NONE &&
	       selector_fits(s, g->w, g->tasks[task].tid, in_life(&g->tasks[task], ts_ns));
}
