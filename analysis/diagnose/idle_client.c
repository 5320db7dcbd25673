// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/idle_client.h"

#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "analysis/diagnose/prompted.h"
#include "analysis/thresholds.h"
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner.h"
#include "lib/checked.h"
#include "lib/cleanup.h"

static bool looped_before(const struct graph *g, const struct ct_rec *send, uint64_t since_ns)
{
	uint32_t task = graph_task_at(g, send->tid, send->ts), i;

	if (task == GRAPH_NONE)
		return false;
	i = graph_interval_at(g, task, send->ts);
	for (; i != GRAPH_NONE && i >= g->tasks[task].first_interval && g->intervals[i].to_ns > since_ns;
	     i--) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED && ct_wait_is_poll(s->wait))
			return true;
		if (!i)
			break;
	}
	return false;
}

/* Returns the last receive of the thread tid since since_ns and before the record `before`, or GRAPH_NONE. */
static uint32_t heard_since(const struct graph *g, uint32_t tid, uint32_t before, uint64_t since_ns)
{
	const struct window_event *e = g->w->events;

	for (uint32_t i = before, looks = 0; i-- > 0 && e[i].r.ts >= since_ns && looks < EVENT_LOOKS; looks++)
		if (e[i].r.kind == CT_RECV && e[i].r.tid == tid)
			return i;
	return GRAPH_NONE;
}

/* The client received the message `got` on sock. Returns true if the last message that the server
 * received before it sent `got` is from another client. Then `got` is an event, and no answer.
 * Example: the window manager moves a window, and the X server tells the client of this window. */
static bool is_event(const struct graph *g, uint64_t sock, const struct graph_ref *got)
{
	const struct window_event *e = g->w->events;
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *sent = peer ? graph_ref_before(g, &g->sends, peer, e[got->event].r.ts) : NULL;
	uint32_t heard = sent ? heard_since(g, e[sent->event].r.tid, sent->event, 0) : GRAPH_NONE;

	return heard != GRAPH_NONE && e[heard].r.obj != peer && graph_is_accepted(g, e[heard].r.obj);
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

/* Returns the wait with which the task of the record `got` soon goes on in its event loop, or NULL. */
static const struct interval *next_loop(const struct graph *g, const struct ct_rec *got)
{
	uint32_t task = graph_task_at(g, got->tid, got->ts), i, end;

	if (task == GRAPH_NONE)
		return NULL;
	end = g->tasks[task].first_interval + g->tasks[task].n_intervals;
	for (i = graph_interval_at(g, task, got->ts); i < end; i++) {
		const struct interval *s = &g->intervals[i];

		if (s->from_ns > got->ts + DIAGNOSE_QUICK_NS)
			return NULL;
		if (s->state == INTERVAL_BLOCKED)
			return ct_wait_is_poll(s->wait) ? s : NULL;
	}
	return NULL;
}

/* Returns false for a wait for a disk, a lock, or room to write: a task does not idle in it. */
static bool may_idle(const struct graph *g, const struct interval *s)
{
	return s->st != CT_ST_DISK && s->wait != CT_W_WRITE && !edge_is_lock(g, s);
}

/* Returns the last wait of the task before ts_ns, or NULL. If idle is true, skips the waits without
 * may_idle(). */
static const struct interval *wait_before(const struct graph *g, uint32_t task, uint64_t ts_ns, bool idle)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	for (unsigned looks = 0; i != GRAPH_NONE && looks < EVENT_LOOKS && scan_step(g); looks++, i--) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED && s->to_ns <= ts_ns && (!idle || may_idle(g, s)))
			return s;
		if (i == g->tasks[task].first_interval)
			break;
	}
	return NULL;
}

/* Returns the last wait of the task before ts_ns if it was in its event loop, or NULL. */
static const struct interval *loop_before(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	const struct interval *s = wait_before(g, task, ts_ns, false);

	return s && ct_wait_is_poll(s->wait) ? s : NULL;
}

/* The client received `got` on sock, the answer to the request `asked`. Returns true if the server received
 * this request, waited in its event loop, and after this wait received a message of another client before it
 * sent `got`: it had waited for this message. */
