// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/owner.h"

#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/title.h"
#include "lib/bisect.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/words/call.h"

static const struct window_event *event_of(const struct graph *g, const struct graph_ref *r)
{
	return &g->w->events[r->event];
}

static bool alive(const struct graph *g, uint32_t task, uint64_t ts)
{
	return g->tasks[task].born_ns <= ts && ts < g->tasks[task].exit_ns;
}

/* Adds a task, unless its process is in the list already, or the list is full. */
static void ender_add(const struct graph *g, struct enders *e, uint32_t task)
{
	for (size_t i = 0; i < e->n; i++)
		if (g->tasks[e->v[i]].tgid == g->tasks[task].tgid)
			return;
	if (e->n < ENDERS_MAX)
		e->v[e->n++] = task;
}

/* Returns the task that stands for a process: the leader, or, if the leader has exited, the
 * first thread that has not exited. Returns GRAPH_NONE if all threads have exited. */
static uint32_t process_thread(const struct graph *g, uint32_t tgid, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, tgid, &n);
	uint32_t best = GRAPH_NONE;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		if (!alive(g, r[i].event, ts_ns))
			continue;
		if (g->tasks[r[i].event].tid == tgid)
			return r[i].event;
		if (best == GRAPH_NONE)
			best = r[i].event;
	}
	return best;
}

/* Returns the last task that sent or received on sock up to ts_ns. If there is none, returns the
 * first task that received on sock; else the first task that sent on it. */
static uint32_t sock_user(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *s = graph_ref_before(g, &g->sends, sock, ts_ns);
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, sock, ts_ns);
	size_t n;

	if (r && (!s || s->event < r->event))
		s = r; /* The later of the two records counts. After a receive, it is the reader
			  that has work to do. */
	if (!s) {
		s = graph_refs(&g->recvs, sock, &n);
		if (!n)
			s = graph_refs(&g->sends, sock, &n);
		if (!n)
			return GRAPH_NONE;
	}
	return graph_task_at(g, event_of(g, s)->r.tid, event_of(g, s)->r.ts);
}

/*
 * Returns the task whose process has obj open with this mode (CT_FF_*; 0: any). The process tgid
 * itself does not count. If a process and its descendants have obj open, the youngest descendant
 * counts: it more likely uses the descriptor than the shell that made it. Returns GRAPH_NONE if no
 * such process is found. Also returns GRAPH_NONE if several processes have obj open, and not all of
 * them descend from one another. Then adds a task of each of these processes to *all.
 *
 * If no descriptor table has obj, returns the task that was seen to use obj.
 */
static uint32_t fd_owner(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid, uint8_t mode,
			 struct enders *all)
{
	const struct window_object *o = window_object(g->w, obj);
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, obj, &n);
	struct enders found = { 0 };
	uint32_t best = GRAPH_NONE;
	bool several = false;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t task = process_thread(g, event_of(g, &r[i])->r.tid, ts_ns);

		if (task == GRAPH_NONE || g->tasks[task].tgid == tgid)
			continue;
		if (mode && !(event_of(g, &r[i])->r.flags & mode))
			continue;
		ender_add(g, &found, task);
		if (best == GRAPH_NONE || graph_descends_from(g, task, g->tasks[best].tgid))
			best = task;
		else
			several |= g->tasks[task].tgid != g->tasks[best].tgid &&
				   !graph_descends_from(g, best, g->tasks[task].tgid);
	}
	if (several) {
		for (size_t i = 0; i < found.n; i++)
			ender_add(g, all, found.v[i]);
		return GRAPH_NONE;
	}
	/* No descriptor table has obj. If obj is a connection that is not accepted yet, there is
	 * no result: the task that was seen with this socket has the other end. */
	if (best == GRAPH_NONE && o && o->tid && !n &&
	    !(CT_OBJ_KIND(obj) == CT_OBJ_SOCK && obj & CT_OBJ_NOT_ACCEPTED)) {
		uint32_t task = graph_task_at(g, o->tid, ts_ns);

		if (task != GRAPH_NONE && g->tasks[task].tgid != tgid && alive(g, task, ts_ns))
			best = task;
	}
	return best;
}

/* Returns the waker, if the wakee is the task `me`, and the waker is another task that is alive
 * at ts_ns. Otherwise returns GRAPH_NONE. */
static uint32_t waker_of(const struct graph *g, const struct graph_ref *wake, uint64_t ts_ns, uint32_t me)
{
	const struct window_event *e = event_of(g, wake);
	uint32_t task;

	if (e->r.tid != g->tasks[me].tid || ct_wake_context(&e->r) == CT_CTX_IRQ)
		return GRAPH_NONE;
	task = graph_task_at(g, ct_wake_waker(&e->r), e->r.ts);
	return task != GRAPH_NONE && task != me && alive(g, task, ts_ns) ? task : GRAPH_NONE;
}

/* Returns the last task that woke the task `me` through obj up to ts_ns. If there is none,
 * returns the first task that woke `me` through obj later. Sets *ret_ns to the time of this
 * wake. Returns GRAPH_NONE if no task woke `me` through obj. */
static uint32_t past_waker(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint64_t *ret_ns)
{
	size_t n, n_after, first_after;
	const struct graph_ref *r = graph_refs(&g->wakes, obj, &n);
	uint32_t task = GRAPH_NONE;

	graph_refs_from(g, &g->wakes, obj, ts_ns + 1, &n_after);
	first_after = n - n_after;
	for (size_t i = first_after; i > 0 && task == GRAPH_NONE && scan_step(g); i--) {
		task = waker_of(g, &r[i - 1], ts_ns, me);
		*ret_ns = event_of(g, &r[i - 1])->r.ts;
	}
	for (size_t i = first_after; i < n && task == GRAPH_NONE && scan_step(g); i++) {
		task = waker_of(g, &r[i], ts_ns, me);
		*ret_ns = event_of(g, &r[i])->r.ts;
	}
	return task;
}

/* Returns true if the task can accept a connection at ts_ns: it waits for a connection, or waits
 * in an event loop. Also returns true if the task has no interval at ts_ns or later. */
static bool can_accept(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return !s || (s->state == INTERVAL_BLOCKED &&
		      (s->wait == CT_W_ACCEPT || s->wait == CT_W_POLL || s->wait == CT_W_EPOLL));
}

/* Returns the time at which the task's interval at ts_ns began. Returns ts_ns if there is no
 * such interval. */
static uint64_t busy_since(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	return i == GRAPH_NONE ? ts_ns : g->intervals[i].from_ns;
}

