/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cause.h - private to graph/: finds the task that made one wake-up, and the kind and strength of
 * the edge to the wakee. Pure; any thread. wake_cause() does not look for signals. If a softirq
 * delivered bytes, wake_cause() does not look for a sender that was off the CPU. blame_wait() looks
 * for signals and for such senders.
 */
#ifndef CTRACE_GRAPH_WAKE_CAUSE_H
#define CTRACE_GRAPH_WAKE_CAUSE_H

#include "graph/timeline/graph.h"

struct wake_cause {
	uint32_t task;   /* the task that made the wake-up; GRAPH_NONE: no task, or not known */
	uint64_t closed; /* if `task` has ended a connection of the wakee: the wakee's socket; else 0 */
	uint8_t edge;
	uint8_t strength;
	bool below; /* a softirq made the wake-up, while `task` was on the CPU */
};

/* `wake` ended the BLOCKED interval s. spoke: the socket that the waker used last, or 0.
 * CAUSE_LOOK: wake_cause() looks for this socket. */
#define CAUSE_LOOK UINT64_MAX
void wake_cause(const struct graph *g, const struct interval *s, const struct window_event *wake,
		uint64_t spoke, struct wake_cause *ret);

/* Returns the record of a signal that the waker sent to the task of s, and that made the wake-up, or NULL.
 * child: SIGCHLD counts too. */
const struct window_event *wake_signal(const struct graph *g, const struct interval *s,
				       const struct window_event *wake, bool child);

/* The exit of `task` ended the wait for its process. The last thread of a process to exit may have had no
 * part in its work. Returns the first of these threads that is known:
 * - the thread that called exit_group(), if records show that this call ended a wait of any thread
 * - the thread that sent the process a fatal signal itself, or that made the kernel send it
 * - the main thread, if a fatal signal came from outside
 * - `task` */
uint32_t wake_ender(const struct graph *g, uint32_t task);
/* s is a poll. Returns true if one of the polled descriptors is a connection to another host, or if
 * none of them is known to be a TCP or UDP connection. */
bool wake_polls_far(const struct graph *g, const struct interval *s);

#endif
