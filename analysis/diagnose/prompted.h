/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompted.h - private to analysis/: finds the process to which a polling task gave an order, and
 * for which it may wait. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_PROMPTED_H
#define CTRACE_ANALYSIS_DIAGNOSE_PROMPTED_H

#include "graph/timeline/graph.h"

/* Returns the begin of a row of sleeps and waits for children, with hardly any work in between.
 * from_ns: a moment in the row, or before it. Returns from_ns if no row follows. */
uint64_t prompted_since(const struct graph *g, uint32_t task, uint64_t from_ns);
/* Returns the main thread of the process to which the task sent a signal, or wrote through a pipe.
 * Example: a command stops a service, and then polls. Returns GRAPH_NONE if there are several such
 * processes or none, or if the main thread ended before alive_ns. */
uint32_t prompted_task(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		       uint64_t alive_ns, enum edge_kind *ret_edge);
/* Returns true if the task waits for its next order. */
bool prompted_idles(const struct graph *g, uint32_t task, uint64_t ts_ns);

#endif
