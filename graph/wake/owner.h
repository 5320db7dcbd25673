/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h - private to graph/: who is at the other end of what a task waits
 * for, when no wake-up tells.
 */
#ifndef CTRACE_GRAPH_WAKE_OWNER_H
#define CTRACE_GRAPH_WAKE_OWNER_H

#include "graph/wake/blame.h"

/* Who sent the bytes that made sock (of the receiver's side) readable at wake.
 * *ret_event: the CT_SEND it rests on, or GRAPH_NONE. */
uint32_t owner_sender(const struct graph *g, uint64_t sock, const struct window_event *wake,
		      uint32_t *ret_event);
/* The same for a writer: who received and so made room at wake; the CT_RECV it rests on. */
uint32_t owner_receiver(const struct graph *g, uint64_t sock, const struct window_event *wake,
			uint32_t *ret_event);
/* Completes b for a wait that nobody ended: the owner, holder, peer or child. */
void owner_of_wait(const struct graph *g, uint32_t interval, struct blame *b);
/*
 * At ts_ns something had been asked on the socket and not been answered, or it was connecting.  Who connected
 * asks; on a socket pair, where nobody did, who spoke first.
 */
bool owner_owed(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* The other end of the connection has sent something that has not been received by ts_ns. */
bool owner_under_way(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* The task that holds a lock on file obj at ts_ns, other than of process tgid; GRAPH_NONE.  *ret_event (may
 * be NULL): where it got it.  *ret_strength: weak when records are missing since, so that it may have given
 * it back. */
uint32_t owner_of_lock(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid,
		       uint32_t *ret_event, uint8_t *ret_strength);
/* Completes b for a stopped task: who stopped it. */
void owner_stopper(const struct graph *g, const struct interval *s, struct blame *b);

#endif
