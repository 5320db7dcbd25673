/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakeless_edges.h - private to graph/: makes the edges that do not come from wake-ups. Errors
 * go to p->err. */
#ifndef CTRACE_GRAPH_CAUSAL_WAKELESS_EDGES_H
#define CTRACE_GRAPH_CAUSAL_WAKELESS_EDGES_H

#include "graph/causal/pass.h"

void wakeless_edges_event(struct pass *p, uint32_t event);

#endif