static bool is_news(const struct graph *g, uint64_t sock, const struct ct_rec *asked,
		    const struct graph_ref *got)
{
	const struct window_event *e = g->w->events;
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *sent = peer ? graph_ref_before(g, &g->sends, peer, e[got->event].r.ts) : NULL;
	size_t n;
	const struct graph_ref *heard = graph_refs_from(g, &g->recvs, peer, asked->ts, &n);
	uint32_t server = sent ? graph_task_at(g, e[sent->event].r.tid, e[sent->event].r.ts) : GRAPH_NONE;
	const struct interval *loop =
		server == GRAPH_NONE ? NULL : loop_before(g, server, e[sent->event].r.ts);

	if (!loop || !n || e[heard->event].r.ts >= loop->from_ns)
		return false;
	for (uint32_t i = sent->event, looks = 0; i-- > 0 && looks < EVENT_LOOKS; looks++) {
		const struct ct_rec *r = &e[i].r;

		if (r->ts < loop->to_ns)
			return false;
		if (r->kind == CT_RECV && r->tid == e[sent->event].r.tid && r->obj != peer &&
		    graph_is_accepted(g, r->obj))
			return true;
	}
	return false;
}

/* How many requests had an answer; how many had one soon that no message of another client made; how many had
 * one for which the server waited until a message of another client came. */
struct answers {
	size_t all, soon, news;
};

/* Adds the requests of this size on sock, but not `except`, that were answered before ts_ns. */
static void count_answers(const struct graph *g, uint64_t sock, uint64_t bytes, uint64_t ts_ns,
			  const struct ct_rec *except, struct answers *a)
{
	const struct window_event *e = g->w->events;
	size_t n, left;
	const struct graph_ref *r = graph_refs(&g->sends, sock, &n);

	graph_refs_from(g, &g->sends, sock, ts_ns, &left);
	n -= left;
	for (size_t i = n - MIN(n, (size_t)ONE_WAY_LOOKS); i < n && scan_step(g); i++) {
		const struct ct_rec *asked = &e[r[i].event].r;
		const struct graph_ref *got = graph_refs_from(g, &g->recvs, sock, asked->ts, &left);

		if (asked == except || ct_message_bytes(asked) != bytes || !left ||
		    e[got->event].r.ts >= ts_ns || (i + 1 < n && got->event > r[i + 1].event))
			continue;
		a->all++;
		a->soon += e[got->event].r.ts - asked->ts < DIAGNOSE_STALL_NS && !is_event(g, sock, got);
		a->news += is_news(g, sock, asked, got);
	}
}

/* Returns true if the record says that the task tid sent a message, or gave work to another task or a disk.
 */
static bool gives_work(const struct ct_rec *r, uint32_t tid)
{
	if (r->kind == CT_WAKE)
		return r->peer == tid && r->state == CT_CTX_TASK;
	return r->tid == tid &&
	       (r->kind == CT_SEND || r->kind == CT_FORK || r->kind == CT_SIGNAL || r->kind == CT_BLK_ISSUE);
}

static bool has_threads(const struct graph *g, uint32_t tid, uint64_t ts_ns)
{
	uint32_t task = graph_task_at(g, tid, ts_ns);
	size_t n = 0;

	if (task != GRAPH_NONE)
		graph_refs(&g->threads, g->tasks[task].tgid, &n);
	return n != 1;
}

/* Returns true if the server has received the client's last message on the unix socket, and soon waited in
 * its event loop again, without a message to any task, and without giving work to one. Then no task works on
 * an answer. Example: dbus-daemon gets a signal for which no task listens. Returns false if earlier messages
 * of this size had an answer: then the server may have lost this one. */
static bool is_dropped(const struct graph *g, uint64_t sock, uint64_t from_ns, uint64_t to_ns)
{
	const struct window_object *o = graph_object(g, sock);
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, sock, from_ns);
	const struct graph_ref *got = peer ? graph_ref_before(g, &g->recvs, peer, to_ns) : NULL;
	const struct window_event *e = g->w->events, *end = e + g->w->n_events, *x, *asked;
	struct answers a = { 0 };
	const struct interval *loop;

	if (!o || o->family != AF_UNIX || !sent || !got || got->event < sent->event)
		return false;
	asked = e + sent->event;
	e += got->event;
	loop = next_loop(g, &e->r);
	if (!loop || has_threads(g, e->r.tid, e->r.ts))
		return false;
	count_answers(g, sock, ct_message_bytes(&asked->r), asked->r.ts, NULL, &a);
	if (a.all)
		return false;
	for (x = e + 1; x < end && x->r.ts < loop->from_ns; x++)
		if (gives_work(&x->r, e->r.tid) || x - e > EVENT_LOOKS)
			return false;
	return true;
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

