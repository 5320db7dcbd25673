/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h - private to graph/: finds the task that could end a wait, if no wake-up shows it: the
 * owner of the lock, the other end of the pipe or socket, the child, or the server of the file
 * system. The functions return GRAPH_NONE if they find no task of this host. Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_OWNER_H
#define CTRACE_GRAPH_WAKE_OWNER_H

#include "graph/wake/blame.h"

/* `wake` says that sock became readable. Returns the task that sent the bytes or ended the
 * connection. *ret_event is the CT_SEND, or `wake` if the task ended the connection, or GRAPH_NONE
 * if the task is only the most likely one. */
uint32_t owner_sender(const struct graph *g, uint64_t sock, const struct window_event *wake,
		      uint32_t *ret_event);
/* Returns true if the waker of `wake` has the other end of sock, and closes it, shuts it down, or
 * exits. But a later use of the other end rules this out, unless the wake-up is inside close() or
 * shutdown(). */
bool owner_closes(const struct graph *g, uint64_t sock, const struct window_event *wake);
/* A cheap test before owner_closes(): returns false if the waker cannot end any connection. */
bool owner_may_close(const struct graph *g, const struct window_event *wake);
/*
 * Returns true if the process of `task` has the socket. Only one process counts as the one that has it,
 * the first in this list that is known:
 * - the process that sent or received on the socket last, up to ts_ns
 * - the process that receives on the socket first after ts_ns, or else sends first
 * - the process that has the socket open
 */
bool owner_has_socket(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns);
/* `wake` says that sock got room. Returns the task that received at the other end, or else the
 * result of owner_sock(). *ret_event is the CT_RECV, or GRAPH_NONE. */
uint32_t owner_receiver(const struct graph *g, uint64_t sock, const struct window_event *wake,
			uint32_t *ret_event);
/* Returns true if a frame of the stack waits for a lock. */
bool owner_stack_locks(const struct window *w, uint64_t stack);
/* Completes b for a wait that no task ended. *all has the tasks that could have ended it. If there
 * are several, b->rivals is their number. */
void owner_of_wait(const struct graph *g, uint32_t interval, struct blame *b, struct enders *all);
/* Returns the task at the other end of the socket, or the task that has to accept the connection.
 * If several tasks may be this task, *all has them. */
uint32_t owner_of_socket(const struct graph *g, uint64_t sock, uint64_t ts_ns, struct enders *all);
/* Returns true if the socket is owed an answer, in one of three cases: a request on the socket has
 * no answer; the socket is connecting; the socket has connected, but no bytes were exchanged. Only
 * the end that asks is owed an answer: the end that connected, or on a socket pair, the end that
 * sent first. */
bool owner_owed(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Returns true if bytes from the other end were not received yet at ts_ns. */
bool owner_unread(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Like owner_unread(), but returns false for a unix socket, where bytes are never on their way. */
bool owner_under_way(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Returns the task that owns a lock on file obj. Tasks of the process tgid do not count. *ret_event
 * is the record of the lock; ret_event may be NULL. *ret_strength is weak if the record of an
 * unlock may be missing. */
uint32_t owner_of_lock(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid,
		       uint32_t *ret_event, uint8_t *ret_strength);
/* Completes b for a stopped task. b->event is the signal that stopped the task, or the SIGCHLD to
 * its tracer. An idle tracer is not to blame. */
void owner_stopper(const struct graph *g, const struct interval *s, struct blame *b);

#endif
