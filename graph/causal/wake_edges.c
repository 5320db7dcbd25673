// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wake_edges.c - the edges of wake-ups: from whoever ended a wait to the segment that
 * begins or goes on there.
 *
 * An edge of a socket's wake-up is held back until it is known whether a message
 * explains it; a wake-up after which nothing was done is found out when the task
 * goes back to sleep.
 */
#include <string.h>

#include "graph/causal/segments.h"
#include "trace/words/describe.h"

/* Of a wake-up in a softirq: which one. */
#define ARRIVE_NET_RX 3
/* Who runs no longer than this, and leaves no record, has not done what it was woken for. */
#define ARRIVE_FALSE_NS 50000ULL
/* Several posters and several waiters of one futex within this time: which was for which is not known. */
#define ARRIVE_MANY_NS 100000000ULL
/* Wakes of one futex by one task within this time are one call. */
#define ARRIVE_HERD_NS 100000ULL
/* In a pthread_cond_t, from the words that who signals may wait on (__g_refs) to those of who waits for a
 * signal
 * (__g_signals); two of each, side by side. */
#define COND_REFS_TO_SIGNALS 24
#define COND_OTHER_GROUP     4
/* The record of a signal follows that of the wake-up that it made. */
#define ARRIVE_SIGNAL_NS 200000ULL

/* Goes on in the timeline of task to ts: to the first interval that ends then or later.  An interval of which
 * nothing is known parts what was before from what comes after. */
static void advance(struct pass *p, uint32_t task, uint64_t ts)
{
	const struct graph_task *t = &p->g->tasks[task];
	const struct interval *s = p->g->intervals;
	uint32_t end = t->first_interval + t->n_intervals, i = p->work[task].interval;
	uint64_t known_ns = 0;

	for (; i < end && (s[i].to_ns < ts || (s[i].to_ns == ts && s[i].state == INTERVAL_UNKNOWN)); i++)
		if (s[i].state == INTERVAL_UNKNOWN)
			known_ns = s[i].to_ns;
	p->work[task].interval = i;
	if (known_ns && segments_cut(p, task, known_ns, GRAPH_NONE, CUT_FIRST)) {
		p->work[task].jobs = 0;
		p->work[task].taken = 0;
	}
}

/* The wait that this wake ended, or NULL: the task was awake. */
static const struct interval *woken_interval(struct pass *p, uint32_t task, uint32_t event)
{
	const struct graph_task *t = &p->g->tasks[task];
	const struct interval *s = p->g->intervals;
	uint32_t end = t->first_interval + t->n_intervals;
	uint64_t ts = p->e[event].r.ts;

	advance(p, task, ts);
	/* one further: it may have been recorded before the switch-out that it belongs to */
	for (uint32_t i = p->work[task].interval, last = 0; i < end && !last; i++) {
		last = s[i].from_ns > ts;
		if (s[i].state == INTERVAL_BLOCKED && s[i].wake == event)
			return &s[i];
	}
	return NULL;
}

static bool is_task_context(const struct window_event *wake)
{
	return wake->r.state == CT_CTX_TASK && wake->r.peer && !(wake->r.flags & CT_WF_IDLE);
}

/* A connection's softirq runs on top of the call that made it: loopback. */
static bool is_sender_below(struct pass *p, const struct window_event *wake, uint32_t waker)
{
	if (wake->r.state != CT_CTX_SOFTIRQ || waker == GRAPH_NONE || wake->r.flags & CT_WF_IDLE)
		return false;
	if ((wake->r.aux & 0xff) == CT_W_WRITE || (wake->r.aux & 0xff) == CT_W_CONNECT)
		return true;
	/* it closes the other end, say */
	return wake->r.flags & CT_WF_READY && match_user(p, graph_peer_object(p->g, wake->r.obj)) == waker;
}

/* Nobody sends or receives on this socket after event. */
static bool is_last_use(const struct pass *p, uint64_t sock, uint32_t event)
{
	size_t n_sent, n_got;
	const struct graph_ref *sent = graph_refs(&p->g->sends, sock, &n_sent);
	const struct graph_ref *got = graph_refs(&p->g->recvs, sock, &n_got);

	return (!n_sent || sent[n_sent - 1].event < event) && (!n_got || got[n_got - 1].event < event);
}

