// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/match.h"

#include <errno.h>

#include "graph/causal/exchange.h"
#include "graph/causal/segments.h"
#include "graph/causal/wake_edges.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"

/* Returns a new item at the end of the queue. The caller fills it in place: a copy would cost more. NULL: no
 * memory; sets p->err. */
static struct flow_item *pass_queue(struct pass *p, struct flow_queue *q)
{
	struct flow_item *item = flow_push(&p->flows, q);

	if (!item)
		p->err = -ENOMEM;
	return item;
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

static uint32_t settle_debts(struct pass *p, struct flow *to, uint32_t event, uint32_t task, uint32_t bytes)
{
	uint32_t parted = p->work[task].parted;
	struct flow_item *d;

	while ((d = flow_first(&p->flows, &to->debts)) && bytes) {
		/* After the receive d, the sender did something else, and only then made this send.
		 * So d received the bytes of another send. */
		if (parted != GRAPH_NONE && parted > d->event) {
			flow_pop(&p->flows, &to->debts);
			continue;
		}
		message_edge(p, (struct message_end){ task, p->work[task].segment, event },
			     (struct message_end){ d->task, d->segment, d->event }, to->sock);
		exchange_settle(p, to, d->event, task, event);
		if (d->wake != GRAPH_NONE)
			p->edges.v[d->wake].kind = 0;
		d->wake = GRAPH_NONE;
		if (!to->dgram && d->bytes > bytes) {
			d->bytes -= bytes;
			return 0;
		}
		bytes = to->dgram ? 0 : bytes - d->bytes;
		flow_pop(&p->flows, &to->debts);
	}
	return bytes;
}

static void request_drop(struct pass *p, struct flow *f)
{
	struct flow_item *r = flow_first(&p->flows, &f->taken);

	if (p->work[r->task].taken)
		p->work[r->task].taken--;
	flow_pop(&p->flows, &f->taken);
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
	return f->dgram && task != GRAPH_NONE ? (uint64_t)task + 1 : f->sock;
}

/* A server that has one datagram socket for all its clients may answer their requests in any order. So
 * this function looks in f->taken for a request that `segment` received, and moves it to the front.
 * Returns false if f->taken has several requests, and `segment` received none of them. */
static bool choose_request(struct flows *m, struct flow *f, uint32_t segment)
{
	struct flow_item *first = flow_first(m, &f->taken), old = *first;

	if (!f->dgram || f->peer != GRAPH_NONE || !first->next || first->segment == segment)
		return true;
	for (uint32_t at = first->next, looks = 0; at && looks < MATCH_LOOKS; looks++) {
		struct flow_item *i = &m->items.v[at - 1];

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
	struct flow_item *item = pass_queue(p, &flow->asks);

	if (item)
		*item = (struct flow_item){ .event = event,
					    .segment = p->work[task].segment,
					    .task = task,
					    .client = p->work[task].client,
					    .ask = GRAPH_NONE,
					    .request = request };
}

static void serve_send(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t *ret_ask)
{
	struct work *w = &p->work[task];
	struct flow *flow = &p->flows.v.v[f];
	struct flow_item *r = flow_first(&p->flows, &flow->taken), request;
	uint64_t ts = p->e[event].r.ts;
	bool sure;

	while (r && r->reply && w->client && w->client != r->client) {
		request_drop(p, flow);
		r = flow_first(&p->flows, &flow->taken);
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

void match_send(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task = pass_task(p, r->tid, r->ts), ask = GRAPH_NONE, f, left, asker;
	uint32_t bytes = ct_message_bytes(r);
	struct flow_item *item;
	struct work *w;
	struct flow *flow, *to;

	f = task == GRAPH_NONE ? pass_flow(p, r->obj) : pass_flow_of(p, task, r->obj);
	if (task == GRAPH_NONE || f == GRAPH_NONE || pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	flow_make_room(&p->flows, p->g, r->ts);
	w = &p->work[task];
	flow = &p->flows.v.v[f];
	speaks_first(p, flow, true);
	if (flow->role == ROLE_SERVES) {
		serve_send(p, f, task, event, &ask);
	} else {
		asker = flow->sent_last && flow->asks.last ? p->flows.items.v[flow->asks.last - 1].request
							   : exchange_asker(p, f, task);
		item_ask(p, flow, task, event, asker);
		exchange_ask(p, f, task, event, asker);
		w->asked = r->obj;
	}
	flow = &p->flows.v.v[f];
	flow->user = task;
	flow->sent_last = true;
	if (flow->peer != GRAPH_NONE && !p->err) {
		to = &p->flows.v.v[flow->peer];
		left = settle_debts(p, to, event, task, bytes);
		to = &p->flows.v.v[flow->peer];
		item = left ? pass_queue(p, &to->in) : NULL;
		if (item) {
			*item = (struct flow_item){ .event = event,
						    .segment = w->segment,
						    .task = task,
						    .bytes = left,
						    .begun = left != bytes,
						    .client = w->client,
						    .ask = ask };
			to->queued += left;
		}
	}
	w->parted = event;
	w->spoke = r->obj;
	w->flow = f;
	w->acts++;
}

/* Called for a receive of `bytes` bytes. The first bytes in the queue f->in may be stale (flow.h):
 * the task seems to have read them before. The other bytes are fresh. Drops the stale bytes.
 * Exception: if there are fresh bytes, but fewer than `bytes`, the receive must include stale
 * bytes. Then the task has not read them before, and nothing is dropped. */
static void skip_stale(struct flows *m, struct flow *f, uint32_t bytes)
{
	uint64_t fresh = f->queued - MIN(f->stale, f->queued);
	uint64_t left = MIN(f->stale, f->queued);

	f->stale = 0;
	if (!left || (fresh && bytes > fresh))
		return;
	for (struct flow_item *i; left && (i = flow_first(m, &f->in));) {
		uint32_t n = (uint32_t)MIN((uint64_t)i->bytes, left);

		left -= n;
		f->queued -= n;
		i->bytes -= n;
		i->begun = true;
		if (!i->bytes)
			flow_pop(m, &f->in);
	}
}

/* Finds the first datagram in the queue f->in that has the length `bytes`. The datagrams before it
 * in the queue were lost: drops them. If no datagram in the queue has this length, the received
 * datagram was cut off. Then drops none. */
static void skip_datagrams(struct flows *m, struct flow *f, uint32_t bytes)
{
	struct flow_item *i;
	bool fits = false;

	for (uint32_t at = f->in.first, looks = 0; at && !fits && looks < MATCH_LOST; looks++) {
		fits = m->items.v[at - 1].bytes == bytes;
		at = m->items.v[at - 1].next;
	}
	while (fits && (i = flow_first(m, &f->in)) && i->bytes != bytes) {
		f->queued -= i->bytes;
		flow_pop(m, &f->in);
	}
}

/* What the queue `in` says about the bytes of a receive. The first three members are about the
 * first of these bytes. GRAPH_NONE: not known. */
struct received {
	uint32_t task;  /* the sender of the byte */
	uint32_t ask;   /* if the byte is a part of an answer: the send of the answered request */
	uint32_t event; /* the send of the byte */
	uint32_t begun; /* how many sends have their first byte in this receive */
};

static void look_ahead(const struct flows *m, const struct flow *f, uint32_t bytes, struct received *ret)
{
	*ret = (struct received){ .task = GRAPH_NONE, .ask = GRAPH_NONE, .event = GRAPH_NONE };
	for (uint32_t at = f->in.first; at && bytes; at = m->items.v[at - 1].next) {
		const struct flow_item *i = &m->items.v[at - 1];

		if (ret->event == GRAPH_NONE) {
			ret->task = i->task;
			ret->ask = i->ask;
			ret->event = i->event;
		}
		ret->begun += !i->begun;
		bytes = f->dgram ? 0 : bytes - MIN(bytes, i->bytes);
	}
	if (ret->event == GRAPH_NONE)
		ret->begun = 1; /* the send is recorded later, or not at all */
}

static void take_bytes(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t bytes)
{
	uint32_t to = p->work[task].segment;
	struct flows *m = &p->flows;
	struct flow *flow = &m->v.v[f];
	struct flow_item *i;

	while (bytes && (i = flow_first(m, &flow->in))) {
		uint32_t n = MIN(i->bytes, bytes);

		message_edge(p, (struct message_end){ i->task, i->segment, i->event },
			     (struct message_end){ task, to, event }, flow->sock);
		if (flow->dgram) {
			n = i->bytes;
			bytes = n;
		}
		bytes -= n;
		i->bytes -= n;
		i->begun = true;
		flow->queued -= n;
		if (!i->bytes)
			flow_pop(m, &flow->in);
	}
	if (!bytes || flow->peer == GRAPH_NONE)
		return;
	i = pass_queue(p, &flow->debts);
	if (i)
		*i = (struct flow_item){ .event = event,
					 .segment = to,
					 .task = task,
					 .bytes = bytes,
					 .wake = wake_edges_adopt(p, task, flow->sock) };
}

static void serve_recv(struct pass *p, uint32_t f, uint32_t task, uint32_t event, const struct received *got)
{
	struct work *w = &p->work[task];
	struct flow *flow = &p->flows.v.v[f];
	uint32_t from = got->task != GRAPH_NONE ? got->task : peer_user(p, flow, event);
	uint64_t client = client_at(flow, from);
	uint64_t ts = p->e[event].r.ts;
	struct flow_item *r = flow_first(&p->flows, &flow->taken);
	bool more = !got->begun;
	struct flow_item *item;
	uint32_t request;

	flow->client = from;
	/* Drop parts of a request that is already answered. */
	while (!more && !flow->pipelines && flow->sent_last && r && r->segment == flow->answered) {
		request_drop(p, flow);
		r = flow_first(&p->flows, &flow->taken);
	}
	if (!more && segments_batch(w, flow, client) && segments_cut(p, task, ts, event, CUT_BATCH)) {
		w->client = client;
		p->segments.v[w->segment].behalf = from;
	} else {
		segments_request(p, task, client, ts, event);
	}
	flow = &p->flows.v.v[f];
	flow->taker = w->segment;
	request = exchange_take(p, f, task, event, from, more ? GRAPH_NONE : got->event, more);
	if (!more) {
		flow = &p->flows.v.v[f];
		item = pass_queue(p, &flow->taken);
		if (item)
			*item = (struct flow_item){ .event = event,
						    .segment = w->segment,
						    .task = task,
						    .client = client,
						    .ask = got->event,
						    .n = MAX(got->begun, 1u),
						    .request = request,
						    .reply = flow->asks.first != 0 };
		flow_clear(&p->flows, &flow->asks);
		w->taken++;
	}
}

static void ask_recv(struct pass *p, uint32_t f, uint32_t task, uint32_t event, const struct received *got)
{
	struct flow *flow = &p->flows.v.v[f];
	struct work *w = &p->work[task];
	struct flow_item *a = flow_first(&p->flows, &flow->asks);

	if (got->ask != GRAPH_NONE) {
		/* Drops the requests that are older than the answered request. Each of them was a
		 * part of the answered request, or gets no answer. */
		while (a && a->event < got->ask) {
			flow_pop(&p->flows, &flow->asks);
			a = flow_first(&p->flows, &flow->asks);
		}
		if (a && a->event != got->ask)
			a = NULL;
	}
	if (a) {
		flow->answer_client = a->client;
		flow_pop(&p->flows, &flow->asks);
	}
	segments_client(p, task, flow->answer_client, p->e[event].r.ts, event);
	exchange_read(p, f, task, event);
	if (w->asked == flow->sock)
		w->asked = 0;
}

void match_recv(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task = pass_task(p, r->tid, r->ts), f;
	uint32_t bytes = ct_message_bytes(r);
	struct received got;
	struct flow *flow;

	f = task == GRAPH_NONE ? pass_flow(p, r->obj) : pass_flow_of(p, task, r->obj);
	if (task == GRAPH_NONE || f == GRAPH_NONE || pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	flow_make_room(&p->flows, p->g, r->ts);
	flow = &p->flows.v.v[f];
	speaks_first(p, flow, false);
	if (flow->dgram)
		skip_datagrams(&p->flows, flow, bytes);
	else
		skip_stale(&p->flows, flow, bytes);
	look_ahead(&p->flows, flow, bytes, &got);
	if (flow->role == ROLE_SERVES)
		serve_recv(p, f, task, event, &got);
	else
		ask_recv(p, f, task, event, &got);
	if (p->err)
		return;
	take_bytes(p, f, task, event, bytes);
	flow = &p->flows.v.v[f];
	flow->user = task;
	/* If a server receives only the rest of an answered request, sent_last stays set. */
	flow->sent_last &= flow->role == ROLE_SERVES && !got.begun;
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
	if (r->kind == CT_GAP ? ct_gap_cause(r) == CT_LOSS_OBJECTS
			      : !((ct_shed_lacks(ct_shed_step(r)) ^ ct_shed_lacks(ct_shed_step_before(r))) &
				  CT_LACK_MESSAGES))
		return;
	for (size_t i = 0; i < p->flows.v.n; i++)
		flow_forget(&p->flows, &p->flows.v.v[i]);
}