/* Drops each process that is an ancestor of another one in the list. The processes share a
 * listening socket, so the ancestor is the master, and its descendants are the workers. */
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

/*
 * Returns the task that accepts, or has to accept, the connection that socket o asks for: the task
 * that has the listening socket open. The best match of address, port and network namespace counts.
 * Suppose that several workers share the listening socket. If all of them are busy, the result is
 * the worker that has been busy for longest. If some worker is not busy, the result is GRAPH_NONE.
 * If several workers have several listening sockets with this address (SO_REUSEPORT), the result is
 * GRAPH_NONE too: the kernel has chosen one socket, and no record says which. Adds to *all all
 * tasks that may accept.
 */
static uint32_t listener(const struct graph *g, const struct window_object *o, uint64_t ts_ns, uint32_t tgid,
			 struct enders *all)
{
	const struct graph_ref *r;
	enum listens best = LISTENS_NOT;
	struct enders found = { 0 };
	uint32_t worker = GRAPH_NONE;
	bool unsure = false;
	size_t n, n_socks = 0;

	/* a socket pair or an unconnected socket has no listener */
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
		user = fd_owner(g, l->id, ts_ns, tgid, 0, &users);
		if (user != GRAPH_NONE)
			ender_add(g, &users, user);
		if (!users.n)
			continue;
		if (how > best) {
			found = (struct enders){ 0 };
			n_socks = 0;
		}
		best = how;
		n_socks++;
		for (size_t k = 0; k < users.n; k++)
			ender_add(g, &found, users.v[k]);
	}
	drop_masters(g, &found);
	for (size_t i = 0; i < found.n; i++) {
		ender_add(g, all, found.v[i]);
		if (worker == GRAPH_NONE || busy_since(g, found.v[i], ts_ns) < busy_since(g, worker, ts_ns))
			worker = found.v[i];
		unsure |= found.n > 1 && (n_socks > 1 || can_accept(g, found.v[i], ts_ns));
	}
	return unsure ? GRAPH_NONE : worker;
}

/* Returns true if no send or receive on the socket is recorded after ts_ns. */
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
	uint32_t user = sock_user(g, sock, ts_ns);

	if (user == GRAPH_NONE)
		user = fd_owner(g, sock, ts_ns, 0, 0, &all);
	return user != GRAPH_NONE && g->tasks[user].tgid == g->tasks[task].tgid;
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

/* Returns true if the task on the CPU may have made the wake for a socket. If a softirq made the
 * wake, the softirq may have had nothing to do with that task. */
static bool is_own_wake(const struct graph *g, uint32_t task, uint64_t sock, const struct window_event *wake)
{
	const struct window_object *o = window_object(g->w, sock);
	uint64_t peer = graph_peer_object(g, sock);

	if (ct_wake_context(&wake->r) == CT_CTX_TASK || !o)
		return true;
	if (peer && sock_user(g, peer, wake->r.ts) != GRAPH_NONE)
		return owner_has_socket(g, task, peer, wake->r.ts);
	return o->family == AF_UNIX || !o->rport || graph_is_local(g, sock);
}

uint32_t owner_sender(const struct graph *g, uint64_t sock, const struct window_event *wake,
		      uint32_t *ret_event)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct window_object *o = window_object(g->w, sock);
	uint64_t ts = wake->r.ts;
	/* An interrupt of unknown kind says nothing about the task on the CPU. */
	uint32_t waker = ct_wake_context(&wake->r) == CT_CTX_IRQ ? 0 : ct_wake_waker(&wake->r);
	const struct graph_ref *r;
	struct enders all = { 0 };
	uint32_t task;
	size_t n;

	*ret_event = GRAPH_NONE;
	/* A send is recorded when its call returns, so look for a send of the waker just after
	 * the wake. */
	r = graph_refs_from(g, &g->sends, peer, ts, &n);
	for (size_t i = 0; peer && i < n && scan_step(g); i++) {
		const struct window_event *e = event_of(g, &r[i]);

		if (e->r.ts > ts + MESSAGE_SAME_TASK_NS)
			break;
		if (waker && e->r.tid == waker) {
			*ret_event = r[i].event;
			return graph_task_at(g, e->r.tid, e->r.ts);
		}
	}
	if (owner_closes(g, sock, wake)) {
		*ret_event = (uint32_t)(wake - g->w->events);
		return graph_task_at(g, waker, ts);
	}
	r = peer ? graph_ref_before(g, &g->sends, peer, ts + MESSAGE_LATE_NS) : NULL;
	if (r) {
		*ret_event = r->event;
		return graph_task_at(g, event_of(g, r)->r.tid, ts);
	}
	/* No send is recorded. The waker may have made the wake if it was in a write, a connect,
	 * an accept or a close, or if it was exiting. */
	task = waker ? graph_task_at(g, waker, ts) : GRAPH_NONE;
	if (task != GRAPH_NONE && !g->tasks[task].kthread && !(wake->r.flags & CT_WF_IDLE) &&
	    (wake->r.flags & CT_WF_EXITING || ct_wake_call(&wake->r) == CT_W_CONNECT ||
	     ct_wake_call(&wake->r) == CT_W_ACCEPT || ct_wake_call(&wake->r) == CT_W_WRITE ||
	     call_of(g->w->machine, wake->r.nr) == CALL_CLOSE ||
	     call_of(g->w->machine, wake->r.nr) == CALL_SHUTDOWN) &&
	    is_own_wake(g, task, sock, wake))
		return task;
	task = peer ? sock_user(g, peer, ts) : GRAPH_NONE;
	if (task == GRAPH_NONE && peer)
		task = fd_owner(g, peer, ts, 0, 0, &all);
	if (task == GRAPH_NONE && o)
		task = listener(g, o, ts, 0, &all);
	return task;
}

static uint32_t sock_owner(const struct graph *g, uint64_t sock, uint64_t ts_ns, uint32_t tgid,
			   struct enders *all)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct window_object *o = window_object(g->w, sock);
	uint32_t task = peer ? sock_user(g, peer, ts_ns) : GRAPH_NONE;

	/* If the task has exited, a thread that is created for the connection may receive the
	 * request later. */
	if (task != GRAPH_NONE && g->tasks[task].exit_ns <= ts_ns)
		task = GRAPH_NONE;
	if (task == GRAPH_NONE && peer)
		task = fd_owner(g, peer, ts_ns, 0, 0, all);
	/* If no task has accepted a unix connection yet, its other end has the address of the
	 * listening socket. */
	if (o && o->family == AF_UNIX && peer & CT_OBJ_NOT_ACCEPTED)
		o = window_object(g->w, peer);
	if (task == GRAPH_NONE && o)
		task = listener(g, o, ts_ns, tgid, all);
	return task;
}

