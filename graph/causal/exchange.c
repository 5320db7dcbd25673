// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/exchange.h"

#include <errno.h>
#include <sys/socket.h>

static struct request *request_at(struct pass *p, uint32_t request)
{
	return request == GRAPH_NONE ? NULL : &p->requests.v[request];
}

static uint32_t request_add(struct pass *p, const struct request *q)
{
	if (p->requests.n >= GRAPH_NONE - 1)
		p->err = -E2BIG;
	else if (VEC_PUSH(&p->requests, *q))
		p->err = -ENOMEM;
	return p->err ? GRAPH_NONE : (uint32_t)p->requests.n - 1;
}

uint32_t exchange_request_of(const struct pass *p, uint32_t task)
{
	uint64_t client = p->work[task].client, f;

	/* a client that is a task sends datagrams: see pass_client() */
	if (!p->wants_requests || client <= GRAPH_NONE || !map_get(&p->flows.by_sock, client, &f))
		return GRAPH_NONE;
	return p->flows.v.v[f].request;
}

static void work_for(struct pass *p, uint32_t task, uint32_t event, uint32_t request)
{
	struct request_part part = { .segment = p->work[task].segment, .event = event, .request = request };

	if (part.segment == GRAPH_NONE || request == GRAPH_NONE)
		return;
	if (VEC_PUSH(&p->parts, part))
		p->err = -ENOMEM;
}

void exchange_works(struct pass *p, uint32_t task, uint32_t event)
{
	if (p->wants_requests)
		work_for(p, task, event, exchange_request_of(p, task));
}

void exchange_ask(struct pass *p, uint32_t f, uint32_t task, uint32_t event)
{
	struct flow *flow = &p->flows.v.v[f];
	const struct request *open = request_at(p, flow->request);
	const struct window_object *o = window_object(p->g->w, flow->sock);
	uint32_t bytes = ct_message_bytes(&p->e[event].r);

	/* the other end is on this host, and will notice the request; or the socket has no address */
	if (!p->wants_requests || flow->peer != GRAPH_NONE || !o || !o->rport ||
	    (o->family != AF_INET && o->family != AF_INET6))
		return;
	if (open && open->answer == GRAPH_NONE && !flow->dgram) {
		p->requests.v[flow->request].asked_bytes += bytes;
		return;
	}
	flow->request = request_add(p, &(struct request){ .sock = flow->sock,
							  .client = task,
							  .server = GRAPH_NONE,
							  .answerer = GRAPH_NONE,
							  .parent = exchange_request_of(p, task),
							  .sent = event,
							  .got = GRAPH_NONE,
							  .answer = GRAPH_NONE,
							  .answered = GRAPH_NONE,
							  .read = GRAPH_NONE,
							  .asked_bytes = bytes });
}

/* The request for which the client sent its request; GRAPH_NONE: none, or not known. */
static uint32_t parent_of(const struct pass *p, const struct flow *server, uint32_t sent)
{
	const struct flow *client = server->peer == GRAPH_NONE ? NULL : &p->flows.v.v[server->peer];
	uint32_t at = client && sent != GRAPH_NONE ? client->asks.first : 0;

	for (uint32_t looks = 0; at && looks < MATCH_LOOKS; looks++) {
		const struct flow_item *i = &p->flows.items.v[at - 1];

		if (i->event == sent)
			return i->request;
		at = i->next;
	}
	return GRAPH_NONE;
}

uint32_t exchange_take(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t from,
		       uint32_t cause, bool more)
{
	struct flow *flow = &p->flows.v.v[f];
	struct request *open = request_at(p, flow->request);
	uint32_t bytes = ct_message_bytes(&p->e[event].r);

	if (!p->wants_requests)
		return GRAPH_NONE;
	if (open && !flow->dgram && (more || open->answer == GRAPH_NONE)) {
		/* a further part of the request, or the next of several requests: one turn in both cases */
		open->asked_bytes += bytes;
		open->shared |= flow->pipelines;
	} else {
		flow->request = request_add(p, &(struct request){ .sock = flow->sock,
								  .client = from,
								  .server = task,
								  .answerer = GRAPH_NONE,
								  .parent = parent_of(p, flow, cause),
								  .sent = cause,
								  .got = event,
								  .answer = GRAPH_NONE,
								  .answered = GRAPH_NONE,
								  .read = GRAPH_NONE,
								  .asked_bytes = bytes,
								  .shared = flow->pipelines });
	}
	work_for(p, task, event, flow->request);
	return flow->request;
}

void exchange_answer(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t request)
{
	struct flow *flow = &p->flows.v.v[f];
	struct request *q = request_at(p, request);
	const struct ct_rec *r = &p->e[event].r;

	if (!p->wants_requests)
		return;
	if (!q) {
		q = request_at(p, flow->request);
		if (!q || q->answered == GRAPH_NONE || r->ts - p->e[q->answered].r.ts > REQUEST_PART_NS)
			return;
	}
	if (q->answer == GRAPH_NONE)
		q->answer = event;
	q->answered = event;
	q->answerer = task;
	q->answer_bytes += ct_message_bytes(r);
	q->shared |= flow->pipelines;
}

void exchange_read(struct pass *p, uint32_t f, uint32_t event)
{
	struct flow *flow = &p->flows.v.v[f];
	bool here = flow->peer != GRAPH_NONE;
	struct request *q = request_at(p, here ? p->flows.v.v[flow->peer].request : flow->request);
	const struct ct_rec *r = &p->e[event].r;

	if (!p->wants_requests || !q)
		return;
	if (here) {
		/* the server may send news without a request; these are no part of the answer */
		if (q->answer != GRAPH_NONE && q->read_bytes >= q->answer_bytes)
			return;
	} else {
		if (q->answered != GRAPH_NONE && r->ts - p->e[q->answered].r.ts > REQUEST_PART_NS)
			return;
		if (q->answer == GRAPH_NONE)
			q->answer = event;
		q->answered = event;
		q->answer_bytes += ct_message_bytes(r);
	}
	q->read = event;
	q->read_bytes += ct_message_bytes(r);
}

void exchange_settle(struct pass *p, const struct flow *to, uint32_t got, uint32_t task, uint32_t event)
{
	struct request *q = request_at(p, to->request);

	if (!p->wants_requests || !q || q->got != got || q->sent != GRAPH_NONE)
		return;
	q->sent = event;
	q->client = task;
	q->parent = exchange_request_of(p, task);
}