/* Returns true if link k is the last one of the chain, in an event loop, and no task owes it an answer. */
static bool ends_in_loop(const struct chain *c, const struct link *k)
{
	return k == &c->links.v[c->links.n - 1] && c->end == END_LEAF && ct_wait_is_poll(k->wait) && !k->owed;
}

/* Returns true if link k is a server in its event loop that waits for its clients, or if ends_in_loop(). */
static bool awaits_clients(const struct chain *c, const struct link *k)
{
	return ends_in_loop(c, k) || (ct_wait_is_poll(k->wait) && k->server && !k->owed);
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

	return ends_in_loop(c, k) && k->kind == RESOURCE_TIMER && peer && graph_is_accepted(g, peer);
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

/* sock: the server's end of a connection. Returns true if, on most other connections to this server, the
 * client sent the first message. */
static bool clients_speak_first(const struct graph *g, uint64_t sock)
{
	const struct window_object *o = graph_object(g, sock);
	size_t clients = 0, server = 0, n_sent, n_got;

	for (size_t i = 0; o && i < g->w->n_objects && scan_step(g); i++) {
		const struct window_object *x = &g->w->objects[i];
		const struct graph_ref *sent, *got;

		if (CT_OBJ_KIND(x->id) != CT_OBJ_SOCK || x->family != o->family || x->type != o->type ||
		    x->lport != o->lport || x->netns != o->netns || x->family == AF_UNIX ||
		    !graph_is_accepted(g, x->id))
			continue;
		sent = graph_refs(&g->sends, x->id, &n_sent);
		got = graph_refs(&g->recvs, x->id, &n_got);
		if (n_got && (!n_sent || got->event < sent->event))
			clients++;
		else if (n_sent)
			server++;
	}
	return clients > server;
}

/* Returns true if the process of link k, born at born_ns, soon wakes a task by a connect(). So its connection
 * is its own, and not inherited. */
static bool has_connected(const struct graph *g, const struct link *k, uint64_t born_ns)
{
	const struct window_event *e = g->w->events;
	size_t at = window_lower_bound(g->w, born_ns), end = MIN(g->w->n_events, at + BORN_CONNECT_LOOKS);

	for (; at < end && e[at].r.ts < k->to_ns && scan_step(g); at++)
		if (e[at].r.kind == CT_WAKE && ct_wake_call(&e[at].r) == CT_W_CONNECT &&
		    ct_wake_waker(&e[at].r) == k->tid)
			return true;
	return false;
}

/* Returns true if the trace has all messages of the connection of link k: the process was born in the trace,
 * and made the connection. */
static bool has_all_messages(const struct graph *g, const struct link *k)
{
	uint32_t task = graph_task_at(g, k->pid, k->from_ns);
	uint64_t born_ns = task == GRAPH_NONE ? 0 : g->tasks[task].born_ns;

	return born_ns && has_connected(g, k, born_ns) &&
	       !graph_may_lack(g, CT_LACK_MESSAGES, born_ns, k->to_ns) &&
	       !graph_process_was_capped(g, k->pid, born_ns, k->to_ns);
}

/* Returns true if the task of link k waits for input on sock. */
static bool awaits_input(const struct graph *g, const struct link *k, uint64_t sock)
{
	uint64_t middle_ns = k->from_ns + (k->to_ns - k->from_ns) / 2;

	return owner_awaits_input(g, k->task, sock, middle_ns, middle_ns) ||
	       owner_awaits_input(g, k->task, sock, k->to_ns, k->to_ns - 1);
}

/* Returns true if nothing was sent on the connection of link `before`, and the idle server k waits for input
 * on it: the client has to speak first. The end of the server may have ended the wait of the client. */
static bool has_not_asked(const struct graph *g, const struct chain *c, const struct link *before,
			  const struct link *k)
{
	uint64_t peer = graph_peer_object(g, before->obj);
	size_t n, n_peer, n_got;

	if (!awaits_clients(c, k) || !peer || !graph_is_accepted(g, peer) || !has_all_messages(g, before))
		return false;
	graph_refs(&g->sends, before->obj, &n);
	graph_refs(&g->sends, peer, &n_peer);
	graph_refs(&g->recvs, peer, &n_got); /* some sends have no record, such as those of splice() */
	return !n && !n_peer && !n_got && awaits_input(g, k, peer) && clients_speak_first(g, peer);
}

/* Returns true if the client of link k has got large parts again and again on the connection since from_ns.
 * Then it reads a long answer. News are mostly short. */
static bool gets_large_parts(const struct graph *g, const struct link *k, uint64_t from_ns)
{
	const struct window_object *o = graph_object(g, k->obj);
	struct link rest = *k;
	uint64_t bytes;
	size_t parts;

	rest.from_ns = from_ns;
	bytes = chain_received(g, &rest, &parts);
	return o && o->type == SOCK_STREAM && !k->server && parts >= LONG_ANSWER_PARTS &&
	       bytes >= parts * PACED_BYTES;
}

/* Returns true if gets_large_parts() in the time of link k since the client last sent something there, and if
 * this is most of the time. */
static bool reads_long_answer(const struct graph *g, const struct link *k)
{
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, k->obj, k->to_ns);
	uint64_t from_ns = sent ? MAX(k->from_ns, g->w->events[sent->event].r.ts) : k->from_ns;

	return from_ns - k->from_ns < (k->to_ns - k->from_ns) / 2 && gets_large_parts(g, k, from_ns);
}