uint32_t owner_of_socket(const struct graph *g, uint64_t sock, uint64_t ts_ns, struct enders *all)
{
	*all = (struct enders){ 0 };
	return sock_owner(g, sock, ts_ns, 0, all);
}

uint32_t owner_receiver(const struct graph *g, uint64_t sock, const struct window_event *wake,
			uint32_t *ret_event)
{
	uint64_t peer = graph_peer_object(g, sock);
	/* A receive is recorded when its call returns, so search up to a time shortly after the
	 * wake. */
	const struct graph_ref *r =
		peer ? graph_ref_before(g, &g->recvs, peer, wake->r.ts + MESSAGE_LATE_NS) : NULL;
	struct enders all = { 0 };

	*ret_event = r ? r->event : GRAPH_NONE;
	return r ? graph_task_at(g, event_of(g, r)->r.tid, wake->r.ts)
		 : sock_owner(g, sock, wake->r.ts, 0, &all);
}

/* Returns true if the task is stopped just before ts_ns. */
static bool is_stopped(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns - 1);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED &&
	       g->intervals[i].wait == CT_W_STOPPED;
}

static size_t count_stopped(const struct graph *g, const struct enders *e, uint64_t ts_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += is_stopped(g, e->v[i], ts_ns);
	return n;
}

/* Returns the task at the other end of a pipe: the last task that woke `me` through the pipe,
 * or, if there is none, the result of fd_owner(). Exception: this last waker is not stopped, and
 * of the processes that have the other end open, exactly one is stopped. Then returns the task
 * of the stopped process, because a stopped task cannot do its part. */
static uint32_t pipe_owner(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode,
			   struct enders *all)
{
	struct enders holders = { 0 };
	uint64_t at, end_ns = g->w->to_ns;
	uint32_t task = past_waker(g, obj, ts_ns, me, &at), i = graph_interval_at(g, me, ts_ns);

	if (task == GRAPH_NONE)
		return fd_owner(g, obj, ts_ns, g->tasks[me].tgid, mode, all);
	if (i != GRAPH_NONE)
		end_ns = g->intervals[i].to_ns;
	fd_owner(g, obj, ts_ns, g->tasks[me].tgid, mode, &holders);
	for (size_t k = 0; k < holders.n; k++)
		if (!is_stopped(g, task, end_ns) && is_stopped(g, holders.v[k], end_ns) &&
		    count_stopped(g, &holders, end_ns) == 1)
			return holders.v[k];
	return task;
}

/* Returns the task that could end the wait of the task `me` for obj at ts_ns, or GRAPH_NONE if
 * it is not known. mode and all are as for fd_owner(). */
static uint32_t object_owner(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode,
			     struct enders *all)
{
	uint32_t tgid = g->tasks[me].tgid;
	uint64_t at;

	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
		return sock_owner(g, obj, ts_ns, tgid, all);
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		return pipe_owner(g, obj, ts_ns, me, mode, all);
	case CT_OBJ_TTY: /* A person makes the input. The task at the other side takes the
			    output. */
		return mode == CT_FF_READ && graph_peer_object(g, obj)
			       ? fd_owner(g, graph_peer_object(g, obj), ts_ns, tgid, 0, all)
			       : GRAPH_NONE;
	case CT_OBJ_EVENTFD:
	case CT_OBJ_FUTEX:
		return past_waker(g, obj, ts_ns, me, &at);
	default:
		return GRAPH_NONE;
	}
}

bool owner_owed(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *s = graph_ref_before(g, &g->sends, sock, ts_ns);
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, sock, ts_ns);
	const struct window_object *o = window_object(g->w, sock);
	size_t n;

	/* No bytes were sent or received so far. An answer is owed if the socket is connecting,
	 * or has connected and waits for the first message. */
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

/* Returns the sum of the bytes in the records of obj that are later than the event `after`, up
 * to ts_ns. */
static uint64_t bytes_since(const struct graph *g, const struct graph_index *ix, uint64_t obj, uint32_t after,
			    uint64_t ts_ns)
{
	const struct graph_ref *r = graph_ref_before(g, ix, obj, ts_ns), *first;
	uint64_t bytes = 0;
	size_t n;

	first = graph_refs(ix, obj, &n);
	for (; r && r >= first && r->event > after && scan_step(g); r--)
		bytes += ct_message_bytes(&event_of(g, r)->r);
	return bytes;
}

bool owner_unread(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = window_object(g->w, sock);
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *s = peer ? graph_ref_before(g, &g->sends, peer, ts_ns) : NULL;
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, sock, ts_ns), *asked;

	if (!o || !s)
		return false;
	if (!r || r->event < s->event)
		return true;
	/* The task may have received only a part of the answer to its last request. */
	asked = graph_ref_before(g, &g->sends, sock, ts_ns);
	return o->type == SOCK_STREAM && asked &&
	       bytes_since(g, &g->sends, peer, asked->event, ts_ns) >
		       bytes_since(g, &g->recvs, sock, asked->event, ts_ns);
}

bool owner_under_way(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = window_object(g->w, sock);

	return o && o->family != AF_UNIX && owner_unread(g, sock, ts_ns);
}

/* Returns the child for which the task waits, or GRAPH_NONE if it is not known. If any child can
 * end the wait, returns the youngest child, and adds all children to *all. */
static uint32_t live_child(const struct graph *g, const struct interval *s, struct enders *all)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->children, g->tasks[s->task].tgid, &n);
	uint32_t best = GRAPH_NONE;

	if (CT_OBJ_KIND(s->obj) == CT_OBJ_TASK)
		return graph_task_at(g, (uint32_t)(s->obj & CT_OBJ_MASK), s->from_ns);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t c = r[i].event;

		if (!alive(g, c, s->from_ns + (s->to_ns - s->from_ns) / 2))
			continue;
		ender_add(g, all, c);
		if (best == GRAPH_NONE || g->tasks[c].born_ns > g->tasks[best].born_ns)
			best = c;
	}
	return best;
}

/* How well an object explains a poll that does not return. The values go from the worst
 * explanation to the best one. */
enum poll_score {
	POLL_NONE,    /* not at all */
	POLL_OWN,     /* a socket whose other end belongs to the task's own process, or to no known task */
	POLL_QUIET,   /* a terminal, or a pipe that was never written */
	POLL_FAR,     /* a connection to another host, or an eventfd that was written before */
	POLL_PEER,    /* a connection to another process of this host */
	POLL_WRITTEN, /* a pipe that was written before */
	POLL_UNREAD,  /* a connection to another process, which has not read what the task sent last */
	POLL_OWED,    /* a socket on which the task is owed an answer */
};

