/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exchange.h - private to graph/: notes the requests (requests.h) while a pass matches messages.
 * The functions do nothing unless pass.wants_requests is set. Errors go to p->err.
 *
 * A task that works for a request may ask another task something for it. The task then asks "on
 * behalf of" the request.
 */
#ifndef CTRACE_GRAPH_CAUSAL_EXCHANGE_H
#define CTRACE_GRAPH_CAUSAL_EXCHANGE_H

#include "graph/causal/pass.h"

/* Adds a request. Returns its index in pass.requests. GRAPH_NONE: an error, which is in p->err. */
uint32_t exchange_add(struct pass *p, const struct request *q);
/* Notes that the task works for the request from the record `event` on. GRAPH_NONE: it is not known for
 * which request it works. */
void exchange_label(struct pass *p, uint32_t task, uint32_t event, uint32_t request);
/* From now on, the requests of flow f are streams. The present request of the flow is none. */
void exchange_carry(struct pass *p, uint32_t f);
/* Called when the task asks on flow f. Returns the request on behalf of which it asks, or GRAPH_NONE. */
uint32_t exchange_asker(struct pass *p, uint32_t f, uint32_t task);
/* Notes that the task works for its client (work.client) from the record `event` on. */
void exchange_works(struct pass *p, uint32_t task, uint32_t event);
/* Called when a client sends on flow f. asker: from exchange_asker(). Notes the request only if the
 * server is on another host. */
void exchange_ask(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t asker);
/*
 * Called when a server receives bytes of the task `from`. Returns the request to which the bytes
 * belong, or GRAPH_NONE.
 *
 * - cause: the first send whose first byte is in the receive; GRAPH_NONE: not known
 * - rest: how many of the bytes are before this byte. If all are, the receive has no such byte
 */
uint32_t exchange_take(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t from,
		       uint32_t cause, uint32_t rest);
/* Called when a server sends on flow f. request: the answered request. GRAPH_NONE: the bytes may be
 * a further part of the last answer. */
void exchange_answer(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t request);
/* Called when a client receives on flow f. If the server is on another host, this receive stands
 * for the send of the answer. */
void exchange_read(struct pass *p, uint32_t f, uint32_t task, uint32_t event);
/* A send is recorded when its call returns, so the receive of its bytes may be recorded first. Called
 * when such a late send is recorded: `task` sends in the record `event`, and the receive is the
 * earlier record `got` on flow `to`. If `got` began the last request on `to`, and the send of this
 * request is not known yet, sets its send, client and parent. */
void exchange_settle(struct pass *p, const struct flow *to, uint32_t got, uint32_t task, uint32_t event);

/*
 * Streams (exchange_stream.c): requests that share a connection. A probe reports their begins and ends. The
 * functions do nothing unless pass.has_streams is set.
 */
/* Called for a CT_MARK. */
void exchange_stream_mark(struct pass *p, uint32_t event);
/* Called when a server receives on flow f, before the bytes are taken from the queue. */
void exchange_stream_take(struct pass *p, uint32_t f, uint32_t task, uint32_t event);
/* As exchange_settle(): `reader` receives in the record `got`, and the send of the bytes is `event`. */
void exchange_stream_settle(struct pass *p, uint32_t got, uint32_t reader, uint32_t event);
/* Called when a client receives: the next stream of the task does not begin with these bytes. */
void exchange_stream_other(struct pass *p, uint32_t task, uint32_t event);
/* Called when a server sends on flow f: this is the answer of the streams that have ended. */
void exchange_stream_answer(struct pass *p, uint32_t f, uint32_t task, uint32_t event);
/* A client receives bytes of the send `sent` in the record `event`. */
void exchange_stream_read(struct pass *p, uint32_t sent, uint32_t event);
/* The probes of the framework are detached. */
void exchange_stream_off(struct pass *p, uint16_t framework);
/* Returns true if the streams of the process are recorded. */
bool exchange_stream_probed(const struct pass *p, uint32_t task);
/* Returns the only stream of flow f that has begun and not ended, or GRAPH_NONE. */
uint32_t exchange_stream_only(const struct pass *p, uint32_t f);

#endif
