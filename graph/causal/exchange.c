// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/exchange.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static struct request *request_at(struct pass *p, uint32_t request)
{
	return request == GRAPH_NONE ? NULL : &p->requests.v[request];
}

enum turn { TURN_NONE, TURN_FRESH, TURN_WAITING };

uint32_t exchange_add(struct pass *p, const struct request *q)
{
	if (p->requests.n >= GRAPH_NONE - 1)
		p->err = -E2BIG;
	else if (VEC_PUSH(&p->requests, *q) ||
		 VEC_PUSH(&p->turns, (struct request_turn){ .asked_on = GRAPH_NONE }))
		p->err = -ENOMEM;
	return p->err ? GRAPH_NONE : (uint32_t)p->requests.n - 1;
}

static uint32_t request_of_client(const struct pass *p, uint32_t task)
{
	uint64_t client = p->work[task].client, f;

	/* 0: there is no client. Up to GRAPH_NONE: the client is a task, not a socket. */
	if (client <= GRAPH_NONE || !map_get(&p->flows.by_sock, client, &f))
		return GRAPH_NONE;
	return p->flows.v.v[f].streams ? exchange_stream_only(p, (uint32_t)f) : p->flows.v.v[f].request;
}

void exchange_label(struct pass *p, uint32_t task, uint32_t event, uint32_t request)
{
	struct request_part part = { .segment = p->work[task].segment, .event = event, .request = request };

	if (part.segment != GRAPH_NONE && VEC_PUSH(&p->parts, part))
		p->err = -ENOMEM;
}

static void work_for(struct pass *p, uint32_t task, uint32_t event, uint32_t request)
{
	struct request_part part = { .segment = p->work[task].segment, .event = event, .request = request };
	struct request_part *last = p->parts.n ? &p->parts.v[p->parts.n - 1] : NULL;

	if (part.segment == GRAPH_NONE || request == GRAPH_NONE)
		return;
	if (last && last->segment == part.segment && last->event == event)
		last->request = request;
	else if (VEC_PUSH(&p->parts, part))
		p->err = -ENOMEM;
}

static void queue_push(struct pass *p, struct request_queue *q, uint32_t request, enum turn turn)
{
	if (q->first > q->v.n / 2) {
		memmove(q->v.v, q->v.v + q->first, (q->v.n - q->first) * sizeof(*q->v.v));
		q->v.n -= q->first;
		q->first = 0;
	}
	p->turns.v[request].queue = (uint8_t)turn;
	if (VEC_PUSH(&q->v, request))
		p->err = -ENOMEM;
}

static uint32_t queue_oldest(const struct pass *p, struct request_queue *q, enum turn turn)
{
	while (q->first < q->v.n && p->turns.v[q->v.v[q->first]].queue != turn)
		q->first++;
	return q->first < q->v.n ? q->v.v[q->first] : GRAPH_NONE;
}

/* Looks for new requests in the first MATCH_LOOKS entries of the queue. A request is new if no task
 * has asked on behalf of it. Passes over the first *skip new requests, and returns the next new
 * request. GRAPH_NONE: there is no next one. Then *skip is reduced by the number of new requests
 * that were found. *last becomes the last new request that was found, if there is one. */
static uint32_t queue_new(const struct pass *p, struct request_queue *q, enum turn turn, uint32_t *skip,
			  uint32_t *last)
{
	queue_oldest(p, q, turn);
	for (size_t i = q->first, looks = 0; i < q->v.n && looks < MATCH_LOOKS; i++, looks++) {
		const struct request_turn *t = &p->turns.v[q->v.v[i]];

		if (t->queue != turn || t->asked_on != GRAPH_NONE)
			continue;
		*last = q->v.v[i];
		if (!(*skip)--)
			return q->v.v[i];
	}
	return GRAPH_NONE;
}

static uint32_t next_new(const struct pass *p, struct request_loop *l, uint32_t rank)
{
	uint32_t last = GRAPH_NONE;
	uint32_t request = queue_new(p, &l->waiting, TURN_WAITING, &rank, &last);

	if (request == GRAPH_NONE)
		request = queue_new(p, &l->fresh, TURN_FRESH, &rank, &last);
	return request == GRAPH_NONE ? last : request;
}

/* Returns the task's struct request_loop, or NULL: no memory. If the task has idled since the last call,
 * moves the requests from the queue `fresh` to the queue `waiting`. */
static struct request_loop *loop_at(struct pass *p, uint32_t task)
{
	struct request_loop *l;
	uint64_t at;
	uint32_t request;

