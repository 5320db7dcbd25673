// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/owner.h"

#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
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

/* The task that stands for a process: the leader; if the leader has exited, the first thread that has
 * not. GRAPH_NONE: all threads have exited. */
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

/* The last task that sent or received on sock up to ts_ns. If there is none: the first task that received
 * on sock; else the first task that sent on it. */
static uint32_t sock_user(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *s = graph_ref_before(g, &g->sends, sock, ts_ns);
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, sock, ts_ns);
	size_t n;

	if (r && (!s || s->event < r->event))
		s = r; /* a receive counts if it is later: the reader has the work to do */
	if (!s) {
		s = graph_refs(&g->recvs, sock, &n);
		if (!n)
			s = graph_refs(&g->sends, sock, &n);
		if (!n)
			return GRAPH_NONE;
	}
	return graph_task_at(g, event_of(g, s)->r.tid, event_of(g, s)->r.ts);
}

/* A task whose process has obj open with this mode (CT_FF_*; 0: any). The process tgid itself does not count.
 * If no descriptor table has obj, the result is the task that was seen to use obj. GRAPH_NONE: not found. */
static uint32_t fd_owner(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid, uint8_t mode)
{
	const struct window_object *o = window_object(g->w, obj);
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, obj, &n);
	uint32_t best = GRAPH_NONE;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t task = process_thread(g, event_of(g, &r[i])->r.tid, ts_ns);

		if (task == GRAPH_NONE || g->tasks[task].tgid == tgid)
			continue;
		if (mode && !(event_of(g, &r[i])->r.flags & mode))
			continue;
		/* of several tasks take the youngest: a child that inherited the descriptor more
		 * likely uses it than the shell that made it */
		if (best == GRAPH_NONE || g->tasks[task].born_ns > g->tasks[best].born_ns)
			best = task;
	}
	/* A connection that is not accepted yet is an exception: the task that was seen with this socket
	 * has the other end. */
	if (best == GRAPH_NONE && o && o->tid && !n &&
	    !(CT_OBJ_KIND(obj) == CT_OBJ_SOCK && obj & CT_OBJ_NOT_ACCEPTED)) {
		uint32_t task = graph_task_at(g, o->tid, ts_ns);

		if (task != GRAPH_NONE && g->tasks[task].tgid != tgid && alive(g, task, ts_ns))
			best = task;
	}
	return best;
}

/* The waker, if the wakee is the task `me`, and the waker is another task that is alive at ts_ns.
 * Otherwise GRAPH_NONE. */
static uint32_t waker_of(const struct graph *g, const struct graph_ref *wake, uint64_t ts_ns, uint32_t me)
{
	const struct window_event *e = event_of(g, wake);
	uint32_t task;

	if (e->r.tid != g->tasks[me].tid || ct_wake_context(&e->r) == CT_CTX_IRQ)
		return GRAPH_NONE;
	task = graph_task_at(g, ct_wake_waker(&e->r), e->r.ts);
	return task != GRAPH_NONE && task != me && alive(g, task, ts_ns) ? task : GRAPH_NONE;
}

/* The last task that woke the task `me` through obj up to ts_ns. If there is none, the first task
 * that woke `me` through obj later. */
static uint32_t past_waker(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me)
{
	size_t n, n_after, first_after;
	const struct graph_ref *r = graph_refs(&g->wakes, obj, &n);
	uint32_t task = GRAPH_NONE;

	graph_refs_from(g, &g->wakes, obj, ts_ns + 1, &n_after);
	first_after = n - n_after;
	for (size_t i = first_after; i > 0 && task == GRAPH_NONE && scan_step(g); i--)
		task = waker_of(g, &r[i - 1], ts_ns, me);
	for (size_t i = first_after; i < n && task == GRAPH_NONE && scan_step(g); i++)
		task = waker_of(g, &r[i], ts_ns, me);
	return task;
}

