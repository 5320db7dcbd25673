// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/match.h"

#include <errno.h>

#include "graph/causal/exchange.h"
#include "graph/causal/segments.h"
#include "graph/causal/wake_edges.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"

static void pass_queue(struct pass *p, struct bytes_queue *q, const struct bytes_item *item)
{
	if (bytes_push(&p->flows.pool, q, item))
		p->err = -ENOMEM;
}

static void speaks_first(struct pass *p, struct flow *f, bool sends)
{
	if (f->role != ROLE_UNKNOWN)
		return;
	f->role = sends ? ROLE_ASKS : ROLE_SERVES;
	if (f->peer != GRAPH_NONE && p->flows.v.v[f->peer].role == ROLE_UNKNOWN)
		p->flows.v.v[f->peer].role = sends ? ROLE_SERVES : ROLE_ASKS;
}

/* One end of a message: the record of the send or of the receive, with its task and segment. */
struct message_end {
	uint32_t task, segment, event;
};

static void message_edge(struct pass *p, struct message_end from, struct message_end to, uint64_t sock)
{
	if (from.segment == to.segment)
		return;
	/* Most edges are of messages. For links, pass_edge() would look up the tasks of both segments. */
	if (p->links)
		pass_link(p, to.task,
			  &(struct causal_link){ .from = from.task, .event = to.event, .cause = from.event });
	else
		pass_edge(p, &(struct edge){ .from = from.segment,
					     .to = to.segment,
					     .event = to.event,
					     .cause = from.event,
					     .kind = EDGE_MESSAGE,
					     .strength = EDGE_STRONG,
					     .flags = EDGE_BYTES });
	wake_edges_explained(p, to.task, sock, from.task);
}

/* Returns how many bytes of the send are not received yet. */
static uint32_t settle_debts(struct pass *p, struct flow *to, uint32_t event, uint32_t task, uint32_t bytes)
{
	uint32_t parted = p->work[task].parted;
	struct bytes_item d;

	while (bytes_settle(&p->flows.pool, &to->bytes, parted, &bytes, &d)) {
		message_edge(p, (struct message_end){ task, p->work[task].segment, event },
			     (struct message_end){ d.task, d.segment, d.event }, to->sock);
		exchange_settle(p, to, d.event, task, event);
		exchange_stream_settle(p, d.event, d.task, event);
		exchange_stream_read(p, event, d.event);
		if (d.wake != GRAPH_NONE)
			p->edges.v[d.wake].kind = 0;
	}
	return bytes;
}

static void request_drop(struct pass *p, struct flow *f)
{
	struct bytes_item *r = bytes_first(&p->flows.pool, &f->taken);

	if (p->work[r->task].taken)
		p->work[r->task].taken--;
	bytes_pop(&p->flows.pool, &f->taken);
}

/* Guesses the task at the other end of the connection. */
static uint32_t peer_user(struct pass *p, const struct flow *f, uint32_t event)
{
	const struct graph_ref *r;
	size_t n;

	if (f->peer == GRAPH_NONE)
		return GRAPH_NONE;
	if (p->flows.v.v[f->peer].user != GRAPH_NONE)
		return p->flows.v.v[f->peer].user;
	r = graph_refs(&p->g->sends, p->flows.v.v[f->peer].sock, &n);
	return n ? pass_task(p, p->e[r->event].r.tid, p->e[event].r.ts) : GRAPH_NONE;
}

/* Returns the value of work.client for a request on f. task: the task at the other end, or
 * GRAPH_NONE if it is not known. If f is a datagram socket and `task` is known, the value is
 * 1 + `task`, because a datagram socket may have many clients. In all other cases, the value is
 * f->sock. */
static uint64_t client_at(const struct flow *f, uint32_t task)
{
	return f->bytes.dgram && task != GRAPH_NONE ? (uint64_t)task + 1 : f->sock;
}

/* A server that has one datagram socket for all its clients may answer their requests in any order. So
 * this function looks in f->taken for a request that `segment` received, and moves it to the front.
 * Returns false if f->taken has several requests, and `segment` received none of them. */