/* Returns true if the client of link k read a stream that has dried up: since it last sent something on the
 * connection, it got STREAM_PARTS parts or more, for STREAM_NS or longer, and none in the first half of the
 * link. A part that comes later may end the pause. No pause between the parts was longer than
 * STREAM_PAUSE_NS, nor as long as a part of the present one (STREAM_PAUSES). News come at irregular times,
 * and are mostly short. */
static bool has_dried_up(const struct graph *g, const struct link *k)
{
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, k->obj, k->from_ns), *r;
	uint64_t longest_ns = MIN(STREAM_PAUSE_NS, (k->to_ns - k->from_ns) / STREAM_PAUSES);
	uint64_t first_ns = 0, last_ns = 0, bytes = 0;
	size_t n, parts = 0;

	if (CT_OBJ_KIND(k->obj) != CT_OBJ_SOCK)
		return false;
	r = graph_refs_from(g, &g->recvs, k->obj, sent ? g->w->events[sent->event].r.ts : 0, &n);
	for (; parts < n && g->w->events[r[parts].event].r.ts < k->from_ns; parts++) {
		const struct ct_rec *e = &g->w->events[r[parts].event].r;

		if (!scan_step(g) || (last_ns && e->ts - last_ns > longest_ns))
			return false;
		first_ns = parts ? first_ns : e->ts;
		last_ns = e->ts;
		bytes += ct_message_bytes(e);
	}
	if (parts < n && g->w->events[r[parts].event].r.ts < k->from_ns + (k->to_ns - k->from_ns) / 2)
		return false;
	return parts >= STREAM_PARTS && last_ns - first_ns >= STREAM_NS && bytes >= parts * STREAM_BYTES;
}

bool idle_client(const struct graph *g, const struct chain *c, size_t first)
{
	if (!first && has_dried_up(g, &c->links.v[0]))
		return false;
	for (size_t i = first; i < c->links.n; i++) {
		const struct link *k = &c->links.v[i];

		if (!ct_wait_is_poll(k->wait) || chain_awaits_helper(k) || k->kind == RESOURCE_DATABASE_LOCK)
			return false;
		if (i > first && k->server && !k->owed)
			return is_read(g, k);
		if (i > first && is_idle_server(g, c, k - 1, k))
			return is_read(g, k - 1);
		if (!polls_several(g, k) || reads_long_answer(g, k))
			return false;
		if (k->owed && i + 1 < c->links.n && has_not_asked(g, c, k, k + 1))
			return true;
		if (k->owed && !is_one_way(g, k->obj, k->from_ns) && !is_pipelined(g, k->obj, k->from_ns) &&
		    !is_dropped(g, k->obj, k->from_ns, k->to_ns))
			return false;
	}
	return false;
}

