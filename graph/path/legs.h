/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legs.h - private to graph/: finds the answers for which an event loop waited while it served one
 * request. A loop, or a thread that runs many coroutines (Go, tokio), waits for many things at
 * once. Messages show for which request the loop waits: the loop receives the request, sends a
 * question to a server, receives the answer, and so on. Pure; any thread.
 *
 * A leg is the time from a question to its answer. There are two other kinds of legs. Both begin when
 * the loop receives the request:
 * - An early question: the loop sent the question before it received the request, and used the
 *   answer for the request.
 * - A shared connection: the loop cannot ask yet, because another client B uses the connection to the
 *   server. The leg ends when the loop receives the message with which client B releases the
 *   connection.
 *
 * A server may also be a client B that has connected to the loop: the loop is a broker, which passes the
 * request on to the worker B. While B has not answered, B counts only if the loop has passed requests on to B
 * before, and B's messages were the reason for answers to other clients: another client may only receive
 * news.
 */
#ifndef CTRACE_GRAPH_PATH_LEGS_H
#define CTRACE_GRAPH_PATH_LEGS_H

#include "graph/wake/blame.h"
#include "lib/vec.h"

struct leg {
	/* When the loop sent the question. For an early question or a shared connection (see above):
	 * when the loop received the request. */
	uint64_t from_ns;
	uint64_t to_ns; /* when the loop received the message that ends the leg; UINT64_MAX: not yet */
	/* The socket on which the loop receives the message that ends the leg: its socket to the server.
	 * For a shared connection: its socket to client B. */
	uint64_t sock;
	/* The event with which the loop sent the question. For a shared connection: the event with which the
	 * loop last sent to client B, or GRAPH_NONE. */
	uint32_t asked;
	uint32_t answered; /* the event of the receive that ends the leg; GRAPH_NONE: not yet */
	bool sure;         /* false: the question may be for another request */
};

/* The legs of one request, in any order, without overlap. There may be time between two legs. */
struct legs {
	VEC(struct leg) v;
};

/* Finds the legs of one request: the times in which the loop waited for answers while it served the
 * request. A client sent the request at sent_ns, and the process tgid received it on the accepted
 * socket `sock`. An answer to the client after end_ns does not count. The caller frees *ret with
 * legs_done(), even after an error. Returns 0 or -ENOMEM. */
int legs_find(const struct graph *g, uint32_t tgid, uint64_t sock, uint64_t sent_ns, uint64_t end_ns,
	      struct legs *ret);
void legs_done(struct legs *l);
/* `interval` is a poll, or a wait on a futex without a known owner. Returns true if the loop waited for the
 * message that ends a leg: the answer, or the release of a shared connection. Then *ret blames the task
 * that had to send this message. */
bool legs_blame(const struct graph *g, const struct legs *l, uint32_t interval, struct blame *ret);

#endif
