// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_listener.c - finds the task that has to accept a connection. */
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner_private.h"

bool owner_is_for_next(const struct interval *s)
{
	return s->state == INTERVAL_BLOCKED && (s->wait == CT_W_ACCEPT || ct_wait_is_poll(s->wait));
}

/* Returns true if neither an ancestor of the task's process nor another child of its parent is at the other
 * end of the connection. Those may pass connections on. */
static bool leads_elsewhere(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns)
{
	uint64_t peer = graph_peer_object(g, sock);
	uint32_t user = peer ? owner_sock_user(g, peer, ts_ns) : GRAPH_NONE, parent = g->tasks[task].ptgid;

	return user != GRAPH_NONE && parent && g->tasks[user].ptgid && g->tasks[user].ptgid != parent &&
	       !graph_descends_from(g, task, g->tasks[user].tgid);
}

/* Returns true if input on the socket is not the connection of socket o, but of a client, or an answer of a
 * server, such as a database. */
static bool is_busy_with(const struct graph *g, const struct interval *s, uint64_t sock,
			 const struct window_object *o)
{
	const struct window_object *x = graph_object(g, sock);

	/* an accepted unix socket has the name of the listening socket, too */
	return x && (graph_peer_object(g, sock) || graph_listens_for(g, x, o) == LISTENS_NOT) &&
	       (graph_is_accepted(g, sock) || owner_owed(g, sock, s->from_ns));
}

/* Returns true if the poll s is for several descriptors, as its recorded set shows, one of them
 * is_busy_with(), and the others do not get the connection of socket o. */
static bool polls_others(const struct graph *g, const struct interval *s, const struct window_object *o)
{
	size_t n, i;
	const struct graph_ref *r = graph_refs_from(g, &g->waitfds, g->tasks[s->task].tid, s->from_ns, &n);
	const struct ct_rec *first = n ? &owner_event(g, r)->r : NULL;
	bool busy = false;

	if (!first || first->ts > s->to_ns)
		return false;
	/* all records of a set have one time */
	for (i = 0; i < n && owner_event(g, &r[i])->r.ts == first->ts; i++) {
		uint64_t obj = owner_event(g, &r[i])->r.obj;
		bool sock = CT_OBJ_KIND(obj) == CT_OBJ_SOCK;

		if (!obj || CT_OBJ_KIND(obj) == CT_OBJ_EPOLL || !scan_step(g))
			return false;
		if (sock && is_busy_with(g, s, obj, o))
			busy = true;
		else if (sock && !leads_elsewhere(g, s->task, obj, s->from_ns))
			return false;
	}
	return busy && i == ct_waitfd_count(first);
}

/* Returns true if the task is the only thread of its process, and polls only descriptors that do not get the
 * connection of socket o. Then the task accepts no connection until this poll ends. An epoll may have a
 * listening socket among its members. A connection to the parent may pass other connections on. */
static bool polls_other(const struct graph *g, const struct interval *s, const struct window_object *o)
{
	size_t threads;

	graph_refs(&g->threads, g->tasks[s->task].tgid, &threads);
	if (s->wait != CT_W_POLL || threads != 1 || CT_OBJ_KIND(s->obj) == CT_OBJ_EPOLL)
		return false;
	if (!s->obj)
		return polls_others(g, s, o);
	return CT_OBJ_KIND(s->obj) != CT_OBJ_SOCK || is_busy_with(g, s, s->obj, o);
}

static bool can_accept(const struct graph *g, uint32_t task, const struct window_object *o, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return !s || (owner_is_for_next(s) && !polls_other(g, s, o));
}

static uint64_t busy_since(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	return i == GRAPH_NONE ? ts_ns : g->intervals[i].from_ns;
}

/* The processes in *all share a listening socket. A process that is an ancestor of another one is a
 * master, and does not accept connections. Removes the masters. */
static void drop_masters(const struct graph *g, struct enders *all)
{
	struct enders workers = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		bool master = false;

		for (size_t k = 0; k < all->n; k++)
			master |= k != i && graph_descends_from(g, all->v[k], g->tasks[all->v[i]].tgid);
		if (!master)
			workers.v[workers.n++] = all->v[i];
	}
	*all = workers;
}

/* Returns true if the task is the only thread of its process, and the table of this process with the
 * listening socket l was recorded in the task's present wait: if no table shows a connection, the process has
 * none. */
static bool has_present_table(const struct graph *g, uint32_t task, uint64_t l, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	size_t threads;

	graph_refs(&g->threads, g->tasks[task].tgid, &threads);
	return threads == 1 && s && s->state == INTERVAL_BLOCKED && s->wait != CT_W_STOPPED &&
	       owner_is_in_table(g, l, g->tasks[task].tgid, s->from_ns, s->to_ns);
}

/* The process of the task has inherited the listening socket l, and serves nobody, as far as records show.
 * Returns true if it seems to accept no connections there: its table shows none, or it could accept that of
 * socket o, and does not. A client that has sent nothing may be accepted without a record. */
static bool is_heir(const struct graph *g, uint32_t task, const struct window_object *o, uint64_t l,
		    uint64_t ts_ns)
{
	return has_present_table(g, task, l, ts_ns) ||
	       (can_accept(g, task, o, ts_ns) && (graph_peer_object(g, o->id) & CT_OBJ_NOT_ACCEPTED ||
						  graph_ref_before(g, &g->sends, o->id, ts_ns)));
}

/* The processes in *all share the listening socket l. If one of them serves connections that were accepted at
 * it, removes the heirs: see is_heir(). */