/* The task did something at the record `before`, and `idle` is its last idle wait before. Returns its last
 * receive in between, or GRAPH_NONE. If the idle wait is a poll, this message must have ended it: otherwise
 * the poll may have told of several things at once, and the task did what it did for another one. *ret_deaf
 * says that the task received nothing. */
static uint32_t heard_after(const struct graph *g, const struct interval *idle, uint32_t before,
			    bool *ret_deaf)
{
	uint32_t got = heard_since(g, g->tasks[idle->task].tid, before, idle->to_ns);

	*ret_deaf = got == GRAPH_NONE;
	return *ret_deaf || (ct_wait_is_poll(idle->wait) &&
			     !owner_is_woken_for(g, idle, g->w->events[got].r.obj))
		       ? GRAPH_NONE
		       : got;
}

/* The server's task sent the message `sent` to the client of link k. Returns the receive that led to it if it
 * is of a message from another client, or else GRAPH_NONE. Since its last idle wait, the server's task has
 * received that message. Or a task of another process woke it from this wait, and had received that message.
 */
static uint32_t news_origin(const struct graph *g, const struct link *k, const struct graph_ref *sent)
{
	const struct window_event *e = g->w->events, *wake = &e[sent->event];
	uint32_t server = graph_task_at(g, wake->r.tid, wake->r.ts), task, got = GRAPH_NONE;
	const struct interval *idle = server == GRAPH_NONE ? NULL : wait_before(g, server, wake->r.ts, true);
	bool deaf = false;
	uint64_t client;

	if (idle)
		got = heard_after(g, idle, sent->event, &deaf);
	if (deaf && ct_wait_is_poll(idle->wait) && idle->wake != GRAPH_NONE) {
		wake = &e[idle->wake];
		task = ct_wake_by_task(&wake->r) ? graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts)
						 : GRAPH_NONE;
		idle = task == GRAPH_NONE ? NULL : wait_before(g, task, wake->r.ts, true);
		if (idle && g->tasks[task].tgid != g->tasks[server].tgid)
			got = heard_after(g, idle, (uint32_t)(wake - e), &deaf);
	}
	client = got == GRAPH_NONE ? 0 : graph_peer_object(g, e[got].r.obj);
	return client && graph_is_accepted(g, e[got].r.obj) &&
			       !owner_has_socket(g, k->task, client, e[got].r.ts) &&
			       !owner_has_socket(g, server, client, e[got].r.ts)
		       ? got
		       : GRAPH_NONE;
}

/* The server received the message `got` of another client after the time since_ns of the client's request.
 * Returns true if the server may have asked the other client for it, to serve the request: since then, it has
 * sent something to the other client before `got`. A client that asks by itself does not count: it spoke
 * before the server did, and got an answer to `got`, or has left. (A worker may fetch its job, and then
 * report what it has done of it.) */
static bool is_asked_for(const struct graph *g, const struct ct_rec *got, uint64_t since_ns, uint64_t to_ns)
{
	size_t n_told, n_heard, n_answers;
	const struct graph_ref *told = graph_refs_from(g, &g->sends, got->obj, since_ns, &n_told);
	const struct graph_ref *heard = graph_refs_from(g, &g->recvs, got->obj, since_ns, &n_heard);
	const struct graph_ref *answer = graph_refs_from(g, &g->sends, got->obj, got->ts, &n_answers);

	if (!n_told || !n_heard || g->w->events[told->event].r.ts >= got->ts)
		return false;
	/* the first message to a new client may be a greeting */
	if (told->event < heard->event && graph_ref_before(g, &g->recvs, got->obj, since_ns))
		return true;
	return (!n_answers || g->w->events[answer->event].r.ts >= to_ns) &&
	       !owner_has_left(g, graph_peer_object(g, got->obj), to_ns);
}

/* Returns when the server received the request `asked` of the client on peer, its end of the connection. */
static uint64_t heard_ns(const struct graph *g, uint64_t peer, const struct ct_rec *asked)
{
	size_t n;
	const struct graph_ref *heard = graph_refs_from(g, &g->recvs, peer, asked->ts, &n);

	return n ? g->w->events[heard->event].r.ts : asked->ts;
}

