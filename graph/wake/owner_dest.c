// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * owner_dest.c - finds the task that owes an answer to a datagram socket that is not connected. Each send on
 * such a socket has a destination of its own (enum ct_dest).
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/timeline/tables.h"
#include "graph/wake/owner_private.h"
#include "lib/bisect.h"
#include "lib/checked.h"

/* The last datagram of a socket to one destination. */
struct asked {
	const struct window_event *sent;
	struct window_object to; /* the socket, as if it were connected to the destination */
};

struct asked_list {
	struct asked v[DEST_MAX];
	size_t n;
	bool whole; /* all destinations since the last receive are in v */
};

/* The processes that have the socket at a destination. */
struct holders {
	struct enders all;
	const struct window_object *sock;
	enum listens how;
	size_t n_socks; /* if there are several, sock is one of them */
	bool more;      /* further processes may have it */
};

static bool is_open_dgram(const struct window_object *o)
{
	return o && CT_OBJ_KIND(o->id) == CT_OBJ_SOCK && o->type == SOCK_DGRAM &&
	       (o->family == AF_UNIX ? !o->peer : !o->rport);
}

static bool is_same_dest(const struct ct_rec *a, const struct ct_rec *b)
{
	return ct_send_dest(a) == ct_send_dest(b) && ct_send_name(a) == ct_send_name(b);
}

/* Returns the socket o as if it were connected to the destination of the send r. */
static struct window_object connected(const struct graph *g, const struct window_object *o,
				      const struct ct_rec *r)
{
	struct window_object to = *o;
	uint32_t v4 = ct_send_address(r);
	const struct graph_ref *named;
	size_t n;

	to.rport = ct_send_port(r);
	memset(to.raddr, 0, sizeof(to.raddr));
	switch (ct_send_dest(r)) {
	case CT_DEST_IPV4:
		if (to.family == AF_INET6)
			to.raddr[10] = to.raddr[11] = 0xff;
		memcpy(to.raddr + (to.family == AF_INET6 ? 12 : 0), &v4, sizeof(v4));
		break;
	case CT_DEST_IPV6:
		/* which other address is not known */
		to.rport = v4 == 1 ? to.rport : 0;
		to.raddr[15] = 1;
		break;
	case CT_DEST_UNIX:
		named = graph_named(g, ct_send_name(r), &n);
		to.rport = 0;
		to.name = n ? g->w->objects[named->event].name : "";
		break;
	case CT_DEST_NONE:
		break;
	}
	return to;
}

/* Returns false for the address of a group, or of all hosts of a network: mostly, it ends in 255. */
static bool is_one_host(const struct ct_rec *r)
{
	uint8_t first = ct_send_address(r) & 0xff, last = ct_send_address(r) >> 24;

	return ct_send_dest(r) != CT_DEST_IPV4 || (!IN_MULTICAST((uint32_t)first << 24) && last != 0xff);
}

/* A server mostly has a port of a lower class than its clients. The highest class are the ports that Linux
 * gives to sockets that choose none. */
static unsigned port_class(uint16_t port)
{
	return (port >= IPPORT_RESERVED) + (port >= DEST_PORT_AUTOMATIC);
}

/* Returns true if the socket sends first, as far as the trace shows. */
static bool speaks_first(const struct graph *g, uint64_t sock)
{
	size_t n_sent, n_got;
	const struct graph_ref *sent = graph_refs(&g->sends, sock, &n_sent);
	const struct graph_ref *got = graph_refs(&g->recvs, sock, &n_got);

	return n_sent && (!n_got || sent->event < got->event);
}

/* Returns true if the first send of the socket cannot answer a datagram from before the trace. */
static bool starts_late(const struct graph *g, uint64_t sock)
{
	size_t n;
	const struct graph_ref *first = graph_refs(&g->sends, sock, &n);

	return n && owner_event(g, first)->r.ts >= g->w->from_ns + DEST_BEGIN_NS;
}

