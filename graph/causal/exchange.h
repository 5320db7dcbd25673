/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exchange.h - private to graph/: notes the requests (requests.h) while a pass matches messages. A
 * task that works for a request may ask another task on behalf of this request. The functions do
 * nothing unless pass.wants_requests is set. Errors go to p->err.
 */
#ifndef CTRACE_GRAPH_CAUSAL_EXCHANGE_H
#define CTRACE_GRAPH_CAUSAL_EXCHANGE_H

#include "graph/causal/pass.h"

/* Called when the task asks another task on flow f. Returns the request on behalf of which the
 * task asks, or GRAPH_NONE if there is no such request or it is not known. An event loop may have
 * received several requests before it asks on behalf of the first of them. The loop asks on
 * behalf of them in the order in which it received them. */
uint32_t exchange_asker(struct pass *p, uint32_t f, uint32_t task);
/* Notes that the task works, from the record `event` on, for the client in its struct work. */
void exchange_works(struct pass *p, uint32_t task, uint32_t event);
/* Called when a client sends on flow f. If the server is on another host, notes the request.
 * Otherwise exchange_take() notes it. asker is the result of exchange_asker(). */
void exchange_ask(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t asker);
/* Called when a server receives bytes of the task `from`. cause is the send of the first byte, or
 * GRAPH_NONE if it is not known. more: all bytes belong to sends of which parts were received
 * before. Returns the request to which the bytes belong. Returns GRAPH_NONE if there is no
 * memory, or if requests are not wanted. */
uint32_t exchange_take(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t from,
		       uint32_t cause, bool more);
/* Called when a server sends on flow f. `request` is the request that the server answers. If
 * `request` is GRAPH_NONE, no request waits for an answer, so the bytes may be a further part of
 * the last answer. */
void exchange_answer(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t request);
/* Called when a client receives on flow f. Notes that the client has received a part of the
 * answer to the last request. If the server is on another host, this receive stands for the send
 * of the answer. */
void exchange_read(struct pass *p, uint32_t f, uint32_t task, uint32_t event);
/* Called when `task` sends, at the record `event`, bytes whose receive, `got`, was recorded
 * before. If a request begins with this receive, notes the send, the client and the parent of the
 * request. `to` is the flow that received. */
void exchange_settle(struct pass *p, const struct flow *to, uint32_t got, uint32_t task, uint32_t event);

#endif
