/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - private to graph/: finds the sends whose bytes a receive has read, and the request to
 * which an answer belongs. The rule for the bytes is in graph/wake/bytes.h.
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
