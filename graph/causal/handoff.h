/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handoff.h - private to graph/: locks that are known by their use. */
#ifndef CTRACE_GRAPH_CAUSAL_HANDOFF_H
#define CTRACE_GRAPH_CAUSAL_HANDOFF_H

#include "graph/causal/pass.h"

/* Posts on a futex that is a lock become EDGE_LOCK.  Called when all edges are there.  0 or -ENOMEM. */
int handoff_find(struct pass *p);

#endif
