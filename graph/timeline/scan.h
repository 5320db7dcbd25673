/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.h - limits the time that all look-ups in one graph may take together.
 *
 * A question such as "which task owns this lock?" is a walk along all records of one object or
 * task. A hostile trace has many such records, and many waits that need the answer. So the time
 * would grow with the square of the trace's size. So each step of a walk is paid from a budget of
 * the graph. The budget grows with the size of the window. When the budget is spent, each walk ends
 * at its next step, and finds nothing more. graph_scans_refused() says how often that happened.
 * Real traces need about a hundredth of the budget.
 *
 * Several threads may ask one graph. If the threads share the budget of the graph, the count of
 * steps is not exact. Once this budget is spent, an answer may depend on the speed of the threads.
 * A thread that asks through a view of its own (scan_view()) has a budget of its own.
 */
#ifndef CTRACE_GRAPH_TIMELINE_SCAN_H
#define CTRACE_GRAPH_TIMELINE_SCAN_H

#include "graph/thresholds.h"
#include "graph/timeline/graph.h"

struct graph_scans {
	uint64_t left;    /* steps that are left in the budget */
	uint64_t refused; /* how often a walk ended early */
};

/* Pays for one step of a walk. Returns false if the budget is spent; then the walk ends. */
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

/* Returns how many steps are left in the budget of the graph. */
static inline uint64_t scan_left(const struct graph *g)
{
	return __atomic_load_n(&g->scans->left, __ATOMIC_RELAXED);
}

/* Returns a view of g that pays from *own. The caller has filled *own. The view is valid as long
 * as g and *own are. */
static inline struct graph scan_view(const struct graph *g, struct graph_scans *own)
{
	struct graph view = *g;

	view.scans = own;
	return view;
}

/* Pays from the budget of the graph for walks that took place in a view. steps: the sum of the
 * steps of these walks. refused: the number of these walks that ended early. Only one thread at a
 * time may call this function. */
static inline void scan_pay(const struct graph *g, uint64_t steps, uint64_t refused)
{
	uint64_t left = scan_left(g);

	__atomic_store_n(&g->scans->left, steps < left ? left - steps : 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&g->scans->refused, refused, __ATOMIC_RELAXED);
}

#endif