/* The waker of event lets go of sock: it ends, or is in such a call.  The work of a close() is done on the
 * way back from it, where it is in no call any more. */
static bool lets_go(const struct pass *p, uint32_t event, uint64_t sock)
{
	const struct ct_rec *r = &p->e[event].r;
	const char *call = describe_syscall(p->g->w->machine, r->nr);

	if (r->flags & CT_WF_EXITING)
		return true;
	if (r->nr == CT_NR_NONE)
		return is_last_use(p, sock, event);
	return call && (!strcmp(call, "close") || !strcmp(call, "shutdown"));
}

/* The softirq runs on top of a task that lets go of the connection that it used last, and the other end is
 * task's: the end of a connection leaves no record, and nothing to read, so that the wake-up names no socket.
 */
static bool is_closer_below(struct pass *p, uint32_t task, const struct interval *s, uint32_t event,
			    uint32_t waker)
{
	const struct ct_rec *r = &p->e[event].r;
	uint64_t sock, mine;

	if (r->state != CT_CTX_SOFTIRQ || r->wait != ARRIVE_NET_RX || r->obj || r->flags & CT_WF_IDLE ||
	    waker == GRAPH_NONE || waker == task)
		return false;
	sock = p->work[waker].spoke;
	mine = sock ? graph_peer_object(p->g, sock) : 0;
	if (!mine || match_user(p, mine) != task || !lets_go(p, event, sock))
		return false;
	return s->obj == mine || s->wait == CT_W_EPOLL || s->wait == CT_W_POLL;
}

/* A process of mine that ends tells me so by more than one way. */
static bool is_own_child(const struct pass *p, uint32_t task, uint32_t waker)
{
	return waker != GRAPH_NONE && p->g->tasks[waker].ptgid == p->g->tasks[task].tgid &&
	       p->g->tasks[waker].tgid != p->g->tasks[task].tgid;
}

/* Puts task among the last two, at most once. */
static void remember(uint32_t two[2], uint32_t task)
{
	if (two[0] == task)
		return;
	two[1] = two[0];
	two[0] = task;
}

/* The hands of a futex; NULL on error. */
static struct hands *hands_of(struct pass *p, uint64_t futex)
{
	uint64_t at;

	if (map_get(&p->futexes, futex, &at))
		return &p->hands.v[at];
	at = p->hands.n;
	if (VEC_PUSH(&p->hands, (struct hands){ 0 }) || map_set(&p->futexes, futex, at)) {
		p->err = -ENOMEM;
		return NULL;
	}
	return &p->hands.v[at];
}

static bool has_posted(const struct pass *p, uint32_t task, uint64_t futex)
{
	const struct hands *h;
	uint64_t at;

	if (!map_get(&p->futexes, futex, &at))
		return false;
	h = &p->hands.v[at];
	return h->posted_ns && (h->poster[0] == task || h->poster[1] == task);
}

/* Who signals a condition variable of glibc may have to wait inside it, until those who were woken before
 * have left (nptl/pthread_cond_common.c, 2.25 to 2.40): on a word beside the one on which it has posted. */
bool wake_edges_inside_cond(const struct pass *p, uint32_t task, uint64_t futex)
{
	uint64_t signals = futex + COND_REFS_TO_SIGNALS;

	return has_posted(p, task, signals) || has_posted(p, task, signals ^ COND_OTHER_GROUP);
}

/* True when waiter was woken together with others; the edge to the first of them is told so, too. */
static bool note_post(struct pass *p, uint64_t futex, uint32_t poster, uint32_t waiter, uint64_t ts)
{
	struct hands *h = hands_of(p, futex);

	if (!h)
		return false;
	if (!h->posted_ns || ts - h->posted_ns > ARRIVE_MANY_NS)
		*h = (struct hands){ .poster = { GRAPH_NONE, GRAPH_NONE },
				     .waiter = { GRAPH_NONE, GRAPH_NONE } };
	if (h->poster[0] != poster || ts - h->posted_ns > ARRIVE_HERD_NS) {
		h->was_herd = h->n_herd;
		h->n_herd = 0;
	}
	if (h->n_herd < HANDS_HERD)
		h->herd[h->n_herd++] = waiter;
	h->posted_ns = ts;
	remember(h->poster, poster);
	remember(h->waiter, waiter);
	if (h->n_herd == 2 && p->work[h->herd[0]].wake_edge != GRAPH_NONE)
		p->edges.v[p->work[h->herd[0]].wake_edge].flags |= EDGE_TOGETHER;
	return h->n_herd > 1;
}

