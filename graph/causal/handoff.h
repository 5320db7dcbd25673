/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CTRACE_GRAPH_CAUSAL_HANDOFF_H
#define CTRACE_GRAPH_CAUSAL_HANDOFF_H

#include "graph/causal/pass.h"

/* Called for each CT_VISIT of a pass with edges: notes the futex if the stack is that of a wait for a lock. */
void handoff_visit(struct pass *p, uint32_t event);
/* Finds the posts (EDGE_POST) that hand on a lock, and turns their edges into weak EDGE_LOCK edges.
 * Called when the pass has made all edges. Returns 0 or -ENOMEM. */
int handoff_find(struct pass *p);

#endif
