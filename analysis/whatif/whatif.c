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

static bool orders(uint8_t kind)
{
	switch ((enum edge_kind)kind) {
	case EDGE_WAKE:
	case EDGE_LOCK:
	case EDGE_POST:
	case EDGE_MESSAGE:
	case EDGE_PIPE:
	case EDGE_EVENTFD:
	case EDGE_EXIT:
	case EDGE_SIGNAL:
	case EDGE_FORK:
	case EDGE_FILELOCK:
	case EDGE_FUSE:
	case EDGE_KERNEL_LOCK:
	case EDGE_VFORK:
	case EDGE_FLAG:
	case EDGE_JOB:
	case EDGE_ANSWER:
	case EDGE_LOCK_ORDER:
		return true;
	case EDGE_TIMER:
	case EDGE_IRQ:
	case EDGE_POLLED:
	case EDGE_OWNER:
	case EDGE_CPU:
	case EDGE_STOP:
	case EDGE_DISK:
	case EDGE_NEIGHBOUR:
	case EDGE_EXEC:
		break;
	}
	return false;
}

struct reached {
	uint32_t task;
	struct arrival a;
};
typedef VEC(struct reached) reacheds;

/* While a task waits for the exit of one child or thread, others may exit. The task needs these
 * exits too, but the trace has no wait for them. So each such exit makes an arrival. */
static int find_siblings(struct whatif *x, reacheds *v)
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
		    VEC_PUSH(v,
			     (struct reached){
				     parent,
				     { .ts_ns = c.woke_ns, .left_ns = exit_ns, .from = i, .waited = true } }))
			return -ENOMEM;
	}
	return 0;
}

/* Nearly all arrivals are in order. So the function sorts only the others, and merges both
 * lists. */
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

/* Returns true if the edge makes an arrival. A wake-up makes none, because the replay of the ended
 * wait includes the wake-up. */
static bool arrives(const struct whatif *x, const struct edge *e)
{
	const struct ct_rec *event = &x->g->w->events[e->event].r;

	return orders(e->kind) && event->kind != CT_WAKE && event->ts >= x->from_ns && event->ts < x->to_ns;
}

static struct arrival arrival_of(const struct whatif *x, const struct edge *e)
{
	const struct ct_rec *event = &x->g->w->events[e->event].r, *cause = &x->g->w->events[e->cause].r;

	return (struct arrival){
		.ts_ns = event->ts, .left_ns = MIN(cause->ts, event->ts), .obj = event->obj, .from = e->from
	};
}

static int place_arrivals(struct whatif *x, const struct causal_links *links, const reacheds *siblings)
{
	size_t *first = x->arrivals_of;

	for (size_t i = 0; i < links->n; i++)
		first[links->v[i].to + 2] += arrives(x, &links->v[i]);
	for (size_t i = 0; i < siblings->n; i++)
		first[siblings->v[i].task + 2]++;
	for (size_t t = 1; t <= x->g->n_tasks; t++)
		first[t + 1] += first[t];
	x->arrivals = malloc((first[x->g->n_tasks + 1] + 1) * sizeof(*x->arrivals));
	if (!x->arrivals)
		return -ENOMEM;
	/* During these loops, first[t + 1] is the next free place of task t. After them,
	 * first[t + 1] is the first place of task t + 1. */
	for (size_t i = 0; i < links->n; i++)
		if (arrives(x, &links->v[i]))
			x->arrivals[first[links->v[i].to + 1]++] = arrival_of(x, &links->v[i]);
	for (size_t i = 0; i < siblings->n; i++)
		x->arrivals[first[siblings->v[i].task + 1]++] = siblings->v[i].a;
	return 0;
}

static int find_arrivals(struct whatif *x, const struct causal_links *links)
{
	static const struct causal_links none;
	reacheds siblings = { 0 };
	int r = find_siblings(x, &siblings);

	if (!r)
		r = place_arrivals(x, links ? links : &none, &siblings);
	VEC_FREE(&siblings);
	for (size_t t = 0; t < x->g->n_tasks && !r; t++)
		r = sort_arrivals(x->arrivals + x->arrivals_of[t], x->arrivals_of[t + 1] - x->arrivals_of[t]);
	return r;
}

int whatif_new(const struct graph *g, const struct causal_links *links, uint32_t task, uint64_t from_ns,
	       uint64_t to_ns, struct whatif **ret)
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
	if (!x->cause_of || !x->arrivals_of || !x->causes || find_arrivals(x, links)) {
		whatif_free(x);
		return -ENOMEM;
	}
	*ret = x;
	return 0;
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
	free(x);
}