	if (!map_get(&p->loop_of, task, &at)) {
		at = p->loops.n;
		if (VEC_PUSH(&p->loops, (struct request_loop){ .now = GRAPH_NONE, .late = GRAPH_NONE }) ||
		    map_set(&p->loop_of, task, at)) {
			p->err = -ENOMEM;
			return NULL;
		}
	}
	l = &p->loops.v[at];
	if (l->idles == p->work[task].idles)
		return l;
	l->idles = p->work[task].idles;
	l->acted = false;
	l->released.n = 0;
	l->now = l->late = GRAPH_NONE;
	while ((request = queue_oldest(p, &l->fresh, TURN_FRESH)) != GRAPH_NONE)
		queue_push(p, &l->waiting, request, TURN_WAITING);
	return l;
}

static bool is_open(const struct pass *p, uint32_t request)
{
	return request != GRAPH_NONE && p->requests.v[request].answer == GRAPH_NONE;
}

static void activate(struct pass *p, uint32_t task, uint32_t request)
{
	struct request_loop *l = request == GRAPH_NONE ? NULL : loop_at(p, task);

	if (!l)
		return;
	l->late = GRAPH_NONE;
	if (p->turns.v[request].queue != TURN_FRESH)
		queue_push(p, &l->fresh, request, TURN_FRESH);
}

/* The task has read an answer for the sake of the request. If the request has an answer itself, the task may
 * ask more for its sake, but requests without an answer come first. */
static void go_on(struct pass *p, uint32_t task, uint32_t request)
{
	struct request_loop *l;

	if (request == GRAPH_NONE || is_open(p, request)) {
		activate(p, task, request);
		return;
	}
	l = loop_at(p, task);
	if (l)
		l->late = request;
}

void exchange_carry(struct pass *p, uint32_t f)
{
	struct flow *flow = &p->flows.v.v[f];
	struct request_turn *turn = flow->request == GRAPH_NONE ? NULL : &p->turns.v[flow->request];

	if (turn && !flow->streams) {
		turn->queue = TURN_NONE;
		turn->asked_on = f;
		turn->carrier = true;
	}
	flow->streams = flow->streamed = true;
}

static void act(struct pass *p, uint32_t task, uint32_t request)
{
	struct request_loop *l = loop_at(p, task);

	p->turns.v[request].queue = TURN_NONE;
	if (!l)
		return;
	l->late = GRAPH_NONE;
	l->now = request;
	l->acted = true;
}

/* Returns the oldest waiting request. GRAPH_NONE: none waits, or several wait and the task has
 * acted on no request since it idled. */
static uint32_t next_waiting(const struct pass *p, struct request_loop *l)
{
	uint32_t request = queue_oldest(p, &l->waiting, TURN_WAITING);

	for (size_t i = l->waiting.first + 1; request != GRAPH_NONE && !l->acted && i < l->waiting.v.n; i++)
		if (p->turns.v[l->waiting.v.v[i]].queue == TURN_WAITING)
			return GRAPH_NONE;
	return request;
}

static void release(struct pass *p, uint32_t task, uint32_t request)
{
	struct request_loop *l = loop_at(p, task);
	uint32_t f = p->turns.v[request].asked_on;

	if (l && f != GRAPH_NONE && VEC_PUSH(&l->released, f))
		p->err = -ENOMEM;
}

/* A flow is free if it is in `released` (struct request_loop). If flow f is free, removes it from
 * there, and returns true. *ret_rank: how many flows became free before f and are still free. */
static bool take_released(struct request_loop *l, uint32_t f, uint32_t *ret_rank)
{
	*ret_rank = 0;
	for (size_t i = 0; i < l->released.n; i++) {
		if (l->released.v[i] == f) {
			l->released.v[i] = GRAPH_NONE;
			return true;
		}
		*ret_rank += l->released.v[i] != GRAPH_NONE;
	}
	*ret_rank = 0;
	return false;
}

/* A hub (flow_reverse_hubs()) may receive requests of several clients, and pass them on in another
 * order. Most likely, the next request on flow f is from the same client as the last request on f.
 * Returns the oldest request of this client that the hub has not passed on, or GRAPH_NONE. */
static uint32_t same_client(const struct pass *p, const struct request_queue *q, uint32_t f)
{
	uint32_t before = p->flows.v.v[f].asker;

	if (!p->flows.v.v[f].of_hub || before == GRAPH_NONE)
		return GRAPH_NONE;
	for (size_t i = q->first, looks = 0; i < q->v.n && looks < MATCH_LOOKS; i++, looks++) {
		const struct request_turn *t = &p->turns.v[q->v.v[i]];

		if (t->queue == TURN_FRESH && t->asked_on == GRAPH_NONE &&
		    p->requests.v[q->v.v[i]].sock == p->requests.v[before].sock)
			return q->v.v[i];
	}
	return GRAPH_NONE;
}

