/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wake_edges.h - private to graph/: makes the edges of wake-ups. */
#ifndef CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H
#define CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H

#include "graph/causal/pass.h"

/* `event` is the index of a CT_WAKE or a CT_SWITCH record. Errors go to p->err. */
void wake_edges_wake(struct pass *p, uint32_t event);
void wake_edges_switch(struct pass *p, uint32_t event);
/* Called when `task` got a message from `from` on sock. Drops a held-back edge (wake_edges.c) that
 * the message explains. */
void wake_edges_explained(struct pass *p, uint32_t task, uint64_t sock, uint32_t from);
/* If the edge of the last wake-up of `task` is held back (wake_edges.c) for a message on sock, adds this
 * edge to p->edges. Returns its index there, if p->edges keeps it. Otherwise returns GRAPH_NONE. */
uint32_t wake_edges_adopt(struct pass *p, uint32_t task, uint64_t sock);
/* Called when no later message can explain the last wake-up of `task`. Adds its held-back edge. */
void wake_edges_settle(struct pass *p, uint32_t task);
/* Returns true if the signal in the record `event` made the last wake-up of `task`. Then the edge
 * of this wake-up gets the signal as its cause, and becomes an EDGE_SIGNAL unless it is an
 * EDGE_EXIT. */
bool wake_edges_by_signal(struct pass *p, uint32_t task, uint32_t sender, uint32_t event);

#endif
