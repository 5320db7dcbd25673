/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.h - limits how long the look-ups in one graph may take, all together.
 *
 * Some questions ("who holds this lock?") are answered by a walk along all
 * records of one object or task.  A trace may have as many of these as it likes,
 * and as many waits that ask, so that the time is the square of its size, or
 * worse.  Every step of such a walk is paid from one budget of the graph, which
 * is in proportion to the size of the window.  When nothing is left, a list ends
 * where it begins: what was looked for is not found.  graph_scans_refused() says
 * how often that happened.  What real traces need is a hundredth of the budget.
 *
 * Several threads may ask one graph: the count is then not exact, which does not
 * matter.
 */
#ifndef CTRACE_GRAPH_TIMELINE_SCAN_H
#define CTRACE_GRAPH_TIMELINE_SCAN_H

#include "graph/thresholds.h"
#include "graph/timeline/graph.h"

struct graph_scans {
	uint64_t left;
	uint64_t refused;
};

/* Pays for one step of a walk; false: the walk ends here. */
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

#endif
