/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - private to graph/: finds the sends whose bytes a receive has read, and the request to
 * which an answer belongs.
 *
 * Each direction of a connection is a stream of bytes. Bytes that were sent and not received wait
 * in a queue.
 *
 * A send is recorded when its call returns, so a receive of its bytes may be recorded first. Such a
 * receive is a debt until the record of its send comes. If the sender does something else between
 * the receive and the send, this send did not send the received bytes. Then the debt is dropped:
 * the bytes are from before the window, or the record of their send was lost.
 *
 * A reader that blocks has read all bytes that were sent long before. If such bytes are still in
 * the queue, the next receive drops them. So one mistake does not make all later matches wrong.
 */
#ifndef CTRACE_GRAPH_CAUSAL_MATCH_H
#define CTRACE_GRAPH_CAUSAL_MATCH_H

#include "graph/causal/pass.h"

/* match_send() processes one CT_SEND, match_recv() one CT_RECV. Errors go to p->err. */
void match_send(struct pass *p, uint32_t event);
void match_recv(struct pass *p, uint32_t event);
/* Processes one CT_SHED or CT_GAP. A message without a record would shift the matches of all later
 * messages. So forgets all bytes on their way if the record begins or ends a time in which the
 * governor leaves out messages, or is the gap of a pause. If the record begins or ends the cap of
 * one task, forgets only the bytes from and to the task's process. Also notes until when switches
 * were left out (pass.coarse_ns). */
void match_forget(struct pass *p, uint32_t event);

#endif
