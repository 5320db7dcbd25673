// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/whatif/whatif.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/whatif/replay.h"
#include "lib/cleanup.h"

int whatif_saved(struct whatif *x, const struct whatif_without *v, size_t n, uint64_t *ret_ns)
{
	return replay_saved(x, v, n, ret_ns);
}

uint64_t whatif_refused(const struct whatif *x)
{
	return x->refused;
}

static int arrival_cmp(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	if (x->left_ns != y->left_ns)
		return x->left_ns < y->left_ns ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* `task` exits while its parent waits for another child or thread. */
struct exited {
	uint32_t parent, task;
	uint64_t woke_ns;
};
typedef VEC(struct exited) exits;

static int by_parent(const void *a, const void *b)
{
	const struct exited *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Finds the tasks that exit while their parent waits for the exit of another child or thread. The parent
 * may need both exits, but the trace has only one wait. add_arrivals() makes an arrival (replay.h) of
 * the exit that has no wait. Then the parent waits for this exit in the replay. */
static int find_exits(struct whatif *x, exits *v)
{
	const struct graph *g = x->g;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		uint64_t exit_ns = g->tasks[i].exit_ns;
		uint32_t parent = g->tasks[i].parent, wait;
		struct cause c;

		if (parent == GRAPH_NONE || exit_ns < x->from_ns || exit_ns >= x->to_ns)
			continue;
		wait = graph_interval_at(g, parent, exit_ns);
		if (wait == GRAPH_NONE || g->intervals[wait].state != INTERVAL_BLOCKED ||
		    g->intervals[wait].from_ns > exit_ns)
			continue;
		c = whatif_cause(x, wait);
		if (c.edge == EDGE_EXIT && c.task != i && exit_ns <= c.woke_ns && c.woke_ns < x->to_ns &&
		    VEC_PUSH(v, (struct exited){ parent, i, c.woke_ns }))
			return -ENOMEM;
	}
	VEC_SORT(v, by_parent);
	return 0;
}

/* Nearly all arrivals are in order, so only the others are sorted, and merged in. */
static int sort_arrivals(struct arrival *v, size_t n)
{
	VEC(struct arrival) late = { 0 };
	size_t a = 0, b;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		if (a && arrival_cmp(&v[a - 1], &v[i]) > 0)
			r = VEC_PUSH(&late, v[i]);
		else
			v[a++] = v[i];
	VEC_SORT(&late, arrival_cmp);
	for (b = late.n; b && !r;)
		v[--n] = a && arrival_cmp(&v[a - 1], &late.v[b - 1]) > 0 ? v[--a] : late.v[--b];
	VEC_FREE(&late);
	return r;
}

/* Returns true if the arrival has to be stored, because the task may have to wait for it in the replay.
 * Returns false if the arrival ended a wait of the task: the replay of this wait waits for the sender
 * anyway. Without whatif_prepare(), this is not known, and the result is true. *near: the last result of
 * graph_interval_near(). */
static bool may_hold_up(struct whatif *x, uint32_t task, const struct arrival *a, uint32_t *near)
{
	if (!x->prepared || !x->prepared[task])
		return true;
	*near = graph_interval_near(x->g, task, a->ts_ns, *near);
	return *near == GRAPH_NONE || !replay_ended_wait(x, *near, a);
}

/* The records of links are far apart in memory. So add_arrivals() asks for those of this many links in
 * advance. */
#define LINKS_AHEAD 16

/* Makes the arrivals of `task` from its links, and from the entries of `exited` whose parent is
 * `task`. *next is the index of the first such entry. On return, *next is the index after the last
 * such entry. *at is the index of the first arrival in x->arrivals. On return, *at is the index
 * after the last arrival. Frees the links, because links and arrivals together need much memory. */
static int add_arrivals(struct whatif *x, uint32_t task, causal_link_list *links, const exits *exited,
			size_t *next, size_t *at)
{
	const struct window_event *e = x->g->w->events;
	uint32_t near = GRAPH_NONE;
	size_t first = *at;

	for (size_t i = 0; i < links->n; i++) {
		const struct causal_link *l = &links->v[i],
					 *soon = &links->v[MIN(i + LINKS_AHEAD, links->n - 1)];
		uint64_t ts_ns = e[l->event].r.ts;
		struct arrival a = { .ts_ns = ts_ns,
				     .left_ns = MIN(e[l->cause].r.ts, ts_ns),
				     .from = l->from,
				     .event = l->event };

		__builtin_prefetch(&e[soon->event]);
		__builtin_prefetch(&e[soon->cause]);
		if (ts_ns >= x->from_ns && ts_ns < x->to_ns && may_hold_up(x, task, &a, &near))
			x->arrivals[(*at)++] = a;
	}
	VEC_FREE(links);
	for (; *next < exited->n && exited->v[*next].parent == task; (*next)++) {
		const struct exited *d = &exited->v[*next];

		x->arrivals[(*at)++] = (struct arrival){ .ts_ns = d->woke_ns,
							 .left_ns = x->g->tasks[d->task].exit_ns,
							 .from = d->task,
							 .event = GRAPH_NONE };
	}
	return sort_arrivals(x->arrivals + first, *at - first);
}

int whatif_link(struct whatif *x, struct causal_links *links)
{
	causal_link_list none = { 0 };
	exits exited = { 0 };
	size_t n = 0, at = 0, next = 0;
	int r = find_exits(x, &exited);

	for (size_t t = 0; links && t < links->n_tasks; t++)
		n += links->to[t].n;
	x->arrivals = malloc((n + exited.n + 1) * sizeof(*x->arrivals));
	if (!x->arrivals)
		r = -ENOMEM;
	for (uint32_t t = 0; t < x->g->n_tasks && !r; t++) {
		r = add_arrivals(x, t, links ? &links->to[t] : &none, &exited, &next, &at);
		x->arrivals_of[t + 1] = at;
	}
	VEC_FREE(&exited);
	x->awaited = calloc(at + 1, sizeof(*x->awaited));
	return r || x->awaited ? r : -ENOMEM;
}

int whatif_new(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct whatif **ret)
{
	size_t n_waits = 0;
	struct whatif *x;

	if (task == GRAPH_NONE || task >= g->n_tasks || from_ns >= to_ns)
		return -EINVAL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	*x = (struct whatif){ .g = g, .task = task, .from_ns = from_ns, .to_ns = to_ns };
	x->cause_of = calloc(g->n_intervals + 1, sizeof(*x->cause_of));
	x->arrivals_of = calloc(g->n_tasks + 2, sizeof(*x->arrivals_of));
	for (size_t i = 0; i < g->n_intervals; i++)
		n_waits += g->intervals[i].state == INTERVAL_BLOCKED;
	x->causes = malloc((n_waits + 1) * sizeof(*x->causes));
	if (!x->cause_of || !x->arrivals_of || !x->causes) {
		whatif_free(x);
		return -ENOMEM;
	}
	*ret = x;
	return 0;
}

void whatif_prepare(struct whatif *x, const struct path *p)
{
	x->prepared = calloc(x->g->n_tasks, sizeof(*x->prepared));
	for (size_t i = 0; x->prepared && i < p->n_frames; i++)
		x->prepared[p->frames[i].task] = true;
	for (uint32_t t = 0; x->prepared && t < x->g->n_tasks; t++) {
		const struct graph_task *task = &x->g->tasks[t];
		uint32_t end = task->first_interval + task->n_intervals,
			 i = x->prepared[t] ? graph_interval_at(x->g, t, x->from_ns) : end;

		for (; i < end && x->g->intervals[i].from_ns < x->to_ns; i++)
			if (x->g->intervals[i].state == INTERVAL_BLOCKED)
				whatif_cause(x, i);
	}
}

void whatif_free(struct whatif *x)
{
	if (!x)
		return;
	free(x->cause_of);
	free(x->arrivals_of);
	free(x->shift);
	free(x->causes);
	free(x->arrivals);
	free(x->awaited);
	free(x->prepared);
	free(x);
}
