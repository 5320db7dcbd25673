/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - private to graph/: which send's bytes a receive has read, and which
 * request an answer answers.
 *
 * Each direction of a connection is a stream of bytes: what was sent and not yet
 * received waits in a queue.  A send is recorded when the call is done, so its
 * bytes can be received before: such a receive waits for its send as a debt.  It
 * is known to be no debt (but bytes from before the window, or of a record that
 * was lost) when the sender did something else in between.  When a reader blocks,
 * all that was sent long before is read: what is left in the queue then is
 * forgotten with the next receive, so that an error does not shift all that follows.
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
