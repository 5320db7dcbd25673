// SPDX-License-Identifier: GPL-2.0-or-later
/* received.c - finds the request that a task received last. The first call makes a table of the receives on
 * accepted sockets, in one walk along all receives. */
#include "graph/timeline/received.h"

#include <stdlib.h>

#include "graph/timeline/scan.h"
#include "lib/bisect.h"

/* A receive of the task `tid` on the accepted end of a connection */
struct receive {
	uint32_t tid, event;
};

struct received {
	size_t n;
	struct receive v[]; /* sorted by (tid, event) */
};

static int receive_cmp(const void *a, const void *b)
{
	const struct receive *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Any diagnosis may ask first, so the table has its own budget of steps (scan.h). */
static struct received *received_new(const struct graph *g)
{
	const struct graph_index *ix = &g->recvs;
	struct graph_scans own = { .left = GRAPH_SCAN_STEPS + GRAPH_SCAN_STEPS_EACH * (uint64_t)ix->n };
	struct graph view = scan_view(g, &own);
	struct received *k = malloc(sizeof(*k) + ix->n * sizeof(*k->v));

	if (!k)
		return NULL;
	k->n = 0;
	for (size_t i = 0; i < ix->n_keys; i++) {
		if (!graph_is_accepted(&view, ix->keys[i]))
			continue;
		for (uint32_t at = ix->first[i]; at < ix->first[i + 1]; at++)
			k->v[k->n++] =
				(struct receive){ g->w->events[ix->v[at].event].r.tid, ix->v[at].event };
	}
	qsort(k->v, k->n, sizeof(*k->v), receive_cmp);
	__atomic_fetch_add(&g->scans->refused, own.refused, __ATOMIC_RELAXED);
	return k;
}

/* If several threads make the table at once, the first table stays. */
static const struct received *received_of(const struct graph *g)
{
	struct received *k = __atomic_load_n(g->received, __ATOMIC_ACQUIRE), *first = NULL;

	if (!k) {
		k = received_new(g);
		if (k && !__atomic_compare_exchange_n(g->received, &first, k, false, __ATOMIC_ACQ_REL,
						      __ATOMIC_ACQUIRE)) {
			free(k);
			k = first;
		}
	}
	if (!k)
		__atomic_fetch_add(&g->scans->refused, 1, __ATOMIC_RELAXED);
	return k;
}

const struct window_event *received_request(const struct graph *g, uint32_t task, uint32_t before)
{
	const struct received *k = received_of(g);
	const struct window_event *e = g->w->events;
	uint32_t tid = g->tasks[task].tid;
	size_t i =
		k ? BISECT(x, 0, k->n, k->v[x].tid > tid || (k->v[x].tid == tid && k->v[x].event >= before))
		  : 0;

	for (; i-- > 0 && k->v[i].tid == tid && scan_step(g);) {
		const struct window_event *got = &e[k->v[i].event];
		const struct graph_ref *last = graph_ref_before(g, &g->recvs, got->r.obj, e[before].r.ts);

		if (last && last->event == k->v[i].event)
			return got;
	}
	return NULL;
}
