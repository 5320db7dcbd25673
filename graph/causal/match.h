/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - private to graph/: which sends a receive has read from, and which request an answer
 * answers.
 *
 * Each direction of a connection is a stream of bytes.  Bytes that were sent and not received wait in a
 * queue.
 *
 * A send is recorded when its call returns, so a receive of its bytes may be recorded first.  Such a
 * receive waits for its send as a debt.  If the sender does something else in between, the receive is
 * no debt: its bytes are from before the window, or the record of their send was lost.
 *
 * When a reader blocks, it has read all bytes that were sent long before.  If such bytes are left in
 * the queue, the next receive drops them, so that one error does not shift all later matches.
 */
#ifndef CTRACE_GRAPH_CAUSAL_MATCH_H
#define CTRACE_GRAPH_CAUSAL_MATCH_H

#include "graph/causal/pass.h"

/* CT_SEND and CT_RECV. */
void match_send(struct pass *p, uint32_t event);
void match_recv(struct pass *p, uint32_t event);
/* CT_SHED and CT_GAP: messages are left out on purpose from here on.  Forgets all bytes under way, because a
 * message without a record would shift all that follow.  When only one task is capped, forgets those of its
 * process. */
void match_forget(struct pass *p, uint32_t event);

#endif
