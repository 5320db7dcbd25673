/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - private to graph/: finds the sends whose bytes a receive has read, and the request to
 * which an answer belongs. Sent bytes are kept in a queue until they are received. Each direction
 * of a connection has its own queue.
 *
 * A send is recorded when its call returns, so a receive of its bytes may be recorded first. Such a
 * receive is a debt until its send is recorded. If the sender does something else before its next
 * send, the debt is dropped: no record shows the send of the received bytes.
 *
 * If the record of a receive is missing, its bytes stay in the queue, and would be matched with the
 * next receive. So if a reader finds nothing to read, and the oldest bytes in its queue were sent
 * long before (FLOW_STALE_NS), the next receive drops all bytes that were in the queue when the
 * reader found nothing.
 */
#ifndef CTRACE_GRAPH_CAUSAL_MATCH_H
#define CTRACE_GRAPH_CAUSAL_MATCH_H

#include "graph/causal/pass.h"

/* Errors go to p->err. */
void match_send(struct pass *p, uint32_t event);
void match_recv(struct pass *p, uint32_t event);
/* For a CT_SHED or CT_GAP. If messages may be missing, forgets the bytes and requests on their way:
 * a missing message would shift all later matches. In a coarse stretch, and at its end, sets
 * pass.coarse_ns. */
void match_forget(struct pass *p, uint32_t event);

#endif
