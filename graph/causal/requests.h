/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h - finds the requests of a window. A request is a question of a client on a connection,
 * together with the answer of the server:
 * - The question is all that the client sends up to the answer. On a datagram socket, each datagram
 *   of the client is a request.
 * - The answer is all that the server sends up to the next request, or up to a pause of more than
 *   REQUEST_PART_NS. Bytes after such a pause belong to no answer.
 *
 * If a client sends further requests before it has the answer, the connection is shared. Then the
 * number and the times of the requests are not exact. Exception: if a probe in the server reports the begin
 * and the end of each request (CT_MF_STREAM), as for HTTP/2, each of these streams is a request, and the
 * messages of their connection are none. Requests through pipes and shared memory are
 * not found. A call through D-Bus is two requests: one to the D-Bus daemon, and one from the D-Bus daemon
 * to the service (flow_reverse_hubs()). Pure; any thread.
 */
#ifndef CTRACE_GRAPH_CAUSAL_REQUESTS_H
#define CTRACE_GRAPH_CAUSAL_REQUESTS_H

#include "graph/timeline/graph.h"

/* The members from `sent` to `read` are indices of records, or GRAPH_NONE. If the server is on
 * another host, receives of the client stand for the sends of the server. */
struct request {
	uint64_t sock;     /* of the server, or of the client if the server is on another host */
	uint32_t client;   /* task; GRAPH_NONE: on another host, or not known */
	uint32_t server;   /* task that received the first bytes; GRAPH_NONE: no known task */
	uint32_t answerer; /* task that sent the last bytes of the answer, or GRAPH_NONE */
	uint32_t parent;   /* index of the parent request; GRAPH_NONE: none, or not known */
	uint32_t sent;     /* send of the first bytes of the request */
	uint32_t got;      /* receive of the first bytes of the request */
	uint32_t answer;   /* send of the first bytes of the answer */
	uint32_t answered; /* send of the last bytes of the answer */
	uint32_t read;     /* receive of the last bytes of the answer */
	uint32_t asked_bytes;
	uint32_t answer_bytes;
	uint32_t read_bytes;
	/* with `unsure`: a request of the service whose request is the parent. GRAPH_NONE: this service is
	 * not known either */
	uint32_t among;
	bool shared;
	/* The request is a stream. Then:
	 * - `sent` and `got` are the messages in which the request begins. They may have further requests.
	 * - `answer` and `answered` are the first send after the server has ended the stream. If it sends
	 *   nothing, they are the record of this end.
	 * - the numbers of bytes are 0, because they are not known. */
	bool stream;
	/* The client works for several requests at a time, and no record shows which one is the parent. */
	bool unsure;
};

/* A range in which a task worked for a request. The range may end with an idle wait. */
struct request_work {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t request;
};

struct requests {
	struct request *v;
	size_t n;
	struct request_work *works; /* sorted by (task, from_ns); the ranges of a task do not overlap */
	size_t n_works;
};

/* The caller frees *ret with requests_done(). Returns 0, -ENOMEM or -E2BIG. */
int requests_find(const struct graph *g, struct requests *ret);
void requests_done(struct requests *r);

static inline bool request_is_of_tracer(const struct graph *g, const struct request *q)
{
	return (q->client != GRAPH_NONE && g->tasks[q->client].tracer) ||
	       (q->server != GRAPH_NONE && g->tasks[q->server].tracer);
}

/* Returns the begin of the request in ns since boot: when its first bytes were sent or received,
 * whichever record is earlier. */
static inline uint64_t request_from_ns(const struct graph *g, const struct request *q)
{
	uint64_t got = q->got == GRAPH_NONE ? UINT64_MAX : g->w->events[q->got].r.ts;
	uint64_t sent = q->sent == GRAPH_NONE ? UINT64_MAX : g->w->events[q->sent].r.ts;

	/* A send is recorded when its call returns, so the receive may be recorded first. */
	return got < sent ? got : sent;
}

/* Returns the end of the request in ns since boot. q must have an answer. */
static inline uint64_t request_to_ns(const struct graph *g, const struct request *q)
{
	uint64_t answered = g->w->events[q->answered].r.ts;
	uint64_t read = q->read == GRAPH_NONE ? 0 : g->w->events[q->read].r.ts;

	return answered > read ? answered : read;
}

#endif