/* One object of a polled set. */
struct poll_member {
	enum poll_score score;
	uint32_t task;     /* the task that could end the poll through this object, or GRAPH_NONE */
	uint64_t since_ns; /* when the waiter sent its request on the object, or was woken
			      through it; or 0 */
	struct enders all; /* the tasks that could end the poll, if there are several */
	bool inner;        /* no other process can use the object */
	bool stopped;      /* `task` is stopped, so it cannot end the poll now */
};

/* Returns true if `sent`, the last send on a socket, is later than the last send on its other
 * end (peer). */
static bool has_answered(const struct graph *g, uint64_t peer, const struct graph_ref *sent, uint64_t ts_ns)
{
	const struct graph_ref *asked = graph_ref_before(g, &g->sends, peer, ts_ns);

	return sent && (!asked || asked->event < sent->event);
}

/* Returns true if `sent`, the last message to the other end (peer), was still unread when the
 * wait s ended. */
static bool is_unread(const struct graph *g, uint64_t peer, const struct graph_ref *sent,
		      const struct interval *s)
{
	const struct graph_ref *got = peer ? graph_ref_before(g, &g->recvs, peer, s->to_ns) : NULL;

	return sent && peer && (!got || got->event < sent->event);
}

/* Fills m for the socket obj of a polled set. alone: the set has no other object. */
static void poll_socket(const struct graph *g, uint64_t obj, const struct interval *s, bool alone,
			struct poll_member *m)
{
	const struct window_object *o = window_object(g->w, obj);
	uint64_t peer = graph_peer_object(g, obj), ts_ns = s->from_ns;
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, obj, ts_ns);
	bool own;

	m->task = object_owner(g, obj, ts_ns, s->task, CT_FF_WRITE, &m->all);
	own = m->task != GRAPH_NONE && g->tasks[m->task].tgid == g->tasks[s->task].tgid;
	m->score = POLL_OWN;
	m->inner = own && o && o->family == AF_UNIX;
	/* Another thread of the process may have asked, or have received the answer, during the
	 * wait. So look at the end of the wait. */
	if (owner_owed(g, obj, s->to_ns - 1)) {
		m->score = own ? POLL_OWN : POLL_OWED;
		m->since_ns = sent ? event_of(g, sent)->r.ts : 0;
	} else if (!alone && !own && peer && owner_owed(g, peer, ts_ns) &&
		   !has_answered(g, peer, sent, ts_ns)) {
		/* The other end waits for this task. (A server that polls this connection alone has not got
		 * the whole request yet.) */
		m->score = POLL_NONE;
		m->task = GRAPH_NONE;
		m->all.n = 0;
	} else if (m->task == GRAPH_NONE && !m->all.n) {
		m->score = o && o->family != AF_UNIX && o->rport ? POLL_FAR : POLL_OWN;
	} else if (!own && is_unread(g, peer, sent, s)) {
		m->score = POLL_UNREAD;
		m->since_ns = event_of(g, sent)->r.ts;
	} else if (!own) {
		m->score = POLL_PEER;
	}
}

/* Fills m for the pipe obj of a polled set. alone: the set has no other object. */
static void poll_pipe(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, bool alone,
		      struct poll_member *m)
{
	m->score = POLL_WRITTEN;
	m->task = past_waker(g, obj, ts_ns, me, &m->since_ns);
	if (m->task != GRAPH_NONE)
		return;
	m->score = POLL_QUIET;
	m->task = fd_owner(g, obj, ts_ns, g->tasks[me].tgid, CT_FF_WRITE, &m->all);
	m->inner = m->task == GRAPH_NONE && !m->all.n;
	/* If an ancestor keeps its end of the pipe open and never writes, the pipe only tells the task that
	 * the ancestor has died. */
	if (!alone && m->task != GRAPH_NONE && graph_descends_from(g, me, g->tasks[m->task].tgid)) {
		m->score = POLL_NONE;
		m->task = GRAPH_NONE;
	}
}

static void poll_member_fill(const struct graph *g, uint64_t obj, const struct interval *s, bool alone,
			     struct poll_member *m)
{
	uint64_t ts_ns = s->from_ns;
	uint32_t me = s->task;

	*m = (struct poll_member){ .task = GRAPH_NONE };
	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
		poll_socket(g, obj, s, alone, m);
		return;
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		poll_pipe(g, obj, ts_ns, me, alone, m);
		return;
	case CT_OBJ_EVENTFD:
		m->task = past_waker(g, obj, ts_ns, me, &m->since_ns);
		m->score = m->task == GRAPH_NONE ? POLL_NONE : POLL_FAR;
		m->inner = m->task == GRAPH_NONE;
		return;
	case CT_OBJ_SIGNALFD:
		m->inner = true;
		return;
	case CT_OBJ_TTY:
		m->score = POLL_QUIET;
		return;
	default:
		return;
	}
}

/* Returns the mode (CT_FF_*) of the end of a pipe that can end this wait: the other end. */
static uint8_t other_side(const struct interval *s)
{
	return s->wait == CT_W_WRITE ? CT_FF_READ : CT_FF_WRITE;
}

/* Returns true if m explains the poll better than best. The member with the higher score is
 * better. If both scores are equal, and below POLL_WRITTEN, a member whose task is stopped is
 * better than one whose task is not. Otherwise, of two members with equal scores, the one with
 * the later since_ns is better. */
static bool is_better(const struct poll_member *m, const struct poll_member *best)
{
	if (m->score == best->score && m->score < POLL_WRITTEN && m->stopped != best->stopped)
		return m->stopped;
	return m->score != best->score ? m->score > best->score : m->since_ns > best->since_ns;
}

/* Returns true if all records of a polled set are about one object. */
static bool is_one_object(const struct graph *g, const struct graph_ref *r, size_t n)
{
	for (size_t i = 1; i < n && scan_step(g); i++)
		if (event_of(g, &r[i])->r.obj != event_of(g, &r[0])->r.obj)
			return false;
	return true;
}

/* Returns true if the time of one of the records lies in [from_ns, to_ns]. The records are
 * sorted by time. */
static bool has_record_within(const struct graph *g, const struct graph_ref *r, size_t n, uint64_t from_ns,
			      uint64_t to_ns)
{
	size_t at = BISECT(k, 0, n, event_of(g, &r[k])->r.ts >= from_ns);

	return at < n && event_of(g, &r[at])->r.ts <= to_ns;
}

