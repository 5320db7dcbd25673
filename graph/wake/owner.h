/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h - private to graph/: finds the task that could end a wait, if no wake-up shows this task.
 * Such a task owns the lock, has the other end of the pipe or socket, is the child, or serves the
 * file system. Functions that return a task return GRAPH_NONE if they find no task of this host.
 * Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_OWNER_H
#define CTRACE_GRAPH_WAKE_OWNER_H

#include "graph/wake/blame.h"

/* `wake` says that sock, the receiver's socket, became readable. Returns the task that sent the
 * bytes, or that ended the connection. Sets *ret_event to the index of the CT_SEND; if the task
 * ended the connection, to the index of the wake; if neither is known, to GRAPH_NONE. */
uint32_t owner_sender(const struct graph *g, uint64_t sock, const struct window_event *wake,
		      uint32_t *ret_event);
/* Returns true if the waker of `wake` ends the connection of sock: it closes or shuts down the
 * other end, or exits. The kernel may do the work of close() on the way back to user space, when
 * the task is no longer in a system call. In this case, and for an exit, the result is true only
 * if no later use of the other end is recorded. */
bool owner_closes(const struct graph *g, uint64_t sock, const struct window_event *wake);
/* Returns true if the waker of `wake` may end a connection: it is in close() or shutdown(),
 * exits, or is on the way back to user space. This test is cheap, and is the same for all
 * sockets. */
bool owner_may_close(const struct graph *g, const struct window_event *wake);
/* Returns true if the process of the task has the socket: a task of this process used the socket
 * last; or no task used the socket, and this process has the socket open. */
bool owner_has_socket(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns);
/* `wake` says that sock, the sender's socket, got room. Returns the task that received at the other
 * end, and so made room. Sets *ret_event to the index of its CT_RECV, or to GRAPH_NONE. */
uint32_t owner_receiver(const struct graph *g, uint64_t sock, const struct window_event *wake,
			uint32_t *ret_event);
/* Completes b for a wait that no task ended. If several tasks could have ended the wait, fills
 * *all with these tasks, and sets b->rivals to their number. Otherwise *all has one task or
 * none. */
void owner_of_wait(const struct graph *g, uint32_t interval, struct blame *b, struct enders *all);
/* Returns the task at the other end of the socket at ts_ns. *all is as in owner_of_wait(). */
uint32_t owner_of_socket(const struct graph *g, uint64_t sock, uint64_t ts_ns, struct enders *all);
/* Returns true if the socket is owed an answer at ts_ns. This is so in three cases: a request that
 * was sent on the socket has no answer yet; the socket is connecting; the socket has connected, and
 * no bytes were sent or received on it yet. Only the end that asks is owed an answer. This is the
 * end that connected; on a socket pair, the end that sent first. */
bool owner_owed(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Returns true if, at ts_ns, bytes that the other end of the connection had sent were not
 * received yet. */
bool owner_unread(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Like owner_unread(), but returns false for a unix socket, where bytes are never on their way. */
bool owner_under_way(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Returns the task that owns a lock on file obj at ts_ns. Tasks of the process tgid do not
 * count. If ret_event is not NULL, sets *ret_event to the index of the record of the lock. Sets
 * *ret_strength to weak if the record of an unlock may be missing between that record and ts_ns;
 * otherwise to strong. */
uint32_t owner_of_lock(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid,
		       uint32_t *ret_event, uint8_t *ret_strength);
/* Completes b for a stopped task. If a tracer has stopped the task, sets b->event to the SIGCHLD
 * that told the tracer. Otherwise sets b->event to the record of the signal that stopped the task.
 * The tracer is not to blame while it only waits for a person, or for news of a task. */
void owner_stopper(const struct graph *g, const struct interval *s, struct blame *b);

#endif
