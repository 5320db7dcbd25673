/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - private to graph/: which send's bytes a receive has read, and which
 * request an answer answers.
 *
 * Each direction of a connection is a stream of bytes: what was sent and not yet
 * received waits in a queue.  A send is recorded when the call is done, so its
 * bytes can be received before: such a receive waits for its send as a debt.  It
 * is known to be no debt (but bytes from before the window, or of a record that
 * was lost) when the sender did something else in between.  When a reader blocks,
 * all that was sent long before is read: what is left in the queue then is
 * forgotten with the next receive, so that an error does not shift all that follows.
 */
#ifndef CTRACE_GRAPH_CAUSAL_MATCH_H
#define CTRACE_GRAPH_CAUSAL_MATCH_H

#include "graph/causal/causal.h"
#include "lib/map.h"
#include "lib/vec.h"

struct pass;

enum match_role {
	ROLE_UNKNOWN,
	ROLE_ASKS,   /* connected to somebody, or spoke first */
	ROLE_SERVES, /* accepted, or was spoken to first */
};

/* Bytes under way, or a request, or a question: an item of one of the queues of a flow. */
struct match_item {
	uint32_t event, segment;
	uint32_t task; /* who sent it, took it, or asked */
	uint32_t bytes;
	uint64_t client; /* as work.client */
	uint32_t ask;    /* event of the send of the request; for bytes: of the request that they answer */
	uint32_t next;
	uint32_t wake; /* a debt: the edge of the wake-up that it may explain, GRAPH_NONE */
	uint32_t n;    /* a request: how many sends it began, for which answers may be due */
	bool begun;    /* bytes: a part has been received */
	bool reply;    /* a request that may just as well be the answer to what was pushed */
};
struct match_queue {
	uint32_t first, last; /* index + 1; 0: none */
};

/* One socket. */
struct flow {
	uint64_t sock;
	uint32_t peer;            /* index; GRAPH_NONE: not on this host */
	uint32_t user;            /* the task that sent or received on it last */
	uint32_t client;          /* serves: the task that asked last, GRAPH_NONE */
	struct match_queue in;    /* bytes sent to it and not received */
	struct match_queue debts; /* receives of bytes whose send is not recorded yet */
	struct match_queue taken; /* serves: requests received, not answered */
	struct match_queue asks;  /* requests sent, not answered */
	uint64_t queued, stale;   /* bytes in in; how many of those must have been read */
	uint64_t answer_client;   /* asks: on whose behalf was what it got an answer to last */
	uint32_t answered;        /* serves: the segment that answered last */
	uint32_t taker;           /* serves: the segment that received last */
	bool dgram;
	bool sent_last;
	bool pipelines; /* its client does not wait for one answer before it asks again */
	uint8_t role;   /* enum match_role */
};

struct match {
	VEC(struct flow) flows;
	VEC(struct match_item) items;
	uint32_t free; /* list of items not in use: index + 1 */
	struct map by_sock;
	uint64_t *listening; /* sorted */
	size_t n_listening;
};

int match_init(struct match *m, const struct graph *g);
void match_done(struct match *m);
/* Who asks on this socket; ROLE_UNKNOWN on a pair on which nobody has spoken. */
enum match_role match_role(struct pass *p, uint64_t sock);
/* The task that used the socket last, GRAPH_NONE. */
uint32_t match_user(struct pass *p, uint64_t sock);
/* The task behind a work.client, GRAPH_NONE when it is not known. */
uint32_t match_client(const struct pass *p, uint64_t client);
/* CT_SEND and CT_RECV. */
void match_send(struct pass *p, uint32_t event);
void match_recv(struct pass *p, uint32_t event);
/* CT_SHED and CT_GAP: where messages are left out on purpose, what is under way is forgotten, as what is not
 * recorded would shift all that follows.  Of a capped task only what its process sends and receives. */
void match_forget(struct pass *p, uint32_t event);
/* A reader of sock found nothing to read. */
void match_blocked(struct pass *p, uint64_t sock, uint64_t ts_ns);

#endif