/* For a poll of objects that no other process can use. If the task has children, the poll is for
 * the end of one of them: either the task's handler of SIGCHLD writes to one of the polled
 * objects, or the signal itself ends the poll. In this case completes b and returns true.
 * Returns false if the task has no child. */
static bool poll_child(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all)
{
	uint32_t child = live_child(g, s, all);

	if (child == GRAPH_NONE)
		return false;
	b->task = child;
	b->edge = EDGE_EXIT;
	b->kind = RESOURCE_CHILD;
	return true;
}

/* Returns the wait of the task that a wake-up at ts_ns ended, or NULL if it is not known. */
static const struct interval *ended_wait(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns - 1);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED ? &g->intervals[i] : NULL;
}

/* Returns true if the task is back in this wait at ts_ns, like a worker that has no more work. */
static bool is_back(const struct graph *g, const struct interval *wait, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, wait->task, ts_ns);
	const struct interval *now = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return now && now != wait && now->state == INTERVAL_BLOCKED && blame_same_wait(wait, now);
}

/* Returns true if x is an earlier part of the poll s. A time limit can cut one poll into several
 * waits. (A wait on a futex does not count, because a runtime parks a thread on a futex with a
 * time limit for many reasons.) */
static bool is_cut(const struct graph *g, const struct interval *x, const struct interval *s)
{
	return s->wait != CT_W_FUTEX && x->wake != GRAPH_NONE && blame_same_wait(x, s) &&
	       edge_by_timer(g, x, &g->w->events[x->wake]);
}

/*
 * The waiter gave some work to another task, and now waits for the result (the wait s). Returns
 * this other task: the last fitting task that the waiter woke or created since its previous wait.
 * Some previous waits do not count: earlier parts of the same poll, each of which ended by the time
 * limit; and, if s is a wait on a futex, waits of at most HANDED_PAUSE_NS. Returns GRAPH_NONE if
 * there is no such task.
 *
 * A task fits if:
 * - s is a wait on a futex or a poll, and the task is a thread of the waiter's process that is not
 *   back in its old wait;
 * - s is another wait, and the task waited on /dev/fuse for requests when the waiter woke it.
 */
static uint32_t handed_to(const struct graph *g, const struct interval *s)
{
	const struct window_event *e = g->w->events;
	const struct graph_task *me = &g->tasks[s->task];
	uint32_t at = (uint32_t)(s - g->intervals);
	size_t i = BISECT(k, 0, g->w->n_events, e[k].r.ts > s->from_ns);
	bool own = s->wait == CT_W_FUTEX || s->wait == CT_W_POLL || s->wait == CT_W_EPOLL;
	uint64_t since_ns = 0;

	while (at-- > me->first_interval && !since_ns)
		if (g->intervals[at].state == INTERVAL_BLOCKED && !is_cut(g, &g->intervals[at], s) &&
		    (s->wait != CT_W_FUTEX ||
		     g->intervals[at].to_ns - g->intervals[at].from_ns > HANDED_PAUSE_NS))
			since_ns = g->intervals[at].to_ns;
	for (size_t looks = 0; i-- > 0 && e[i].r.ts > since_ns && looks < HANDED_LOOKS && scan_step(g);
	     looks++) {
		const struct interval *wait;
		uint32_t task;

		/* a new thread has got work as well */
		if (e[i].r.kind == CT_FORK && own && e[i].r.tid == me->tid) {
			task = graph_task_at(g, e[i].r.peer, e[i].r.ts);
			if (task != GRAPH_NONE && g->tasks[task].tgid == me->tgid &&
			    alive(g, task, s->to_ns - 1))
				return task;
		}
		if (e[i].r.kind != CT_WAKE || !ct_wake_by_task(&e[i].r) || ct_wake_waker(&e[i].r) != me->tid)
			continue;
		task = graph_task_at(g, e[i].r.tid, e[i].r.ts);
		wait = task == GRAPH_NONE || task == s->task ? NULL : ended_wait(g, task, e[i].r.ts);
		if (!wait)
			continue;
		if (own ? g->tasks[task].tgid == me->tgid && !is_back(g, wait, s->to_ns - 1)
			: CT_OBJ_KIND(wait->obj) == CT_OBJ_FUSEDEV)
			return task;
	}
	return GRAPH_NONE;
}

/*
 * Completes b with the task that could end a poll. Of the objects of the polled set, those with the
 * best score count. If these objects lead to several processes, and their score is below
 * POLL_WRITTEN, no task is to blame, because nothing shows for which process the task polls.
 * Exception: if exactly one of the tasks is stopped, that task is to blame.
 */
static void owner_of_poll(const struct graph *g, const struct interval *s, struct blame *b,
			  struct enders *all)
{
	bool epoll = s->wait == CT_W_EPOLL;
	size_t n;
	const struct graph_ref *r = epoll ? graph_refs(&g->members, s->obj, &n)
					  : graph_refs_from(g, &g->waitfds, g->tasks[s->task].tid,
							    checked_sub(s->from_ns, WAITFD_OLD_NS), &n);
	struct poll_member m, best = { .task = GRAPH_NONE };
	bool any = false, alone = is_one_object(g, r, n), inner = true, within, own;

	/* The set is recorded when the wait begins or when it ends (bpf/wait_fds.h), or by an inspection of
	 * the wait. A record from before the wait may be of another poll. */
	within = !epoll && n && has_record_within(g, r, n, s->from_ns, s->to_ns);
	if (!epoll && s->obj) {
		poll_member_fill(g, s->obj, s, true, &m);
		b->task = m.task;
		*all = m.all;
		if (m.inner && !b->timed_out)
			poll_child(g, s, b, all);
		return;
	}
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = event_of(g, &r[i]);