static bool choose_request(struct flows *m, struct flow *f, uint32_t segment)
{
	struct bytes_item *first = bytes_first(&m->pool, &f->taken), old = *first;

	if (!f->bytes.dgram || f->peer != GRAPH_NONE || !first->next || first->segment == segment)
		return true;
	for (uint32_t at = first->next, looks = 0; at && looks < MATCH_LOOKS; looks++) {
		struct bytes_item *i = &m->pool.items.v[at - 1];

		at = i->next;
		if (i->segment != segment)
			continue;
		*first = *i;
		*i = old;
		i->next = first->next;
		first->next = old.next;
		return true;
	}
	return false;
}

static void item_ask(struct pass *p, struct flow *flow, uint32_t task, uint32_t event, uint32_t request)
{
	pass_queue(p, &flow->asks,
		   &(struct bytes_item){ .event = event,
					 .segment = p->work[task].segment,
					 .task = task,
					 .client = p->work[task].client,
					 .ask = GRAPH_NONE,
					 .request = request });
}

static void serve_send(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t *ret_ask)
{
	struct work *w = &p->work[task];
	struct flow *flow = &p->flows.v.v[f];
	struct bytes_item *r = bytes_first(&p->flows.pool, &flow->taken), request;
	uint64_t ts = p->e[event].r.ts;
	bool sure;

	while (r && r->reply && w->client && w->client != r->client) {
		request_drop(p, flow);
		r = bytes_first(&p->flows.pool, &flow->taken);
	}
	if (!r) {
		exchange_answer(p, f, task, event, GRAPH_NONE);
		if (w->client && w->client != client_at(flow, peer_user(p, flow, event)))
			item_ask(p, flow, task, event, GRAPH_NONE);
		return;
	}
	sure = choose_request(&p->flows, flow, w->segment);
	request = *r;
	*ret_ask = r->ask;
	if (--r->n == 0)
		request_drop(p, flow);
	segments_client(p, task, request.client, ts, event);
	flow = &p->flows.v.v[f];
	if (flow->sent_last)
		flow->pipelines = true; /* two answers without a receive in between */
	flow->answered = w->segment;
	exchange_answer(p, f, task, event, request.request);
	if (request.segment != w->segment)
		pass_edge(p, &(struct edge){ .from = request.segment,
					     .to = w->segment,
					     .event = event,
					     .cause = request.event,
					     .kind = EDGE_ANSWER,
					     .strength = sure ? EDGE_STRONG : EDGE_WEAK,
					     .flags = sure ? 0 : EDGE_MANY });
}

static void ask_send(struct pass *p, uint32_t f, uint32_t task, uint32_t event)
{
	struct flow *flow = &p->flows.v.v[f];
	uint32_t asker = flow->sent_last && flow->asks.last
				 ? p->flows.pool.items.v[flow->asks.last - 1].request
				 : exchange_asker(p, f, task);

	item_ask(p, flow, task, event, asker);
	exchange_ask(p, f, task, event, asker);
	p->work[task].asked = flow->sock;
}

