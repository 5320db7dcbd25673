// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/idle_client.h"

#include <sys/socket.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"

static bool is_loop(const struct link *k)
{
	return k->wait == CT_W_POLL || k->wait == CT_W_EPOLL;
}

static bool looped_before(const struct graph *g, const struct ct_rec *send, uint64_t since_ns)
{
	uint32_t task = graph_task_at(g, send->tid, send->ts), i;

	if (task == GRAPH_NONE)
		return false;
	i = graph_interval_at(g, task, send->ts);
	for (; i != GRAPH_NONE && i >= g->tasks[task].first_interval && g->intervals[i].to_ns > since_ns;
	     i--) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED && (s->wait == CT_W_POLL || s->wait == CT_W_EPOLL))
			return true;
		if (!i)
			break;
	}
	return false;
}

/* The client received the message `got` on sock. Returns true if the last message that the server
 * received before it sent `got` is from another client. Then `got` is an event, and no answer.
 * Example: the window manager moves a window, and the X server tells the client of this window. */
static bool is_event(const struct graph *g, uint64_t sock, const struct graph_ref *got)
{
	const struct window_event *e = g->w->events;
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *sent = peer ? graph_ref_before(g, &g->sends, peer, e[got->event].r.ts) : NULL;

	if (!sent)
		return false;
	for (uint32_t i = sent->event, looks = 0; i-- > 0 && looks < EVENT_LOOKS; looks++)
		if (e[i].r.kind == CT_RECV && e[i].r.tid == e[sent->event].r.tid)
			return e[i].r.obj != peer && graph_is_accepted(g, e[i].r.obj);
	return false;
}

/* Returns true if the client's messages mostly need no answer (ONE_WAY_SHARE). A message counts
 * only if the client then waited in its event loop. */
static bool is_one_way(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_event *e = g->w->events;
	const struct graph_ref *first, *r = graph_ref_before(g, &g->sends, sock, ts_ns);
	size_t n, turns = 0, answered = 0;

	first = graph_refs(&g->sends, sock, &n);
	for (size_t looks = 0; r && r > first && looks < ONE_WAY_LOOKS; r--, looks++) {
		const struct graph_ref *got = graph_ref_before(g, &g->recvs, sock, e[r->event].r.ts);

		if (!looped_before(g, &e[r->event].r, e[r[-1].event].r.ts))
			continue;
		turns++;
		answered += got && got->event > r[-1].event && !is_event(g, sock, got);
	}
	return turns >= ONE_WAY_TURNS && answered * ONE_WAY_SHARE <= turns;
}

/* Two messages in a row to a unix socket show a protocol with messages that need no answer, such as
 * X11. On a TCP connection, they are often one request: its head and its body. */
static bool is_pipelined(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = graph_object(g, sock);
	const struct graph_ref *first, *got, *r = graph_ref_before(g, &g->sends, sock, ts_ns);
	size_t n;

	first = graph_refs(&g->sends, sock, &n);
	if (!o || o->family != AF_UNIX || !r || r == first)
		return false;
	got = graph_ref_before(g, &g->recvs, sock, g->w->events[r->event].r.ts);
	return got && got->event < r[-1].event &&
	       !looped_before(g, &g->w->events[r->event].r, g->w->events[r[-1].event].r.ts);
}

/* Returns true if the other end of the connection has received the last message of k's task, or if
 * k's task has sent no message. */
static bool is_read(const struct graph *g, const struct link *k)
{
	uint64_t peer = graph_peer_object(g, k->obj);
	const struct graph_ref *s = graph_ref_before(g, &g->sends, k->obj, k->from_ns);
	const struct graph_ref *r = peer ? graph_ref_before(g, &g->recvs, peer, k->to_ns) : NULL;

	return !s || (r && r->event > s->event);
}

/* Returns true if all of the following is true:
 * - Link k is the last one of the chain.
 * - Link k accepted the connection on which link `before` waits: k is the server, `before` the client.
 * - No task owes link k an answer.
 * - Link k waits only for a timer or a time limit. */
static bool is_idle_server(const struct graph *g, const struct chain *c, const struct link *before,
			   const struct link *k)
{
	uint64_t peer = graph_peer_object(g, before->obj);

	return k == &c->links.v[c->links.n - 1] && c->end == END_LEAF && !k->owed &&
	       k->kind == RESOURCE_TIMER && peer && graph_is_accepted(g, peer);
}

static bool polls_several(const struct graph *g, const struct link *k)
{
	const uint64_t at_ns[] = { k->from_ns, k->to_ns - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(at_ns); i++) {
		uint32_t wait = graph_interval_at(g, k->task, at_ns[i]);

		if (wait != GRAPH_NONE && g->intervals[wait].state == INTERVAL_BLOCKED &&
		    blame_polls_several(g, wait))
			return true;
	}
	return false;
}

bool idle_client(const struct graph *g, const struct chain *c, size_t first)
{
	for (size_t i = first; i < c->links.n; i++) {
		const struct link *k = &c->links.v[i];

		if (!is_loop(k) || k->kind == RESOURCE_STANDBY || k->kind == RESOURCE_CHECKPOINT)
			return false;
		if (i > first && k->server && !k->owed)
			return is_read(g, k);
		if (i > first && is_idle_server(g, c, k - 1, k))
			return is_read(g, k - 1);
		if (!polls_several(g, k) ||
		    (k->owed && !is_one_way(g, k->obj, k->from_ns) && !is_pipelined(g, k->obj, k->from_ns)))
			return false;
	}
	return false;
}
