/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.h - private to graph/: the sockets of a pass (pass.h), and the bytes and requests that are
 * on their way on each socket. Only one thread at a time may use a struct flows.
 */
#ifndef CTRACE_GRAPH_CAUSAL_FLOW_H
#define CTRACE_GRAPH_CAUSAL_FLOW_H

#include "graph/thresholds.h"
#include "graph/timeline/graph.h"
#include "lib/map.h"
#include "lib/vec.h"

enum flow_role {
	ROLE_UNKNOWN,
	ROLE_ASKS,   /* the end that connected, or that sent first */
	ROLE_SERVES, /* the end that was accepted, or that received first */
};

/* An item of one of the four queues of a flow: bytes on their way (queue `in`), a receive whose
 * send is not recorded yet (`debts`), a request that was received (`taken`), or a request that
 * was sent (`asks`). */
struct flow_item {
	uint32_t event, segment;
	uint32_t task; /* the task that sent the bytes, received them, or received or sent the
			  request */
	uint32_t bytes;
	uint64_t client; /* as the member client of struct work (pass.h) */
	uint32_t ask;    /* a taken request: index of its send; bytes: index of the send of the
			    request that they answer; GRAPH_NONE: not known, or none */
	uint32_t next;
	uint32_t wake;    /* a debt: index of the edge of the wake-up that the message may
			     explain; GRAPH_NONE: none */
	uint32_t request; /* a taken request: index of its struct request; a sent request: index of the
			     request for which it was sent; GRAPH_NONE: not known, or none */
	uint32_t n;       /* a taken request: how many sends have their first byte in its
			     receive; so many answers may be due */
	bool begun;       /* bytes: a part of them has been received */
	bool reply;       /* a taken request: it may instead be the answer to an earlier send of
			     the server */
};
/* As long as a pass has fewer items than this, flow_make_room() does nothing. */
#define FLOW_ITEMS 65536

struct flow_queue {
	uint32_t first, last; /* index of the item + 1; 0: none */
};

/* One socket. Some members have a value only if the socket has the role that their comment names
 * first: "asks" or "serves". */
struct flow {
	uint64_t sock;
	uint32_t peer;           /* index of the flow of the other end; GRAPH_NONE: the other end
				    is not on this host */
	uint32_t user;           /* the last task that sent or received on the socket */
	uint32_t client;         /* serves: the last task that asked; GRAPH_NONE: none */
	struct flow_queue in;    /* bytes that were sent to this socket and not received */
	struct flow_queue debts; /* receives whose send is not recorded yet (match.h) */
	struct flow_queue taken; /* serves: requests that were received and not answered */
	struct flow_queue asks;  /* requests that were sent and not answered */
	/* queued: the number of bytes in the queue `in`. stale: how many of these bytes a reader
	 * must have read already */
	uint64_t queued, stale;
	uint64_t answer_client; /* asks: the client for which the last answered request was sent */
	uint32_t answered;      /* serves: the last segment that answered */
	uint32_t taker;         /* serves: the last segment that received */
	uint32_t request;       /* index of the last struct request; GRAPH_NONE: none. If both ends are
				   on this host, only the end that serves has it */
	uint32_t asker;         /* asks: the request for which a task last asked here; GRAPH_NONE:
				   none, or not known */
	bool dgram;
	bool sent_last; /* the last message on this socket was sent, not received */
	bool pipelines; /* the client sends further requests before it has the answer */
	uint8_t role;   /* enum flow_role */
};

/* All sockets of a pass, and what is in their queues. */
struct flows {
	VEC(struct flow) v;
	VEC(struct flow_item) items;
	uint32_t free; /* the first of the unused items: its index + 1; 0: none */
	struct map by_sock;
	uint64_t *listening; /* keys of listening sockets, sorted */
	size_t n_listening;
};

/* Makes an empty set of flows. Returns 0 or -ENOMEM. The caller calls flow_done() in both cases. */
int flow_init(struct flows *m, const struct graph *g);
void flow_done(struct flows *m);
/* Returns the index of the flow of a socket. Makes the flow, and the flow of the socket's other
 * end, if they do not exist yet. Returns GRAPH_NONE if there is no memory. */
uint32_t flow_at(struct flows *m, const struct graph *g, uint64_t sock);

/* Appends a copy of item. Returns 0 or -ENOMEM. Pointers to items become invalid. */
int flow_push(struct flows *m, struct flow_queue *q, const struct flow_item *item);
/* Returns the first item of a queue, valid until the next flow_push(). Returns NULL if the queue
 * is empty. */
struct flow_item *flow_first(const struct flows *m, const struct flow_queue *q);
/* Removes the first item. The queue must not be empty. */
void flow_pop(struct flows *m, struct flow_queue *q);
void flow_clear(struct flows *m, struct flow_queue *q);
/* Empties all queues of a flow, because records are missing. */
void flow_forget(struct flows *m, struct flow *f);
/* Makes room for the messages of a long trace. If all memory for items is in use, forgets the items of each
 * connection that nobody can go on with: the processes that last used its two ends have ended by ts_ns. */
void flow_make_room(struct flows *m, const struct graph *g, uint64_t ts_ns);
/* Notes that a reader of the socket found nothing to read at ts_ns. If the oldest bytes in the
 * queue `in` were sent more than FLOW_STALE_NS before ts_ns, all bytes in this queue become
 * stale. */
void flow_found_empty(struct flows *m, const struct graph *g, struct flow *flow, uint64_t ts_ns);

#endif