/* A task that has a listening socket open, at the address to which socket o connects. */
static uint32_t listener(const struct graph *g, const struct window_object *o, uint64_t ts_ns, uint32_t tgid)
{
	const struct graph_ref *r;
	size_t n;

	/* a socket pair or an unconnected socket has no listener */
	if (o->family == AF_UNIX ? !o->name[0] : !o->rport)
		return GRAPH_NONE;
	r = graph_listening(g, o->family, o->type, o->rport, o->name, &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *l = &g->w->objects[r[i].event];
		bool hit;

		if (CT_OBJ_KIND(l->id) != CT_OBJ_SOCK || l->id == o->id || l->type != o->type)
			continue;
		if (o->family == AF_UNIX)
			hit = l->family == AF_UNIX && !strcmp(l->name, o->name);
		else
			hit = (l->family == AF_INET || l->family == AF_INET6) && l->lport == o->rport &&
			      !l->rport;
		if (hit) {
			uint32_t user = fd_owner(g, l->id, ts_ns, tgid, 0);

			if (user != GRAPH_NONE)
				return user;
		}
	}
	return GRAPH_NONE;
}

uint32_t owner_sender(const struct graph *g, uint64_t sock, const struct window_event *wake,
		      uint32_t *ret_event)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct window_object *o = window_object(g->w, sock);
	uint64_t ts = wake->r.ts;
	/* an interrupt of unknown kind says nothing about the task on the CPU */
	uint32_t waker = ct_wake_context(&wake->r) == CT_CTX_IRQ ? 0 : ct_wake_waker(&wake->r);
	const struct graph_ref *r;
	uint32_t task;
	size_t n;

	*ret_event = GRAPH_NONE;
	/* a send is recorded when its call returns, so look for a send of the waker just after the
	 * wake */
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
	r = peer ? graph_ref_before(g, &g->sends, peer, ts + MESSAGE_LATE_NS) : NULL;
	if (r) {
		*ret_event = r->event;
		return graph_task_at(g, event_of(g, r)->r.tid, ts);
	}
	/* if no bytes were sent, a connect, an accept, or the end of the connection made the wake */
	task = waker ? graph_task_at(g, waker, ts) : GRAPH_NONE;
	if (task != GRAPH_NONE && !g->tasks[task].kthread && !(wake->r.flags & CT_WF_IDLE) &&
	    (wake->r.flags & CT_WF_EXITING || ct_wake_call(&wake->r) == CT_W_CONNECT ||
	     ct_wake_call(&wake->r) == CT_W_ACCEPT || ct_wake_call(&wake->r) == CT_W_WRITE ||
	     call_of(g->w->machine, wake->r.nr) == CALL_CLOSE ||
	     call_of(g->w->machine, wake->r.nr) == CALL_SHUTDOWN))
		return task;
	task = peer ? sock_user(g, peer, ts) : GRAPH_NONE;
	if (task == GRAPH_NONE && peer)
		task = fd_owner(g, peer, ts, 0, 0);
	if (task == GRAPH_NONE && o)
		task = listener(g, o, ts, 0);
	return task;
}

static uint32_t sock_owner(const struct graph *g, uint64_t sock, uint64_t ts_ns, uint32_t tgid)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct window_object *o = window_object(g->w, sock);
	uint32_t task = peer ? sock_user(g, peer, ts_ns) : GRAPH_NONE;

	if (task != GRAPH_NONE && !alive(g, task, ts_ns))
		task = GRAPH_NONE;
	if (task == GRAPH_NONE && peer)
		task = fd_owner(g, peer, ts_ns, 0, 0);
	if (task == GRAPH_NONE && o)
		task = listener(g, o, ts_ns, tgid);
	return task;
}

