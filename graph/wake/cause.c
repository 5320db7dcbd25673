// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/cause.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/blame.h"
#include "graph/wake/owner.h"
#include "lib/checked.h"
#include "trace/words/call.h"

/* e is the record of one polled descriptor. Returns true if s polls this descriptor. For a poll(),
 * the descriptors are recorded when the wait begins or ends, but at most once a second
 * (bpf/wait_fds.h). So e must not be older than WAITFD_OLD_NS when s begins, nor later than the end
 * of s. For an epoll, the time of e does not matter. */
static bool is_polled_in(const struct interval *s, const struct window_event *e)
{
	return s->wait != CT_W_POLL ||
	       (checked_sub(s->from_ns, WAITFD_OLD_NS) <= e->r.ts && e->r.ts <= s->to_ns);
}

static const struct graph_ref *polled_set(const struct graph *g, const struct interval *s, size_t *ret_n)
{
	return s->wait == CT_W_EPOLL ? graph_refs(&g->members, s->obj, ret_n)
				     : graph_refs(&g->waitfds, g->tasks[s->task].tid, ret_n);
}

bool blame_polls_several(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];
	size_t n;
	const struct graph_ref *r = polled_set(g, s, &n);
	uint64_t first = 0;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (!is_polled_in(s, e) || e->r.obj == first)
			continue;
		if (first)
			return true;
		first = e->r.obj;
	}
	return false;
}

bool blame_polls_inotify(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];
	size_t n;
	const struct graph_ref *r = polled_set(g, s, &n);

	for (size_t i = 0; i < n && scan_step(g); i++)
		if (is_polled_in(s, &g->w->events[r[i].event]) &&
		    CT_OBJ_KIND(g->w->events[r[i].event].r.obj) == CT_OBJ_INOTIFY)
			return true;
	return false;
}

static bool has_far_member(const struct graph *g, const struct interval *s, bool *ret_known)
{
	size_t n;
	const struct graph_ref *r = polled_set(g, s, &n);

	*ret_known = false;
	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint64_t obj = g->w->events[r[i].event].r.obj;
		const struct window_object *o = graph_object(g, obj);

		if (!is_polled_in(s, &g->w->events[r[i].event]) || CT_OBJ_KIND(obj) != CT_OBJ_SOCK || !o ||
		    o->family == AF_UNIX || !o->rport)
			continue;
		*ret_known = true;
		if (!graph_is_local(g, obj))
			return true;
	}
	return false;
}

bool wake_polls_far(const struct graph *g, const struct interval *s)
{
	bool known;

	return has_far_member(g, s, &known) || !known;
}

static uint64_t look_spoke(const struct graph *g, const struct window_event *wake)
{
	size_t at = (size_t)(wake - g->w->events);

	for (size_t n = 0; at && n < SPOKE_LOOKS && scan_step(g); n++) {
		const struct ct_rec *r = &g->w->events[--at].r;

		if (r->tid == ct_wake_waker(&wake->r) && (r->kind == CT_SEND || r->kind == CT_RECV))
			return r->obj;
	}
	return 0;
}

/* If the waker ends a connection of the waiter, returns the waiter's socket of this connection, or else 0.
 * The record of the wake-up does not name this socket: it only names a socket that has bytes or a
 * new connection for the waiter. */
static uint64_t closed_socket(const struct graph *g, const struct interval *s,
			      const struct window_event *wake, uint64_t spoke)
{
	const struct graph_ref *r;
	uint64_t mine;
	size_t n;

	if (!owner_may_close(g, wake))
		return 0;
	if (CT_OBJ_KIND(s->obj) == CT_OBJ_SOCK)
		return owner_closes(g, s->obj, wake) ? s->obj : 0;
	if (!ct_wait_is_poll(s->wait))
		return 0;
	r = polled_set(g, s, &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (!is_polled_in(s, e))
			continue;
		if (CT_OBJ_KIND(e->r.obj) == CT_OBJ_SOCK && owner_closes(g, e->r.obj, wake))
			return e->r.obj;
	}
	/* The connection may be new in the epoll, and not recorded as a member yet. */
	if (spoke == CAUSE_LOOK)
		spoke = look_spoke(g, wake);
	mine = spoke ? graph_peer_object(g, spoke) : 0;
	return mine && owner_has_socket(g, s->task, mine, wake->r.ts) && owner_closes(g, mine, wake) ? mine
												     : 0;
}

