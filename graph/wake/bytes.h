/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h - private to graph/: which send the bytes of a receive come from. This is the only rule for
 * this question: graph/causal/match.c walks along all connections at once, and bytes_unread() looks at
 * one wake-up. Sent bytes are kept in a queue until they are received. Each direction of a connection
 * has its own queue. Only one thread at a time may use a pool.
 *
 * A send is recorded when its call returns, so a receive of its bytes may be recorded first. Such a
 * receive is a debt until its send is recorded. If the sender does something else before its next
 * send, the debt is dropped: no record shows the send of the received bytes.
 *
 * If the record of a receive is missing, its bytes stay in the queue, and would be matched with the
 * next receive. So if a reader finds nothing to read, and the oldest bytes in its queue were sent
 * long before (FLOW_STALE_NS), the next receive drops all bytes that were in the queue when the
 * reader found nothing.
 */
#ifndef CTRACE_GRAPH_WAKE_BYTES_H
#define CTRACE_GRAPH_WAKE_BYTES_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

/*
 * An item of a queue. The queues `in` and `debts` are in struct bytes. The causal graph has two more
 * queues for each socket: `taken` and `asks` (graph/causal/flow.h). If only some of the queues use a
 * member, its comment names these queues.
 */
struct bytes_item {
	uint32_t event, segment; /* the record of the send or receive, and the segment that it is in */
	uint32_t task;           /* the task that sends or receives */
	uint32_t bytes;          /* in the queues `in` and `debts`: how many are not matched yet */
	/* A client, as in work.client (pass.h). In the queue `taken`: the client that sent the request.
	 * In `in` and `asks`: the client for which `task` works. */
	uint64_t client;
	/* The send of a request, or GRAPH_NONE. In the queue `taken`: the send of the received request.
	 * In `in`: if the bytes are an answer, the send of the request that they answer. */
	uint32_t ask;
	uint32_t next;
	/* in the queue `debts`: index of the edge of the receiver's wake-up, or GRAPH_NONE */
	uint32_t wake;
	/* Index in pass.requests, or GRAPH_NONE. In the queue `taken`: the received request. In `asks`:
	 * the parent of the sent request. */
	uint32_t request;
	uint32_t n; /* in the queue `taken`: how many answers the server may still send for the item */
	bool begun; /* in the queue `in`: the first bytes of the send are not in the queue any more */
	bool reply; /* in the queue `taken`: the bytes may be an answer, not a request */
};

/* The items of all queues. A zeroed pool is empty. The caller frees it with VEC_FREE(&pool.items). */
struct bytes_pool {
	VEC(struct bytes_item) items;
	uint32_t free; /* index of the first unused item + 1; 0: none */
};

struct bytes_queue {
	uint32_t first, last; /* index of the item + 1; 0: empty */
};

/* The bytes on their way to one socket. */
struct bytes {
	struct bytes_queue in;    /* bytes that were sent to this socket and not received */
	struct bytes_queue debts; /* receives whose send is not recorded yet */
	/* queued: bytes in `in`. stale: those of them that count as read, although no record shows it. */
	uint64_t queued, stale;
	bool dgram;
};

/* Copies the item. Makes pointers to items invalid. Returns 0 or -ENOMEM. */
int bytes_push(struct bytes_pool *m, struct bytes_queue *q, const struct bytes_item *item);
/* Returns NULL if the queue is empty. The result is valid until the next bytes_push(). */
static inline struct bytes_item *bytes_first(const struct bytes_pool *m, const struct bytes_queue *q)
{
	return q->first ? &m->items.v[q->first - 1] : NULL;
}
/* The queue must not be empty. */
void bytes_pop(struct bytes_pool *m, struct bytes_queue *q);
void bytes_clear(struct bytes_pool *m, struct bytes_queue *q);
void bytes_forget(struct bytes_pool *m, struct bytes *b);

/* A send of *bytes bytes is recorded. parted: the last record that shows that the sender did something
 * else, or GRAPH_NONE. Each call takes bytes for the oldest debt, and sets *ret to this debt. Returns false
 * if there is no debt left; then *bytes of the send are not received yet. */
bool bytes_settle(struct bytes_pool *m, struct bytes *b, uint32_t parted, uint32_t *bytes,
		  struct bytes_item *ret);
/* Puts the item into `in`. Returns 0 or -ENOMEM. */
int bytes_sent(struct bytes_pool *m, struct bytes *b, const struct bytes_item *item);
/* Called before the bytes of a receive are taken: drops stale bytes, and datagrams that were lost. */
void bytes_skip(struct bytes_pool *m, struct bytes *b, uint32_t bytes);
/* A receive has *bytes bytes. Each call takes some of them from the oldest item of `in`, and sets *ret to
 * this item, as it was before. Returns false if there is none left; then *bytes are a debt. */