static int compare_ports(const struct window_object *o, const struct ct_rec *r)
{
	return o->family == AF_UNIX ? 0 : (int)port_class(o->lport) - (int)port_class(ct_send_port(r));
}

/* Returns false if no send on o can be a question. Nobody can answer a unix socket without a name. */
static bool may_ask(const struct graph *g, const struct window_object *o)
{
	return speaks_first(g, o->id) && (o->family != AF_UNIX || (o->name[0] && starts_late(g, o->id)));
}

/* o: a socket that may ask. Returns true if the send r on o asks for something. Returns false if it may be an
 * answer. */
static bool is_question(const struct graph *g, const struct window_object *o, const struct ct_rec *r)
{
	return compare_ports(o, r) >= 0 || starts_late(g, o->id);
}

/* Finds the last datagram to each destination. */
static void find_asked(const struct graph *g, const struct window_object *o, uint64_t ts_ns,
		       struct asked_list *ret)
{
	const struct graph_ref *r = graph_ref_before(g, &g->sends, o->id, ts_ns), *first;
	const struct graph_ref *got = graph_ref_before(g, &g->recvs, o->id, ts_ns);
	size_t n, k;

	*ret = (struct asked_list){ .whole = true };
	first = graph_refs(&g->sends, o->id, &n);
	for (size_t looks = 0; r && r >= first; r--, looks++) {
		const struct window_event *e = owner_event(g, r);
		bool is_new = !got || r->event > got->event;

		if (looks == DEST_LOOKS || !scan_step(g)) {
			ret->whole &= !is_new;
			return;
		}
		for (k = 0; k < ret->n && !is_same_dest(&ret->v[k].sent->r, &e->r); k++)
			;
		if (k < ret->n)
			continue;
		if (ct_send_dest(&e->r) == CT_DEST_NONE || ret->n == DEST_MAX) {
			ret->whole &= !is_new;
			continue;
		}
		ret->v[ret->n++] = (struct asked){ .sent = e, .to = connected(g, o, &e->r) };
	}
}

/* Returns sockets that may have the destination, as indices into window.objects. */
static const struct graph_ref *sockets_at(const struct graph *g, const struct asked *a, size_t *ret_n)
{
	return a->to.family == AF_UNIX ? graph_named(g, ct_send_name(&a->sent->r), ret_n)
				       : graph_listening(g, a->to.family, a->to.type, a->to.rport, "", ret_n);
}

bool owner_dest_is_for(const struct ct_rec *r, const struct window_object *o)
{
	static const uint8_t any[4];
	uint32_t v4 = ct_send_address(r);

	if (ct_send_dest(r) == CT_DEST_UNIX)
		return o->family == AF_UNIX && ct_send_name(r) == ct_dest_name(o->name);
	if (ct_send_dest(r) == CT_DEST_IPV4 && o->family == AF_INET && memcmp(o->laddr, any, sizeof(any)) &&
	    memcmp(o->laddr, &v4, sizeof(v4)))
		return false;
	return ct_send_dest(r) != CT_DEST_NONE && o->family != AF_UNIX && ct_send_port(r) == o->lport;
}

/* Returns how many datagrams the sockets at the destination have sent to o since the question a->sent. The
 * record of an answer may be a little too early, but not earlier than the last receive before the question.
 * DEST_ANSWER_LOOKS: it is not known. */
