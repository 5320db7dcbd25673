/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - divides the time of one request into parts, across processes.
 *
 * - While child requests (graph/causal/requests.h) are under way, the time belongs to the child
 *   that is answered last. But while the sender of this child runs for the parent request, the time
 *   belongs to the sender.
 * - While the serving task works for another request, the request is queued (PART_QUEUED).
 * - In a runtime such as Go or tokio, the threads share all requests. So the time is PART_SHARED,
 *   not PART_QUEUED, if another task received the request and some thread of the process is free.
 * - After the answer, the time belongs to the client. While the client is blocked, the answer is on
 *   its way (PART_DELIVERY).
 * - Time at another host is one part (PART_OUTSIDE).
 * - All other time belongs to the serving task. path_walk() says for what this task waited.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_PARTS_H
#define CTRACE_ANALYSIS_REQUESTS_PARTS_H

#include "graph/causal/requests.h"
#include "lib/vec.h"

enum part_kind {
	/* The task worked for the request, or had not begun yet. After the answer: the client was
	 * not blocked. */
	PART_WORK,
	PART_QUEUED,
	PART_SHARED, /* a thread of the process works for the request; it is not known which */
	PART_DELIVERY,
	PART_OUTSIDE,
};

struct part {
	uint64_t from_ns, to_ns;
	uint32_t request; /* the request, or a child request at any depth */
	uint32_t task;
	uint32_t behind; /* PART_QUEUED: the request for which the task worked */
	uint8_t kind;
};
typedef VEC(struct part) part_list;

struct parts {
	const struct graph *g;
	const struct requests *r;
	uint32_t *children; /* requests with a parent, sorted by (parent, begin) */
	uint32_t *first;    /* [request]: begin of its children; the next entry is the end */
	uint32_t *works;    /* [task]: begin of its entries in r->works; the next one is the end */
};

/* r must outlive p. Returns 0 or -ENOMEM. The caller calls parts_done() in both cases. */
int parts_init(struct parts *p, const struct graph *g, const struct requests *r);
void parts_done(struct parts *p);
/* Appends the parts of an answered request, in order of time. The parts add up to its time.
 * Returns 0 or -ENOMEM. */
int parts_of(const struct parts *p, uint32_t request, part_list *ret);

#endif
