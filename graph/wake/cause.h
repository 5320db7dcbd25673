/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cause.h - private to graph/: finds what one wake-up shows: the task that made it, the kind of
 * edge from this task to the wakee, and the strength of the edge. Pure; any thread.
 *
 * blame_wait() and the causal graph both begin with this result. blame_wait() then looks for
 * signals and for bytes that a softirq delivered. The causal graph learns of signals and bytes
 * later, from their own records.
 */
#ifndef CTRACE_GRAPH_WAKE_CAUSE_H
#define CTRACE_GRAPH_WAKE_CAUSE_H

#include "graph/timeline/graph.h"

struct wake_cause {
	uint32_t task;    /* the task that made the wake-up; GRAPH_NONE: no task, or not known */
	uint64_t closed;  /* the wakee's socket whose connection the task has ended; 0: none */
	uint8_t edge;     /* enum edge_kind */
	uint8_t strength; /* enum edge_strength */
	bool below;       /* a softirq made the wake-up, and a system call of `task` caused it:
			     the softirq ran on top of this call */
};

/* Fills *ret for the record `wake`, which ended the BLOCKED interval s. spoke is the socket that
 * the waker used last before the wake-up, or 0 if it used none. With CAUSE_LOOK, wake_cause()
 * looks for this socket itself, if it needs the socket. */
#define CAUSE_LOOK UINT64_MAX
void wake_cause(const struct graph *g, const struct interval *s, const struct window_event *wake,
		uint64_t spoke, struct wake_cause *ret);

/* Returns true if the event loop that waits in s may wait for another host: the polled set has a
 * connection to another host, or no TCP or UDP connection of the set is known. */
bool wake_polls_far(const struct graph *g, const struct interval *s);

#endif