static size_t count_answers(const struct graph *g, const struct window_object *o, const struct asked *a,
			    uint64_t from_ns, uint64_t ts_ns)
{
	const struct graph_ref *got = graph_ref_before(g, &g->recvs, o->id, from_ns);
	size_t n, n_sent, answers = 0, looks = 0;
	const struct graph_ref *l = sockets_at(g, a, &n);

	from_ns = checked_sub(from_ns, MESSAGE_LATE_NS);
	if (got && owner_event(g, got)->r.ts > from_ns)
		from_ns = owner_event(g, got)->r.ts;

	for (size_t i = 0; i < n; i++) {
		const struct window_object *x = &g->w->objects[l[i].event];
		const struct graph_ref *r;

		if (graph_listens_for(g, x, &a->to) == LISTENS_NOT)
			continue;
		r = graph_refs_from(g, &g->sends, x->id, from_ns, &n_sent);
		for (size_t k = 0; k < n_sent && owner_event(g, &r[k])->r.ts <= ts_ns; k++) {
			if (++looks == DEST_ANSWER_LOOKS || !scan_step(g))
				return DEST_ANSWER_LOOKS;
			answers += owner_dest_is_for(&owner_event(g, &r[k])->r, o);
		}
	}
	return answers;
}

/* Returns true if the destination v[at] has not answered. A receive on o may be its answer, unless another
 * destination has sent this datagram. */
static bool is_unanswered(const struct graph *g, const struct window_object *o, const struct asked_list *l,
			  size_t at, uint64_t ts_ns)
{
	const struct window_event *sent = l->v[at].sent;
	size_t n, got = 0, others = 0;
	const struct graph_ref *r = graph_refs_from(g, &g->recvs, o->id, sent->r.ts, &n);

	if (count_answers(g, o, &l->v[at], sent->r.ts, ts_ns))
		return false;
	while (got < n && owner_event(g, &r[got])->r.ts <= ts_ns && scan_step(g))
		got++;
	for (size_t i = 0; got && i < l->n; i++)
		if (i != at)
			others += count_answers(g, o, &l->v[i], sent->r.ts, ts_ns) % DEST_ANSWER_LOOKS;
	return got <= others;
}

/* Finds the destinations that owe an answer to the socket o. */
static void find_owing(const struct graph *g, const struct window_object *o, uint64_t ts_ns,
		       struct asked_list *ret)
{
	struct asked_list all;

	*ret = (struct asked_list){ .whole = true };
	if (!may_ask(g, o))
		return;
	find_asked(g, o, ts_ns, &all);
	ret->whole = all.whole;
	for (size_t i = 0; i < all.n; i++)
		if (is_question(g, o, &all.v[i].sent->r) && is_unanswered(g, o, &all, i, ts_ns))
			ret->v[ret->n++] = all.v[i];
}

bool owner_has_dest(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *r =
		is_open_dgram(graph_object(g, sock)) ? graph_ref_before(g, &g->sends, sock, ts_ns) : NULL;

	return r && ct_send_dest(&owner_event(g, r)->r) != CT_DEST_NONE;
}

/* Returns true if a socket at the destination has sent anything. Otherwise, the datagrams to it may be
 * reports that nobody answers. */
static bool has_spoken(const struct graph *g, const struct asked *a, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *l = sockets_at(g, a, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *x = &g->w->objects[l[i].event];

		if (graph_listens_for(g, x, &a->to) != LISTENS_NOT &&
		    graph_ref_before(g, &g->sends, x->id, ts_ns))
			return true;
	}
	return false;
}

bool owner_dest_owes(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	struct asked_list owing;

	find_owing(g, graph_object(g, sock), ts_ns, &owing);
	for (size_t i = 0; i < owing.n; i++)
		if (is_one_host(&owing.v[i].sent->r) && has_spoken(g, &owing.v[i], ts_ns))
			return true;
	return false;
}

bool owner_dest_is_far(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	struct asked_list owing;

	find_owing(g, graph_object(g, sock), ts_ns, &owing);
	for (size_t i = 0; i < owing.n; i++)
		if (ct_send_dest(&owing.v[i].sent->r) != CT_DEST_IPV4 || !is_one_host(&owing.v[i].sent->r) ||
		    graph_is_local_end(g, &owing.v[i].to))
			return false;
	return owing.n > 0;
}

