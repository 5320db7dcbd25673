/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - divides the time of one request into parts, across processes.
 *
 * - While child requests (graph/causal/requests.h) are under way, the time belongs to the child
 *   that is answered last. But while the sender of this child runs for the parent request, the time
 *   belongs to the sender. So it does if the answer is there, and the sender runs for another request.
 * - While the serving task works for another request, the request is queued (PART_QUEUED).
 * - In a runtime such as Go or tokio, the threads share all requests. If the serving task did not itself
 *   receive the request, and another thread is free, the time is PART_SHARED instead of PART_QUEUED. So it
 *   is if a goroutine has received the request (ct_recv_strand()).
 * - While the serving task idles, the request may wait for a connection that another request uses
 *   (PART_CONNECTION), or for a timer (PART_TIMER). idle.h finds this out.
 * - After the answer, the time belongs to the client. While the client is blocked, the answer is on
 *   its way (PART_DELIVERY).
 * - While the goroutine that received the request waits for a lock, and no child request is under way,
 *   the time is PART_LOCK (locks.h).
 * - Time at another host is one part (PART_OUTSIDE).
 * - All other time belongs to the serving task. path_walk() says for what this task waited.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_PARTS_H
#define CTRACE_ANALYSIS_REQUESTS_PARTS_H

#include "analysis/requests/part.h"

/* r must outlive p. Returns 0 or -ENOMEM. The caller calls parts_done() in both cases. */
int parts_init(struct parts *p, const struct graph *g, const struct requests *r);
void parts_done(struct parts *p);
/* Returns the request for which the task works at ts_ns, or GRAPH_NONE. The request may have an answer. */
uint32_t parts_request_at(const struct parts *p, uint32_t task, uint64_t ts_ns);
/* Returns true if the server has received the request at ts_ns, and has not sent the end of its answer. */
bool parts_is_open(const struct parts *p, uint32_t request, uint64_t ts_ns);
/* Returns the only request on the server's socket that is open at ts_ns. GRAPH_NONE: none, or there are
 * several, or the client has sent `looks` requests that the server has not read. */
uint32_t parts_open_on(const struct parts *p, uint64_t sock, uint64_t ts_ns, size_t looks);
/* Like parts_request_at(), but GRAPH_NONE if the request is not open, if the task did not itself receive it,
 * or if another request that the task received is open too. Looks at the last `looks` ranges of work. */
uint32_t parts_only_open(const struct parts *p, uint32_t task, uint64_t ts_ns, size_t looks);
/* Appends the parts of an answered request, in order of time. The parts add up to its time.
 * Returns 0 or -ENOMEM. */
int parts_of(const struct parts *p, uint32_t request, part_list *ret);

#endif
