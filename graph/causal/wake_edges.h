/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wake_edges.h - private to graph/: the edges of wake-ups. */
#ifndef CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H
#define CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H

#include "graph/causal/pass.h"

/* CT_WAKE and CT_SWITCH. */
void wake_edges_wake(struct pass *p, uint32_t event);
void wake_edges_switch(struct pass *p, uint32_t event);
/* Task received a message of task from on sock: it may explain the wake-up. */
void wake_edges_explained(struct pass *p, uint32_t task, uint64_t sock, uint32_t from);
/* The index of the edge of task's wake-up, if a message on sock may explain it; else GRAPH_NONE. */
uint32_t wake_edges_adopt(struct pass *p, uint32_t task, uint64_t sock);
/* No message explained the wake-up of task: adds the edge of the wake-up itself. */
void wake_edges_settle(struct pass *p, uint32_t task);
/* The signal at event made the last wake-up of task: its edge becomes that of the signal.  False: it did
 * not. */
bool wake_edges_by_signal(struct pass *p, uint32_t task, uint32_t sender, uint32_t event);

#endif