/* Returns true if a softirq made the wake-up during the sender's system call, as on loopback. Then `waker`,
 * the task on the CPU, is the sender. */
static bool is_sender_below(const struct graph *g, const struct window_event *wake, uint32_t waker)
{
	uint64_t peer;

	if (ct_wake_context(&wake->r) != CT_CTX_SOFTIRQ || waker == GRAPH_NONE || wake->r.flags & CT_WF_IDLE)
		return false;
	if (ct_wake_call(&wake->r) == CT_W_WRITE || ct_wake_call(&wake->r) == CT_W_CONNECT)
		return true;
	/* In another call, such as close(), the waker may end the connection, which also wakes the waiter.
	 * So the waker counts as the sender if it has the other end of the waiter's connection, perhaps like
	 * others: a child may end a connection that its parent has used. */
	peer = wake->r.flags & CT_WF_READY ? graph_peer_object(g, wake->r.obj) : 0;
	return peer && owner_may_have_socket(g, waker, peer, wake->r.ts);
}

static bool is_own_child(const struct graph *g, uint32_t task, uint32_t waker)
{
	return g->tasks[waker].ptgid == g->tasks[task].tgid && g->tasks[waker].tgid != g->tasks[task].tgid;
}

static void cause_is(struct wake_cause *c, enum edge_kind edge, enum edge_strength strength)
{
	c->edge = (uint8_t)edge;
	c->strength = (uint8_t)strength;
}

static void by_task(const struct graph *g, const struct interval *s, const struct window_event *wake,
		    uint64_t spoke, struct wake_cause *c)
{
	bool exiting = wake->r.flags & CT_WF_EXITING;

	/* A child that exits may also wake its parent by the close of a pipe. The cause is the
	 * exit. */
	if (exiting && c->strength == EDGE_WEAK && is_own_child(g, s->task, c->task)) {
		cause_is(c, EDGE_EXIT, EDGE_STRONG);
		return;
	}
	if (s->wait == CT_W_SIGNAL && exiting && is_own_child(g, s->task, c->task)) {
		c->edge = EDGE_EXIT;
		return;
	}
	if (exiting && CT_OBJ_KIND(s->obj) == CT_OBJ_PIDFD) {
		cause_is(c, EDGE_EXIT, EDGE_STRONG);
		return;
	}
	if (c->edge == EDGE_WAKE && CT_OBJ_KIND(s->obj) == CT_OBJ_FUSEDEV && !g->tasks[c->task].kthread) {
		cause_is(c, EDGE_FUSE, EDGE_STRONG);
		return;
	}
	c->closed = c->strength == EDGE_WEAK ? closed_socket(g, s, wake, spoke) : 0;
	if (c->closed)
		cause_is(c, EDGE_MESSAGE, EDGE_STRONG);
	else if (c->edge == EDGE_WAKE && s->wait == CT_W_OPEN && ct_wake_call(&wake->r) == CT_W_OPEN)
		cause_is(c, EDGE_PIPE, EDGE_STRONG); /* open() of a FIFO waits for the other end */
}

void wake_cause(const struct graph *g, const struct interval *s, const struct window_event *wake,
		uint64_t spoke, struct wake_cause *ret)
{
	uint32_t waker =
		ct_wake_waker(&wake->r) ? graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts) : GRAPH_NONE;
	bool known;

	*ret = (struct wake_cause){ .task = GRAPH_NONE };
	edge_classify(g, s, wake, &ret->edge, &ret->strength);
	if (waker == GRAPH_NONE)
		return;
	if (ct_wake_by_task(&wake->r)) {
		ret->task = waker;
		by_task(g, s, wake, spoke, ret);
		return;
	}
	if (ret->edge == EDGE_MESSAGE && is_sender_below(g, wake, waker)) {
		ret->below = true;
		ret->task = waker;
		return;
	}
	if (ret->edge != EDGE_IRQ || wake->r.obj || waker == s->task)
		return;
	ret->closed = closed_socket(g, s, wake, spoke);
	/* If the waiter also polls a connection to another host, the softirq may have been for that
	 * connection. Then the task on the CPU had nothing to do with the wake-up. */
	if (ret->closed && ret->closed != s->obj && has_far_member(g, s, &known))
		ret->closed = 0;
	if (!ret->closed)
		return;
	cause_is(ret, EDGE_MESSAGE, EDGE_STRONG);
	ret->below = true;
	ret->task = waker;
}

