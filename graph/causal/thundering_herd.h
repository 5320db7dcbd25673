/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CTRACE_GRAPH_CAUSAL_THUNDERING_HERD_H
#define CTRACE_GRAPH_CAUSAL_THUNDERING_HERD_H

#include "graph/causal/pass.h"

/* One connection may wake several processes. The edges to the processes that do not accept the
 * connection become weak, and get EDGE_FALSE_WAKE. Called when the pass has made all edges. */
void thundering_herd_find(struct pass *p);

#endif