/* Several post on this futex, and several wait on it: a thing that is handed on may go to any of them.  Where
 * those who post are those who wait, it may be a barrier, or they pass things on to each other; but if they
 * wait with a time limit, and are woken one by one, it is a lock of the program's own making (as Python's).
 */
static bool is_many(struct pass *p, const struct interval *s)
{
	const struct hands *h = hands_of(p, s->obj);
	bool mixed = false;

	if (!h || h->poster[1] == GRAPH_NONE || h->waiter[1] == GRAPH_NONE)
		return false;
	for (int i = 0; i < 2; i++)
		mixed |= h->poster[i] == h->waiter[0] || h->poster[i] == h->waiter[1];
	return !mixed || (s->flags & CT_SF_TIMEOUT && h->n_herd == 1 && h->was_herd == 1);
}

/* Of those that were woken together with task, one went on: the others came for nothing.  (Where all go back,
 * each has had what it was woken for: they met at a barrier, say.  And nothing tells that one who is woken
 * alone, and is soon back for more, came for nothing.) */
static bool is_herd(struct pass *p, uint32_t task, uint64_t ts)
{
	const struct hands *h = hands_of(p, p->work[task].wait_obj);
	bool among = false, went_on = false;

	for (uint32_t i = 0; h && i < h->n_herd; i++) {
		const struct work *w = &p->work[h->herd[i]];

		among |= h->herd[i] == task;
		if (h->herd[i] != task)
			went_on |= w->acts || w->ran_ns + (w->in_ns ? ts - w->in_ns : 0) > ARRIVE_FALSE_NS;
	}
	return among && went_on;
}

static void wake_from(struct pass *p, uint32_t task, const struct interval *s,
		      const struct window_event *wake, uint32_t waker, struct edge *e)
{
	const struct graph_task *t = &p->g->tasks[waker];
	bool exiting = wake->r.flags & CT_WF_EXITING;

	if (exiting && e->strength == EDGE_WEAK && is_own_child(p, task, waker)) {
		e->kind = EDGE_EXIT;
		e->strength = EDGE_STRONG;
	} else if (s->wait == CT_W_SIGNAL && exiting && is_own_child(p, task, waker)) {
		e->kind = EDGE_EXIT;
	} else if (exiting && CT_OBJ_KIND(s->obj) == CT_OBJ_PIDFD) {
		e->kind = EDGE_EXIT;
		e->strength = EDGE_STRONG;
	} else if (e->kind == EDGE_WAKE && CT_OBJ_KIND(s->obj) == CT_OBJ_FUSEDEV && !t->kthread) {
		e->kind = EDGE_FUSE;
		e->strength = EDGE_STRONG;
	} else if (e->kind == EDGE_WAKE && s->wait == CT_W_OPEN && (wake->r.aux & 0xff) == CT_W_OPEN) {
		e->kind = EDGE_PIPE; /* both open one FIFO */
		e->strength = EDGE_STRONG;
	} else if (e->kind == EDGE_POST && wake_edges_inside_cond(p, task, s->obj)) {
		e->kind = EDGE_LOCK;
		e->strength = EDGE_WEAK;
	} else if (e->kind == EDGE_POST) {
		if (note_post(p, s->obj, waker, task, wake->r.ts))
			e->flags |= EDGE_TOGETHER;
		if (is_many(p, s)) {
			e->strength = EDGE_WEAK;
			e->flags |= EDGE_MANY;
		}
	}
}

/* Whether going back to the same wait soon can mean that there was nothing to do. */
static bool may_be_false(const struct interval *s, const struct window_event *wake, const struct edge *e)
{
	bool wait = s->wait == CT_W_FUTEX || s->wait == CT_W_FLOCK || s->wait == CT_W_POLL ||
		    s->wait == CT_W_EPOLL || s->st & CT_ST_DISK ||
		    (s->wait == CT_W_READ && CT_OBJ_KIND(s->obj) == CT_OBJ_SOCK);

	switch (e->kind) {
	case EDGE_MESSAGE: /* others than data and room have no record: a connection, the end of one */
		return wait && wake &&
		       ((wake->r.aux & 0xff) == CT_W_WRITE || (wake->r.aux & 0xff) == CT_W_READ);
	case EDGE_WAKE:
	case EDGE_LOCK:
	case EDGE_POST:
	case EDGE_FILELOCK:
	case EDGE_KERNEL_LOCK:
	case EDGE_TIMER:
	case EDGE_IRQ:
		return wait;
	default:
		return false;
	}
}

