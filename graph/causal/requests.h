/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h - finds the requests of a window. A request is a turn of a connection: it begins with
 * bytes that a client sends, and ends with the answer.
 *
 * The bytes of the request are all that the client sends up to the answer. The answer is all
 * that the server sends up to the next request, or up to a pause of more than REQUEST_PART_NS:
 * what comes after such a pause is no part of the answer. A connection is shared if the client
 * sends further requests before it has the answer. Then the number of its turns and their times
 * are not exact.
 *
 * Requests through pipes and through shared memory are not found. A message of D-Bus counts as a
 * request to the bus, which is a server like any other, and not as a request to the final receiver.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_GRAPH_CAUSAL_REQUESTS_H
#define CTRACE_GRAPH_CAUSAL_REQUESTS_H

#include "graph/timeline/graph.h"

/* The members from `sent` to `read` are indices of records; GRAPH_NONE: there is no such record. If
 * the server is on another host, `answer` and `answered` are receives of the client in place of the
 * sends of the server. */
struct request {
	uint64_t sock;     /* the socket of the server; if the server is on another host, the
			      socket of the client */
	uint32_t client;   /* the task that asked; GRAPH_NONE: it is on another host, or not
			      known */
	uint32_t server;   /* the task that received the first bytes; GRAPH_NONE: it is on
			      another host */
	uint32_t answerer; /* the task that sent the last bytes of the answer; GRAPH_NONE: there
			      is no answer yet, or the task is on another host */
	uint32_t parent;   /* index of the request on behalf of which the client asked; GRAPH_NONE:
			      none, or not known */
	uint32_t sent;     /* the send of the first bytes of the request */
	uint32_t got;      /* the receive of the first bytes of the request */
	uint32_t answer;   /* the send of the first bytes of the answer */
	uint32_t answered; /* the send of the last bytes of the answer */
	uint32_t read;     /* the client's receive of the last bytes of the answer */
	uint32_t asked_bytes;
	uint32_t answer_bytes;
	uint32_t read_bytes; /* how much of the answer the client has received */
	bool shared;         /* the request is a turn of a shared connection */
};

/* A range of time in which a task worked for a request. The range may end with an idle wait. */
struct request_work {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t request;
};

struct requests {
	struct request *v; /* in the order in which they were noticed */
	size_t n;
	struct request_work *works; /* sorted by (task, from_ns); the ranges of one task do not
				       overlap */
	size_t n_works;
};

/* Finds the requests of g. The caller frees *ret with requests_done(). Returns 0, -ENOMEM or
 * -E2BIG, like causal_build(). */
int requests_find(const struct graph *g, struct requests *ret);
void requests_done(struct requests *r);

/* Returns when the request began, in ns since boot: at its send, or, if the client is on another
 * host, at its receive. */
static inline uint64_t request_from_ns(const struct graph *g, const struct request *q)
{
	uint64_t got = q->got == GRAPH_NONE ? UINT64_MAX : g->w->events[q->got].r.ts;
	uint64_t sent = q->sent == GRAPH_NONE ? UINT64_MAX : g->w->events[q->sent].r.ts;

	/* A send is recorded when its call returns, so the receive may be recorded first. Then the
	 * time of the receive counts. */
	return got < sent ? got : sent;
}

/* Returns when the request ended, in ns since boot: when the client had received the answer, or, if
 * the client is on another host, when the answer was sent. The request must have an answer. */
static inline uint64_t request_to_ns(const struct graph *g, const struct request *q)
{
	uint64_t answered = g->w->events[q->answered].r.ts;
	uint64_t read = q->read == GRAPH_NONE ? 0 : g->w->events[q->read].r.ts;

	return answered > read ? answered : read;
}

#endif