void match_send(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task = pass_task(p, r->tid, r->ts), ask = GRAPH_NONE, f, left;
	uint32_t bytes = ct_message_bytes(r);
	struct work *w;
	struct flow *flow, *to;

	f = task == GRAPH_NONE ? pass_flow(p, r->obj) : pass_flow_of(p, task, r->obj);
	if (task == GRAPH_NONE || f == GRAPH_NONE || pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	flow_make_room(&p->flows, p->g, r->ts);
	w = &p->work[task];
	flow = &p->flows.v.v[f];
	speaks_first(p, flow, true);
	if (!pass_is_plain(p, task) && flow->role == ROLE_SERVES)
		serve_send(p, f, task, event, &ask);
	else if (!pass_is_plain(p, task))
		ask_send(p, f, task, event);
	flow = &p->flows.v.v[f];
	flow->user = task;
	flow->sent_last = true;
	if (flow->peer != GRAPH_NONE && !p->err) {
		to = &p->flows.v.v[flow->peer];
		left = settle_debts(p, to, event, task, bytes);
		to = &p->flows.v.v[flow->peer];
		if (left && bytes_sent(&p->flows.pool, &to->bytes,
				       &(struct bytes_item){ .event = event,
							     .segment = w->segment,
							     .task = task,
							     .bytes = left,
							     .begun = left != bytes,
							     .client = w->client,
							     .ask = ask }))
			p->err = -ENOMEM;
	}
	w->parted = event;
	w->spoke = r->obj;
	w->flow = f;
	w->acts++;
}

/* What the queue `in` says about the bytes of a receive. A receive may have the rest of one send, and then
 * the begin of the next one. GRAPH_NONE: not known. */
struct received {
	uint32_t rest;  /* how many bytes there are before the first byte of any send */
	uint32_t begun; /* how many sends have their first byte in this receive */
	uint32_t event; /* the first of these sends */
	uint32_t task;  /* its sender. If there is none: the sender of the rest */
	/* If the first byte is a part of an answer: the send of the answered request. */
	uint32_t ask;
};

static void look_ahead(const struct flows *m, const struct flow *f, uint32_t bytes, struct received *ret)
{
	uint32_t left = bytes;

	*ret = (struct received){ .rest = bytes, .event = GRAPH_NONE, .task = GRAPH_NONE, .ask = GRAPH_NONE };
	for (uint32_t at = f->bytes.in.first; at && left; at = m->pool.items.v[at - 1].next) {
		const struct bytes_item *i = &m->pool.items.v[at - 1];

		if (at == f->bytes.in.first) {
			ret->task = i->task;
			ret->ask = i->ask;
		}
		if (!i->begun && !ret->begun++) {
			ret->task = i->task;
			ret->event = i->event;
			ret->rest = bytes - left;
		}
		left = f->bytes.dgram ? 0 : left - MIN(left, i->bytes);
	}
	if (left && !ret->begun) {
		/* The send is recorded later, or not at all. */
		ret->task = GRAPH_NONE;
		ret->rest = bytes - left;
		ret->begun = 1;
	}
}

static void take_bytes(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t bytes)
{
	uint32_t to = p->work[task].segment;
	struct flow *flow = &p->flows.v.v[f];
	struct bytes_item i;

	while (bytes_take(&p->flows.pool, &flow->bytes, &bytes, &i)) {
		exchange_stream_read(p, i.event, event);
		message_edge(p, (struct message_end){ i.task, i.segment, i.event },
			     (struct message_end){ task, to, event }, flow->sock);
	}
	if (bytes && flow->peer != GRAPH_NONE)
		pass_queue(p, &flow->bytes.debts,
			   &(struct bytes_item){ .event = event,
						 .segment = to,
						 .task = task,
						 .bytes = bytes,
						 .wake = wake_edges_adopt(p, task, flow->sock) });
}

static void serve_recv(struct pass *p, uint32_t f, uint32_t task, uint32_t event, const struct received *got)
{
	struct work *w = &p->work[task];
	struct flow *flow = &p->flows.v.v[f];
	uint32_t from = got->task != GRAPH_NONE ? got->task : peer_user(p, flow, event);
	uint64_t client = client_at(flow, from);
	uint64_t ts = p->e[event].r.ts;
	struct bytes_item *r = bytes_first(&p->flows.pool, &flow->taken);
	bool more = !got->begun;
	uint32_t request;

	flow->client = from;
	/* Drop parts of a request that is already answered. */
	while (!more && !flow->pipelines && flow->sent_last && r && r->segment == flow->answered) {
		request_drop(p, flow);
		r = bytes_first(&p->flows.pool, &flow->taken);
	}
	if (!more && segments_batch(w, flow, client) && segments_cut(p, task, ts, event, CUT_BATCH)) {
		w->client = client;
		pass_open(p, task)->behalf = from;
	} else {
		segments_request(p, task, client, ts, event);
	}
	flow = &p->flows.v.v[f];
	flow->taker = w->segment;
	exchange_stream_take(p, f, task, event);
	request = exchange_take(p, f, task, event, from, got->event, got->rest);
	if (!more) {
		flow = &p->flows.v.v[f];
		pass_queue(p, &flow->taken,
			   &(struct bytes_item){ .event = event,
						 .segment = w->segment,
						 .task = task,
						 .client = client,
						 .ask = got->event,
						 .n = MAX(got->begun, 1u),
						 .request = request,
						 .reply = flow->asks.first != 0 });
		bytes_clear(&p->flows.pool, &flow->asks);
		w->taken++;
	}
}

static void ask_recv(struct pass *p, uint32_t f, uint32_t task, uint32_t event, const struct received *got)
{
	struct flow *flow = &p->flows.v.v[f];
	struct work *w = &p->work[task];
	struct bytes_item *a = bytes_first(&p->flows.pool, &flow->asks);

	if (got->ask != GRAPH_NONE) {
		/* Drops the requests that are older than the answered request. Each of them was a
		 * part of the answered request, or gets no answer. */
		while (a && a->event < got->ask) {
			bytes_pop(&p->flows.pool, &flow->asks);
			a = bytes_first(&p->flows.pool, &flow->asks);
		}
		if (a && a->event != got->ask)
			a = NULL;
	}
	if (a) {
		flow->answer_client = a->client;
		bytes_pop(&p->flows.pool, &flow->asks);
	}
	segments_client(p, task, flow->answer_client, p->e[event].r.ts, event);
	exchange_read(p, f, task, event);
	if (w->asked == flow->sock)
		w->asked = 0;
}

/* Finds the request or the answer to which the bytes belong. */
static void recv_message(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t bytes)
{
	struct flow *flow = &p->flows.v.v[f];
	struct received got;

	look_ahead(&p->flows, flow, bytes, &got);
	if (flow->role == ROLE_SERVES)
		serve_recv(p, f, task, event, &got);
	else
		ask_recv(p, f, task, event, &got);
	flow = &p->flows.v.v[f];
	/* If a server receives only the rest of an answered request, sent_last stays set. */
	flow->sent_last &= flow->role == ROLE_SERVES && !got.begun;
}

void match_recv(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task = pass_task(p, r->tid, r->ts), f;
	uint32_t bytes = ct_message_bytes(r);
	struct flow *flow;

	f = task == GRAPH_NONE ? pass_flow(p, r->obj) : pass_flow_of(p, task, r->obj);
	if (task == GRAPH_NONE || f == GRAPH_NONE || pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	flow_make_room(&p->flows, p->g, r->ts);
	flow = &p->flows.v.v[f];
	speaks_first(p, flow, false);
	bytes_skip(&p->flows.pool, &flow->bytes, bytes);
	if (!pass_is_plain(p, task))
		recv_message(p, f, task, event, bytes);
	if (p->err)
		return;
	take_bytes(p, f, task, event, bytes);
	p->flows.v.v[f].user = task;
	p->work[task].parted = event;
	p->work[task].spoke = r->obj;
	p->work[task].flow = f;
	p->work[task].acts++;
}

static bool flow_is_used_by(const struct pass *p, uint32_t f, uint32_t tgid)
{
	uint32_t user = f == GRAPH_NONE ? GRAPH_NONE : p->flows.v.v[f].user;

	return user != GRAPH_NONE && p->g->tasks[user].tgid == tgid;
}

/* Some messages of a capped task are not recorded. So this function forgets the bytes and requests on
 * all connections of the task's process. If the function uses up the steps that scan.h allows, it
 * does not check which process uses the remaining connections, and forgets the bytes and requests on all
 * of them. */
static void forget_process(struct pass *p, const struct ct_rec *cap)
{
	uint32_t task = pass_task(p, cap->tid, cap->ts);
	uint32_t tgid = task == GRAPH_NONE ? 0 : p->g->tasks[task].tgid;

	for (uint32_t i = 0; i < p->flows.v.n; i++)
		if (!scan_step(p->g) || flow_is_used_by(p, i, tgid) ||
		    flow_is_used_by(p, p->flows.v.v[i].peer, tgid))
			flow_forget(&p->flows, &p->flows.v.v[i]);
}

void match_forget(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;

	if (r->kind == CT_SHED && r->flags & CT_GV_CAP) {
		forget_process(p, r);
		return;
	}
	if (r->kind == CT_SHED && ct_shed_lacks(ct_shed_step_before(r)) & CT_LACK_SWITCHES)
		p->coarse_ns = r->ts;
	if (!bytes_may_lack(r))
		return;
	for (size_t i = 0; i < p->flows.v.n; i++)
		flow_forget(&p->flows, &p->flows.v.v[i]);
}
