/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crowd.h - private to analysis/: finds the process that has most connections of a server. A server that has
 * as many connections as it may have accepts no further one. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_CONTENTION_CROWD_H
#define CTRACE_ANALYSIS_CONTENTION_CROWD_H

#include "graph/timeline/graph.h"

struct crowd {
	uint32_t task;   /* the main thread of the process; GRAPH_NONE: there is no such process */
	uint32_t n, all; /* its connections, and those of all processes whose descriptors are known */
};

/* sock: the client's end of a stream connection that `server` has not accepted: see pool_is_unaccepted(). The
 * process of ret->task has more than half of the connections to the address of sock, as the last descriptor
 * tables before ts_ns show, and at least CROWD_MIN. It is neither the process of `server` nor a process that
 * has sock. Returns 0 or -ENOMEM. */
int crowd_find(const struct graph *g, uint64_t sock, uint32_t server, uint64_t ts_ns, struct crowd *ret);

#endif
