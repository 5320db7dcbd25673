/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompted.h - private to analysis/: finds the process for which a polling task may wait, because
 * the task has told this process to do something. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_PROMPTED_H
#define CTRACE_ANALYSIS_DIAGNOSE_PROMPTED_H

#include "graph/timeline/graph.h"

/* A task sleeps again and again, itself or in a child, and does hardly anything in between. Returns
 * the begin of this row of sleeps; from_ns if the task has no sleep after from_ns. from_ns: a
 * moment in the row, or before it. */
uint64_t prompted_since(const struct graph *g, uint32_t task, uint64_t from_ns);
/* Finds the process to which the task sent a signal, or wrote through a pipe, in [from_ns, to_ns].
 * (A command that stops a service does this, and then looks again and again until the service has
 * stopped.) Returns the main thread of this process, and sets *ret_edge to EDGE_SIGNAL or
 * EDGE_PIPE. Returns GRAPH_NONE if there is no such process, if there are several, or if the main
 * thread ended before alive_ns. */
uint32_t prompted_task(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		       uint64_t alive_ns, enum edge_kind *ret_edge);
/* Tells whether the task waits for its next order at ts_ns. */
bool prompted_idles(const struct graph *g, uint32_t task, uint64_t ts_ns);

#endif
