/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exchange.h - private to graph/: notes the requests (requests.h) while a pass matches messages. All
 * functions do nothing unless pass.wants_requests is set. Errors go to p->err.
 */
#ifndef CTRACE_GRAPH_CAUSAL_EXCHANGE_H
#define CTRACE_GRAPH_CAUSAL_EXCHANGE_H

#include "graph/causal/pass.h"

/* The task asks another one on flow f. Returns the request for which it asks; GRAPH_NONE: none, or not known.
 * An event loop may have received several requests before it asks for the first of them: it acts on them in
 * this order. */
uint32_t exchange_asker(struct pass *p, uint32_t f, uint32_t task);
/* The task works from the record `event` on for the client in its struct work. */
void exchange_works(struct pass *p, uint32_t task, uint32_t event);
/* A client sends on flow f. asker: the result of exchange_asker(). */
void exchange_ask(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t asker);
/* A server receives bytes of the task `from`. cause: the send of the first byte; GRAPH_NONE: not known. more:
 * all bytes belong to sends of which parts were received before. Returns the request to which the bytes
 * belong. */
uint32_t exchange_take(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t from,
		       uint32_t cause, bool more);
/* A server sends on flow f. request: the request that it answers; GRAPH_NONE: no request waits for an answer,
 * so the bytes may be a further part of the last answer. */
void exchange_answer(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t request);
/* A client receives on flow f. */
void exchange_read(struct pass *p, uint32_t f, uint32_t task, uint32_t event);
/* The record `event` is the send of bytes whose receive, `got`, was recorded before. */
void exchange_settle(struct pass *p, const struct flow *to, uint32_t got, uint32_t task, uint32_t event);

#endif