static void drop_heirs(const struct graph *g, const struct window_object *o, uint64_t l, uint64_t ts_ns,
		       struct enders *all)
{
	uint64_t peer = graph_peer_object(g, o->id);
	struct enders workers = { 0 };
	bool heir[ENDERS_MAX], any = false, served = false;

	for (size_t i = 0; i < all->n; i++) {
		heir[i] = is_heir(g, all->v[i], o, l, ts_ns);
		any |= heir[i];
	}
	for (size_t i = 0; any && i < all->n; i++) {
		bool serves = owner_serves(g, all->v[i], o, peer, ts_ns);

		served |= serves;
		if (serves || !heir[i])
			workers.v[workers.n++] = all->v[i];
	}
	/* without budget, owner_serves() finds nothing */
	if (served && scan_left(g))
		*all = workers;
}

/* Returns the record of the receive, on the server's socket l, of the last datagram that was sent on the
 * client's socket o. Until it is received, returns the last receive on l. May return NULL. */
static const struct graph_ref *received(const struct graph *g, const struct window_object *l,
					const struct window_object *o, uint64_t ts_ns)
{
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, o->id, ts_ns), *r;
	size_t n;

	if (sent) {
		r = graph_refs_from(g, &g->recvs, l->id, owner_event(g, sent)->r.ts, &n);
		for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= ts_ns && scan_step(g); i++)
			if (ct_message_bytes(&owner_event(g, &r[i])->r) ==
			    ct_message_bytes(&owner_event(g, sent)->r))
				return &r[i];
	}
	return graph_ref_before(g, &g->recvs, l->id, ts_ns);
}

/* Any thread of a server may receive from a datagram socket. Returns the thread that received the datagram
 * (received()), if this thread is of the process of `user`. Otherwise returns `user`. */
static uint32_t receiving_thread(const struct graph *g, const struct window_object *l,
				 const struct window_object *o, uint64_t ts_ns, uint32_t user)
{
	const struct graph_ref *r = l->type == SOCK_DGRAM ? received(g, l, o, ts_ns) : NULL;
	uint32_t task = r ? graph_task_at(g, owner_event(g, r)->r.tid, owner_event(g, r)->r.ts) : GRAPH_NONE;

	return task != GRAPH_NONE && user != GRAPH_NONE && g->tasks[task].tgid == g->tasks[user].tgid &&
			       owner_alive(g, task, ts_ns)
		       ? task
		       : user;
}

/* Returns true if it is known that the process waits for the next connection. */
static bool awaits_next(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	return i != GRAPH_NONE && g->intervals[i].from_ns <= ts_ns && owner_is_for_next(&g->intervals[i]);
}

/* Each worker is a process with a listening socket of its own. A worker that waits for a connection has got
 * none. Returns the stopped worker if all others wait for a connection. If a worker has several threads, it
 * is not known which thread waits for a connection: returns GRAPH_NONE. */
static uint32_t stopped_worker(const struct graph *g, const struct enders *workers, uint64_t ts_ns)
{
	uint32_t stopped = GRAPH_NONE;

	for (size_t i = 0; i < workers->n; i++) {
		size_t threads;

		graph_refs(&g->threads, g->tasks[workers->v[i]].tgid, &threads);
		if (threads != 1)
			return GRAPH_NONE;
		if (awaits_next(g, workers->v[i], ts_ns))
			continue;
		if (stopped != GRAPH_NONE || !owner_is_stopped(g, workers->v[i], ts_ns))
			return GRAPH_NONE;
		stopped = workers->v[i];
	}
	return stopped;
}

uint32_t owner_listener(const struct graph *g, const struct window_object *o, uint64_t ts_ns, uint32_t tgid,
			struct enders *all)
{
	const struct graph_ref *r;
	enum listens best = LISTENS_NOT;
	struct enders found = { 0 };
	uint32_t worker = GRAPH_NONE;
	uint64_t sock = 0;
	bool unsure = false, several;
	size_t n, n_socks = 0;
	bool all_known = true;

	if (o->family == AF_UNIX ? !o->name[0] : !o->rport)
		return GRAPH_NONE;
	r = graph_listening(g, o->family, o->type, o->rport, o->name, &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *l = &g->w->objects[r[i].event];
		enum listens how = graph_listens_for(g, l, o);
		struct enders users = { 0 };
		uint32_t user;

		if (how == LISTENS_NOT || how < best)
			continue;
		user = receiving_thread(g, l, o, ts_ns, owner_fd(g, l->id, ts_ns, tgid, 0, &users));
		if (user != GRAPH_NONE)
			owner_add(g, &users, user);
		if (!users.n) {
			all_known = false;
			continue;
		}
		if (how > best) {
			found = (struct enders){ 0 };
			n_socks = 0;
		}
		best = how;
		sock = l->id;
		n_socks++;
		for (size_t k = 0; k < users.n; k++)
			owner_add(g, &found, users.v[k]);
	}
	all_known &= found.n < ENDERS_MAX && scan_left(g);
	drop_masters(g, &found);
	several = found.n > 1;
	if (several && n_socks == 1 && o->type == SOCK_STREAM)
		drop_heirs(g, o, sock, ts_ns, &found);
	for (size_t i = 0; i < found.n; i++) {
		owner_add(g, all, found.v[i]);
		if (worker == GRAPH_NONE || busy_since(g, found.v[i], ts_ns) < busy_since(g, worker, ts_ns))
			worker = found.v[i];
		unsure |= several && can_accept(g, found.v[i], o, ts_ns);
	}
	if (found.n > 1 && n_socks > 1)
		return o->type == SOCK_DGRAM || !all_known ? GRAPH_NONE : stopped_worker(g, &found, ts_ns);
	return unsure ? GRAPH_NONE : worker;
}
