/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CTRACE_GRAPH_CAUSAL_THUNDERING_HERD_H
#define CTRACE_GRAPH_CAUSAL_THUNDERING_HERD_H

#include "graph/causal/pass.h"

/* If one connection woke several processes, one of them accepts the connection. Marks the edges to
 * the other processes as false wakes, and makes these edges weak. Called when the pass has made all
 * edges. */
void thundering_herd_find(struct pass *p);

#endif
