/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.h - the structures for the parts of a request. parts.h fills them. */
#ifndef CTRACE_ANALYSIS_REQUESTS_PART_H
#define CTRACE_ANALYSIS_REQUESTS_PART_H

#include "analysis/requests/lock.h"
#include "graph/causal/requests.h"
#include "lib/vec.h"

enum part_kind {
	/* Until the answer is sent: the time of the task that serves the request, also before this task
	 * receives the request. After the answer is sent: the time of the client, while the client is
	 * not blocked. */
	PART_WORK,
	PART_QUEUED,
	PART_SHARED,     /* some thread of the process works for the request; it is not known which */
	PART_CONNECTION, /* another request used the connection that this request needed */
	PART_TIMER,      /* the task idled until a timer */
	PART_INSIDE,     /* the task idled; it is not known for what */
	PART_LOCK,       /* the goroutine of the request waited for a lock that another goroutine had */
	PART_DELIVERY,
	PART_OUTSIDE,
};

struct part {
	uint64_t from_ns, to_ns;
	uint32_t request; /* the request, or a child request at any depth */
	uint32_t task;
	/* PART_QUEUED: the request for which the task worked. PART_CONNECTION: the request on the
	 * connection. PART_LOCK: the index in locks.releases of the release by the owner. */
	uint32_t behind;
	uint8_t kind;
};
typedef VEC(struct part) part_list;

struct parts {
	const struct graph *g;
	const struct requests *r;
	uint32_t *children; /* requests with a parent, sorted by (parent, begin) */
	uint32_t *first;    /* [request]: begin of its children; the next entry is the end */
	uint32_t *by_sock;  /* requests, sorted by (sock, begin) */
	uint32_t *before;   /* [request]: the request before it on its connection, or GRAPH_NONE */
	uint32_t *works;    /* [task]: begin of its entries in r->works; the next one is the end */
	struct locks locks; /* empty before locks_find() */
};

#endif
