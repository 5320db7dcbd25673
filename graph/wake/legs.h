/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legs.h - private to graph/: finds the answers for which an event loop waited while it had one
 * request.
 *
 * An event loop waits for many things at once. So do the threads of a runtime that runs many
 * coroutines (Go, tokio). So the wake-ups of a thread do not show which wait was for which request.
 * The messages show it: the loop receives the request, sends a question to another task, receives
 * the answer, sends the next question, and at last sends its own answer.
 *
 * A leg is the time from a question to its answer. There are two special cases:
 * - The loop sent the question before it received the request. Then the request was queued behind
 *   the request for which the loop had asked, and the leg begins when the loop receives the
 *   request.
 * - The loop lends one connection to a server to its clients, to one at a time. When the request
 *   comes, another client has the connection. Then the leg begins when the loop receives the
 *   request. The leg ends when the loop receives the message with which the other client gives the
 *   connection back.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_LEGS_H
#define CTRACE_GRAPH_WAKE_LEGS_H

#include "graph/wake/blame.h"
#include "lib/vec.h"

struct leg {
	uint64_t from_ns;  /* when the question was sent, or when the request was received, if
			      that is later */
	uint64_t to_ns;    /* the time of the receive that ends the leg; UINT64_MAX: the question
			      has no answer yet */
	uint64_t sock;     /* the socket on which the loop asked; if another client had the
			      connection: the socket of this client */
	uint32_t asked;    /* index of the send of the question; if another client had the
			      connection: of the loop's last send to this client; GRAPH_NONE: no
			      send */
	uint32_t answered; /* index of the receive that ends the leg, or GRAPH_NONE */
	bool sure;         /* false: the question may be for another request */
};

/* The legs of one request, in any order, without overlap. Some time of the request may belong to
 * no leg. */
struct legs {
	VEC(struct leg) v;
};

/* Finds the legs of one request. The process tgid received the request on the accepted socket
 * `sock` after sent_ns, and answered it by end_ns, or has not answered it. Sets *ret even if
 * there is no leg, and even after an error. The caller frees *ret with legs_done(). Returns 0 or
 * -ENOMEM. */
int legs_find(const struct graph *g, uint32_t tgid, uint64_t sock, uint64_t sent_ns, uint64_t end_ns,
	      struct legs *ret);
void legs_done(struct legs *l);
/* `interval` is a poll, or a wait on a futex without a known owner. If the wait lies in a leg,
 * fills *ret with the task that owed the answer, and returns true. Returns false if the wait
 * lies in no leg, or was not for the answer. */
bool legs_blame(const struct graph *g, const struct legs *l, uint32_t interval, struct blame *ret);

#endif