void wake_edges_settle(struct pass *p, uint32_t task)
{
	struct work *w = &p->work[task];

	if (!w->wake.kind)
		return;
	w->wake_edge = pass_edge(p, &w->wake);
	w->wake.kind = 0;
}

void wake_edges_explained(struct pass *p, uint32_t task, uint64_t sock, uint32_t from)
{
	struct work *w = &p->work[task];

	if (!w->wake.kind)
		return;
	if (w->wake_sock == sock || (w->wake.from != GRAPH_NONE && p->segments.v[w->wake.from].task == from))
		w->wake.kind = 0;
}

uint32_t wake_edges_adopt(struct pass *p, uint32_t task, uint64_t sock)
{
	if (!p->work[task].wake.kind || p->work[task].wake_sock != sock)
		return GRAPH_NONE;
	wake_edges_settle(p, task);
	return p->work[task].wake_edge;
}

/* A task that acted on something hands on for whom it works. */
static bool hands_on(uint8_t kind)
{
	return kind == EDGE_POST || kind == EDGE_PIPE || kind == EDGE_EVENTFD;
}

/* Whether a message that is received later may explain the wake-up: not who connects, closes or makes room.
 */
static bool may_be_message(const struct interval *s, const struct window_event *wake, const struct edge *e)
{
	if (e->kind != EDGE_MESSAGE || s->wait == CT_W_WRITE)
		return false;
	return e->from == GRAPH_NONE || (wake->r.aux & 0xff) == CT_W_WRITE;
}

static void wake_edges_ended(struct pass *p, uint32_t task, const struct interval *s, uint32_t event)
{
	const struct window_event *wake = &p->e[event];
	uint32_t waker = wake->r.peer ? pass_task(p, wake->r.peer, wake->r.ts) : GRAPH_NONE;
	struct edge e = { .from = GRAPH_NONE, .event = event, .cause = event };
	struct work *w = &p->work[task];
	bool by_task = is_task_context(wake) && waker != GRAPH_NONE, below;

	edge_classify(p->g, s, wake, &e.kind, &e.strength);
	if (e.kind == EDGE_IRQ && is_closer_below(p, task, s, event, waker)) {
		e.kind = EDGE_MESSAGE;
		e.strength = EDGE_STRONG;
		below = true;
	} else {
		below = e.kind == EDGE_MESSAGE && !by_task && is_sender_below(p, wake, waker);
	}
	if (by_task || below)
		e.from = pass_segment(p, waker, wake->r.ts);
	else if (e.kind == EDGE_MESSAGE)
		e.strength = EDGE_WEAK;
	if (by_task)
		wake_from(p, task, s, wake, waker, &e);
	segments_wait(p, task, s, wake->r.ts, event);
	e.to = pass_segment(p, task, wake->r.ts);
	w->may_be_false = p->policy != POLICY_PANAPPTICON && may_be_false(s, wake, &e);
	w->posted = e.kind == EDGE_POST;
	if (e.kind == EDGE_MESSAGE && e.from != GRAPH_NONE && p->segments.v[e.to].event == event)
		w->guest = 1 + waker;
	if (p->err || e.from == e.to || (waker == task && by_task))
		return;
	if (by_task && e.strength == EDGE_STRONG && hands_on(e.kind))
		segments_inherit(p, task, waker);
	w->wake = e;
	if (p->policy == POLICY_CTRACE && may_be_message(s, wake, &e))
		w->wake_sock =
			wake->r.flags & CT_WF_READY ? wake->r.obj : graph_peer_object(p->g, wake->r.obj);
	else
		wake_edges_settle(p, task);
}