bool bytes_take(struct bytes_pool *m, struct bytes *b, uint32_t *bytes, struct bytes_item *ret);
/* Called when a reader found nothing to read at ts_ns. If the oldest bytes in `in` are older than
 * FLOW_STALE_NS, all bytes in `in` become stale. */
void bytes_found_empty(const struct bytes_pool *m, const struct graph *g, struct bytes *b, uint64_t ts_ns);
/* r is a CT_GAP, or a CT_SHED that is not a cap. Returns true if messages may be missing before or after it.
 * Then the bytes on their way are forgotten: a missing message would shift all later matches. */
bool bytes_may_lack(const struct ct_rec *r);

/*
 * `wake` ended a wait for bytes on sock that began at from_ns. Returns the record CT_SEND of the oldest bytes
 * that were unread then: these bytes explain the wake-up. Such a send may be recorded up to MESSAGE_LATE_NS
 * after the wake-up, or later if its bytes were received first. Returns GRAPH_NONE if no record shows such a
 * send:
 * - All recorded sends were received before the wake-up.
 * - The bytes count as read, because they were sent long before from_ns (FLOW_STALE_NS).
 * - Records of messages may be missing between the send and the wake-up.
 */
uint32_t bytes_unread(const struct graph *g, uint64_t sock, const struct window_event *wake,
		      uint64_t from_ns);
/* `task` is of the process at the other end of the stream socket sock, on this host. Returns true if this
 * process has received something there before from_ns, but not all that was sent on sock up to from_ns, until
 * to_ns, and does not wait for it at to_ns. Returns false if records of messages may be missing. */
bool bytes_stay_unread(const struct graph *g, uint64_t sock, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* s is a poll of a task that uses the stream socket sock, whose other end is on this host. If bytes that were
 * sent to sock before s stay unread up to the end of s, returns the time of the next receive on sock, or
 * UINT64_MAX. So s does not wait for bytes on sock: a poll for input ends at once if there are some.
 * (Exception: if sock is an edge-triggered member of an epoll, s may wait for new bytes. This counts as no
 * wait for bytes.) Otherwise returns 0. Returns 0 also in these cases:
 * - A record shows that s ends as soon as there is input on sock: then the bytes have not arrived.
 * - sock ended s.
 * - sock woke the task after the last receive that is recorded before s: then the task may have read the
 *   bytes without a record, for example by splice(). */
uint64_t bytes_read_on_ns(const struct graph *g, uint64_t sock, const struct interval *s);
/* `task` is of the process at the other end of the TCP or UDP socket sock, on this host. Returns the time at
 * which the last message arrived there that was sent on sock up to from_ns: the time of the first receive
 * since, or of the wake-up before this receive. Returns to_ns if they arrived later, or not at all. Returns 0
 * in these cases:
 * - At from_ns, the bytes had arrived, or were under way for less than MESSAGE_DELAYED_NS.
 * - The process did not wait for them, so it may have left them unread (owner_awaits_input()).
 * - A datagram may have gone to another socket.
 * - Records of messages may be missing. */
uint64_t bytes_arrived_ns(const struct graph *g, uint64_t sock, uint32_t task, uint64_t from_ns,
			  uint64_t to_ns);
/* s waits for something on the TCP socket sock, whose remote address is of this host. If records show that
 * the connection was not made when the time from_ns to to_ns began, and did not reach the server, returns the
 * time of the first message on sock, or to_ns if it is earlier. Returns 0 in these cases:
 * - The connection may have been made: no record shows that it was not, MESSAGE_DELAYED_NS after from_ns or
 *   later (a wait in connect() shows it), and after the last such record, a task may have accepted it.
 * - Some socket that listens for it is not awaited: its queue may be full.
 *
 * A connection that reaches a listening socket is made by the kernel, before a task accepts it. */
uint64_t bytes_connected_ns(const struct graph *g, const struct interval *s, uint64_t sock, uint64_t from_ns,
			    uint64_t to_ns);
/* a and b are records, in any order. Returns true if messages of sock, or of its other end, may be missing
 * between them: see graph_may_lack(), or because a task was capped whose process uses the connection, or is
 * that of a or b. sock needs no known other end. */
bool bytes_lack_between(const struct graph *g, uint64_t sock, uint32_t a, uint32_t b);

#endif
