/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - private to graph/: finds the sends whose bytes a receive has read, and the request to
 * which an answer belongs. Sent bytes wait in a queue for each direction of a connection.
 *
 * A send is recorded when its call returns, so a receive of its bytes may be recorded first. Such a
 * receive is a debt until its send is recorded. If the sender does something else before its next
 * send, the debt is dropped: no record shows the send of the received bytes.
 *
 * A reader that blocks has read all bytes that were sent long before. The next receive drops such
 * bytes, so one mistake does not make all later matches wrong.
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
