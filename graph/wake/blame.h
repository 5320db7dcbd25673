/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blame.h - one wait: what was it for, and which task was it waiting for?
 *
 * A wait that a task ended is that task's; a wait that an interrupt ended is
 * followed to the sender of the bytes where that is on this host; a wait that a
 * time limit, a signal that kills, or the end of the trace ended has no ender,
 * and the owner, holder, peer or child is looked for instead.
 */
#ifndef CTRACE_GRAPH_WAKE_BLAME_H
#define CTRACE_GRAPH_WAKE_BLAME_H

#include "graph/timeline/graph.h"
#include "trace/words/resource.h"

/* Where time went, as in the JSON contract ("running_ns", ...). */
enum time_kind {
	TIME_RUNNING,
	TIME_RUNNABLE,
	TIME_LOCK,
	TIME_IPC,
	TIME_DISK,
	TIME_NETWORK,
	TIME_TIMER,
	TIME_QUEUE,
	TIME_FAULT,
	TIME_UNKNOWN,
	TIME_KINDS,
};
/* "running", "runnable", ... */
const char *time_kind_name(enum time_kind k);

struct blame {
	uint32_t task;  /* who is responsible; GRAPH_NONE: nobody on this host */
	uint32_t event; /* the record it rests on, or GRAPH_NONE */
	uint64_t obj;   /* what it waited on, on the waiter's side; for polls the descriptor that mattered */
	uint64_t until_ns; /* when the responsible task acted; else the end of the wait */
	enum resource_kind kind;
	uint8_t time;     /* enum time_kind */
	uint8_t edge;     /* enum edge_kind */
	uint8_t strength; /* enum edge_strength */
	bool ended;       /* somebody or something ended it as the waiter hoped */
	bool timed_out;   /* ended by its own time limit */
	bool owed;        /* of a socket: asked, and no answer yet */
	bool killed;      /* ended by a signal it did not wait for */
};

/* Segment interval is BLOCKED. limit_ns: how far ahead a wait that timed out may be followed through its
 * repeats.
 */
void blame_wait(const struct graph *g, uint32_t interval, uint64_t limit_ns, struct blame *ret);

/* True when b repeats a: the same kind of wait on the same object. */
bool blame_same_wait(const struct interval *a, const struct interval *b);

#endif