/* Returns true if the socket l has received the datagram `sent`. */
static bool has_received(const struct graph *g, uint64_t l, const struct window_event *sent, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r =
		graph_refs_from(g, &g->recvs, l, checked_sub(sent->r.ts, MESSAGE_LATE_NS), &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= ts_ns && scan_step(g); i++)
		if (ct_message_bytes(&owner_event(g, &r[i])->r) == ct_message_bytes(&sent->r))
			return true;
	return false;
}

/* Returns for what a task polls, by the record of a descriptor: EPOLLIN, EPOLLOUT, EPOLLET and so on. */
static uint64_t polled_events(const struct graph *g, const struct window_event *e)
{
	return e->r.kind == CT_EPMEMBER ? window_words(g->w, e)[1] : ct_waitfd_events(&e->r);
}

/* Returns true if the record of a descriptor says that the task polls it for input, and, if the wait began
 * after since_ns, also for input that arrived before the wait. */
static bool wants_input(const struct graph *g, const struct window_event *e, const struct interval *s,
			uint64_t since_ns)
{
	uint64_t events = polled_events(g, e);

	return events & (EPOLLIN | EPOLLRDNORM) && (!(events & EPOLLET) || s->from_ns <= since_ns);
}

bool owner_is_woken_for(const struct graph *g, const struct interval *s, uint64_t obj)
{
	return s->state == INTERVAL_BLOCKED && s->wake != GRAPH_NONE && g->w->events[s->wake].r.obj == obj;
}

bool owner_may_have_got(const struct graph *g, const struct interval *s, uint64_t l, uint64_t since_ns)
{
	uint32_t i = (uint32_t)(s - g->intervals);
	uint32_t first = BISECT(k, g->tasks[s->task].first_interval, i, g->intervals[k].to_ns > since_ns);

	if (i - first > ARRIVAL_LOOKS)
		return true;
	for (; i > first; i--)
		if (!scan_step(g) || owner_is_woken_for(g, &g->intervals[i - 1], l))
			return true;
	return false;
}

/* Returns true if the poll s asks for input on the socket l. A set of descriptors may have l twice: once for
 * input, and once for room to write. Sets that were recorded in the wait come first; without them, all sets
 * that were recorded shortly before it have to ask for input. */
static bool poll_wants_input(const struct graph *g, const struct interval *s, uint64_t l, uint64_t since_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->waitfds, g->tasks[s->task].tid,
						    checked_sub(s->from_ns, WAITFD_OLD_NS), &n);
	bool within = owner_has_record_within(g, r, n, s->from_ns, s->to_ns), found = false, wants = true;
	uint64_t set_ns = 0; /* all records of a set have one time */

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.ts > s->to_ns)
			break;
		if (e->r.obj != l || (within && e->r.ts < s->from_ns))
			continue;
		if (found && e->r.ts != set_ns && !wants)
			return false;
		wants = (found && e->r.ts == set_ns && wants) || wants_input(g, e, s, since_ns);
		set_ns = e->r.ts;
		found = true;
	}
	return found && wants;
}

static bool epoll_wants_input(const struct graph *g, const struct interval *s, uint64_t l, uint64_t since_ns)
{
	size_t n;
	const struct graph_ref *r = table_members(g, s->obj, s->from_ns, s->to_ns, &n);
	bool found = false;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.obj == l && !wants_input(g, e, s, since_ns))
			return false;
		found |= e->r.obj == l;
	}
	return found;
}

bool owner_ends_on_input(const struct graph *g, const struct interval *s, uint64_t sock)
{
	bool epoll = s->wait == CT_W_EPOLL;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, epoll ? &g->members : &g->waitfds,
						    epoll ? s->obj : g->tasks[s->task].tid, s->from_ns, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.ts > s->to_ns)
			break;
		if (e->r.obj == sock && wants_input(g, e, s, 0))
			return true;
	}
	return false;
}

/* Returns true if the interval is a wait for input on the socket l, which arrived after since_ns or not at
 * all. For what a poll of one descriptor waits is not recorded. For a stream, it may be room to write, unless
 * the socket listens. A poll for input that the task has left unread ends at once. Exception: an epoll whose
 * member is edge-triggered. So such a wait has to begin before since_ns. */
