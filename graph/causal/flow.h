/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.h - private to graph/: the sockets of a pass, and what is under way on each of them.
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

/* Bytes under way, or a request, or a question: an item of one of the queues of a flow. */
struct flow_item {
	uint32_t event, segment;
	uint32_t task; /* the task that sent it, took it, or asked */
	uint32_t bytes;
	uint64_t client; /* as work.client */
	uint32_t ask;    /* event of the send of the request; for bytes: of the request that they answer */
	uint32_t next;
	uint32_t wake; /* a debt: the edge of the wake-up that it may explain, GRAPH_NONE */
	uint32_t n;    /* a request: how many sends it began, for which answers may be due */
	bool begun;    /* bytes: a part has been received */
	bool reply;    /* a request that may be the answer to an earlier send of the server */
};
struct flow_queue {
	uint32_t first, last; /* index + 1; 0: none */
};

/* One socket. */
struct flow {
	uint64_t sock;
	uint32_t peer;           /* index; GRAPH_NONE: not on this host */
	uint32_t user;           /* the task that sent or received on it last */
	uint32_t client;         /* serves: the task that asked last, GRAPH_NONE */
	struct flow_queue in;    /* bytes sent to it and not received */
	struct flow_queue debts; /* receives of bytes whose send is not recorded yet */
	struct flow_queue taken; /* serves: requests received, not answered */
	struct flow_queue asks;  /* requests sent, not answered */
	uint64_t queued, stale;  /* bytes in the queue in; how many of those must have been read */
	uint64_t answer_client;  /* asks: the client of the request that was answered last */
	uint32_t answered;       /* serves: the segment that answered last */
	uint32_t taker;          /* serves: the segment that received last */
	bool dgram;
	bool sent_last;
	bool pipelines; /* its client asks again before it has the answer */
	uint8_t role;   /* enum flow_role */
};

/* All sockets of a pass, and what is in their queues. */
struct flows {
	VEC(struct flow) v;
	VEC(struct flow_item) items;
	uint32_t free; /* list of items not in use: index + 1 */
	struct map by_sock;
	uint64_t *listening; /* sorted */
	size_t n_listening;
};

/* 0 or -ENOMEM; flow_done() in any case. */
int flow_init(struct flows *m, const struct graph *g);
void flow_done(struct flows *m);
/* The index of the flow of a socket; makes it and that of its peer. GRAPH_NONE: out of memory. */
uint32_t flow_at(struct flows *m, const struct graph *g, uint64_t sock);

/* 0 or -ENOMEM. */
int flow_push(struct flows *m, struct flow_queue *q, const struct flow_item *item);
/* NULL: the queue is empty. Valid until the next flow_push(). */
struct flow_item *flow_first(const struct flows *m, const struct flow_queue *q);
/* The queue is not empty. */
void flow_pop(struct flows *m, struct flow_queue *q);
void flow_clear(struct flows *m, struct flow_queue *q);
/* Empties all queues: records are missing. */
void flow_forget(struct flows *m, struct flow *f);
/* A reader found nothing to read at ts_ns. */
void flow_found_empty(struct flows *m, const struct graph *g, struct flow *flow, uint64_t ts_ns);

#endif
