// SPDX-License-Identifier: GPL-2.0-or-later
#include <netinet/tcp.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/blame.h"
#include "graph/wake/owner_private.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/words/call.h"

uint32_t owner_sock_user(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *s = graph_ref_before(g, &g->sends, sock, ts_ns);
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, sock, ts_ns);
	size_t n;

	if (r && (!s || s->event < r->event))
		s = r;
	if (!s) {
		s = graph_refs(&g->recvs, sock, &n);
		if (!n)
			s = graph_refs(&g->sends, sock, &n);
		if (!n)
			return GRAPH_NONE;
	}
	return graph_task_at(g, owner_event(g, s)->r.tid, owner_event(g, s)->r.ts);
}

static bool is_last_use(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	size_t n_sent, n_got;

	graph_refs_from(g, &g->sends, sock, ts_ns + 1, &n_sent);
	graph_refs_from(g, &g->recvs, sock, ts_ns + 1, &n_got);
	return !n_sent && !n_got;
}

bool owner_has_socket(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns)
{
	struct enders all = { 0 };
	uint32_t user = owner_sock_user(g, sock, ts_ns);

	if (user == GRAPH_NONE)
		user = owner_fd(g, sock, ts_ns, 0, 0, &all);
	return user != GRAPH_NONE && g->tasks[user].tgid == g->tasks[task].tgid;
}

bool owner_may_have_socket(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns)
{
	struct enders all = { 0 };

	if (owner_has_socket(g, task, sock, ts_ns))
		return true;
	owner_holders(g, sock, ts_ns, &all);
	for (size_t i = 0; i < all.n; i++)
		if (g->tasks[all.v[i]].tgid == g->tasks[task].tgid)
			return true;
	return false;
}

bool owner_serves(const struct graph *g, uint32_t task, const struct window_object *o, uint64_t except,
		  uint64_t ts_ns)
{
	for (size_t i = 0; i < g->w->n_objects && scan_step(g); i++) {
		const struct window_object *x = &g->w->objects[i];

		if (CT_OBJ_KIND(x->id) == CT_OBJ_SOCK && x->family == o->family && x->type == o->type &&
		    (o->family == AF_UNIX ? o->name[0] && window_object_same_name(x, o)
					  : x->rport && x->lport == o->rport && x->netns == o->netns) &&
		    graph_is_accepted(g, x->id) && x->id != except &&
		    owner_may_have_socket(g, task, x->id, ts_ns))
			return true;
	}
	return false;
}

bool owner_may_close(const struct graph *g, const struct window_event *wake)
{
	enum call call = call_of(g->w->machine, wake->r.nr);

	if (wake->r.flags & CT_WF_IDLE || !ct_wake_waker(&wake->r))
		return false;
	if (ct_wake_context(&wake->r) != CT_CTX_TASK &&
	    (ct_wake_context(&wake->r) != CT_CTX_SOFTIRQ || ct_wake_softirq(&wake->r) != NET_RX_SOFTIRQ))
		return false;
	return call == CALL_CLOSE || call == CALL_SHUTDOWN || wake->r.flags & CT_WF_EXITING ||
	       (wake->r.nr == CT_NR_NONE && ct_wake_call(&wake->r) == CT_W_NONE);
}

bool owner_closes(const struct graph *g, uint64_t sock, const struct window_event *wake)
{
	enum call call = call_of(g->w->machine, wake->r.nr);
	uint32_t task;
	uint64_t peer;

	if (!owner_may_close(g, wake))
		return false;
	task = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);
	peer = graph_peer_object(g, sock);
	if (task == GRAPH_NONE || g->tasks[task].kthread || !peer ||
	    (wake->r.obj && wake->r.obj != peer && wake->r.obj != sock))
		return false;
	return owner_has_socket(g, task, peer, wake->r.ts) &&
	       (call == CALL_CLOSE || call == CALL_SHUTDOWN || is_last_use(g, peer, wake->r.ts));
}

