/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wake_edges.h - private to graph/: makes the edges of wake-ups. */
#ifndef CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H
#define CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H

#include "graph/causal/pass.h"

/* `event` is the index of a record in the window: a CT_WAKE for wake_edges_wake(), a CT_SWITCH for
 * wake_edges_switch(). Errors go to p->err. */
void wake_edges_wake(struct pass *p, uint32_t event);
void wake_edges_switch(struct pass *p, uint32_t event);
/* Called when `task` received a message from `from` on sock. Drops a held-back edge of `task` that
 * the message explains. */
void wake_edges_explained(struct pass *p, uint32_t task, uint64_t sock, uint32_t from);
/* If the edge of `task` is held back for a message on sock, adds this edge. Returns the index of
 * the edge, or GRAPH_NONE. */
uint32_t wake_edges_adopt(struct pass *p, uint32_t task, uint64_t sock);
/* Called when no later message can explain the last wake-up of `task`. Adds the held-back edge of
 * `task`, if there is one. */
void wake_edges_settle(struct pass *p, uint32_t task);
/* Returns true if the signal in the record `event` made the last wake-up of `task`. Then the signal
 * becomes the cause in the edge of this wake-up. An edge of another kind than EDGE_EXIT becomes an
 * EDGE_SIGNAL. */
bool wake_edges_by_signal(struct pass *p, uint32_t task, uint32_t sender, uint32_t event);

#endif
