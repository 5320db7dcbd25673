/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wake_edges.h - private to graph/: makes the edges of wake-ups. */
#ifndef CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H
#define CTRACE_GRAPH_CAUSAL_WAKE_EDGES_H

#include "graph/causal/pass.h"

/* Process one CT_WAKE, and one CT_SWITCH. Errors go to p->err. */
void wake_edges_wake(struct pass *p, uint32_t event);
void wake_edges_switch(struct pass *p, uint32_t event);
/* Task has received a message from task `from` on sock. If the message explains the wake-up of
 * task, drops the edge that is held back. */
void wake_edges_explained(struct pass *p, uint32_t task, uint64_t sock, uint32_t from);
/* Adds the edge of task's wake-up that is held back, if a message on sock may explain it, and
 * returns its index. GRAPH_NONE: there is none. */
uint32_t wake_edges_adopt(struct pass *p, uint32_t task, uint64_t sock);
/* Adds the edge of task's wake-up that is held back, if there is one: no message has explained it. */
void wake_edges_settle(struct pass *p, uint32_t task);
/* If the signal at event made the last wake-up of task, turns its edge into that of the signal.
 * False: the signal did not. */
bool wake_edges_by_signal(struct pass *p, uint32_t task, uint32_t sender, uint32_t event);

#endif