uint32_t owner_receiver(const struct graph *g, uint64_t sock, const struct window_event *wake,
			uint32_t *ret_event)
{
	uint64_t peer = graph_peer_object(g, sock);
	/* a receive is recorded when its call returns, so look up to shortly after the wake */
	const struct graph_ref *r =
		peer ? graph_ref_before(g, &g->recvs, peer, wake->r.ts + MESSAGE_LATE_NS) : NULL;

	*ret_event = r ? r->event : GRAPH_NONE;
	return r ? graph_task_at(g, event_of(g, r)->r.tid, wake->r.ts) : sock_owner(g, sock, wake->r.ts, 0);
}

/* The task that could end the wait of the task `me` for obj at ts_ns. mode: as for fd_owner(). GRAPH_NONE:
 * not known. */
static uint32_t object_owner(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode)
{
	uint32_t tgid = g->tasks[me].tgid;
	uint32_t task;

	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
		return sock_owner(g, obj, ts_ns, tgid);
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		task = past_waker(g, obj, ts_ns, me);
		return task != GRAPH_NONE ? task : fd_owner(g, obj, ts_ns, tgid, mode);
	case CT_OBJ_EVENTFD:
	case CT_OBJ_FUTEX:
		return past_waker(g, obj, ts_ns, me);
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

	/* no bytes so far: an answer is owed if the socket is connecting, or has connected and waits
	 * for the first message */
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

bool owner_under_way(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = window_object(g->w, sock);
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *s = peer ? graph_ref_before(g, &g->sends, peer, ts_ns) : NULL;
	const struct graph_ref *r = graph_ref_before(g, &g->recvs, sock, ts_ns);

	return o && o->family != AF_UNIX && s && (!r || r->event < s->event);
}

/* How well an object explains a poll that does not return, from worst to best. */
enum poll_score {
	POLL_NONE,    /* not at all */
	POLL_OWN,     /* a socket whose other end belongs to the task's own process, or to no known task */
	POLL_QUIET,   /* a terminal, or a pipe that was never written */
	POLL_FAR,     /* a connection to another host, or an eventfd that was written before */
	POLL_PEER,    /* a connection to another process of this host */
	POLL_WRITTEN, /* a pipe that was written before */
	POLL_OWED,    /* a socket on which the task is owed an answer */
};

static enum poll_score poll_score(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me)
{
	const struct window_object *o = window_object(g->w, obj);
	uint32_t owner;

	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
		owner = object_owner(g, obj, ts_ns, me, CT_FF_WRITE);
		if (owner_owed(g, obj, ts_ns))
			return owner != GRAPH_NONE && g->tasks[owner].tgid == g->tasks[me].tgid ? POLL_OWN
												: POLL_OWED;
		if (owner == GRAPH_NONE)
			return o && o->family != AF_UNIX && o->rport ? POLL_FAR : POLL_OWN;
		return g->tasks[owner].tgid == g->tasks[me].tgid ? POLL_OWN : POLL_PEER;
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		/* A pipe that was never written has another purpose. For example, its end tells a
		 * child that the parent has died. */
		return past_waker(g, obj, ts_ns, me) == GRAPH_NONE ? POLL_QUIET : POLL_WRITTEN;
	case CT_OBJ_EVENTFD:
		return object_owner(g, obj, ts_ns, me, CT_FF_WRITE) == GRAPH_NONE ? POLL_NONE : POLL_FAR;
	case CT_OBJ_TTY:
		return POLL_QUIET;
	default:
		return POLL_NONE;
	}
}

/* The mode (CT_FF_*) of the other end of a pipe that can end this wait. */
static uint8_t other_side(const struct interval *s)
{
	return s->wait == CT_W_WRITE ? CT_FF_READ : CT_FF_WRITE;
}