/* Called when the task asks another service something on flow f. Returns the received request for which
 * the task most likely asks, or GRAPH_NONE.
 * When the task answers a received request, the flow of its questions for this request becomes free. The task
 * takes free flows for the received requests for which it has not asked yet, in this order: the flow that
 * became free first is for the oldest of these requests, the next flow for the next request. */
static uint32_t next_asker(const struct pass *p, struct request_loop *l, uint32_t f)
{
	uint32_t before = p->flows.v.v[f].asker, request, rank;

	/* The task still works for the request that used this connection last. So the task asks again
	 * on behalf of this request. */
	if (is_open(p, before) && (p->turns.v[before].queue == TURN_FRESH || l->now == before))
		return before;
	request = same_client(p, &l->fresh, f);
	if (request != GRAPH_NONE)
		return request;
	request = take_released(l, f, &rank) ? next_new(p, l, rank) : GRAPH_NONE;
	rank = 0;
	if (request == GRAPH_NONE)
		request = queue_new(p, &l->fresh, TURN_FRESH, &rank, &before);
	if (request == GRAPH_NONE)
		request = queue_oldest(p, &l->fresh, TURN_FRESH);
	if (request == GRAPH_NONE)
		request = l->late;
	if (request == GRAPH_NONE && is_open(p, l->now))
		request = l->now;
	return request == GRAPH_NONE ? next_waiting(p, l) : request;
}

static struct request_pool *pool_at(struct pass *p, uint32_t task)
{
	uint64_t at;

	if (!map_get(&p->pool_of, p->g->tasks[task].tgid, &at)) {
		at = p->pools.n;
		if (VEC_PUSH(&p->pools, (struct request_pool){ 0 }) ||
		    map_set(&p->pool_of, p->g->tasks[task].tgid, at)) {
			p->err = -ENOMEM;
			return NULL;
		}
	}
	return &p->pools.v[at];
}

static bool is_new(const struct pass *p, uint32_t request)
{
	return is_open(p, request) && p->turns.v[request].asked_on == GRAPH_NONE;
}

static bool hops(const struct pass *p, uint32_t task)
{
	uint64_t at;

	return map_get(&p->pool_of, p->g->tasks[task].tgid, &at) && p->pools.v[at].hops;
}

static uint32_t pool_oldest(struct pass *p, uint32_t task)
{
	struct request_pool *pool = hops(p, task) ? pool_at(p, task) : NULL;

	if (!pool)
		return GRAPH_NONE;
	while (pool->first < pool->v.n && !is_new(p, pool->v.v[pool->first]))
		pool->first++;
	return pool->first < pool->v.n ? pool->v.v[pool->first] : GRAPH_NONE;
}

uint32_t exchange_asker(struct pass *p, uint32_t f, uint32_t task)
{
	struct request_loop *l;
	uint64_t at;
	uint32_t request;

	if (!p->wants_requests)
		return GRAPH_NONE;
	l = map_get(&p->loop_of, task, &at) ? loop_at(p, task) : NULL;
	/* If requests hop between the threads of a process (request_pool.hops), the new requests of
	 * this thread come first, and then the new requests of its process. */
	request = l && hops(p, task) ? next_new(p, l, 0) : GRAPH_NONE;
	if (request == GRAPH_NONE)
		request = pool_oldest(p, task);
	/* A thread that receives requests may work for several requests at a time, and
	 * request_of_client() knows only one of them. So for such a thread, next_asker() is called
	 * first. For another thread, request_of_client() is called first. */
	if (request == GRAPH_NONE)
		request = l && l->takes ? next_asker(p, l, f) : request_of_client(p, task);
	if (request == GRAPH_NONE)
		request = l && !l->takes ? next_asker(p, l, f) : request_of_client(p, task);
	if (request != GRAPH_NONE) {
		act(p, task, request);
		p->turns.v[request].asked_on = f;
	}
	p->flows.v.v[f].asker = request;
	return request;
}

void exchange_works(struct pass *p, uint32_t task, uint32_t event)
{
	if (p->wants_requests)
		work_for(p, task, event, request_of_client(p, task));
}

void exchange_ask(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t asker)
{
	struct flow *flow = &p->flows.v.v[f];
	const struct request *open = request_at(p, flow->request);
	const struct window_object *o;
	uint32_t bytes = ct_message_bytes(&p->e[event].r);

	if (!p->wants_requests || flow->peer != GRAPH_NONE)
		return;
	o = graph_object(p->g, flow->sock);
	if (!o || !o->rport || (o->family != AF_INET && o->family != AF_INET6))
		return;
	if (open && open->answer == GRAPH_NONE && !flow->bytes.dgram) {
		p->requests.v[flow->request].asked_bytes += bytes;
		return;
	}
	flow->request = exchange_add(p, &(struct request){ .sock = flow->sock,
							   .client = task,
							   .server = GRAPH_NONE,
							   .answerer = GRAPH_NONE,
							   .parent = asker,
							   .sent = event,
							   .got = GRAPH_NONE,
							   .answer = GRAPH_NONE,
							   .answered = GRAPH_NONE,
							   .read = GRAPH_NONE,
							   .asked_bytes = bytes });
}

