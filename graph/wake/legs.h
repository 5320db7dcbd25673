/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legs.h - private to graph/: for what an event loop waited while it had one request.
 *
 * An event loop waits for many things at once, and so do the threads of a runtime that runs many coroutines
 * (Go, tokio). So the wake-ups of a thread do not show which wait was for which request. The messages do: the
 * loop receives the request, sends a question to another task, receives the answer, sends the next question,
 * and at last sends its own answer. A leg is the time from a question to its answer. If the loop had sent the
 * question before it received the request, the request was queued behind the one for which the loop had
 * asked. If another client had the connection to the server, the leg lasts to the message with which this
 * client gave the connection back.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_LEGS_H
#define CTRACE_GRAPH_WAKE_LEGS_H

#include "graph/wake/blame.h"
#include "lib/vec.h"

struct leg {
	uint64_t from_ns;  /* the question, or the receive of the request if that is later */
	uint64_t to_ns;    /* the receive of the answer; UINT64_MAX: none yet */
	uint64_t sock;     /* the loop's socket */
	uint32_t asked;    /* event: the send of the question; GRAPH_NONE: another client gave back the
			      connection */
	uint32_t answered; /* event: the receive of the answer, or GRAPH_NONE */
	bool sure;         /* false: the question may be for another request */
};

/* The legs of one request, in any order, without overlap. They need not cover its whole time. */
struct legs {
	VEC(struct leg) v;
};

/* Finds the legs of the request that the process tgid received on the accepted socket `sock` after sent_ns,
 * and answered by end_ns, or not at all. Sets *ret, also if there is no leg; the caller frees it with
 * legs_done(). 0 or -ENOMEM. */
int legs_find(const struct graph *g, uint32_t tgid, uint64_t sock, uint64_t sent_ns, uint64_t end_ns,
	      struct legs *ret);
void legs_done(struct legs *l);
/* For a poll, or a wait on a futex without a known owner: if it lies in a leg, fills *ret with the task that
 * owed the answer, and returns true. False: the wait lies in no leg, or the task did not wait for the answer.
 */
bool legs_blame(const struct graph *g, const struct legs *l, uint32_t interval, struct blame *ret);

#endif