		if (!epoll && (e->r.ts > s->to_ns || (within && e->r.ts < s->from_ns)))
			continue;
		poll_member_fill(g, e->r.obj, s, alone, &m);
		m.stopped = m.task != GRAPH_NONE && is_stopped(g, m.task, s->to_ns);
		if (!any || m.score > best.score)
			*all = (struct enders){ 0 };
		if (!any || m.score >= best.score) {
			for (size_t k = 0; k < m.all.n; k++)
				ender_add(g, all, m.all.v[k]);
			if (m.task != GRAPH_NONE && g->tasks[m.task].tgid != g->tasks[s->task].tgid)
				ender_add(g, all, m.task);
		}
		if (!any || is_better(&m, &best)) {
			best = m;
			b->obj = e->r.obj;
			b->event = r[i].event;
		}
		inner &= m.inner;
		any = true;
	}
	if (any && inner && !b->timed_out && poll_child(g, s, b, all))
		return;
	/* The poll timed out, and no object in its set was likely to end it. So the task only
	 * slept. */
	if (!any || (b->timed_out && best.score <= POLL_QUIET)) {
		all->n = 0;
		return;
	}
	b->kind = resource_of_object(g->w, b->obj);
	if (best.score >= POLL_WRITTEN || all->n < 2 ||
	    (best.stopped && count_stopped(g, all, s->to_ns) == 1))
		b->task = best.task;
	/* A thread of the task's own process has something to do for the task: the thread that got work last,
	 * if it still works; otherwise the thread that ended such a wait before. */
	own = b->task != GRAPH_NONE ? g->tasks[b->task].tgid == g->tasks[s->task].tgid
				    : alone && CT_OBJ_KIND(b->obj) == CT_OBJ_EVENTFD;
	if (own) {
		uint32_t task = handed_to(g, s);

		b->task = task == GRAPH_NONE ? b->task : task;
	}
}

/* Returns true if the record of an unlock may be missing: between from_ns and to_ns, records of
 * all tasks were lost, or records of the task's process were left out. (A pause has a record of
 * its gap only when it is over.) */
static bool may_have_unlocked(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->gaps, 0, &n);

	if (graph_lacks_within(g, from_ns, to_ns) & CT_LACK_PAUSES)
		return true;
	for (size_t i = 0; i < n; i++)
		if (!scan_step(g) || (window_words(g->w, event_of(g, &r[i]))[0] < to_ns &&
				      event_of(g, &r[i])->r.ts >= from_ns))
			return true;
	r = graph_refs(&g->threads, g->tasks[task].tgid, &n);
	for (size_t i = 0; i < n; i++) {
		const struct graph_ref *cap = graph_ref_before(g, &g->caps, g->tasks[r[i].event].tid, to_ns);

		if (!scan_step(g) || (cap && event_of(g, cap)->r.ts >= from_ns))
			return true;
	}
	return false;
}

/* Returns true if a list of all locks (CT_HELD) shows that the task's process still owns this
 * lock at ts_ns or later. */
static bool is_held_later(const struct graph *g, uint64_t obj, uint32_t task, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->flocks, obj, &n);

	for (size_t i = n; i-- > 0 && event_of(g, &r[i])->r.ts >= ts_ns && scan_step(g);)
		if (event_of(g, &r[i])->r.kind == CT_HELD && event_of(g, &r[i])->r.tid == g->tasks[task].tgid)
			return true;
	return false;
}

/* Returns the task of a record about a lock. Returns GRAPH_NONE if the task is of process tgid,
 * is not known, or only waits for the lock. */
static uint32_t lock_task(const struct graph *g, const struct window_event *e, uint32_t tgid)
{
	uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

	if (task == GRAPH_NONE || g->tasks[task].tgid == tgid ||
	    (e->r.kind == CT_HELD && ct_held_is_waiter(&e->r)))
		return GRAPH_NONE;
	return task;
}

static bool is_lock(const struct window_event *e)
{
	return ct_lock_op(&e->r) != CT_LOCK_UNLOCK && ct_lock_result(&e->r) == 0;
}

uint32_t owner_of_lock(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid,
		       uint32_t *ret_event, uint8_t *ret_strength)
{
	size_t n, after, i;
	const struct graph_ref *r = graph_refs(&g->flocks, obj, &n);
	uint32_t owner = GRAPH_NONE, event = GRAPH_NONE;
	struct enders all = { 0 };
	uint64_t since_ns;

	after = BISECT(k, 0, n, event_of(g, &r[k])->r.ts > ts_ns);
	for (i = after; i > 0 && owner == GRAPH_NONE && scan_step(g); i--)
		if (is_lock(event_of(g, &r[i - 1]))) {
			owner = lock_task(g, event_of(g, &r[i - 1]), tgid);
			event = r[i - 1].event;
		}
	for (i++; owner != GRAPH_NONE && i < after && scan_step(g); i++) {
		uint32_t task = ct_lock_op(&event_of(g, &r[i])->r) == CT_LOCK_UNLOCK
					? lock_task(g, event_of(g, &r[i]), tgid)
					: GRAPH_NONE;

		if (task != GRAPH_NONE && g->tasks[task].tgid == g->tasks[owner].tgid)
			owner = GRAPH_NONE;
	}
	/* A later list of all locks (CT_HELD) may name the owner. */
	for (i = after; i < n && owner == GRAPH_NONE && event_of(g, &r[i])->r.kind == CT_HELD && scan_step(g);
	     i++)
		if (is_lock(event_of(g, &r[i]))) {
			owner = lock_task(g, event_of(g, &r[i]), tgid);
			event = r[i].event;
		}
	*ret_strength = EDGE_STRONG;
	if (owner == GRAPH_NONE ||
	    !g->scans->left) /* If the walk ended early, it may have missed an unlock. */
		return GRAPH_NONE;
	if (ret_event)
		*ret_event = event;
	since_ns = g->w->events[event].r.ts;
	if (since_ns > ts_ns
		    ? may_have_unlocked(g, owner, ts_ns, since_ns)
		    : may_have_unlocked(g, owner, since_ns, ts_ns) && !is_held_later(g, obj, owner, ts_ns))
		*ret_strength = EDGE_WEAK;
	/* If the owner has exited, a flock() lock stays as long as another process has the
	 * inherited descriptor open. */
	if (g->tasks[owner].exit_ns <= ts_ns && ct_lock_type(&g->w->events[event].r) == CT_LOCK_FLOCK)
		owner = fd_owner(g, obj, ts_ns, tgid, 0, &all);
	return owner;
}

/*
 * Returns the task that owned the lock during the wait, although no record says when it took the
 * lock. This is the task whose unlock is recorded after the wait, and before another task gets the
 * lock.
 *
 * The close of a file is recorded as an unlock too, whichever process owns the lock. So there is no
 * result if several processes unlock. The result is weak if no record shows that the waiter then
 * got the lock, or if records may be missing. The unlock that ends a wait wakes the waiter before
 * it is recorded. So an unlock does not count if it is recorded while the task still waits.
 */