static uint32_t parent_of(const struct pass *p, const struct flow *server, uint32_t sent)
{
	const struct flow *client = server->peer == GRAPH_NONE ? NULL : &p->flows.v.v[server->peer];
	uint32_t at = client && sent != GRAPH_NONE ? client->asks.first : 0;

	for (uint32_t looks = 0; at && looks < MATCH_LOOKS; looks++) {
		const struct bytes_item *i = &p->flows.pool.items.v[at - 1];

		if (i->event == sent)
			return i->request;
		at = i->next;
	}
	return GRAPH_NONE;
}

uint32_t exchange_take(struct pass *p, uint32_t f, uint32_t task, uint32_t event, uint32_t from,
		       uint32_t cause, uint32_t rest)
{
	struct flow *flow = &p->flows.v.v[f];
	struct request *open = request_at(p, flow->request);
	uint32_t bytes = ct_message_bytes(&p->e[event].r);
	bool more = rest == bytes;
	struct request_loop *loop;
	struct request_pool *pool;

	if (!p->wants_requests)
		return GRAPH_NONE;
	if (open && open->answer != GRAPH_NONE) {
		/* These bytes are the end of a request that the server has already answered. */
		open->asked_bytes += rest;
		if (more)
			return flow->request;
	}
	if (open && !flow->bytes.dgram && (more || open->answer == GRAPH_NONE)) {
		/* The server has not answered yet. So the bytes count as a part of the open request,
		 * even if they are a further request. */
		open->asked_bytes += bytes;
		open->shared |= flow->pipelines;
	} else {
		pool = flow->streams ? NULL : pool_at(p, task);
		if (pool && open && open->server != task)
			pool->hops = true;
		flow->request = exchange_add(p, &(struct request){ .sock = flow->sock,
								   .client = from,
								   .server = task,
								   .answerer = GRAPH_NONE,
								   .parent = parent_of(p, flow, cause),
								   .sent = cause,
								   .got = event,
								   .answer = GRAPH_NONE,
								   .answered = GRAPH_NONE,
								   .read = GRAPH_NONE,
								   .asked_bytes = more ? bytes : bytes - rest,
								   .shared = flow->pipelines });
		if (pool && flow->request != GRAPH_NONE && VEC_PUSH(&pool->v, flow->request))
			p->err = -ENOMEM;
		if (flow->request != GRAPH_NONE)
			p->turns.v[flow->request].carrier = exchange_stream_probed(p, task);
	}
	if (flow->streams) {
		exchange_label(p, task, event, GRAPH_NONE);
		return flow->request;
	}
	loop = loop_at(p, task);
	if (loop)
		loop->takes = true;
	activate(p, task, flow->request);
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
	exchange_stream_answer(p, f, task, event);
	if (!q) {
		q = request_at(p, flow->request);
		if (!q || q->answered == GRAPH_NONE || r->ts - p->e[q->answered].r.ts > REQUEST_PART_NS)
			return;
	}
	if (q->answer == GRAPH_NONE) {
		q->answer = event;
		if (!flow->streams)
			release(p, task, (uint32_t)(q - p->requests.v));
	}
	q->answered = event;
	q->answerer = task;
	q->answer_bytes += ct_message_bytes(r);
	q->shared |= flow->pipelines;
	if (flow->streams)
		return;
	act(p, task, (uint32_t)(q - p->requests.v));
	work_for(p, task, event, (uint32_t)(q - p->requests.v));
}

void exchange_read(struct pass *p, uint32_t f, uint32_t task, uint32_t event)
{
	struct flow *flow = &p->flows.v.v[f];
	bool here = flow->peer != GRAPH_NONE;
	struct request *q = request_at(p, here ? p->flows.v.v[flow->peer].request : flow->request);
	const struct ct_rec *r = &p->e[event].r;

	if (!p->wants_requests)
		return;
	exchange_stream_other(p, task, event);
	if (!q)
		return;
	if (here) {
		/* The client has read the whole answer. Further bytes are no part of it. */
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
	if (here && p->flows.v.v[flow->peer].streams)
		return;
	go_on(p, task, q->parent);
	work_for(p, task, event, q->parent);
}

void exchange_settle(struct pass *p, const struct flow *to, uint32_t got, uint32_t task, uint32_t event)
{
	struct request *q = request_at(p, to->request);

	if (!p->wants_requests || !q || q->got != got || q->sent != GRAPH_NONE)
		return;
	q->sent = event;
	q->client = task;
	q->parent = parent_of(p, to, event);
}
