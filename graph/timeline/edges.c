// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * edges.c - finds the kind and the strength of the edge of a wake-up. An edge is mostly strong if
 * the waker acted on the object for which the wakee waited, or on the other end of this object. But
 * the handoff of a mutex is weak: chance decides which task gets the mutex (Argus, section 3.2). If
 * an interrupt makes the wake-up, the interrupted task mostly has nothing to do with the wake-up
 * (see graph/wake/cause.c).
 */
#include "graph/timeline/graph.h"

#include <sys/socket.h>

static const char *const edge_names[] = {
	[EDGE_WAKE] = "wake",      [EDGE_LOCK] = "lock",
	[EDGE_POST] = "post",      [EDGE_MESSAGE] = "message",
	[EDGE_PIPE] = "pipe",      [EDGE_EVENTFD] = "eventfd",
	[EDGE_EXIT] = "exit",      [EDGE_SIGNAL] = "signal",
	[EDGE_FORK] = "fork",      [EDGE_FILELOCK] = "file-lock",
	[EDGE_TIMER] = "timer",    [EDGE_IRQ] = "interrupt",
	[EDGE_FUSE] = "fuse",      [EDGE_KERNEL_LOCK] = "kernel-lock",
	[EDGE_VFORK] = "vfork",    [EDGE_POLLED] = "polled",
	[EDGE_OWNER] = "owner",    [EDGE_CPU] = "cpu",
	[EDGE_STOP] = "stop",      [EDGE_DISK] = "disk",
	[EDGE_FLAG] = "data-flag", [EDGE_JOB] = "job",
	[EDGE_ANSWER] = "answer",  [EDGE_NEIGHBOUR] = "neighbour",
	[EDGE_EXEC] = "exec",      [EDGE_LOCK_ORDER] = "lock-order",
};

const char *edge_kind_name(uint8_t kind)
{
	if (kind >= sizeof(edge_names) / sizeof(edge_names[0]) || !edge_names[kind])
		return "unknown";
	return edge_names[kind];
}

const char *edge_strength_name(uint8_t strength)
{
	return strength == EDGE_STRONG ? "strong" : strength == EDGE_BOOSTED ? "boosted" : "weak";
}

static void set(uint8_t *kind, uint8_t *strength, enum edge_kind k, enum edge_strength s)
{
	*kind = (uint8_t)k;
	*strength = (uint8_t)s;
}

static void classify_object(const struct graph *g, const struct interval *interval,
			    const struct window_event *wake, uint8_t *kind, uint8_t *strength)
{
	uint64_t obj = wake->r.obj;
	bool many = ct_wait_is_poll(interval->wait) || interval->wait == CT_W_URING;
	bool same = obj && (obj == interval->obj || many);
	bool strong = same || graph_peer_object(g, interval->obj) == obj;
	/* A receive makes room for senders, and also wakes tasks that do not wait to write. For such a task,
	 * the receive may mean nothing, so the edge is weak. */
	bool only_room = ct_wake_call(&wake->r) == CT_W_READ && interval->wait != CT_W_WRITE;

	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
		set(kind, strength, EDGE_MESSAGE,
		    !only_room && (strong || (wake->r.flags & CT_WF_READY)) ? EDGE_STRONG : EDGE_WEAK);
		break;
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		set(kind, strength, EDGE_PIPE, same ? EDGE_STRONG : EDGE_WEAK);
		break;
	case CT_OBJ_EVENTFD:
		set(kind, strength, EDGE_EVENTFD, same ? EDGE_STRONG : EDGE_WEAK);
		break;
	case CT_OBJ_FUSEDEV:
		set(kind, strength, EDGE_FUSE, EDGE_STRONG);
		break;
	default:
		set(kind, strength, EDGE_WAKE, EDGE_WEAK);
	}
}

bool edge_is_lock(const struct graph *g, const struct interval *interval)
{
	size_t n = 0;

	if (interval->wait != CT_W_FUTEX)
		return false;
	if (graph_futex_owner(g, interval))
		return true;
	graph_refs(&g->owned, GRAPH_FUTEX_KEY(interval->obj), &n);
	return n != 0;
}

/* The interval is a wait for a child. Returns true if the waker is no child of the wakee's process,
 * and does not exit. Then the waker has sent a signal. */
static bool is_stranger(const struct graph *g, const struct interval *interval,
			const struct window_event *wake)
{
	uint32_t waker = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);

	return !(wake->r.flags & CT_WF_EXITING) && waker != GRAPH_NONE && g->tasks[waker].ptgid &&
	       g->tasks[waker].ptgid != g->tasks[interval->task].tgid;
}

