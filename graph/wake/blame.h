/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blame.h - one wait (off-CPU time): what it was for, and which task it was waiting for.
 *
 * - A task ended the wait: that task is to blame.
 * - An interrupt ended it: the task that sent the bytes, if it is on this host.
 * - Its own time limit, a signal that kills, or the end of the trace ended it: nobody did what the waiter
 *   hoped for.  The owner of the lock, the other end of the connection, or the child is to blame.
 *
 * Pure; any thread.
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
	uint32_t task;     /* the task to blame; GRAPH_NONE: no task of this host */
	uint32_t event;    /* the record that shows it, or GRAPH_NONE */
	uint64_t obj;      /* the object on the waiter's side; of a poll the descriptor that mattered */
	uint64_t until_ns; /* when the task to blame acted; else the end of the wait */
	enum resource_kind kind;
	uint8_t time;     /* enum time_kind */
	uint8_t edge;     /* enum edge_kind */
	uint8_t strength; /* enum edge_strength */
	bool ended;       /* the wait ended as the waiter hoped */
	bool timed_out;   /* its own time limit ended it */
	bool owed;        /* a socket: the waiter asked, and has no answer yet */
	bool killed;      /* a signal ended it that the waiter did not wait for */
};

/* Interval is BLOCKED.  A wait that timed out may be followed through its repeats up to limit_ns. */
void blame_wait(const struct graph *g, uint32_t interval, uint64_t limit_ns, struct blame *ret);

/* The same wait again: b repeats a, in the same call on the same object. */
bool blame_same_wait(const struct interval *a, const struct interval *b);

#endif