static bool waits_for(const struct graph *g, const struct interval *s, uint64_t l, uint64_t since_ns)
{
	const struct window_object *o = graph_object(g, l);
	bool one = s->wait == CT_W_POLL && s->obj;
	bool room = one && o && o->type == SOCK_STREAM && o->state != TCP_LISTEN;

	if (s->state != INTERVAL_BLOCKED)
		return false;
	if (s->wait == CT_W_READ || s->wait == CT_W_ACCEPT || one)
		return s->obj == l && !room && !owner_may_have_got(g, s, l, since_ns);
	if (s->wait == CT_W_EPOLL)
		return epoll_wants_input(g, s, l, since_ns) && !owner_may_have_got(g, s, l, since_ns);
	return s->wait == CT_W_POLL && poll_wants_input(g, s, l, since_ns) &&
	       !owner_may_have_got(g, s, l, since_ns);
}

static bool wants_room(const struct graph *g, const struct window_event *e)
{
	uint64_t events = polled_events(g, e);

	return events & EPOLLOUT && !(events & EPOLLET);
}

bool owner_polls_for_room(const struct graph *g, const struct interval *s, uint64_t sock)
{
	bool epoll = s->wait == CT_W_EPOLL, room = false;
	uint64_t set_ns = 0; /* all records of a set have one time */
	const struct graph_ref *r;
	size_t n;

	if (!ct_wait_is_poll(s->wait) || !graph_ref_before(g, &g->sends, sock, s->from_ns))
		return false;
	/* A poll of one descriptor makes no record, so an older one is of another poll. */
	r = epoll ? table_members(g, s->obj, s->from_ns, s->to_ns, &n)
		  : graph_refs_from(g, &g->waitfds, g->tasks[s->task].tid,
				    s->obj ? s->from_ns : checked_sub(s->from_ns, WAITFD_OLD_NS), &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.ts > s->to_ns)
			break;
		if (epoll && e->r.obj != sock)
			continue;
		room = (room && e->r.ts == set_ns) || (e->r.obj == sock && wants_room(g, e));
		set_ns = e->r.ts;
	}
	return room;
}

bool owner_awaits_input(const struct graph *g, uint32_t task, uint64_t sock, uint64_t since_ns,
			uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[task].tgid, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t at = graph_interval_at(g, r[i].event, ts_ns);

		if (at != GRAPH_NONE && waits_for(g, &g->intervals[at], sock, since_ns))
			return true;
	}
	return false;
}

/* A datagram that arrives wakes a task that waits for it. So if a thread of the process waits for input on
 * the socket at the destination, and has not received the datagram, the datagram did not arrive. */
static bool is_lost(const struct graph *g, const struct asked *a, uint32_t task, uint64_t ts_ns)
{
	enum listens best = LISTENS_NOT;
	bool waits = false;
	size_t n;
	const struct graph_ref *l = sockets_at(g, a, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *x = &g->w->objects[l[i].event];
		enum listens how = graph_listens_for(g, x, &a->to);

		if (how == LISTENS_NOT)
			continue;
		if (has_received(g, x->id, a->sent, ts_ns))
			return false;
		if (how > best)
			waits = false;
		if (how >= best) {
			best = how;
			waits |= owner_awaits_input(g, task, x->id, ts_ns, ts_ns);
		}
	}
	return waits;
}