void wake_edges_wake(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task = pass_task(p, r->tid, r->ts);
	uint32_t waker = r->peer && is_task_context(&p->e[event]) ? pass_task(p, r->peer, r->ts) : GRAPH_NONE;
	const struct interval *s = task == GRAPH_NONE ? NULL : woken_interval(p, task, event);
	struct work *w;

	if (waker != GRAPH_NONE && waker != task) {
		pass_segment(p, waker, r->ts);
		p->work[waker].acts++;
	}
	if (!s || pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	w = &p->work[task];
	wake_edges_settle(p, task);
	w->wake_edge = GRAPH_NONE;
	w->woken = event;
	w->wait = s->wait;
	w->wait_obj = s->obj;
	w->ran_ns = 0;
	w->in_ns = 0;
	w->acts = 0;
	wake_edges_ended(p, task, s, event);
}

bool wake_edges_by_signal(struct pass *p, uint32_t task, uint32_t sender, uint32_t event)
{
	struct work *w = &p->work[task];
	const struct window_event *e = &p->e[event];
	struct edge *wake = w->wake_edge != GRAPH_NONE ? &p->edges.v[w->wake_edge] : NULL;

	if (!wake || wake->from == GRAPH_NONE || p->segments.v[wake->from].task != sender ||
	    (wake->kind != EDGE_WAKE && wake->kind != EDGE_SIGNAL && wake->kind != EDGE_EXIT) ||
	    e->r.ts - p->e[wake->event].r.ts > ARRIVE_SIGNAL_NS)
		return false;
	wake->cause = event;
	if (wake->kind != EDGE_EXIT) {
		wake->kind = EDGE_SIGNAL;
		wake->strength = e->r.flags & CT_GF_KERNEL ? EDGE_WEAK : EDGE_STRONG;
	}
	w->may_be_false = false;
	return true;
}

/* It goes back to sleep on what it was woken from, and has done nothing. */
static void find_false_wake(struct pass *p, uint32_t task, const struct ct_rec *r)
{
	struct work *w = &p->work[task];
	const struct segment *s = &p->segments.v[w->segment];

	if (!w->may_be_false || w->acts || w->ran_ns > ARRIVE_FALSE_NS || w->wait != r->wait ||
	    w->wait_obj != r->obj)
		return;
	wake_edges_settle(p, task);
	if (w->posted && !is_herd(p, task, r->ts))
		return;
	if (w->wake_edge != GRAPH_NONE) {
		p->edges.v[w->wake_edge].strength = EDGE_WEAK;
		p->edges.v[w->wake_edge].flags |= EDGE_FALSE_WAKE;
	}
	if (s->cut == CUT_IDLE && s->event == w->woken && w->before != GRAPH_NONE)
		segments_undo(p, task);
}

static void switch_out(struct pass *p, uint32_t task, const struct ct_rec *r, uint32_t event)
{
	struct work *w = &p->work[task];

	if (pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	if (w->in_ns)
		w->ran_ns += r->ts - w->in_ns;
	w->in_ns = 0;
	if (r->state == CT_ST_RUNNING)
		return;
	find_false_wake(p, task, r);
	w->may_be_false = false;
	wake_edges_settle(p, task);
	w->visit_stack = 0;
	if (r->wait != CT_W_WRITE)
		w->parted = event;
	if (r->wait == CT_W_READ && CT_OBJ_KIND(r->obj) == CT_OBJ_SOCK)
		match_blocked(p, r->obj, r->ts);
}

/* The task is on a CPU again; a wait whose wake was lost ends here, and an interval of which nothing is
 * known.
 */
static void switch_in(struct pass *p, uint32_t task, const struct ct_rec *r, uint32_t event)
{
	const struct graph_task *t = &p->g->tasks[task];
	const struct interval *s = p->g->intervals;
	struct work *w = &p->work[task];
	uint32_t end = t->first_interval + t->n_intervals;

	if (pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	advance(p, task, r->ts);
	for (uint32_t i = w->interval; i < end && s[i].to_ns == r->ts && s[i].from_ns < r->ts; i++)
		if (s[i].state == INTERVAL_BLOCKED && s[i].wake == GRAPH_NONE)
			segments_wait(p, task, &s[i], r->ts, event);
	w->in_ns = r->ts;
}

void wake_edges_switch(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task = r->tid ? pass_task(p, r->tid, r->ts) : GRAPH_NONE;

	if (task != GRAPH_NONE)
		switch_out(p, task, r, event);
	task = r->peer ? pass_task(p, r->peer, r->ts) : GRAPH_NONE;
	if (task != GRAPH_NONE)
		switch_in(p, task, r, event);
}
