/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompted.h - private to analysis/: a task that polls may wait for a process that it told to do something.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_PROMPTED_H
#define CTRACE_ANALYSIS_DIAGNOSE_PROMPTED_H

#include "graph/timeline/graph.h"

/* When a task that sleeps again and again, itself or in a child, and does hardly anything in between, began
 * to do so. from_ns: a moment in this row of sleeps, or shortly before. */
uint64_t prompted_since(const struct graph *g, uint32_t task, uint64_t from_ns);
/* The main thread of the process to which the task sent a signal, or wrote through a pipe, in [from_ns,
 * to_ns], and which is alive at alive_ns. (A command that stops a service does this, and then looks until the
 * service has stopped.) *ret_edge: EDGE_SIGNAL or EDGE_PIPE. GRAPH_NONE: no such process, or several. */
uint32_t prompted_task(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		       uint64_t alive_ns, enum edge_kind *ret_edge);
/* Whether the task waits for its next order at ts_ns. */
bool prompted_idles(const struct graph *g, uint32_t task, uint64_t ts_ns);

#endif