/* Finds the living processes that have the socket at the destination. */
static void find_holders(const struct graph *g, const struct asked *a, uint64_t ts_ns, struct holders *ret)
{
	size_t n;
	const struct graph_ref *l = sockets_at(g, a, &n);

	*ret = (struct holders){ .how = LISTENS_NOT };
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *x = &g->w->objects[l[i].event];
		enum listens how = graph_listens_for(g, x, &a->to);
		struct enders users = { 0 };
		uint32_t user;
		bool known;

		if (how == LISTENS_NOT || how < ret->how)
			continue;
		known = owner_holders(g, x->id, ts_ns, &users);
		user = users.n ? GRAPH_NONE : owner_fd(g, x->id, ts_ns, 0, 0, &users);
		if (user != GRAPH_NONE)
			owner_add(g, &users, user);
		if (!users.n && known)
			continue;
		if (how > ret->how)
			*ret = (struct holders){ .how = how };
		ret->sock = x;
		ret->n_socks++;
		ret->more |= !known;
		for (size_t k = 0; k < users.n; k++)
			owner_add(g, &ret->all, users.v[k]);
	}
}

/* Returns the task that received the datagram, or else the task that has to receive it. GRAPH_NONE: several
 * processes may have to, or several datagrams may be this one. */
static uint32_t task_of(const struct graph *g, const struct asked *a, const struct holders *h, uint64_t ts_ns)
{
	uint32_t task = h->all.n == 1 && !h->more ? h->all.v[0] : GRAPH_NONE, got = GRAPH_NONE, last;
	size_t n = 0, n_got = 0;
	const struct graph_ref *r;

	if (h->n_socks != 1)
		return task;
	r = graph_refs_from(g, &g->recvs, h->sock->id, checked_sub(a->sent->r.ts, MESSAGE_LATE_NS), &n);
	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= ts_ns && scan_step(g); i++) {
		if (ct_message_bytes(&owner_event(g, &r[i])->r) != ct_message_bytes(&a->sent->r))
			continue;
		got = graph_task_at(g, owner_event(g, &r[i])->r.tid, owner_event(g, &r[i])->r.ts);
		n_got++;
	}
	if (n_got == 1)
		return got != GRAPH_NONE && owner_alive(g, got, ts_ns) ? got : GRAPH_NONE;
	r = graph_ref_before(g, &g->recvs, h->sock->id, ts_ns);
	if (!r || task == GRAPH_NONE)
		return task;
	last = graph_task_at(g, owner_event(g, r)->r.tid, owner_event(g, r)->r.ts);
	if (last == GRAPH_NONE || g->tasks[last].tgid != g->tasks[task].tgid)
		return GRAPH_NONE;
	return owner_alive(g, last, ts_ns) ? last : task;
}

uint64_t owner_dgram_receiver(const struct graph *g, const struct window_object *o, uint64_t ts_ns)
{
	struct asked a = { .to = *o };
	uint64_t peer = graph_peer_object(g, o->id);
	struct holders h;

	if (peer || o->type != SOCK_DGRAM || o->family == AF_UNIX || !o->rport)
		return peer;
	find_holders(g, &a, ts_ns, &h);
	return h.n_socks == 1 && h.how != LISTENS_ELSEWHERE ? h.sock->id : 0;
}

static bool process_receives_on(const struct graph *g, uint64_t sock, uint32_t tgid)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->recvs, sock, &n);
	uint32_t task = n ? graph_task_at(g, owner_event(g, r)->r.tid, owner_event(g, r)->r.ts) : GRAPH_NONE;

	return task != GRAPH_NONE && g->tasks[task].tgid == tgid;
}

/* Returns true if a socket of the process tgid has received a datagram that `r` may have sent. */
static bool is_heard(const struct graph *g, const struct asked *a, const struct ct_rec *r, uint32_t tgid)
{
	size_t n;
	const struct graph_ref *o =
		ct_send_dest(r) == CT_DEST_UNIX
			? graph_named(g, ct_send_name(r), &n)
			: graph_listening(g, a->to.family, a->to.type, ct_send_port(r), "", &n);

	for (size_t i = 0; ct_send_dest(r) != CT_DEST_NONE && i < n && scan_step(g); i++)
		if (process_receives_on(g, g->w->objects[o[i].event].id, tgid))
			return true;
	return false;
}

