// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static uint64_t listen_key(const struct window_object *o)
{
	return (uint64_t)o->type << 32 | (uint64_t)o->family << 16 | o->lport;
}

static int u64_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int flow_init(struct flows *m, const struct graph *g)
{
	*m = (struct flows){ 0 };
	m->listening = malloc((g->w->n_objects + 1) * sizeof(*m->listening));
	if (!m->listening)
		return -ENOMEM;
	for (size_t i = 0; i < g->w->n_objects; i++) {
		const struct window_object *o = &g->w->objects[i];

		if (CT_OBJ_KIND(o->id) == CT_OBJ_SOCK && (o->family == AF_INET || o->family == AF_INET6) &&
		    o->lport && !o->rport)
			m->listening[m->n_listening++] = listen_key(o);
	}
	qsort(m->listening, m->n_listening, sizeof(*m->listening), u64_cmp);
	return 0;
}

void flow_done(struct flows *m)
{
	VEC_FREE(&m->v);
	VEC_FREE(&m->pool.items);
	map_done(&m->by_sock);
	free(m->listening);
	*m = (struct flows){ 0 };
}

static enum flow_role role_of_inet(const struct flows *m, const struct window_object *o)
{
	uint64_t key = listen_key(o);

	if (!o->rport)
		return ROLE_UNKNOWN; /* the first message will show which end asks */
	if (bsearch(&key, m->listening, m->n_listening, sizeof(key), u64_cmp))
		return ROLE_SERVES;
	/* The trace has no listening socket with this port. A server's port is most likely not
	 * ephemeral. */
	return o->rport >= PORT_EPHEMERAL && o->lport < PORT_EPHEMERAL ? ROLE_SERVES : ROLE_ASKS;
}

static enum flow_role role_of_unix(const struct graph *g, const struct window_object *o)
{
	const struct window_object *peer = o->peer ? graph_object(g, o->peer) : NULL;

	if (o->type == SOCK_DGRAM)
		return ROLE_UNKNOWN;
	/* an accepted socket has the address of the listening socket */
	if (o->name[0])
		return ROLE_SERVES;
	return peer && peer->name[0] ? ROLE_ASKS : ROLE_UNKNOWN;
}

static uint32_t flow_new(struct flows *m, const struct graph *g, uint64_t sock)
{
	const struct window_object *o = graph_object(g, sock);
	struct flow f = { .sock = sock,
			  .peer = GRAPH_NONE,
			  .user = GRAPH_NONE,
			  .client = GRAPH_NONE,
			  .answered = GRAPH_NONE,
			  .taker = GRAPH_NONE,
			  .request = GRAPH_NONE,
			  .asker = GRAPH_NONE };

	if (o) {
		f.bytes.dgram = o->type && o->type != SOCK_STREAM;
		f.role = (uint8_t)(o->family == AF_UNIX                            ? role_of_unix(g, o)
				   : o->family == AF_INET || o->family == AF_INET6 ? role_of_inet(m, o)
										   : ROLE_UNKNOWN);
	}
	if (VEC_PUSH(&m->v, f) || map_set(&m->by_sock, sock, m->v.n - 1))
		return GRAPH_NONE;
	return (uint32_t)m->v.n - 1;
}

static uint32_t flow_find(struct flows *m, const struct graph *g, uint64_t sock)
{
	uint64_t at, other, peer;
	uint32_t f;

	if (map_get(&m->by_sock, sock, &at))
		return (uint32_t)at;
	f = flow_new(m, g, sock);
	peer = f == GRAPH_NONE ? 0 : graph_peer_object(g, sock);
	if (!peer || peer == sock)
		return f;
	other = map_get(&m->by_sock, peer, &at) ? at : flow_new(m, g, peer);
	if (other == GRAPH_NONE)
		return GRAPH_NONE;
	m->v.v[f].peer = (uint32_t)other;
	if (m->v.v[other].peer == GRAPH_NONE)
		m->v.v[other].peer = f;
	return f;
}

