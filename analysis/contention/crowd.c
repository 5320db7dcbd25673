// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/contention/crowd.h"

#include <stdlib.h>

#include "analysis/contention/pool.h"
#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/timeline/tables.h"
#include "lib/vec.h"

typedef VEC(uint32_t) tgids;

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns true if t->v[from] or a later item is tgid. */
static bool has(const tgids *t, size_t from, uint32_t tgid)
{
	for (size_t i = from; i < t->n; i++)
		if (t->v[i] == tgid)
			return true;
	return false;
}

/* Adds each process whose last table before ts_ns has the socket. */
static int add_owners(const struct graph *g, uint64_t sock, uint64_t ts_ns, tgids *ret)
{
	size_t n, first = ret->n;
	const struct graph_ref *r = graph_refs(&g->fds, sock, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < ts_ns && scan_step(g); i++) {
		uint32_t tgid = g->w->events[r[i].event].r.tid;

		if (!has(ret, first, tgid) && table_last_has(g, tgid, sock, 0, ts_ns) >= TABLE_HAS &&
		    VEC_PUSH(ret, tgid))
			return -ENOMEM;
	}
	return 0;
}

int crowd_find(const struct graph *g, uint64_t sock, uint32_t server, uint64_t ts_ns, struct crowd *ret)
{
	tgids own = { 0 }, all = { 0 };
	uint32_t best = 0;
	int r = add_owners(g, sock, ts_ns, &own);

	*ret = (struct crowd){ .task = GRAPH_NONE };
	for (size_t i = 0; i < g->w->n_objects && !r; i++) {
		uint64_t other = g->w->objects[i].id;

		if (other != sock && pool_same_server(g, sock, other))
			r = add_owners(g, other, ts_ns, &all);
	}
	VEC_SORT(&all, compare);
	for (size_t i = 0, n; i < all.n && !r; i += n) {
		n = 1;
		while (i + n < all.n && all.v[i + n] == all.v[i])
			n++;
		if (n > ret->n) {
			ret->n = (uint32_t)n;
			best = all.v[i];
		}
	}
	ret->all = (uint32_t)all.n;
	if (ret->n >= CROWD_MIN && ret->n > ret->all / 2 && best != g->tasks[server].tgid &&
	    !has(&own, 0, best) && scan_left(g))
		ret->task = graph_task_at(g, best, ts_ns - 1);
	VEC_FREE(&own);
	VEC_FREE(&all);
	return r;
}