bool idle_client_gets_news(const struct graph *g, const struct link *k)
{
	uint64_t peer = CT_OBJ_KIND(k->obj) == CT_OBJ_SOCK ? graph_peer_object(g, k->obj) : 0;
	const struct graph_ref *asked, *sent, *first;
	const struct window_event *e = g->w->events;
	uint32_t got, last = GRAPH_NONE;
	uint64_t since_ns;
	size_t n, news = 0;

	if (!peer || k->owed || k->wait == CT_W_WRITE || !graph_is_accepted(g, peer))
		return false;
	asked = graph_ref_before(g, &g->sends, k->obj, k->to_ns);
	since_ns = asked ? heard_ns(g, peer, &e[asked->event].r) : 0;
	if (gets_large_parts(g, k, asked ? e[asked->event].r.ts : 0))
		return false;
	sent = graph_ref_before(g, &g->sends, peer, k->to_ns);
	first = graph_refs(&g->sends, peer, &n);
	for (unsigned looks = 0; sent && sent >= first && looks < ONE_WAY_LOOKS; looks++, sent--) {
		got = news_origin(g, k, sent);
		if (got == GRAPH_NONE || (asked && got < asked->event) ||
		    is_asked_for(g, &e[got].r, since_ns, k->to_ns))
			return false;
		news += got != last;
		if (news >= NEWS_MESSAGES)
			return true;
		last = got;
	}
	return false;
}

/* Returns true if the task of the link woke or started a thread of its process between the two times. */
static bool hands_out_work(const struct graph *g, const struct link *k, uint64_t from_ns, uint64_t to_ns)
{
	const struct window_event *e = g->w->events, *end = e + g->w->n_events;

	for (e += window_lower_bound(g->w, from_ns); e < end && e->r.ts < to_ns; e++) {
		bool wake = e->r.kind == CT_WAKE && ct_wake_by_task(&e->r) && ct_wake_waker(&e->r) == k->tid;
		uint32_t task;

		if (!scan_step(g))
			return true;
		if (!wake && (e->r.kind != CT_FORK || e->r.tid != k->tid))
			continue;
		task = graph_task_at(g, wake ? e->r.tid : e->r.peer, e->r.ts);
		if (task != GRAPH_NONE && g->tasks[task].tgid == k->pid)
			return true;
	}
	return false;
}

uint64_t idle_loop_input(const struct graph *g, const struct link *loop)
{
	const struct link *helper = loop + 1;
	uint64_t since_ns = helper->to_ns, end_ns = loop[-1].to_ns;
	uint64_t middle_ns = since_ns + checked_sub(end_ns, since_ns) / 2;
	uint32_t wait = graph_interval_at(g, loop->task, middle_ns);
	struct blame b;

	if (!ct_wait_is_poll(loop->wait) || helper->pid != loop->pid ||
	    (loop->edge != EDGE_EVENTFD && loop->edge != EDGE_PIPE) ||
	    checked_sub(end_ns, since_ns) <= OTHER_WAIT_NS || wait == GRAPH_NONE)
		return 0;
	if (g->intervals[wait].from_ns < since_ns || g->intervals[wait].state != INTERVAL_BLOCKED ||
	    g->intervals[wait].wait != loop->wait || !blame_polls_several(g, wait) ||
	    hands_out_work(g, loop, since_ns, g->intervals[wait].from_ns))
		return 0;
	blame_lasting(g, wait, &b);
	return b.task == GRAPH_NONE || b.owed || g->tasks[b.task].tgid == loop->pid ? 0 : b.obj;
}

/* Returns true if the waits of link k ended because its task was killed. Link.killed says this only of the
 * longest wait: a client may wait again and again, with a time limit. */
static bool was_killed(const struct graph *g, const struct link *k)
{
	const struct graph_task *t = &g->tasks[k->task];

	return k->killed ||
	       (WTERMSIG(t->exit_code) && t->exit_ns >= k->to_ns && t->exit_ns - k->to_ns < KILLED_GONE_NS);
}