static void owner_of_poll(const struct graph *g, const struct interval *s, struct blame *b)
{
	bool epoll = s->wait == CT_W_EPOLL;
	size_t n;
	const struct graph_ref *r = epoll ? graph_refs(&g->members, s->obj, &n)
					  : graph_refs_from(g, &g->waitfds, g->tasks[s->task].tid,
							    checked_sub(s->from_ns, WAITFD_OLD_NS), &n);
	int best = -1;

	if (!epoll && s->obj) {
		b->task = object_owner(g, s->obj, s->from_ns, s->task, other_side(s));
		return;
	}
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = event_of(g, &r[i]);
		enum poll_score score;

		/* the set is recorded when the wait begins or when it ends (bpf/wait_fds.h) */
		if (!epoll && e->r.ts > s->from_ns && e->r.ts != s->to_ns)
			continue;
		score = poll_score(g, e->r.obj, s->from_ns, s->task);
		if ((int)score > best) {
			best = (int)score;
			b->obj = e->r.obj;
			b->event = r[i].event;
		}
	}
	/* the poll timed out, and no object in its set was likely to end it: the task only slept */
	if (best < 0 || (b->timed_out && best <= POLL_QUIET))
		return;
	b->kind = resource_of_object(g->w, b->obj);
	b->task = object_owner(g, b->obj, s->from_ns, s->task, CT_FF_WRITE);
}

static uint32_t live_child(const struct graph *g, const struct interval *s)
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
		if (best == GRAPH_NONE || g->tasks[c].born_ns > g->tasks[best].born_ns)
			best = c;
	}
	return best;
}

/* Whether an unlock may be missing: between from_ns and to_ns, records of all tasks were lost, or
 * records of this process were left out. (A pause has a record of its gap only when it is over.) */
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

/* Whether a list of all locks (CT_HELD), recorded at ts_ns or later, shows that the task's process still owns
 * this lock. */
static bool is_held_later(const struct graph *g, uint64_t obj, uint32_t task, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->flocks, obj, &n);

	for (size_t i = n; i-- > 0 && event_of(g, &r[i])->r.ts >= ts_ns && scan_step(g);)
		if (event_of(g, &r[i])->r.kind == CT_HELD && event_of(g, &r[i])->r.tid == g->tasks[task].tgid)
			return true;
	return false;
}

/* The task of a record about a lock. GRAPH_NONE: the task is of process tgid, or not known, or only waits
 * for the lock. */
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
	/* a later list of all locks (CT_HELD) may name the owner */
	for (i = after; i < n && owner == GRAPH_NONE && event_of(g, &r[i])->r.kind == CT_HELD && scan_step(g);
	     i++)
		if (is_lock(event_of(g, &r[i]))) {
			owner = lock_task(g, event_of(g, &r[i]), tgid);
			event = r[i].event;
		}
	*ret_strength = EDGE_STRONG;
	if (owner == GRAPH_NONE ||
	    !g->scans->left) /* if the walk ended early, it may not have seen an unlock */
		return GRAPH_NONE;
	if (ret_event)
		*ret_event = event;
	since_ns = g->w->events[event].r.ts;
	if (since_ns > ts_ns
		    ? may_have_unlocked(g, owner, ts_ns, since_ns)
		    : may_have_unlocked(g, owner, since_ns, ts_ns) && !is_held_later(g, obj, owner, ts_ns))
		*ret_strength = EDGE_WEAK;
	/* If the owner has exited, a flock() lock stays as long as another process has inherited the
	 * descriptor. */
	if (g->tasks[owner].exit_ns <= ts_ns && ct_lock_type(&g->w->events[event].r) == CT_LOCK_FLOCK)
		owner = fd_owner(g, obj, ts_ns, tgid, 0);
	return owner;
}

/*
 * The task that owned the lock during the wait, although no record says when it took the lock: the task whose
 * unlock is recorded after the wait, before another task gets the lock.
 *
 * The close of a file is recorded as an unlock too, whichever process owns the lock. So there is no answer if
 * several processes unlock. The answer is weak if no record shows that the waiter then got the lock, or if
 * records may be missing. An unlock that is recorded while the task still waits does not count: the unlock
 * that ends a wait wakes the waiter before it is recorded.
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

/* The file lock that the task waits for, if the record of the wait does not name it: from the last
 * try of the task, from an inspection of the wait, or from a list of all locks. 0: not known, or
 * the threads of the process wait for several locks. */
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

