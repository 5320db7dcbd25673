/* SPDX-License-Identifier: GPL-2.0-or-later */
/* received.h - private to graph/: finds the request of a client that a task received last. Pure; any thread.
 */
#ifndef CTRACE_GRAPH_TIMELINE_RECEIVED_H
#define CTRACE_GRAPH_TIMELINE_RECEIVED_H

#include "graph/timeline/graph.h"

/* Returns the task's last receive of a request before the record `before`: a receive on the accepted end of a
 * connection, on which nothing was received since. Returns NULL if there is none. */
const struct window_event *received_request(const struct graph *g, uint32_t task, uint32_t before);

#endif
