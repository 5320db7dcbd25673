// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_message.c - finds the task whose message, or whose receive, ended a wait for a socket. */
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/bytes.h"
#include "graph/wake/owner_private.h"
#include "trace/words/call.h"

/* A task may have woken the waiter in its own send on `peer`: returns the record of this send, or GRAPH_NONE,
 * also if messages may be missing between it and the record `since`. */
static uint32_t own_send(const struct graph *g, uint64_t sock, uint64_t peer, uint32_t waker,
			 const struct window_event *wake, uint32_t since)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->sends, peer, wake->r.ts, &n);

	for (size_t i = 0; waker && peer && i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.ts > wake->r.ts + MESSAGE_SAME_TASK_NS)
			break;
		if (e->r.tid == waker)
			return bytes_lack_between(g, sock, since, r[i].event) ? GRAPH_NONE : r[i].event;
	}
	return GRAPH_NONE;
}

/* No record shows which task sent (ix: graph.sends) or received (graph.recvs) at the other end. Returns the
 * last task that did so before, or a living thread of its process. If several processes did so that live, or
 * if none of them lives and they are several, returns GRAPH_NONE, and adds them to *all. If no task did so,
 * the result is that of owner_sock(). */
static uint32_t likely_user(const struct graph *g, const struct graph_index *ix, uint64_t sock,
			    uint64_t ts_ns, struct enders *all)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *r = peer ? graph_ref_before(g, ix, peer, ts_ns) : NULL, *first;
	struct enders users = { 0 }, dead = { 0 };
	uint32_t tid = 0, live;
	size_t n;

	first = graph_refs(ix, peer, &n);
	for (unsigned looks = 0; r && r >= first && looks < PAST_USERS && scan_step(g); r--, looks++) {
		const struct ct_rec *e = &owner_event(g, r)->r;
		uint32_t task = e->tid == tid ? GRAPH_NONE : graph_task_at(g, e->tid, e->ts);

		tid = e->tid;
		if (task == GRAPH_NONE)
			continue;
		live = owner_alive(g, task, ts_ns) ? task : owner_process(g, g->tasks[task].tgid, ts_ns);
		if (live != GRAPH_NONE)
			owner_add(g, &users, live);
		else
			owner_add(g, &dead, task);
	}
	if (!users.n)
		users = dead;
	if (users.n > 1) {
		*all = users;
		return GRAPH_NONE;
	}
	return users.n ? users.v[0] : owner_sock(g, sock, ts_ns, 0, all);
}

/* The task on the CPU may have made room in its own receive on `peer`: returns the record of this receive, or
 * GRAPH_NONE. */
static uint32_t own_receive(const struct graph *g, uint64_t peer, const struct window_event *wake)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->recvs, peer, wake->r.ts, &n);

	if (ct_wake_context(&wake->r) == CT_CTX_IRQ || ct_wake_call(&wake->r) != CT_W_READ ||
	    !ct_wake_waker(&wake->r))
		return GRAPH_NONE;
	for (size_t i = 0; i < n && scan_step(g); i++) {
		if (owner_event(g, &r[i])->r.ts > wake->r.ts + MESSAGE_SAME_TASK_NS)
			break;
		if (owner_event(g, &r[i])->r.tid == ct_wake_waker(&wake->r))
			return r[i].event;
	}
	return GRAPH_NONE;
}

/* Returns the last receive on `peer` up to the wake-up, if it is recorded during the wait s, and the news of
 * its room was not under way for longer than MESSAGE_DELAYED_NS. If there is none, returns the next receive,
 * if it is recorded at most MESSAGE_LATE_NS after the wake-up, and nothing was sent on `sock` in between:
 * then it may have received those bytes. Otherwise returns GRAPH_NONE. */
static uint32_t receive_near(const struct graph *g, const struct interval *s, uint64_t sock, uint64_t peer,
			     const struct window_event *wake)
{
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, peer, wake->r.ts);
	size_t n, n_sends;
	const struct graph_ref *sends = graph_refs_from(g, &g->sends, sock, wake->r.ts, &n_sends);

	if (r && owner_event(g, r)->r.ts >= s->from_ns &&
	    owner_event(g, r)->r.ts + MESSAGE_DELAYED_NS >= wake->r.ts)
		return r->event;
	r = graph_refs_from(g, &g->recvs, peer, wake->r.ts + 1, &n);
	return n && owner_event(g, r)->r.ts <= wake->r.ts + MESSAGE_LATE_NS &&
			       (!n_sends || sends->event > r->event)
		       ? r->event
		       : GRAPH_NONE;
}

/* Returns the record of the receive that made room for bytes of sock, and so made the wake-up. GRAPH_NONE: no
 * record shows it. */
static uint32_t room_made(const struct graph *g, const struct interval *s, uint64_t sock,
			  const struct window_event *wake)
{
	uint64_t peer = graph_peer_object(g, sock);
	uint32_t receive = peer ? own_receive(g, peer, wake) : GRAPH_NONE;

	if (peer && receive == GRAPH_NONE)
		receive = receive_near(g, s, sock, peer, wake);
	return receive != GRAPH_NONE && !bytes_lack_between(g, sock, (uint32_t)(wake - g->w->events), receive)
		       ? receive
		       : GRAPH_NONE;
}