uint32_t flow_at(struct flows *m, const struct graph *g, uint64_t sock)
{
	struct flow_seen *seen = &m->seen[map_hash(sock) % FLOW_SEEN];
	uint32_t f;

	if (seen->flow && seen->sock == sock)
		return seen->flow - 1;
	f = flow_find(m, g, sock);
	if (f != GRAPH_NONE)
		*seen = (struct flow_seen){ .sock = sock, .flow = f + 1 };
	return f;
}

static bool process_has_ended(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r;

	if (task == GRAPH_NONE || g->tasks[task].exit_ns > ts_ns)
		return false;
	r = graph_refs(&g->threads, g->tasks[task].tgid, &n);
	for (size_t i = 0; i < n; i++)
		if (g->tasks[r[i].event].born_ns <= ts_ns && g->tasks[r[i].event].exit_ns > ts_ns)
			return false;
	return true;
}

void flow_make_room(struct flows *m, const struct graph *g, uint64_t ts_ns)
{
	if (m->pool.free || m->pool.items.n < FLOW_ITEMS || m->pool.items.n < m->pool.items.cap)
		return;
	for (size_t i = 0; i < m->v.n; i++) {
		struct flow *f = &m->v.v[i];

		if (f->peer != GRAPH_NONE && process_has_ended(g, f->user, ts_ns) &&
		    process_has_ended(g, m->v.v[f->peer].user, ts_ns))
			flow_forget(m, f);
	}
}

void flow_forget(struct flows *m, struct flow *f)
{
	bytes_forget(&m->pool, &f->bytes);
	bytes_clear(&m->pool, &f->taken);
	bytes_clear(&m->pool, &f->asks);
	f->request = f->asker = GRAPH_NONE;
}

/* Counts of the messages on one accepted connection, as the end that accepted it sends and receives
 * them. */
struct spoke {
	uint32_t flow;
	uint32_t sends, sends_passed_on; /* passed on from another connection */
	uint32_t recvs, recvs_passed_on; /* passed on to another connection */
	bool seen;
	bool called_first;
};

#define NO_SPOKE 0

/* The messages that a task has received since it last idled, and has not passed on or answered. */
struct batch {
	uint64_t ts_ns; /* of the last message */
	uint32_t n;
	uint32_t spokes[HUB_BATCH]; /* NO_SPOKE: the message came over a connection that is no spoke */
	bool full;                  /* a further message is not in `spokes` */
};

struct hubs {
	struct flows *m;
	const struct graph *g;
	int err;
	VEC(struct spoke) v;
	struct map by_flow;
	struct batch *batch; /* [task] */
};

/* A bus has unix sockets. Over TCP, the end that connected asks: a server that is always busy answers one
 * client just after it has received a message of another one, which looks as if it passed this message on. */
static bool may_be_spoke(const struct hubs *k, uint32_t f)
{
	const struct flow *x = &k->m->v.v[f];
	const struct window_object *o = graph_object(k->g, x->sock);

	return x->role == ROLE_SERVES && x->peer != GRAPH_NONE && o && o->family == AF_UNIX;
}

/* Returns the number of the spoke in hubs.v, from 1 on, or NO_SPOKE. */
static uint32_t spoke_at(struct hubs *k, uint64_t sock)
{
	uint32_t f = flow_at(k->m, k->g, sock);
	uint64_t at;

	if (f == GRAPH_NONE) {
		k->err = -ENOMEM;
		return NO_SPOKE;
	}
	if (!may_be_spoke(k, f))
		return NO_SPOKE;
	if (map_get(&k->by_flow, f, &at))
		return (uint32_t)at;
	if (VEC_PUSH(&k->v, (struct spoke){ .flow = f }) || map_set(&k->by_flow, f, k->v.n))
		k->err = -ENOMEM;
	return k->err ? NO_SPOKE : (uint32_t)k->v.n;
}

static bool idled(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns);

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals && g->intervals[i].from_ns < to_ns;
	     i++)
		if (g->intervals[i].state == INTERVAL_BLOCKED && ct_wait_is_poll(g->intervals[i].wait))
			return true;
	return false;
}

static struct batch *batch_at(struct hubs *k, uint32_t task, uint64_t ts_ns)
{
	struct batch *b = &k->batch[task];

