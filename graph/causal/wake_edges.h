/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wake_edges.h - private to graph/: makes the edges of wake-ups. */
#ifndef CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H
#define CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H

#include "graph/causal/pass.h"

/* wake_edges_wake() processes one CT_WAKE, wake_edges_switch() one CT_SWITCH. `event` is the
 * index of the record in the window. Errors go to p->err. */
void wake_edges_wake(struct pass *p, uint32_t event);
void wake_edges_switch(struct pass *p, uint32_t event);
/* `task` has received a message from the task `from` on sock. The edge of the last wake-up of
 * `task` may be held back. If the message explains this wake-up, drops the edge. */
void wake_edges_explained(struct pass *p, uint32_t task, uint64_t sock, uint32_t from);
/* If the edge of the last wake-up of `task` is held back, and a message on sock may explain this
 * wake-up, adds the edge and returns its index. Otherwise returns GRAPH_NONE. */
uint32_t wake_edges_adopt(struct pass *p, uint32_t task, uint64_t sock);
/* If the edge of the last wake-up of `task` is still held back, adds the edge: no message has
 * explained the wake-up. */
void wake_edges_settle(struct pass *p, uint32_t task);
/* `sender` is the task that sent the signal of the record `event`. If this signal made the last
 * wake-up of `task`, turns the edge of the wake-up into an edge of the signal and returns true.
 * Returns false if something else made the wake-up. */
bool wake_edges_by_signal(struct pass *p, uint32_t task, uint32_t sender, uint32_t event);

#endif