/* Finds the record of the bytes, or of the end of the connection, that made the wake-up. A task may be
 * interrupted for the bytes of another one. So if it is in no send, its next send counts only if there are no
 * other bytes, also none whose records may be missing. */
static uint32_t news_of(const struct graph *g, const struct interval *s, uint64_t sock, uint32_t waker,
			const struct window_event *wake)
{
	uint64_t peer = graph_peer_object(g, sock);
	uint32_t at = (uint32_t)(wake - g->w->events);
	bool sends = ct_wake_call(&wake->r) == CT_W_WRITE;
	uint32_t event = sends ? own_send(g, sock, peer, waker, wake, at) : GRAPH_NONE;

	if (event == GRAPH_NONE && owner_closes(g, sock, wake))
		return at;
	if (event == GRAPH_NONE)
		event = bytes_unread(g, sock, wake, s->from_ns);
	if (event == GRAPH_NONE && !sends)
		event = own_send(g, sock, peer, waker, wake, (uint32_t)window_lower_bound(g->w, s->from_ns));
	return event;
}

/* Returns the waiter's first message in the index on sock after the wake-up, or GRAPH_NONE. */
static uint32_t next_message(const struct graph *g, const struct graph_index *ix, uint64_t sock,
			     const struct window_event *wake)
{
	uint32_t at = (uint32_t)(wake - g->w->events);
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, ix, sock, wake->r.ts, &n);

	for (size_t i = 0; i < n && i < SPOKE_LOOKS && scan_step(g); i++)
		if (r[i].event > at && owner_event(g, &r[i])->r.tid == wake->r.tid)
			return r[i].event;
	return GRAPH_NONE;
}

/* The wake-up ended a poll, and does not say that there are bytes to read. Some traces never say so. Returns
 * true if the waiter then receives before it sends: then there were bytes. */
static bool then_receives(const struct graph *g, uint64_t sock, const struct window_event *wake)
{
	return next_message(g, &g->recvs, sock, wake) < next_message(g, &g->sends, sock, wake);
}

/* Finds what ended a poll if the wake-up does not say that there are bytes to read: see owner_sender(). */
static uint32_t poll_ended_by(const struct graph *g, const struct interval *s, uint64_t sock, uint32_t waker,
			      const struct window_event *wake)
{
	if (then_receives(g, sock, wake)) {
		uint32_t news = news_of(g, s, sock, waker, wake);

		/* Bytes that were there before the poll did not end it. */
		if (news == GRAPH_NONE || g->w->events[news].r.ts >= s->from_ns)
			return news;
	}
	return owner_closes(g, sock, wake) ? (uint32_t)(wake - g->w->events) : room_made(g, s, sock, wake);
}

static uint32_t task_of(const struct graph *g, uint32_t event)
{
	const struct ct_rec *r = &g->w->events[event].r;

	return graph_task_at(g, r->kind == CT_WAKE ? ct_wake_waker(r) : r->tid, r->ts);
}

/* No record shows what ended the wait for sock. Returns true if `task`, the task on the CPU, probably did. */
static bool probably_ended(const struct graph *g, uint32_t task, uint64_t sock,
			   const struct window_event *wake)
{
	enum call call = call_of(g->w->machine, wake->r.nr);
	uint64_t peer = graph_peer_object(g, sock);

	if (task == GRAPH_NONE || g->tasks[task].kthread || wake->r.flags & CT_WF_IDLE)
		return false;
	if (wake->r.flags & CT_WF_EXITING || ct_wake_call(&wake->r) == CT_W_CONNECT ||
	    ct_wake_call(&wake->r) == CT_W_ACCEPT || ct_wake_call(&wake->r) == CT_W_WRITE ||
	    call == CALL_CLOSE || call == CALL_SHUTDOWN)
		return owner_own_wake(g, task, sock, wake);
	/* The end of a connection that several processes have */
	return peer && owner_may_close(g, wake) && owner_may_have_socket(g, task, peer, wake->r.ts);
}

uint32_t owner_sender(const struct graph *g, const struct interval *s, uint64_t sock,
		      const struct window_event *wake, uint32_t *ret_event, struct enders *all)
{
	/* An interrupt of unknown kind may have nothing to do with the task on the CPU. */
	uint32_t waker = ct_wake_context(&wake->r) == CT_CTX_IRQ ? 0 : ct_wake_waker(&wake->r);
	bool polls = ct_wait_is_poll(s->wait);
	uint32_t task;

	*ret_event = polls && !(wake->r.flags & CT_WF_READY) ? poll_ended_by(g, s, sock, waker, wake)
							     : news_of(g, s, sock, waker, wake);
	if (*ret_event != GRAPH_NONE)
		return task_of(g, *ret_event);
	task = waker ? graph_task_at(g, waker, wake->r.ts) : GRAPH_NONE;
	if (probably_ended(g, task, sock, wake))
		return task;
	return likely_user(g, &g->sends, sock, wake->r.ts, all);
}

uint32_t owner_receiver(const struct graph *g, const struct interval *s, uint64_t sock,
			const struct window_event *wake, uint32_t *ret_event, struct enders *all)
{
	*ret_event = room_made(g, s, sock, wake);
	return *ret_event != GRAPH_NONE ? task_of(g, *ret_event)
					: likely_user(g, &g->recvs, sock, wake->r.ts, all);
}