/* Returns true if the process tgid has received an answer from the destination before. */
static bool has_heard_from(const struct graph *g, const struct asked *a, uint32_t tgid)
{
	size_t n, n_sent, looks = 0;
	const struct graph_ref *l = sockets_at(g, a, &n), *r;

	for (size_t i = 0; i < n; i++) {
		const struct window_object *x = &g->w->objects[l[i].event];

		if (graph_listens_for(g, x, &a->to) == LISTENS_NOT)
			continue;
		r = graph_refs(&g->sends, x->id, &n_sent);
		for (size_t k = 0; k < n_sent && looks < DEST_LOOKS && scan_step(g); k++, looks++)
			if (is_heard(g, a, &owner_event(g, &r[k])->r, tgid))
				return true;
	}
	return false;
}

/* Returns when the last wait of the task before s has ended. 0: no such wait is recorded. */
static uint64_t end_of_wait_before(const struct graph *g, const struct interval *s)
{
	const struct interval *first = &g->intervals[g->tasks[s->task].first_interval];

	for (const struct interval *x = s; x > first && scan_step(g);)
		if ((--x)->state == INTERVAL_BLOCKED)
			return x->to_ns;
	return 0;
}

uint64_t owner_asked_last(const struct graph *g, const struct interval *s, uint32_t *ret_event)
{
	const struct window_event *e = g->w->events;
	uint64_t since_ns = end_of_wait_before(g, s);
	size_t at = window_lower_bound(g->w, s->from_ns + 1);

	for (size_t looks = 0; at && looks < SPOKE_LOOKS && scan_step(g); looks++) {
		const struct window_event *sent = &e[--at];
		const struct window_object *o;
		struct asked a;

		if (sent->r.ts < since_ns)
			break;
		if (sent->r.kind != CT_SEND || sent->r.tid != g->tasks[s->task].tid ||
		    !owner_has_dest(g, sent->r.obj, s->to_ns - 1) ||
		    !owner_dest_owes(g, sent->r.obj, s->to_ns - 1) ||
		    owner_has_closed(g, sent->r.obj, s->task, sent->r.ts, s->to_ns - 1))
			continue;
		o = graph_object(g, sent->r.obj);
		a = (struct asked){ .sent = sent, .to = connected(g, o, &sent->r) };
		if (!has_heard_from(g, &a, g->tasks[s->task].tgid))
			continue;
		*ret_event = (uint32_t)at;
		return sent->r.obj;
	}
	return 0;
}

/* Returns true if a socket at the destination is connected to the asking socket. The kernel prefers it to
 * sockets that are not connected. From a socket at all addresses, the kernel sends to an address of this host
 * with this same address as the source. */
static bool is_connected_to(const struct graph *g, const struct asked *a)
{
	static const uint8_t any[sizeof(a->to.laddr)];
	struct window_object o = a->to;

	if (!memcmp(o.laddr, any, sizeof(any)))
		memcpy(o.laddr, o.raddr, sizeof(any));
	return graph_has_inet_peer(g, &o);
}

uint32_t owner_of_dest(const struct graph *g, uint64_t sock, uint64_t ts_ns, struct enders *all)
{
	struct asked_list owing;
	struct holders h = { 0 };
	uint32_t task = GRAPH_NONE;

	find_owing(g, graph_object(g, sock), ts_ns, &owing);
	for (size_t i = 0; i < owing.n; i++) {
		const struct asked *a = &owing.v[i];

		if (!is_one_host(&a->sent->r) || is_connected_to(g, a))
			continue;
		find_holders(g, a, ts_ns, &h);
		task = task_of(g, a, &h, ts_ns);
		if (task != GRAPH_NONE && is_lost(g, a, task, ts_ns)) {
			task = GRAPH_NONE;
			continue;
		}
		if (task != GRAPH_NONE)
			owner_add(g, all, task);
		for (size_t k = 0; task == GRAPH_NONE && k < h.all.n; k++)
			owner_add(g, all, h.all.v[k]);
	}
	return owing.n == 1 && owing.whole ? task : GRAPH_NONE;
}
