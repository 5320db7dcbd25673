/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.h - private to graph/: finds the tasks of which causal_links_find() need not follow the segments.
 *
 * Segments decide about a link (struct causal_link, graph/causal/) only in two cases:
 * - One task receives a request, and another task answers it on the same socket (EDGE_ANSWER).
 * - A task locks a file that another process has unlocked (EDGE_LOCK_ORDER).
 *
 * A process is plain if it has no part in these cases, and if this is also true for all processes with
 * which it exchanges messages, directly or through others. Then the waits of its tasks make no difference
 * to the links of any task: only which bytes they send and receive, and when they begin a wait.
 *
 * If a task gets a signal, its last wake-up decides whether there is a link for the signal.
 */
#ifndef CTRACE_GRAPH_TIMELINE_PLAIN_H
#define CTRACE_GRAPH_TIMELINE_PLAIN_H

#include "graph/timeline/graph.h"

enum plain {
	PLAIN_NOT,
	PLAIN_SIGNALLED, /* the process is plain, but the task gets signals, so its wake-ups count */
	PLAIN_FULLY,
};

/* Returns an array: for each task of g, an enum plain. The caller frees it. NULL: no memory. */
uint8_t *plain_find(const struct graph *g);

#endif