static uint32_t owner_by_unlock(const struct graph *g, uint64_t obj, const struct interval *s,
				uint32_t *ret_event, uint8_t *ret_strength)
{
	const struct graph_task *me = &g->tasks[s->task];
	uint32_t owner = GRAPH_NONE, event = GRAPH_NONE;
	bool granted = false;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->flocks, obj, s->from_ns, &n);

	for (size_t i = 0; i < n && !granted && scan_step(g); i++) {
		const struct window_event *e = event_of(g, &r[i]);
		bool unlock = ct_lock_op(&e->r) == CT_LOCK_UNLOCK;
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

		if (e->r.kind != CT_FLOCK || task == GRAPH_NONE)
			continue;
		if (!unlock && ct_lock_result(&e->r) == 0) {
			granted = task == s->task;
			if (!granted)
				break;
		}
		if (!unlock || g->tasks[task].tgid == me->tgid || e->r.ts < s->to_ns ||
		    g->tasks[task].born_ns > s->from_ns)
			continue;
		if (owner != GRAPH_NONE && g->tasks[task].tgid != g->tasks[owner].tgid)
			return GRAPH_NONE;
		owner = task;
		event = r[i].event;
	}
	if (owner == GRAPH_NONE || !g->scans->left)
		return GRAPH_NONE;
	*ret_event = event;
	*ret_strength =
		granted && !g->caps.n && !may_have_unlocked(g, owner, s->from_ns, g->w->events[event].r.ts)
			? EDGE_STRONG
			: EDGE_WEAK;
	return owner;
}

/* Returns the file lock that the task waits for, if the record of the wait does not name it. The
 * lock is found from the last try of the task, from an inspection of the wait, or from a list of
 * all locks. Returns 0 if the lock is not known, or if threads of the process wait for several
 * locks. */
static uint64_t lock_of_wait(const struct graph *g, const struct interval *s)
{
	const struct graph_task *me = &g->tasks[s->task];
	const struct graph_ref *r = graph_ref_before(g, &g->locktries, me->tid, s->from_ns);
	uint32_t visit = graph_visit(g, s);
	uint64_t obj = 0;

	if (r && ct_lock_result(&event_of(g, r)->r) > 0)
		return event_of(g, r)->r.obj;
	if (visit != GRAPH_NONE && g->w->events[visit].r.obj)
		return g->w->events[visit].r.obj;
	for (size_t i = 0; i < g->flocks.n && scan_step(g); i++) {
		const struct window_event *e = event_of(g, &g->flocks.v[i]);

		if (e->r.kind != CT_HELD || !ct_held_is_waiter(&e->r) || e->r.tid != me->tgid ||
		    e->r.ts < s->from_ns || e->r.ts > s->to_ns)
			continue;
		if (obj && obj != e->r.obj)
			return 0;
		obj = e->r.obj;
	}
	return obj;
}

static void owner_of_flock(const struct graph *g, const struct interval *s, struct blame *b)
{
	if (!b->obj)
		b->obj = lock_of_wait(g, s);
	b->edge = EDGE_FILELOCK;
	if (!b->obj)
		return;
	b->task = owner_of_lock(g, b->obj, s->from_ns, g->tasks[s->task].tgid, &b->event, &b->strength);
	if (b->task != GRAPH_NONE)
		return;
	b->strength = EDGE_WEAK;
	b->task = owner_by_unlock(g, b->obj, s, &b->event, &b->strength);
}

/*
 * Returns the server of the FUSE mount for which s waits: a task that has the /dev/fuse of this
 * mount open. A trace of a previous version does not say which /dev/fuse belongs to which mount.
 * For such a trace, a task that has any /dev/fuse open may be the server. Returns GRAPH_NONE if no
 * task, or tasks of several processes, may be the server. Adds to *all all tasks that may be the
 * server.
 */
static uint32_t fuse_server(const struct graph *g, const struct interval *s, struct enders *all)
{
	const struct window_object *o = g->w->objects, *waited = window_object(g->w, s->obj);
	size_t n = g->w->n_objects;

	for (size_t i = BISECT(k, 0, n, CT_OBJ_KIND(o[k].id) >= CT_OBJ_FUSEDEV);
	     i < n && CT_OBJ_KIND(o[i].id) == CT_OBJ_FUSEDEV && scan_step(g); i++) {
		uint32_t task;

		if (waited && o[i].x && o[i].x != waited->dev)
			continue;
		task = fd_owner(g, o[i].id, s->from_ns, g->tasks[s->task].tgid, 0, all);
		if (task != GRAPH_NONE)
			ender_add(g, all, task);
	}
	return all->n == 1 ? all->v[0] : GRAPH_NONE;
}

/* Returns true if the task waits for the end of another thread of its process, and not for a
 * lock. The record of the futex is from just before the wait, or from an inspection during the
 * wait. */
static bool is_join(const struct graph *g, const struct interval *s, uint32_t owner)
{
	const struct graph_ref *r = graph_ref_before(g, &g->joins, g->tasks[s->task].tid, s->to_ns);

	return r && event_of(g, r)->r.obj == s->obj && owner != GRAPH_NONE &&
	       g->tasks[owner].tgid == g->tasks[s->task].tgid &&
	       (ct_futex_owner(&event_of(g, r)->r) == graph_futex_owner(g, s) ||
		event_of(g, r)->r.ts >= s->from_ns);
}

/* Returns the only other thread of the task's process: if no other process has the pipe, this
 * thread has the other end. Returns GRAPH_NONE if another process has the pipe, if no record
 * shows which processes have it, or if the process has no other thread, or several. */
static uint32_t mate_of_pipe(const struct graph *g, const struct interval *s)
{
	const struct graph_task *me = &g->tasks[s->task];
	uint32_t mate = GRAPH_NONE;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, s->obj, &n);
	bool known = n > 0;

	for (size_t i = 0; i < n && scan_step(g); i++)
		if (event_of(g, &r[i])->r.tid != me->tgid)
			return GRAPH_NONE;
	r = graph_refs(&g->threads, me->tgid, &n);
	for (size_t i = 0; known && i < n && scan_step(g); i++) {
		if (r[i].event == s->task || !alive(g, r[i].event, s->to_ns - 1))
			continue;
		if (mate != GRAPH_NONE)
			return GRAPH_NONE;
		mate = r[i].event;
	}
	return mate;
}

/* Returns true if the task waits at ts_ns for a connection, or in an event loop in which it is
 * owed no answer. */
static bool idles_in_loop(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	struct blame b;

	if (!s || s->state != INTERVAL_BLOCKED)
		return false;
	if (s->wait != CT_W_POLL && s->wait != CT_W_EPOLL)
		return s->wait == CT_W_ACCEPT;
	blame_lasting(g, i, &b);
	return !b.owed;
}