bool owner_own_wake(const struct graph *g, uint32_t task, uint64_t sock, const struct window_event *wake)
{
	const struct window_object *o = graph_object(g, sock);
	uint64_t peer = graph_peer_object(g, sock);

	if (ct_wake_context(&wake->r) == CT_CTX_TASK || !o)
		return true;
	if (peer && owner_sock_user(g, peer, wake->r.ts) != GRAPH_NONE)
		return owner_may_have_socket(g, task, peer, wake->r.ts);
	return o->family == AF_UNIX || !o->rport || graph_is_local(g, sock);
}

/* Returns the wake-up of a task of process tgid by the connect() that made sock. NULL: not recorded. */
static const struct window_event *connect_wake(const struct graph *g, uint64_t sock, uint64_t ts_ns,
					       uint32_t tgid)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->wakes, sock, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

		if (e->r.ts < ts_ns && ct_wake_call(&e->r) == CT_W_CONNECT && task != GRAPH_NONE &&
		    g->tasks[task].tgid == tgid)
			return e;
	}
	return NULL;
}

/* Returns true if the connect() that made sock ended the wait s of a task with a listening socket. The task
 * that had the CPU then has to have sock. */
static bool ended_by_connect(const struct graph *g, const struct interval *s, uint64_t sock, uint64_t ts_ns)
{
	const struct window_event *e = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake];
	const struct window_object *l = e ? graph_object(g, e->r.obj) : NULL, *o = graph_object(g, sock);
	uint32_t client;

	if (!l || !o || !owner_is_for_next(s) || !(e->r.flags & CT_WF_READY) ||
	    ct_wake_call(&e->r) != CT_W_CONNECT || !ct_wake_waker(&e->r) ||
	    graph_listens_for(g, l, o) == LISTENS_NOT)
		return false;
	client = graph_task_at(g, ct_wake_waker(&e->r), e->r.ts);
	return client != GRAPH_NONE && owner_has_socket(g, client, sock, ts_ns);
}

/* As connect_wake(), for a task that waits for several objects in a poll. Returns NULL also if several such
 * wake-ups are recorded: the client has several connections. */
static const struct window_event *connect_in_poll(const struct graph *g, uint64_t sock, uint64_t ts_ns,
						  uint32_t tgid)
{
	const struct window_event *found = NULL;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, tgid, &n);

	for (size_t k = 0; k < n && scan_step(g); k++) {
		uint32_t i = graph_interval_at(g, r[k].event, ts_ns);

		if (i == GRAPH_NONE)
			continue;
		for (size_t looks = 0; i-- > g->tasks[r[k].event].first_interval && scan_step(g); looks++) {
			if (looks == CONNECT_LOOKS)
				return NULL;
			if (!ended_by_connect(g, &g->intervals[i], sock, ts_ns))
				continue;
			if (found)
				return NULL;
			found = &g->w->events[g->intervals[i].wake];
		}
	}
	return found;
}

/* Returns the wait for the next connection that the task begins first after ts_ns, or NULL. */
static const struct interval *next_wait(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, ts_ns);

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals && scan_step(g); i++)
		if (g->intervals[i].from_ns > ts_ns && owner_is_for_next(&g->intervals[i]))
			return &g->intervals[i];
	return NULL;
}

/* The record e woke the thread. Returns true if the thread idled before, on a futex without an owner, and has
 * neither exited nor idled since. */
static bool still_works(const struct graph *g, uint32_t thread, const struct window_event *e, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, thread, checked_sub(e->r.ts, 1));
	const struct interval *idle = i == GRAPH_NONE ? NULL : &g->intervals[i], *s = idle;

	if (!idle || idle->state != INTERVAL_BLOCKED || idle->wait != CT_W_FUTEX ||
	    graph_futex_owner(g, idle) || !owner_alive(g, thread, ts_ns))
		return false;
	for (i++; i < g->tasks[thread].first_interval + g->tasks[thread].n_intervals &&
		  g->intervals[i].from_ns <= ts_ns && scan_step(g);
	     i++) {
		s = &g->intervals[i];
		if (s->state == INTERVAL_BLOCKED && blame_same_wait(idle, s))
			return false;
	}
	/* such a wait may be for the next work, on another futex */
	return s->state != INTERVAL_BLOCKED || s->wait != CT_W_FUTEX || graph_futex_owner(g, s);
}

/* A task took a new connection, and then waits for the next one from next->from_ns on. In between, it may
 * hand the connection on to a thread that idles. Returns the only thread that it woke, or GRAPH_NONE. */