/* The server of the FUSE mount for which s waits: a task that has /dev/fuse open. GRAPH_NONE: not
 * found. */
static uint32_t fuse_server(const struct graph *g, const struct interval *s)
{
	const struct window_object *o = g->w->objects;
	size_t n = g->w->n_objects;

	for (size_t i = BISECT(k, 0, n, CT_OBJ_KIND(o[k].id) >= CT_OBJ_FUSEDEV);
	     i < n && CT_OBJ_KIND(o[i].id) == CT_OBJ_FUSEDEV && scan_step(g); i++) {
		uint32_t task = fd_owner(g, o[i].id, s->from_ns, g->tasks[s->task].tgid, 0);

		if (task != GRAPH_NONE)
			return task;
	}
	return GRAPH_NONE;
}

/* Whether the task waits for the end of another thread of its process, and not for a lock. The
 * record of the futex is from just before the wait, or from an inspection during the wait. */
static bool is_join(const struct graph *g, const struct interval *s, uint32_t owner)
{
	const struct graph_ref *r = graph_ref_before(g, &g->joins, g->tasks[s->task].tid, s->to_ns);

	return r && event_of(g, r)->r.obj == s->obj && owner != GRAPH_NONE &&
	       g->tasks[owner].tgid == g->tasks[s->task].tgid &&
	       (ct_futex_owner(&event_of(g, r)->r) == graph_futex_owner(g, s) ||
		event_of(g, r)->r.ts >= s->from_ns);
}

static void owner_of_futex(const struct graph *g, const struct interval *s, struct blame *b)
{
	uint32_t owner = graph_futex_owner(g, s);

	if (!owner) {
		b->task = past_waker(g, s->obj, s->from_ns, s->task);
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

void owner_of_wait(const struct graph *g, uint32_t interval, struct blame *b)
{
	const struct interval *s = &g->intervals[interval];

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
		owner_of_poll(g, s, b);
		break;
	case CT_W_SIGNAL: /* the awaited signal may well be SIGCHLD, which a child sends when it ends */
	case CT_W_CHILD:
	case CT_W_VFORK:
		b->task = live_child(g, s);
		if (s->wait == CT_W_SIGNAL && b->task == GRAPH_NONE)
			break;
		b->edge = EDGE_EXIT;
		b->strength = s->wait == CT_W_SIGNAL ? EDGE_WEAK : EDGE_STRONG;
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
	default: /* a kind of wait that this version does not know */
		if (b->kind == RESOURCE_FUSE)
			b->task = fuse_server(g, s);
		else
			b->task = object_owner(g, s->obj, s->from_ns, s->task, other_side(s));
	}
	if (b->task == s->task)
		b->task = GRAPH_NONE;
	if (b->task != GRAPH_NONE && b->time == TIME_UNKNOWN)
		b->time = TIME_IPC;
	if (b->task == GRAPH_NONE && CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK) {
		const struct window_object *o = window_object(g->w, b->obj);

		if (o && (o->family == AF_INET || o->family == AF_INET6) && o->rport)
			b->time = TIME_NETWORK;
	}
}

void owner_stopper(const struct graph *g, const struct interval *s, struct blame *b)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->signals, g->tasks[s->task].tgid, &n);

	b->kind = RESOURCE_SIGNAL;
	b->edge = EDGE_STOP;
	b->time = TIME_UNKNOWN;
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = event_of(g, &r[i]);

		if (e->r.ts > s->from_ns)
			break;
		if (ct_signal_number(&e->r) >= SIGSTOP && ct_signal_number(&e->r) <= SIGTTOU)
			b->event = r[i].event;
	}
}
