/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - divides the time of one request into parts, across processes.
 *
 * - While child requests (graph/causal/requests.h) are under way, the time belongs to the child
 *   request that is answered last. Exception: the task that sent the child request still runs for
 *   the request.
 * - While the task that has to serve the request works for another request, the request is queued.
 * - All other time is that of the task that serves the request. path_walk() (graph/path/path.h)
 *   says for what this task waited.
 *
 * So requests that one event loop serves at the same time are kept apart.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_PARTS_H
#define CTRACE_ANALYSIS_REQUESTS_PARTS_H

#include "graph/causal/requests.h"
#include "lib/vec.h"

enum part_kind {
	PART_WORK,     /* the task worked for the request, or had to begin this work; the critical
			  path of the task says more */
	PART_QUEUED,   /* the task worked for another request */
	PART_DELIVERY, /* the answer was sent, and the client waited for it */
	PART_OUTSIDE,  /* a service on another host had the request */
};

struct part {
	uint64_t from_ns, to_ns;
	uint32_t request; /* the request, or the child request in which this time lies */
	uint32_t task;    /* GRAPH_NONE: not known, or on another host */
	uint32_t behind;  /* PART_QUEUED: the request for which the task worked; else GRAPH_NONE */
	uint8_t kind;     /* enum part_kind */
};
typedef VEC(struct part) part_list;

/* The requests of a window, with the tables that parts_of() needs. */
struct parts {
	const struct graph *g;
	const struct requests *r;
	uint32_t *children; /* indices of requests that have a parent, sorted by (parent, begin) */
	uint32_t *first;    /* [request]: where its children begin; first[request + 1] is the end */
	uint32_t *works;    /* [task]: where its entries of r->works begin; works[task + 1] is the end */
};

/* Fills *p. Returns 0 or -ENOMEM. The caller calls parts_done() in both cases. r must live as long
 * as p. */
int parts_init(struct parts *p, const struct graph *g, const struct requests *r);
void parts_done(struct parts *p);
/* Appends the parts of an answered request, in order of time. They add up to the time of the
 * request. Returns 0 or -ENOMEM. */
int parts_of(const struct parts *p, uint32_t request, part_list *ret);

#endif