static uint32_t woken_thread(const struct graph *g, const struct window_event *connect,
			     const struct interval *next, uint64_t ts_ns)
{
	const struct window_event *e = connect + 1, *end = g->w->events + g->w->n_events, *first = NULL;
	uint32_t tgid = g->tasks[next->task].tgid, found = GRAPH_NONE, task;

	for (; e < end && e->r.ts < next->from_ns; e++) {
		if (!scan_step(g))
			return GRAPH_NONE;
		if (e->r.kind != CT_WAKE || !ct_wake_by_task(&e->r) ||
		    ct_wake_waker(&e->r) != g->tasks[next->task].tid)
			continue;
		task = graph_task_at(g, e->r.tid, e->r.ts);
		if (task == GRAPH_NONE || g->tasks[task].tgid != tgid || task == found)
			continue;
		if (found != GRAPH_NONE)
			return GRAPH_NONE;
		found = task;
		first = e;
	}
	return found != GRAPH_NONE && still_works(g, found, first, ts_ns) ? found : GRAPH_NONE;
}

/* Returns the first thread that `woken` starts after the connect() woke it, and before it waits for the next
 * connection. GRAPH_NONE: there is none. */
static uint32_t new_thread(const struct graph *g, const struct window_event *wake, uint32_t woken,
			   const struct interval *next, uint64_t ts_ns)
{
	uint32_t first = GRAPH_NONE;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[woken].tgid, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct graph_task *t = &g->tasks[r[i].event];

		if (t->parent == woken && t->born_ns > wake->r.ts && t->born_ns <= ts_ns &&
		    (first == GRAPH_NONE || t->born_ns < g->tasks[first].born_ns))
			first = r[i].event;
	}
	return first != GRAPH_NONE && next && next->from_ns < g->tasks[first].born_ns ? GRAPH_NONE : first;
}

/* If the messages of a connection are not recorded, only the process with the other end is known.
 * Some servers give each connection to a thread: the connect() of the client wakes a listening task, and
 * this listening task starts a thread, or wakes a thread that idles, before it waits for the next connection.
 * Returns this thread. Returns `task` if there is no such thread, or if the thread has exited. */
static uint32_t serving_thread(const struct graph *g, uint64_t sock, uint64_t ts_ns, uint32_t task)
{
	uint32_t tgid = g->tasks[task].tgid, thread = GRAPH_NONE, woken;
	const struct window_event *wake = connect_wake(g, sock, ts_ns, tgid);
	const struct interval *next;

	if (!wake)
		wake = connect_in_poll(g, sock, ts_ns, tgid);
	woken = wake ? graph_task_at(g, wake->r.tid, wake->r.ts) : GRAPH_NONE;
	if (woken == GRAPH_NONE)
		return task;
	next = next_wait(g, woken, wake->r.ts);
	thread = new_thread(g, wake, woken, next, ts_ns);
	if (thread == GRAPH_NONE && next && next->from_ns <= ts_ns)
		thread = woken_thread(g, wake, next, ts_ns);
	return thread != GRAPH_NONE && owner_alive(g, thread, ts_ns) ? thread : task;
}

/* Returns true if records show which processes had `peer`, the accepted end of a connection, and none of them
 * lives. A process that listens at this address now, such as a server that was started again, does not get
 * this connection. */
static bool users_have_ended(const struct graph *g, uint64_t peer, uint64_t ts_ns)
{
	const struct window_object *o = graph_object(g, peer);
	const struct graph_ref *used[] = { graph_ref_before(g, &g->sends, peer, ts_ns),
					   graph_ref_before(g, &g->recvs, peer, ts_ns) };
	bool known = false;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, peer, &n);

	if (!o || o->type == SOCK_DGRAM || peer & CT_OBJ_NOT_ACCEPTED)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(used); i++) {
		const struct ct_rec *e = used[i] ? &owner_event(g, used[i])->r : NULL;
		uint32_t task = e ? graph_task_at(g, e->tid, e->ts) : GRAPH_NONE;

		if (task == GRAPH_NONE)
			continue;
		if (owner_process(g, g->tasks[task].tgid, ts_ns) != GRAPH_NONE)
			return false;
		known = true;
	}
	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= ts_ns; i++) {
		if (!scan_step(g) || owner_process(g, owner_event(g, &r[i])->r.tid, ts_ns) != GRAPH_NONE)
			return false;
		known = true;
	}
	return known;
}

