// SPDX-License-Identifier: GPL-2.0-or-later
/* whatif.c - finds the arrivals at each task, which the replay needs; makes and frees the replay's data. */
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

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	if (x->left_ns != y->left_ns)
		return x->left_ns < y->left_ns ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Whether edges of this kind say that one event comes after another. Other edges only say that two
 * segments belong together. */
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

/*
 * A task may wait for one child while its other children end, or join one thread while other threads
 * end. Later the task needs these others too, but they have ended by then, so the trace has no wait
 * for them. This function adds an arrival for each of them.
 */
static int find_siblings(struct whatif *x)
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
		    VEC_PUSH(&x->arrivals, (struct arrival){ .ts_ns = c.woke_ns,
							     .left_ns = exit_ns,
							     .task = parent,
							     .from = i,
							     .waited = true }))
			return -ENOMEM;
	}
	return 0;
}

/* Sorts the arrivals. Nearly all are in order, because the edges are sorted. So the function takes out the
 * others, sorts them, and merges both lists. */
static int sort_arrivals(struct whatif *x)
{
	struct arrival *v = x->arrivals.v;
	VEC(struct arrival) late = { 0 };
	size_t a = 0, b, to = x->arrivals.n;
	int r = 0;

	for (size_t i = 0; i < to && !r; i++)
		if (a && arrival_cmp(&v[a - 1], &v[i]) > 0)
			r = VEC_PUSH(&late, v[i]);
		else
			v[a++] = v[i];
	VEC_SORT(&late, arrival_cmp);
	for (b = late.n; b && !r;)
		v[--to] = a && arrival_cmp(&v[a - 1], &late.v[b - 1]) > 0 ? v[--a] : late.v[--b];
	VEC_FREE(&late);
	return r;
}

static int find_arrivals(struct whatif *x, const struct causal *c)
{
	for (size_t i = 0; c && i < c->n_edges; i++) {
		const struct edge *e = &c->edges[i];
		const struct ct_rec *event, *cause;
		struct arrival a;

		if (e->from == GRAPH_NONE || !orders(e->kind))
			continue;
		event = &x->g->w->events[e->event].r;
		cause = &x->g->w->events[e->cause].r;
		a = (struct arrival){ .ts_ns = event->ts,
				      .left_ns = MIN(cause->ts, event->ts),
				      .obj = event->obj,
				      .task = c->segments[e->to].task,
				      .from = c->segments[e->from].task };
		/* a wake-up needs no arrival: the replay of the wait that it ended includes it */
		if (event->kind != CT_WAKE && a.task != a.from && a.ts_ns >= x->from_ns &&
		    a.ts_ns < x->to_ns && VEC_PUSH(&x->arrivals, a))
			return -ENOMEM;
	}
	if (find_siblings(x) || sort_arrivals(x))
		return -ENOMEM;
	for (size_t i = 0; i < x->arrivals.n; i++)
		x->arrivals_of[x->arrivals.v[i].task + 1]++;
	for (size_t i = 0; i < x->g->n_tasks; i++)
		x->arrivals_of[i + 1] += x->arrivals_of[i];
	return 0;
}

int whatif_new(const struct graph *g, const struct causal *causal, uint32_t task, uint64_t from_ns,
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
	x->arrivals_of = calloc(g->n_tasks + 1, sizeof(*x->arrivals_of));
	for (size_t i = 0; i < g->n_intervals; i++)
		n_waits += g->intervals[i].state == INTERVAL_BLOCKED;
	x->causes = malloc((n_waits + 1) * sizeof(*x->causes));
	if (!x->cause_of || !x->arrivals_of || !x->causes || find_arrivals(x, causal)) {
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
	VEC_FREE(&x->arrivals);
	free(x);
}
