/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.h - private to graph/: the sockets of a pass (pass.h), and the bytes and requests on their
 * way. Only one thread at a time may use a struct flows.
 */
#ifndef CTRACE_GRAPH_CAUSAL_FLOW_H
#define CTRACE_GRAPH_CAUSAL_FLOW_H

#include "graph/thresholds.h"
#include "graph/timeline/graph.h"
#include "graph/wake/bytes.h"
#include "lib/map.h"
#include "lib/vec.h"

enum flow_role {
	ROLE_UNKNOWN,
	ROLE_ASKS,   /* the end that connected, or that sent first */
	ROLE_SERVES, /* the end that was accepted, or that received first */
};

/* Below this number of items, flow_make_room() does nothing. */
#define FLOW_ITEMS 65536

/* A socket: one end of a connection. The client's end has ROLE_ASKS, and the server's end ROLE_SERVES. */
struct flow {
	uint64_t sock;
	uint32_t peer; /* flow of the other end; GRAPH_NONE: on another host, or not known */
	uint32_t user;
	/* only at the server's end: the task that sent the last received bytes, or GRAPH_NONE */
	uint32_t client;
	struct bytes bytes;       /* on their way to this socket */
	struct bytes_queue taken; /* received requests without an answer */
	struct bytes_queue asks;  /* sent requests without an answer */
	/* Only at the client's end. The last answered request was sent to serve another client C:
	 * this member is C (bytes_item.client of the request). The task that receives the answer
	 * goes on to work for C. 0: none. */
	uint64_t answer_client;
	uint32_t answered; /* only at the server's end: the segment that sent the last answer */
	uint32_t taker;    /* only at the server's end: the segment of the last receive */
	/* the last request on this connection; GRAPH_NONE: none, or the peer's flow has it */
	uint32_t request;
	/* Only at the client's end: the parent of the last request that was sent here, or GRAPH_NONE
	 * (exchange.h). */
	uint32_t asker;
	/* Only at the server's end, for streams (exchange_stream.c): how many have begun and not ended, and 1
	 * + the last one that has ended and has no answer (pass.streams); 0: none. */
	uint32_t n_streams, ended;
	bool streams;  /* a probe tells the present requests apart */
	bool streamed; /* `streams` was set at some time */
	bool sent_last;
	bool of_hub;    /* the end of a hub, such as a D-Bus daemon: see flow_reverse_hubs() */
	bool pipelines; /* the client sends further requests before it has the answer */
	uint8_t role;
};

/* A large trace has the same few hundred sockets in millions of messages. */
#define FLOW_SEEN 1024
struct flow_seen {
	uint64_t sock;
	uint32_t flow; /* index in flows.v + 1; 0: the entry is unused */
};

struct flows {
	VEC(struct flow) v;
	struct bytes_pool pool;
	struct map by_sock;
	struct flow_seen seen[FLOW_SEEN]; /* [map_hash(sock) % FLOW_SEEN]: a part of by_sock, for flow_at() */
	uint64_t *listening;
	size_t n_listening;
};

/* Returns 0 or -ENOMEM. The caller calls flow_done() in both cases. */
int flow_init(struct flows *m, const struct graph *g);
void flow_done(struct flows *m);
/* Returns an index into v. GRAPH_NONE: no memory. Makes the flows of both ends if necessary. */
uint32_t flow_at(struct flows *m, const struct graph *g, uint64_t sock);

/*
 * A hub, such as a D-Bus daemon, receives messages on its accepted unix connections, and sends each of them
 * on another accepted unix connection. Some of these connections are from a service: the service has
 * connected, but the hub asks. Finds these connections, and changes the roles of both ends. A connection
 * is from a service if all of this is true (HUB_* in thresholds.h):
 * - The hub sends the first message in the window, and HUB_MESSAGES messages or more in all.
 * - Most messages that the hub sends on it came over other accepted connections.
 * - Most messages that the hub receives on it go out on other accepted connections.
 * A send counts for neither side if it may also answer a message of its own connection: a busy server reads
 * the requests of all its clients, and then answers all of them.
 * If the window begins in the middle of a call, the connections of this call may keep their roles.
 * Returns 0 or -ENOMEM.
 */
int flow_reverse_hubs(struct flows *m, const struct graph *g);

void flow_forget(struct flows *m, struct flow *f);
/* If all items are in use, drops the items of connections whose two processes have ended by
 * ts_ns. */
void flow_make_room(struct flows *m, const struct graph *g, uint64_t ts_ns);

#endif
