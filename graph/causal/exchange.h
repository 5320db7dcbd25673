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
 * - cause: the send of the first byte; GRAPH_NONE: not known
 * - more: the receive does not have the first byte of any send
 */
uint32_t exchange_take(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t from,
		       uint32_t cause, bool more);
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

#endif