/* The record of a signal comes after the wake: __send_signal_locked() in kernel/signal.c wakes the
 * target first. */
const struct window_event *wake_signal(const struct graph *g, const struct interval *s,
				       const struct window_event *wake, bool child)
{
	const struct graph_task *t = &g->tasks[s->task];
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->signals, t->tgid, wake->r.ts, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (e->r.ts > wake->r.ts + SIGNAL_LATE_NS)
			return NULL;
		if (e->r.tid == ct_wake_waker(&wake->r) && !(e->r.flags & CT_GF_IGNORED) &&
		    (child || ct_signal_number(&e->r) != SIGCHLD) &&
		    (e->r.flags & CT_GF_GROUP || ct_signal_target(&e->r) == t->tid))
			return e;
	}
	return NULL;
}

/* Returns the thread of the same process that ended the last wait of the task with exit_group(), or
 * GRAPH_NONE. */
static uint32_t exit_caller(const struct graph *g, uint32_t task)
{
	const struct graph_task *t = &g->tasks[task];
	const struct interval *first = &g->intervals[t->first_interval], *x = first + t->n_intervals;
	const struct window_event *wake = NULL;
	uint32_t caller;

	while (x-- > first && !wake && scan_step(g))
		if (x->state == INTERVAL_BLOCKED && x->wait != CT_W_EXITED)
			wake = x->wake == GRAPH_NONE ? NULL : &g->w->events[x->wake];
	if (!wake || !ct_wake_by_task(&wake->r) || call_of(g->w->machine, wake->r.nr) != CALL_EXIT_GROUP)
		return GRAPH_NONE;
	caller = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);
	return caller != GRAPH_NONE && g->tasks[caller].tgid == t->tgid ? caller : GRAPH_NONE;
}

/* A fatal signal kills all threads of a process, and the order in which they exit is chance. (A process may
 * also block such a signal, and wait for it. Then the exit code names no signal.) Returns the thread that
 * sent this signal itself, as in abort(), or for which the kernel sent it, as for a bad address. If the
 * signal came from outside, returns the main thread if it was there. Otherwise, or if no such signal is
 * recorded, returns GRAPH_NONE. */
static uint32_t killed_thread(const struct graph *g, uint32_t task)
{
	const struct graph_task *t = &g->tasks[task];
	size_t n;
	const struct graph_ref *r = graph_refs(&g->signals, t->tgid, &n);
	const struct window_event *e = NULL;
	uint32_t sender, main_thread;

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts <= t->exit_ns && scan_step(g); i++)
		if (g->w->events[r[i].event].r.flags & CT_GF_FATAL &&
		    ct_signal_number(&g->w->events[r[i].event].r) == (unsigned)WTERMSIG(t->exit_code))
			e = &g->w->events[r[i].event];
	if (!e)
		return GRAPH_NONE;
	sender = graph_task_at(g, e->r.tid, e->r.ts);
	if (sender != GRAPH_NONE && g->tasks[sender].tgid == t->tgid)
		return sender;
	main_thread = graph_task_at(g, t->tgid, e->r.ts);
	return main_thread != GRAPH_NONE && g->tasks[main_thread].exit_ns >= e->r.ts ? main_thread
										     : GRAPH_NONE;
}

uint32_t wake_ender(const struct graph *g, uint32_t task)
{
	const struct graph_task *t = &g->tasks[task];
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, t->tgid, &n);
	uint32_t killed;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t caller = exit_caller(g, r[i].event);

		if (caller != GRAPH_NONE)
			return caller;
	}
	killed = killed_thread(g, task);
	return killed == GRAPH_NONE ? task : killed;
}
