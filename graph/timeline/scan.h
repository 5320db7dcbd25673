/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.h - limits the time of all look-ups in one graph. A look-up walks along the records of one
 * object. In a hostile trace, an object may have very many records, and the look-ups for many waits
 * may walk along them. So each step of a walk takes one step from a budget, which grows with the
 * window. Once the budget is spent, walks end early and find nothing more. If several threads share
 * one budget, the count is not exact. scan_view() makes a copy of a graph, with its own budget.
 */
#ifndef CTRACE_GRAPH_TIMELINE_SCAN_H
#define CTRACE_GRAPH_TIMELINE_SCAN_H

#include "graph/thresholds.h"
#include "graph/timeline/graph.h"

struct graph_scans {
	uint64_t left;
	uint64_t refused;
};

/* Returns false if the budget is spent. Then the walk ends. */
static inline bool scan_step(const struct graph *g)
{
	uint64_t left = __atomic_load_n(&g->scans->left, __ATOMIC_RELAXED);

	if (!left) {
		__atomic_fetch_add(&g->scans->refused, 1, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_store_n(&g->scans->left, left - 1, __ATOMIC_RELAXED);
	return true;
}

static inline uint64_t scan_left(const struct graph *g)
{
	return __atomic_load_n(&g->scans->left, __ATOMIC_RELAXED);
}

/* Returns a view: a copy of g whose walks use the budget *own. The view is valid as long as g and
 * *own are. */
static inline struct graph scan_view(const struct graph *g, struct graph_scans *own)
{
	struct graph view = *g;

	view.scans = own;
	return view;
}

/* Look-ups in a view of g (scan_view()) take their steps from another budget than that of g. Called after
 * such look-ups, so that they count for g too. Takes `steps`, the number of their steps, from the budget
 * of g. Adds `refused`, the number of walks that ended early, to the count of g. Only one thread at a
 * time may call this function. */
static inline void scan_pay(const struct graph *g, uint64_t steps, uint64_t refused)
{
	uint64_t left = scan_left(g);

	__atomic_store_n(&g->scans->left, steps < left ? left - steps : 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&g->scans->refused, refused, __ATOMIC_RELAXED);
}

#endif
