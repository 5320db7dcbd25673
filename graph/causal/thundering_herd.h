/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thundering_herd.h - private to graph/: wake-ups by one connection that woke several processes. */
#ifndef CTRACE_GRAPH_CAUSAL_THUNDERING_HERD_H
#define CTRACE_GRAPH_CAUSAL_THUNDERING_HERD_H

#include "graph/causal/pass.h"

/* One connection woke several processes.  The edges to all but the one that accepts it become false wakes. */
void thundering_herd_find(struct pass *p);

#endif