uint32_t owner_sock(const struct graph *g, uint64_t sock, uint64_t ts_ns, uint32_t tgid, struct enders *all)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct window_object *o = graph_object(g, sock);
	uint32_t task = peer ? owner_sock_user(g, peer, ts_ns) : GRAPH_NONE;

	/* If the last user of the other end has exited, a new thread may receive the request
	 * later. */
	if (task != GRAPH_NONE && g->tasks[task].exit_ns <= ts_ns)
		task = GRAPH_NONE;
	if (task == GRAPH_NONE && peer) {
		task = owner_fd(g, peer, ts_ns, 0, 0, all);
		if (task != GRAPH_NONE)
			task = serving_thread(g, sock, ts_ns, task);
		/* Several processes have the accepted end, and no record shows which of them uses it. Or none
		 * has it any more. */
		else if ((all->n && !(peer & CT_OBJ_NOT_ACCEPTED)) || users_have_ended(g, peer, ts_ns))
			return GRAPH_NONE;
	}
	/* The other end of a unix connection that is not accepted has the listening socket's
	 * address. */
	if (o && o->family == AF_UNIX && peer & CT_OBJ_NOT_ACCEPTED)
		o = graph_object(g, peer);
	/* A datagram socket with a name and without a peer is a receiver. Another socket with this name, such
	 * as one in another container, is no sender. */
	if (task == GRAPH_NONE && o && !(o->family == AF_UNIX && o->type == SOCK_DGRAM && !o->peer))
		task = owner_listener(g, o, ts_ns, tgid, all);
	return task;
}

uint32_t owner_of_socket(const struct graph *g, uint64_t sock, uint64_t ts_ns, struct enders *all)
{
	*all = (struct enders){ 0 };
	return owner_sock(g, sock, ts_ns, 0, all);
}

bool owner_owed(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *s = graph_ref_before(g, &g->sends, sock, ts_ns);
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, sock, ts_ns);
	const struct window_object *o = graph_object(g, sock);
	size_t n;

	if (owner_has_dest(g, sock, ts_ns))
		return owner_dest_owes(g, sock, ts_ns);
	/* No bytes so far: the socket is connecting, or waits for the first message. */
	if (!s && !r)
		return o && (o->state == TCP_SYN_SENT || o->rport) && !graph_is_accepted(g, sock);
	if (!s || (r && r->event > s->event) || graph_is_accepted(g, sock))
		return false;
	if (o && (o->family != AF_UNIX || graph_is_accepted(g, graph_peer_object(g, sock))))
		return true;
	s = graph_refs(&g->sends, sock, &n);
	r = graph_refs(&g->recvs, sock, &n);
	return !n || s->event < r->event;
}

static uint64_t bytes_since(const struct graph *g, const struct graph_index *ix, uint64_t obj, uint32_t after,
			    uint64_t ts_ns)
{
	const struct graph_ref *r = graph_ref_before(g, ix, obj, ts_ns), *first;
	uint64_t bytes = 0;
	size_t n;

	first = graph_refs(ix, obj, &n);
	for (; r && r >= first && r->event > after && scan_step(g); r--)
		bytes += ct_message_bytes(&owner_event(g, r)->r);
	return bytes;
}

bool owner_unread(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = graph_object(g, sock);
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *s = peer ? graph_ref_before(g, &g->sends, peer, ts_ns) : NULL;
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, sock, ts_ns), *asked;

	if (!o || !s)
		return false;
	if (!r || r->event < s->event)
		return true;
	/* The task may have received only a part of the answer. */
	asked = graph_ref_before(g, &g->sends, sock, ts_ns);
	return o->type == SOCK_STREAM && asked &&
	       bytes_since(g, &g->sends, peer, asked->event, ts_ns) >
		       bytes_since(g, &g->recvs, sock, asked->event, ts_ns);
}

bool owner_under_way(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = graph_object(g, sock);

	return o && o->family != AF_UNIX && owner_unread(g, sock, ts_ns);
}