static void owner_of_futex(const struct graph *g, const struct interval *s, struct blame *b)
{
	uint32_t owner = graph_futex_owner(g, s);
	uint64_t at;

	if (!owner) {
		b->task = past_waker(g, s->obj, s->from_ns, s->task, &at);
		if (b->task == GRAPH_NONE)
			b->task = handed_to(g, s);
		if (b->task != GRAPH_NONE && idles_in_loop(g, b->task, s->to_ns - 1))
			b->task = GRAPH_NONE;
		return;
	}
	b->task = graph_task_at(g, owner, s->from_ns);
	b->strength = EDGE_STRONG;
	if (is_join(g, s, b->task)) {
		b->edge = EDGE_EXIT;
		b->time = TIME_IPC;
	} else {
		b->edge = EDGE_LOCK;
		b->time = TIME_LOCK;
	}
}

void owner_of_wait(const struct graph *g, uint32_t interval, struct blame *b, struct enders *all)
{
	const struct interval *s = &g->intervals[interval];

	*all = (struct enders){ 0 };
	b->edge = EDGE_OWNER;
	b->strength = EDGE_WEAK;
	switch ((enum ct_wait)s->wait) {
	case CT_W_FUTEX:
		owner_of_futex(g, s, b);
		break;
	case CT_W_FLOCK:
		owner_of_flock(g, s, b);
		break;
	case CT_W_POLL:
	case CT_W_EPOLL:
		if (title_waits(g, s)) {
			b->task = title_owner(g, s, all);
			b->obj = 0;
			b->kind = RESOURCE_DATABASE_LOCK;
			b->time = TIME_LOCK;
		} else {
			owner_of_poll(g, s, b, all);
		}
		break;
	case CT_W_SIGNAL: /* the awaited signal may well be SIGCHLD, which a child sends when it ends */
	case CT_W_CHILD:
	case CT_W_VFORK:
		b->task = live_child(g, s, all);
		if (s->wait == CT_W_SIGNAL && b->task == GRAPH_NONE)
			break;
		b->edge = EDGE_EXIT;
		b->strength = s->wait == CT_W_SIGNAL || all->n > 1 ? EDGE_WEAK : EDGE_STRONG;
		break;
	case CT_W_NONE:
	case CT_W_READ:
	case CT_W_WRITE:
	case CT_W_ACCEPT:
	case CT_W_CONNECT:
	case CT_W_SLEEP:
	case CT_W_SYNC:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_SYSVIPC:
	case CT_W_FAULT:
	case CT_W_STOPPED:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
	case CT_W_URING:
	case CT_W_OTHER:
	case CT_W_YIELD:
	case CT_W_MEMORY:
	default: /* a kind of wait that this version does not know */
		if (b->kind == RESOURCE_FUSE)
			b->task = fuse_server(g, s, all);
		else
			b->task = object_owner(g, s->obj, s->from_ns, s->task, other_side(s), all);
		if (!s->obj && s->wait != CT_W_SLEEP && b->task == GRAPH_NONE)
			b->task = handed_to(g, s);
		if (CT_OBJ_KIND(s->obj) == CT_OBJ_PIPE && b->task == GRAPH_NONE && !all->n)
			b->task = mate_of_pipe(g, s);
		if (!s->obj && b->task != GRAPH_NONE) {
			b->edge = EDGE_FUSE;
			b->kind = RESOURCE_FUSE;
		}
	}
	b->rivals = all->n > 1 ? (uint8_t)all->n : 0;
	if (b->task == s->task)
		b->task = GRAPH_NONE;
	if (b->task != GRAPH_NONE && b->time == TIME_UNKNOWN)
		b->time = TIME_IPC;
	if (b->task == GRAPH_NONE && CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK) {
		const struct window_object *o = window_object(g->w, b->obj);

		if (o && (o->family == AF_INET || o->family == AF_INET6) && o->rport)
			b->time = graph_is_local(g, o->id) ? TIME_IPC : TIME_NETWORK;
	}
}

/* Returns the index of the record of the signal by which the task tells its tracer (strace, a
 * debugger) that it stops, or GRAPH_NONE if there is none. */
static uint32_t tracer_told(const struct graph *g, const struct interval *s)
{
	const struct window_event *e = g->w->events;
	size_t i = window_lower_bound(g->w, s->from_ns + 1);

	for (size_t looks = 0; i-- > 0 && looks < TRACER_LOOKS && scan_step(g); looks++)
		if (e[i].r.kind == CT_SIGNAL && e[i].r.tid == g->tasks[s->task].tid &&
		    ct_signal_number(&e[i].r) == SIGCHLD)
			return (uint32_t)i;
	return GRAPH_NONE;
}

/* Returns true if the tracer merely waits for a person, or for news of a task, in the middle of
 * the wait s. */
static bool is_idle_tracer(const struct graph *g, uint32_t tracer, const struct interval *s)
{
	uint32_t i = graph_interval_at(g, tracer, s->from_ns + (s->to_ns - s->from_ns) / 2);
	const struct interval *x = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return !x || x->state == INTERVAL_UNKNOWN ||
	       (x->state == INTERVAL_BLOCKED &&
		(x->wait == CT_W_READ || x->wait == CT_W_POLL || x->wait == CT_W_EPOLL ||
		 x->wait == CT_W_CHILD || x->wait == CT_W_SLEEP || x->wait == CT_W_SIGNAL));
}

/* Completes b for a task that its tracer has stopped. Returns false if no record shows that the
 * task told a tracer. */
static bool owner_tracer(const struct graph *g, const struct interval *s, struct blame *b)
{
	uint32_t told = s->st & CT_ST_TRACED ? tracer_told(g, s) : GRAPH_NONE, tracer;

	if (told == GRAPH_NONE)
		return false;
	tracer = graph_task_at(g, ct_signal_target(&g->w->events[told].r), s->from_ns);
	b->event = told;
	b->strength = EDGE_STRONG;
	if (tracer != GRAPH_NONE && tracer != s->task && !is_idle_tracer(g, tracer, s))
		b->task = tracer;
	return true;
}

void owner_stopper(const struct graph *g, const struct interval *s, struct blame *b)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->signals, g->tasks[s->task].tgid, &n);

	b->kind = RESOURCE_SIGNAL;
	b->edge = EDGE_STOP;
	b->time = TIME_UNKNOWN;
	if (owner_tracer(g, s, b))
		return;
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = event_of(g, &r[i]);

		if (e->r.ts > s->from_ns)
			break;
		if (ct_signal_number(&e->r) >= SIGSTOP && ct_signal_number(&e->r) <= SIGTTOU)
			b->event = r[i].event;
	}
}
