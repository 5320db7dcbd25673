// SPDX-License-Identifier: GPL-2.0-or-later
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/blame.h"
#include "graph/wake/bytes.h"
#include "graph/wake/owner_private.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/words/call.h"

static uint32_t owner_sock_user(const struct graph *g, uint64_t sock, uint64_t ts_ns)
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

/* Returns true for the waits in which a server waits for the next connection. */
static bool is_for_next(const struct interval *s)
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

	return !s || (is_for_next(s) && !polls_other(g, s, o));
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

	return i != GRAPH_NONE && g->intervals[i].from_ns <= ts_ns && is_for_next(&g->intervals[i]);
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

/*
 * Returns the task that has to accept the connection of socket o, or to receive its datagrams. Adds one
 * task of each worker process to *all. Of several workers, the one that has been busy for longest counts. But
 * if one of them is not busy, returns GRAPH_NONE. If the workers have several sockets at this address
 * (SO_REUSEPORT), no record says which one the kernel has chosen: then only stopped_worker() counts, and for
 * datagrams, no worker counts. A worker that waits for a datagram may have received this one before.
 */
static uint32_t listener(const struct graph *g, const struct window_object *o, uint64_t ts_ns, uint32_t tgid,
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

/* Returns true if `task`, the task on the CPU, may have woken the waiter on `sock`. If an interrupt
 * woke the waiter, the result is:
 * - If a user of the other end is known: whether `task` is of a process that has the other end.
 * - Otherwise: whether the other end may be on this host. */
static bool is_own_wake(const struct graph *g, uint32_t task, uint64_t sock, const struct window_event *wake)
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

	if (!l || !o || !is_for_next(s) || !(e->r.flags & CT_WF_READY) ||
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
		if (g->intervals[i].from_ns > ts_ns && is_for_next(&g->intervals[i]))
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
		task = listener(g, o, ts_ns, tgid, all);
	return task;
}

uint32_t owner_of_socket(const struct graph *g, uint64_t sock, uint64_t ts_ns, struct enders *all)
{
	*all = (struct enders){ 0 };
	return owner_sock(g, sock, ts_ns, 0, all);
}

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
		return is_own_wake(g, task, sock, wake);
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