/* Returns true if the signal that killed the task of link k came from outside of its process. */
static bool was_killed_by_other(const struct graph *g, const struct link *k)
{
	const struct window_event *e = NULL;

	while (was_killed(g, k) && (e = blame_killer(g, k->task, k->to_ns, e))) {
		uint32_t sender = graph_task_at(g, e->r.tid, e->r.ts);

		/* the task may handle a signal, and die of another one soon after */
		if (!k->killed && ct_signal_number(&e->r) != WTERMSIG(g->tasks[k->task].exit_code))
			continue;
		if (e->r.flags & CT_GF_KERNEL
			    ? prompted_by_person(ct_signal_number(&e->r))
			    : sender == GRAPH_NONE || g->tasks[sender].tgid != g->tasks[k->task].tgid)
			return true;
	}
	return false;
}

/* Returns true if both sockets ask the same server. */
static bool asks_same(const struct graph *g, const struct window_object *a, const struct window_object *b)
{
	const struct window_object *x, *y;

	if (a->family != b->family || a->type != b->type)
		return false;
	if (a->family != AF_UNIX)
		return a->rport && a->rport == b->rport && !memcmp(a->raddr, b->raddr, sizeof(a->raddr));
	x = graph_object(g, graph_peer_object(g, a->id));
	y = graph_object(g, graph_peer_object(g, b->id));
	return a == b || (x && y && x->name[0] && window_object_same_name(x, y));
}

/* Returns true if requests like the last one of link k mostly got an answer soon. */
static bool is_answered_soon(const struct graph *g, const struct link *k, const struct graph_ref *asked)
{
	uint64_t bytes = ct_message_bytes(&g->w->events[asked->event].r);
	uint64_t ts_ns = g->w->events[asked->event].r.ts;
	const struct window_object *o = graph_object(g, k->obj);
	struct answers a = { 0 };

	for (size_t i = 0; o && i < g->w->n_objects && scan_step(g); i++)
		if (CT_OBJ_KIND(g->w->objects[i].id) == CT_OBJ_SOCK && asks_same(g, o, &g->w->objects[i]))
			count_answers(g, g->w->objects[i].id, bytes, ts_ns, NULL, &a);
	return a.soon > a.all / 2;
}

bool idle_client_awaits_news(const struct graph *g, const struct chain *c, size_t at)
{
	const struct link *k = &c->links.v[at], *server = k + 1;
	const struct graph_ref *asked;
	struct answers a = { 0 };
	uint64_t peer;

	if (at + 1 >= c->links.n || CT_OBJ_KIND(k->obj) != CT_OBJ_SOCK || !k->owed || k->wait == CT_W_WRITE ||
	    !awaits_clients(c, server) || !is_read(g, k))
		return false;
	peer = graph_peer_object(g, k->obj);
	asked = graph_ref_before(g, &g->sends, k->obj, k->to_ns);
	if (!asked || !peer || !graph_is_accepted(g, peer) || !awaits_input(g, server, peer))
		return false;
	count_answers(g, k->obj, ct_message_bytes(&g->w->events[asked->event].r), UINT64_MAX,
		      &g->w->events[asked->event].r, &a);
	return a.news && a.news * 2 >= a.all;
}

/* Returns true if the link waits at a listening socket, and at others. */
static bool polls_listener(const struct graph *g, const struct link *k)
{
	const struct window_object *o = graph_object(g, k->obj);

	return o && o->state == TCP_LISTEN && /* unix sockets have the same states */
	       polls_several(g, k);
}

bool idle_client_left(const struct graph *g, const struct diagnosis *d)
{
	return ct_wait_is_poll(d->chain[0].wait) && was_killed_by_other(g, &d->chain[1]);
}

bool idle_client_killed(const struct graph *g, const struct diagnosis *d)
{
	const struct link *k = &d->chain[0], *server = &d->chain[1];
	const struct graph_ref *asked;

	if (d->n_chain < 2 || (d->cause != CAUSE_SLOW_PEER && d->cause != CAUSE_TIMER) ||
	    CT_OBJ_KIND(k->obj) != CT_OBJ_SOCK || k->wait == CT_W_WRITE || k->wait == CT_W_CONNECT ||
	    !was_killed_by_other(g, k))
		return false;
	if (!ct_wait_is_poll(server->wait) || server->owed ||
	    (!server->server && server->kind != RESOURCE_TIMER && !polls_listener(g, server)))
		return false;
	asked = graph_ref_before(g, &g->sends, k->obj, k->to_ns);
	return asked && graph_is_accepted(g, graph_peer_object(g, k->obj)) && is_read(g, k) &&
	       !is_answered_soon(g, k, asked);
}