	if (b->n && idled(k->g, task, b->ts_ns, ts_ns)) {
		b->n = 0;
		b->full = false;
	}
	b->ts_ns = ts_ns;
	return b;
}

/* Finds the oldest message in the batch that came over spoke `at`, or, with `other`, that did not. Returns
 * its index, or b->n. */
static uint32_t find_message(const struct batch *b, uint32_t at, bool other)
{
	uint32_t i = 0;

	while (i < b->n && (b->spokes[i] != at) != other)
		i++;
	return i;
}

static void remove_message(struct batch *b, uint32_t i)
{
	memmove(b->spokes + i, b->spokes + i + 1, (--b->n - i) * sizeof(*b->spokes));
}

/* The send passes on a message of another connection, or answers a message of its own connection. If the
 * batch has messages of both kinds, the send and the message count for neither. */
static void sends_on(struct hubs *k, struct batch *b, uint32_t at)
{
	struct spoke *x = &k->v.v[at - 1], *from;
	uint32_t own = find_message(b, at, false), other = find_message(b, at, true);

	if (own < b->n) {
		if (other < b->n)
			x->recvs--;
		else
			x->sends++;
		remove_message(b, own);
		return;
	}
	if (b->full)
		return;
	x->sends++;
	if (other == b->n)
		return;
	if (b->spokes[other] != NO_SPOKE) {
		from = &k->v.v[b->spokes[other] - 1];
		from->recvs_passed_on++;
		x->sends_passed_on++;
	}
	remove_message(b, other);
}

static void sends(struct hubs *k, uint32_t task, const struct ct_rec *r)
{
	struct batch *b = batch_at(k, task, r->ts);
	uint32_t at = spoke_at(k, r->obj);

	if (at == NO_SPOKE) {
		if (b->n) /* a question to another service, for the sake of a message */
			remove_message(b, 0);
		return;
	}
	k->v.v[at - 1].called_first |= !k->v.v[at - 1].seen;
	k->v.v[at - 1].seen = true;
	sends_on(k, b, at);
}

static void receives(struct hubs *k, uint32_t task, const struct ct_rec *r)
{
	struct batch *b = batch_at(k, task, r->ts);
	uint32_t at = spoke_at(k, r->obj);

	if (at != NO_SPOKE) {
		k->v.v[at - 1].seen = true;
		k->v.v[at - 1].recvs++;
	}
	if (b->n < HUB_BATCH)
		b->spokes[b->n++] = at;
	else
		b->full = true;
}

static bool is_called(const struct spoke *x)
{
	uint32_t own_sends = x->sends - x->sends_passed_on, kept = x->recvs - x->recvs_passed_on;

	return x->called_first && x->sends >= HUB_MESSAGES && own_sends * HUB_OWN <= x->sends &&
	       kept * HUB_OWN <= x->recvs;
}

int flow_reverse_hubs(struct flows *m, const struct graph *g)
{
	struct hubs k = { .m = m, .g = g, .batch = calloc(g->n_tasks + 1, sizeof(*k.batch)) };

	if (!k.batch)
		return -ENOMEM;
	for (size_t i = 0; i < g->w->n_events && !k.err; i++) {
		const struct ct_rec *r = &g->w->events[i].r;
		uint32_t task;

		if ((r->kind != CT_SEND && r->kind != CT_RECV) || CT_OBJ_KIND(r->obj) != CT_OBJ_SOCK)
			continue;
		task = graph_task_at(g, r->tid, r->ts);
		if (task == GRAPH_NONE)
			continue;
		if (r->kind == CT_SEND)
			sends(&k, task, r);
		else
			receives(&k, task, r);
	}
	for (size_t i = 0; i < k.v.n && !k.err; i++) {
		struct flow *f = &m->v.v[k.v.v[i].flow];

		if (!is_called(&k.v.v[i]))
			continue;
		f->role = ROLE_ASKS;
		f->of_hub = true;
		m->v.v[f->peer].role = ROLE_SERVES;
	}
	VEC_FREE(&k.v);
	map_done(&k.by_flow);
	free(k.batch);
	return k.err;
}