static void classify_task(const struct graph *g, const struct interval *interval,
			  const struct window_event *wake, uint8_t *kind, uint8_t *strength)
{
	switch ((enum ct_wait)interval->wait) {
	case CT_W_FUTEX:
		if (CT_OBJ_KIND(wake->r.obj) != CT_OBJ_FUTEX)
			set(kind, strength, wake->r.flags & CT_WF_EXITING ? EDGE_EXIT : EDGE_WAKE,
			    wake->r.flags & CT_WF_EXITING ? EDGE_STRONG : EDGE_WEAK);
		else if (edge_is_lock(g, interval))
			set(kind, strength, EDGE_LOCK, EDGE_WEAK);
		else /* ids are not compared: each process has its own id of a shared futex */
			set(kind, strength, EDGE_POST, EDGE_STRONG);
		break;
	case CT_W_CHILD:
		set(kind, strength, is_stranger(g, interval, wake) ? EDGE_SIGNAL : EDGE_EXIT, EDGE_STRONG);
		break;
	case CT_W_VFORK:
		set(kind, strength, EDGE_VFORK, EDGE_STRONG);
		break;
	case CT_W_FLOCK:
		set(kind, strength, EDGE_FILELOCK, EDGE_STRONG);
		break;
	case CT_W_SIGNAL:
		set(kind, strength, EDGE_SIGNAL, EDGE_STRONG);
		break;
	case CT_W_STOPPED:
		set(kind, strength, EDGE_STOP, EDGE_STRONG);
		break;
	case CT_W_NONE:
	case CT_W_READ:
	case CT_W_WRITE:
	case CT_W_POLL:
	case CT_W_EPOLL:
	case CT_W_ACCEPT:
	case CT_W_CONNECT:
	case CT_W_SLEEP:
	case CT_W_SYNC:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_SYSVIPC:
	case CT_W_FAULT:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
	case CT_W_URING:
	case CT_W_OTHER:
	case CT_W_YIELD:
	case CT_W_MEMORY:
	default:
		if (interval->st & CT_ST_DISK && !(interval->flags & CT_SF_IOWAIT) &&
		    CT_OBJ_KIND(wake->r.obj) != CT_OBJ_FUSEDEV)
			set(kind, strength, EDGE_KERNEL_LOCK, EDGE_WEAK);
		else
			classify_object(g, interval, wake, kind, strength);
	}
}

/* Returns true if only tasks can end the wait: no device and no network can. */
static bool is_between_tasks(const struct graph *g, const struct interval *interval)
{
	const struct window_object *o;

	if (interval->wait == CT_W_FUTEX || interval->wait == CT_W_SIGNAL)
		return true;
	switch ((unsigned)CT_OBJ_KIND(interval->obj)) {
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		return true;
	case CT_OBJ_SOCK:
		o = graph_object(g, interval->obj);
		return o && o->family == AF_UNIX;
	default:
		return false;
	}
}

bool edge_by_timer(const struct graph *g, const struct interval *interval, const struct window_event *wake)
{
	if (ct_wake_context(&wake->r) != CT_CTX_IRQ)
		return ct_wake_by_timer(&wake->r);
	return interval->wait == CT_W_SLEEP || CT_OBJ_KIND(interval->obj) == CT_OBJ_TIMERFD ||
	       (interval->flags & CT_SF_TIMEOUT && is_between_tasks(g, interval));
}

bool edge_is_timed_out(const struct graph *g, const struct interval *interval)
{
	return interval->state == INTERVAL_BLOCKED && interval->wake != GRAPH_NONE &&
	       edge_by_timer(g, interval, &g->w->events[interval->wake]) &&
	       CT_OBJ_KIND(interval->obj) != CT_OBJ_TIMERFD &&
	       (interval->wait == CT_W_SLEEP || interval->flags & CT_SF_TIMEOUT);
}

void edge_classify(const struct graph *g, const struct interval *interval, const struct window_event *wake,
		   uint8_t *ret_kind, uint8_t *ret_strength)
{
	switch (ct_wake_context(&wake->r)) {
	case CT_CTX_TIMER:
	case CT_CTX_SOFTIRQ:
		if (ct_wake_by_timer(&wake->r))
			set(ret_kind, ret_strength, EDGE_TIMER, EDGE_WEAK);
		else if (CT_OBJ_KIND(wake->r.obj) == CT_OBJ_SOCK &&
			 (ct_wake_softirq(&wake->r) == NET_RX_SOFTIRQ ||
			  ct_wake_softirq(&wake->r) == NET_TX_SOFTIRQ))
			set(ret_kind, ret_strength, EDGE_MESSAGE,
			    wake->r.flags & CT_WF_READY ? EDGE_STRONG : EDGE_WEAK);
		else
			set(ret_kind, ret_strength, EDGE_IRQ, EDGE_WEAK);
		return;
	case CT_CTX_HARDIRQ:
	case CT_CTX_IPI:
		set(ret_kind, ret_strength, EDGE_IRQ, EDGE_WEAK);
		return;
	case CT_CTX_IRQ:
		set(ret_kind, ret_strength, edge_by_timer(g, interval, wake) ? EDGE_TIMER : EDGE_IRQ,
		    EDGE_WEAK);
		return;
	case CT_CTX_TASK:
		break;
	}
	if (wake->r.flags & CT_WF_IDLE || !ct_wake_waker(&wake->r)) {
		set(ret_kind, ret_strength, EDGE_IRQ, EDGE_WEAK);
		return;
	}
	classify_task(g, interval, wake, ret_kind, ret_strength);
}
