/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origin.h - finds what a task is working on: the request, message, signal or timer that ended its last wait
 * between two works, or else its start. Pure; any thread. */
#ifndef CTRACE_GRAPH_PATH_ORIGIN_H
#define CTRACE_GRAPH_PATH_ORIGIN_H

#include "graph/timeline/graph.h"

enum origin_kind {
	ORIGIN_UNKNOWN,
	ORIGIN_REQUEST, /* on an accepted connection */
	ORIGIN_MESSAGE,
	ORIGIN_INPUT, /* through a pipe */
	ORIGIN_JOB,   /* another process woke the task, for example by a semaphore */
	ORIGIN_SIGNAL,
	ORIGIN_END, /* a child of the task, or another process, has ended */
	ORIGIN_START,
	ORIGIN_TIMER,
	ORIGIN_KINDS,
};
/* Returns "unknown", "request", "message", ... */
const char *origin_kind_name(enum origin_kind kind);

struct origin {
	enum origin_kind kind;
	uint32_t task; /* who gave the work; GRAPH_NONE for ORIGIN_TIMER and ORIGIN_UNKNOWN */
	uint64_t ns;   /* when the work began */
};

/* Finds the origin of what the task does at the time ns. Goes back from a thread to another thread of the
 * process that gave it the work, up to ORIGIN_HOPS times. Finds only what records show: otherwise the kind is
 * ORIGIN_UNKNOWN. */
struct origin origin_find(const struct graph *g, uint32_t task, uint64_t ns);

#endif
