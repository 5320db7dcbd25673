/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h - private to graph/: the task that could end a wait, when no wake-up tells.
 *
 * It owns the lock, has the other end of the pipe or socket, is the child, or serves the file system.
 * Task indices are GRAPH_NONE when no task of this host is found.
 */
#ifndef CTRACE_GRAPH_WAKE_OWNER_H
#define CTRACE_GRAPH_WAKE_OWNER_H

#include "graph/wake/blame.h"

/* The task that sent the bytes which made sock, the receiver's socket, readable at wake.
 * *ret_event: its CT_SEND, or GRAPH_NONE. */
uint32_t owner_sender(const struct graph *g, uint64_t sock, const struct window_event *wake,
		      uint32_t *ret_event);
/* The task that received, and so made room in sock, the sender's socket, at wake.
 * *ret_event: its CT_RECV, or GRAPH_NONE. */
uint32_t owner_receiver(const struct graph *g, uint64_t sock, const struct window_event *wake,
			uint32_t *ret_event);
/* Completes b for a wait that nobody ended. */
void owner_of_wait(const struct graph *g, uint32_t interval, struct blame *b);
/* At ts_ns a request on the socket had no answer yet, or the socket was connecting.  The end that connected
 * is the one that asks; on a socket pair it is the end that sent first. */
bool owner_owed(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* The other end of the connection had sent bytes that were not received at ts_ns. */
bool owner_under_way(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* The task that has a lock on file obj at ts_ns.  Processes other than tgid are looked at.
 * *ret_event (may be NULL): the record of its lock.  *ret_strength: weak when records after that are missing,
 * one of which may be the unlock. */
uint32_t owner_of_lock(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid,
		       uint32_t *ret_event, uint8_t *ret_strength);
/* Completes b for a stopped task: the signal that stopped it. */
void owner_stopper(const struct graph *g, const struct interval *s, struct blame *b);

#endif
