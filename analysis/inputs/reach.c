// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/inputs/reach.h"

#include <errno.h>

#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"

static uint64_t ns_of(const struct reach *r, uint32_t event)
{
	return r->m->g->w->events[event].r.ts;
}

/* Returns false if the budget for walks (scan.h) is spent. Then the walk ends, and it is not known whether
 * there is a further update. */
static bool step(struct reach *r)
{
	bool ok = scan_step(r->m->g);

	r->open |= !ok;
	return ok;
}

/* Returns true if the display server ended the wait: with an event, or with an answer. */
static bool ended_by_server(const struct reach *r, const struct interval *s)
{
	const struct graph *g = r->m->g;
	const struct ct_rec *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake].r;
	uint32_t waker;

	if (!wake || !ct_wake_by_task(wake))
		return false;
	waker = graph_task_at(g, ct_wake_waker(wake), wake->ts);
	return waker != GRAPH_NONE && moments_is_server(r->m, waker);
}

/* Returns true if the task has sent to the display server since from_ns. */
static bool has_asked(struct reach *r, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct moments *m = r->m;
	size_t i = moments_from(m, task, from_ns);

	for (; i < m->v.n && m->v.v[i].task == task && ns_of(r, m->v.v[i].event) <= to_ns && step(r); i++)
		if (m->v.v[i].kind == MOMENT_SEND)
			return true;
	return false;
}

/* In a wait for several things, or only for the display server, a thread of a program is in its event loop.
 * Exception: the thread waits for an answer of the server. */
static bool is_loop_wait(struct reach *r, const struct interval *s, uint64_t from_ns)
{
	if (s->state != INTERVAL_BLOCKED)
		return false;
	if (s->wait == CT_W_EPOLL || (s->wait == CT_W_POLL && (!s->obj || moments_is_display(r->m, s->obj))))
		return !ended_by_server(r, s) || !has_asked(r, s->task, from_ns, s->from_ns);
	return false;
}

/* Returns when the first wait of the task in its event loop in [from_ns, to_ns) begins; else to_ns. */
static uint64_t next_loop_wait(struct reach *r, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph *g = r->m->g;
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns), end = t->first_interval + t->n_intervals;

	for (; i != GRAPH_NONE && i < end && g->intervals[i].from_ns < to_ns && step(r); i++) {
		const struct interval *s = &g->intervals[i];

		if (s->from_ns >= from_ns && is_loop_wait(r, s, from_ns))
			return s->from_ns;
		if (s->state == INTERVAL_UNKNOWN || s->state == INTERVAL_FOLDED)
			r->open = true;
	}
	return to_ns;
}

/* The work for an event goes on after a cut in the middle of it. A thread that takes events of the display
 * server idles in its event loop, and next_loop_wait() finds this. So if it idles elsewhere, it waits for a
 * part of its work. */
static bool is_idle_cut(const struct reach *r, const struct segment *s)
{
	return s->cut == CUT_FIRST || (s->cut == CUT_IDLE && !moments_takes(r->m, s->task));
}

/* Returns when the task first idles after from_ns, at the latest when the window ends. */
static uint64_t idles_at(struct reach *r, uint32_t task, uint64_t from_ns)
{
	const struct causal *c = r->c;
	uint32_t seg = causal_segment_at(c, task, from_ns);
	uint64_t to_ns = MIN(r->m->g->w->to_ns, r->m->g->tasks[task].exit_ns);

	to_ns = MIN(to_ns, from_ns + INPUT_REACH_NS);
	if (seg == GRAPH_NONE)
		return to_ns;
	for (seg++; seg < c->first[task + 1] && step(r); seg++)
		if (is_idle_cut(r, &c->segments[seg])) {
			to_ns = MIN(to_ns, c->segments[seg].from_ns);
			break;
		}
	return next_loop_wait(r, task, from_ns, to_ns);
}

static const struct moment *moment_at(const struct reach *r, size_t i, uint32_t task)
{
	return i < r->m->v.n && r->m->v.v[i].task == task ? &r->m->v.v[i] : NULL;
}

/* The end of the piece: the task takes an event, begins or ends a job, or idles. */
static uint64_t piece_end(struct reach *r, uint32_t task, uint32_t event, uint64_t from_ns)
{
	const struct causal *c = r->c;
	uint32_t seg = causal_segment_at(c, task, from_ns);
	uint64_t end_ns = idles_at(r, task, from_ns);

	for (seg++; seg && seg < c->first[task + 1] && c->segments[seg].from_ns < end_ns && step(r); seg++)
		if (c->segments[seg].cut != CUT_IDLE)
			end_ns = c->segments[seg].from_ns;
	for (size_t i = moments_after(r->m, task, event); moment_at(r, i, task) && step(r); i++)
		if (r->m->v.v[i].kind == MOMENT_TAKE)
			return MIN(end_ns, ns_of(r, r->m->v.v[i].event));
	return end_ns;
}

/* Returns 1 + the index of the task's newest piece, or 0. */
static uint32_t newest(const struct reach *r, uint32_t task)
{
	uint64_t at = 0;

	map_get(&r->newest, task, &at);
	return (uint32_t)at;
}

static bool is_followed(const struct reach *r, uint32_t task, uint64_t from_ns)
{
	for (uint32_t at = newest(r, task); at; at = r->v.v[at - 1].older)
		if (from_ns >= r->v.v[at - 1].from_ns && from_ns < r->v.v[at - 1].to_ns)
			return true;
	return false;
}

static int add_piece(struct reach *r, uint32_t task, uint32_t event, uint64_t from_ns, uint64_t job)
{
	struct piece p = { .from_ns = from_ns, .task = task, .event = event, .job = job };

	if (r->m->g->tasks[task].tracer || moments_is_server(r->m, task) || is_followed(r, task, from_ns))
		return 0;
	if (r->v.n >= INPUT_PIECES || (r->v.n && from_ns - r->v.v[0].from_ns > INPUT_REACH_NS)) {
		r->open = true;
		return 0;
	}
	p.to_ns = piece_end(r, task, event, from_ns);
	p.older = newest(r, task);
	r->open |= p.to_ns >= r->m->g->w->to_ns || p.to_ns >= from_ns + INPUT_REACH_NS;
	return VEC_PUSH(&r->v, p) || map_set(&r->newest, task, r->v.n) ? -ENOMEM : 0;
}

static void show(struct reach *r, uint32_t task, uint64_t ns)
{
	if (ns <= r->shown_ns)
		return;
	r->shown_ns = ns;
	r->sender = task;
}

/* Returns the send of what the task drew at moment i: the last one before the task turns to something else,
 * or else the next one before it idles. If there is none, another thread may send, so returns when the task
 * drew. */
static uint64_t sent_after(struct reach *r, size_t i)
{
	uint32_t task = r->m->v.v[i].task;
	uint64_t drawn_ns = ns_of(r, r->m->v.v[i].event), sent_ns = 0, idle_ns = idles_at(r, task, drawn_ns);
	const struct moment *x;

	while ((x = moment_at(r, ++i, task)) && ns_of(r, x->event) <= idle_ns && step(r)) {
		if (x->kind == MOMENT_SEND)
			sent_ns = ns_of(r, x->event);
		if (sent_ns && x->kind != MOMENT_SEND)
			break;
	}
	return sent_ns ? sent_ns : drawn_ns;
}

static bool reads(const struct reach *r, uint32_t task, uint64_t tty, uint64_t ns)
{
	const struct graph *g = r->m->g;
	uint32_t i = graph_interval_at(g, task, ns ? ns - 1 : 0);

	return moments_writes(r->m, task, tty) || (i != GRAPH_NONE && g->intervals[i].obj == tty);
}

/* Returns true if the record shows that the task does something, besides waiting. */
static bool acts(const struct ct_rec *x, uint32_t tid)
{
	if (x->kind == CT_WAKE)
		return ct_wake_by_task(x) && ct_wake_waker(x) == tid;
	return x->tid == tid && x->kind != CT_SWITCH && x->kind != CT_WAITFD;
}

static bool is_by_kernel(const struct graph *g, const struct ct_rec *wake)
{
	uint32_t waker = ct_wake_by_task(wake) ? graph_task_at(g, ct_wake_waker(wake), wake->ts) : GRAPH_NONE;

	return waker != GRAPH_NONE && g->tasks[waker].kthread;
}

/* Returns true if a task waits to read this side of a pseudo terminal, and nothing else. */
static bool is_awaited(struct reach *r, uint64_t tty, uint64_t ns)
{
	const struct graph *g = r->m->g;

	for (uint32_t task = 0; task < g->n_tasks && step(r); task++) {
		uint32_t i = graph_interval_at(g, task, ns);

		if (i != GRAPH_NONE && g->intervals[i].from_ns <= ns &&
		    g->intervals[i].state == INTERVAL_BLOCKED && g->intervals[i].obj == tty)
			return true;
	}
	return false;
}

static bool same_process(const struct reach *r, uint32_t a, uint32_t b)
{
	return r->m->g->tasks[a].tgid == r->m->g->tasks[b].tgid;
}

/* After a write to a pseudo terminal, a kernel thread wakes the task at the other side. It need not be the
 * kernel thread that the write wakes. Kernel threads also wake others meanwhile, so the task has to be one
 * that reads from the other side, or writes to it. If the wake-up comes too early, the task does nothing, and
 * is woken again.
 * If there is no such wake-up, the task at the other side may be busy, and read later. Or the terminal itself
 * echoes what is written: then a kernel thread wakes the writer. writer: the task that writes. event: the
 * record of the write. */
static int follow_write(struct reach *r, uint32_t writer, uint32_t event)
{
	const struct graph *g = r->m->g;
	const struct ct_rec *write = &g->w->events[event].r;
	uint64_t other = graph_peer_object(g, write->obj);
	uint32_t reader = GRAPH_NONE;
	bool echoed = false;
	int err = 0;

	for (uint32_t i = event + 1; i < g->w->n_events && !err && step(r); i++) {
		const struct ct_rec *x = &g->w->events[i].r;
		uint32_t task;

		if (x->ts - write->ts > INPUT_TERMINAL_NS ||
		    (reader != GRAPH_NONE && acts(x, g->tasks[reader].tid)))
			break;
		if (x->kind != CT_WAKE || !is_by_kernel(g, x))
			continue;
		task = graph_task_at(g, x->tid, x->ts);
		echoed |= task != GRAPH_NONE && same_process(r, task, writer);
		if (task == GRAPH_NONE || !reads(r, task, other, x->ts))
			continue;
		err = add_piece(r, task, i, x->ts, 0);
		reader = task;
	}
	if (reader == GRAPH_NONE)
		r->open |= echoed || !is_awaited(r, other, write->ts);
	return err;
}

static bool may_share(const struct reach *r, const struct moment *x, enum ct_input own)
{
	enum ct_input what = ct_input_what(&r->m->g->w->events[x->event].r);

	if (x->kind != MOMENT_TAKE)
		return false;
	/* the end of a press mostly changes nothing on the display */
	return !(what == CT_INPUT_KEY_UP && own == CT_INPUT_KEY) &&
	       !(what == CT_INPUT_BUTTON_UP && own == CT_INPUT_BUTTON) && what != CT_INPUT_TOUCH_UP;
}

/* Returns when the task takes the next event that may cause an update. */
static uint64_t next_take_ns(struct reach *r, uint32_t task, uint32_t event)
{
	enum ct_input own = ct_input_what(&r->m->g->w->events[event].r);

	for (size_t i = moments_after(r->m, task, event); moment_at(r, i, task) && step(r); i++)
		if (may_share(r, &r->m->v.v[i], own))
			return ns_of(r, r->m->v.v[i].event);
	return UINT64_MAX;
}

/* Returns true if a kernel thread wakes a reader of a terminal to which the process of the task writes, soon
 * after the event; or the process itself, to which the terminal may echo. If the kernel thread runs already,
 * no record shows the write. An echo after the next event is that of the next event. */
static bool may_have_written(struct reach *r, uint32_t task, uint32_t event)
{
	const struct graph *g = r->m->g;
	uint64_t next_ns;

	if (!moments_writes(r->m, task, 0))
		return false;
	next_ns = next_take_ns(r, task, event);
	for (uint32_t i = event + 1; i < g->w->n_events && step(r); i++) {
		const struct ct_rec *x = &g->w->events[i].r;
		uint32_t woken, s;
		uint64_t tty;

		if (x->ts - ns_of(r, event) > INPUT_TERMINAL_NS)
			break;
		if (x->kind != CT_WAKE || !is_by_kernel(g, x))
			continue;
		woken = graph_task_at(g, x->tid, x->ts);
		if (woken != GRAPH_NONE && x->ts < next_ns && same_process(r, woken, task))
			return true;
		s = woken == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(g, woken, x->ts ? x->ts - 1 : 0);
		tty = s == GRAPH_NONE ? 0 : g->intervals[s].obj;
		if (CT_OBJ_KIND(tty) == CT_OBJ_TTY && moments_writes(r->m, task, graph_peer_object(g, tty)))
			return true;
	}
	return false;
}

static int see_moment(struct reach *r, const struct piece *p, size_t i)
{
	const struct moment *x = &r->m->v.v[i], *start;

	switch ((enum moment_kind)x->kind) {
	case MOMENT_SEND:
		if (!moments_draws(r->m, x->task))
			show(r, x->task, ns_of(r, x->event));
		return 0;
	case MOMENT_DRAW:
		show(r, x->task, sent_after(r, i));
		return 0;
	case MOMENT_ENQUEUE:
		/* A job that enqueues itself again, such as a frame of an animation, has its own reasons. */
		if (x->job == p->job)
			return 0;
		start = moments_start(r->m, x->job, x->event);
		r->open |= !start;
		return start ? add_piece(r, start->task, start->event, ns_of(r, start->event), x->job) : 0;
	case MOMENT_WRITE:
		return follow_write(r, x->task, x->event);
	case MOMENT_TAKE:
	case MOMENT_START:
		break;
	}
	return 0;
}

/* Returns true if an edge of this kind means that the task of the effect works for that of the cause. */
static bool hands_on_work(uint8_t kind)
{
	switch ((enum edge_kind)kind) {
	case EDGE_WAKE:
	case EDGE_POST:
	case EDGE_MESSAGE:
	case EDGE_PIPE:
	case EDGE_EVENTFD:
	case EDGE_EXIT:
	case EDGE_SIGNAL:
	case EDGE_FORK:
	case EDGE_FUSE:
	case EDGE_VFORK:
	case EDGE_FLAG:
	case EDGE_EXEC:
		return true;
	case EDGE_JOB: /* see_moment() follows jobs */
	case EDGE_LOCK:
	case EDGE_FILELOCK:
	case EDGE_TIMER:
	case EDGE_IRQ:
	case EDGE_KERNEL_LOCK:
	case EDGE_POLLED:
	case EDGE_OWNER:
	case EDGE_CPU:
	case EDGE_STOP:
	case EDGE_DISK:
	case EDGE_ANSWER:
	case EDGE_NEIGHBOUR:
	case EDGE_LOCK_ORDER:
		break;
	}
	return false;
}

/* Returns true if the task works for the event until the wait, which begins at ns. */
static bool waits_in_work(const struct reach *r, uint32_t task, uint64_t ns)
{
	for (uint32_t at = newest(r, task); at; at = r->v.v[at - 1].older)
		if (ns >= r->v.v[at - 1].from_ns && ns <= r->v.v[at - 1].to_ns)
			return true;
	return false;
}

/* A thread that begins to wait on a futex during the piece may wait for a lock, which the task of the piece
 * has: for example the lock of Xlib, which is a condition variable. A thread that waits for work mostly waits
 * since before, or since it has worked for the event. */
static bool may_be_lock(const struct reach *r, const struct piece *p, const struct edge *e)
{
	const struct interval *s = causal_wait_ended(r->c, e);

	return s && s->wait == CT_W_FUTEX && s->from_ns > p->from_ns &&
	       !waits_in_work(r, s->task, s->from_ns);
}

static int see_edge(struct reach *r, const struct piece *p, const struct edge *e)
{
	const struct causal *c = r->c;
	uint64_t left_ns = edge_left_ns(c, e), from_ns;

	if (e->strength != EDGE_STRONG || !hands_on_work(e->kind) || e->event == GRAPH_NONE ||
	    left_ns < p->from_ns || left_ns > p->to_ns)
		return 0;
	if (may_be_lock(r, p, e)) {
		r->open = true;
		return 0;
	}
	from_ns = MAX(edge_arrived_ns(c, e), c->segments[e->to].from_ns);
	return add_piece(r, c->segments[e->to].task, e->event, from_ns, 0);
}

static int see_edges(struct reach *r, const struct piece *p)
{
	const struct causal *c = r->c;
	uint32_t seg = causal_segment_at(c, p->task, p->from_ns);
	int err = 0;

	for (; seg < c->first[p->task + 1] && c->segments[seg].from_ns < p->to_ns; seg++)
		for (uint32_t i = c->out_first[seg]; i < c->out_first[seg + 1] && !err && step(r); i++)
			err = see_edge(r, p, &c->edges[c->out[i]]);
	return err;
}

static int follow_piece(struct reach *r, struct piece p)
{
	size_t i = moments_after(r->m, p.task, p.event);
	int err = 0;

	for (; !err && moment_at(r, i, p.task) && ns_of(r, r->m->v.v[i].event) <= p.to_ns && step(r); i++)
		if (r->m->v.v[i].kind == MOMENT_TAKE)
			break;
		else
			err = see_moment(r, &p, i);
	return err ? err : see_edges(r, &p);
}

/* Xlib collects what a program draws, and sends it before the program idles, or when there is much of it. So
 * if the task takes further events and does not idle in between, one send may be for several events. If the
 * piece has no send, takes the next one. */
static void find_shared_send(struct reach *r, const struct piece *p)
{
	enum ct_input own = ct_input_what(&r->m->g->w->events[p->event].r);
	uint64_t idle_ns = idles_at(r, p->task, p->from_ns);
	size_t first = moments_after(r->m, p->task, p->event), i = first;
	bool sent = false;

	for (; !sent && moment_at(r, i, p->task) && ns_of(r, r->m->v.v[i].event) <= idle_ns && step(r); i++) {
		sent = r->m->v.v[i].kind == MOMENT_SEND;
		if (sent)
			show(r, p->task, ns_of(r, r->m->v.v[i].event));
		else
			r->shared |= may_share(r, &r->m->v.v[i], own);
	}
	if (!sent)
		r->shared = false;
	/* earlier events, after which nothing was sent */
	for (i = first - 1;
	     sent && i-- > 0 && moment_at(r, i, p->task) && r->m->v.v[i].kind != MOMENT_SEND;) {
		if (!step(r) || idles_at(r, p->task, ns_of(r, r->m->v.v[i].event)) < p->from_ns)
			break;
		r->shared |= may_share(r, &r->m->v.v[i], own);
	}
}

static int follow_pieces(struct reach *r, size_t from)
{
	int err = 0;

	for (size_t i = from; i < r->v.n && !err; i++)
		err = follow_piece(r, r->v.v[i]);
	return err;
}

/* Qt does not ask for an update of the window again, if it has done so before and the update has not begun.
 * So if a job that waited already when the task took the event then draws, it may draw for the event too. */
static int follow_waiting_jobs(struct reach *r, uint32_t task, uint32_t event)
{
	uint64_t idle_ns = idles_at(r, task, ns_of(r, event));
	size_t from = r->v.n;
	int err = 0;

	for (size_t i = moments_after(r->m, task, event); !err && moment_at(r, i, task) && step(r); i++) {
		const struct moment *x = &r->m->v.v[i];

		if (ns_of(r, x->event) > idle_ns)
			break;
		if (x->kind == MOMENT_START && moments_waited(r->m, x->job, x->event, event))
			err = add_piece(r, task, x->event, ns_of(r, x->event), x->job);
	}
	if (!err)
		err = follow_pieces(r, from);
	r->shared = r->shown_ns;
	return err;
}

/* Returns true if another task worked for the event. It may have given the work back to a thread that did not
 * wait, and then no record shows this. */
static bool went_on_elsewhere(const struct reach *r, uint32_t task)
{
	for (size_t i = 0; i < r->v.n; i++)
		if (r->v.v[i].task != task)
			return true;
	return false;
}

static void forget(struct reach *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		map_del(&r->newest, r->v.v[i].task);
	r->v.n = 0;
}

int reach_follow(struct reach *r, uint32_t task, uint32_t event)
{
	int err;

	forget(r);
	r->shown_ns = 0;
	r->sender = GRAPH_NONE;
	r->open = r->shared = false;
	err = add_piece(r, task, event, ns_of(r, event), 0);
	r->open |= !r->v.n; /* the task is a display server itself */
	if (!err && r->v.n && !moments_draws(r->m, task))
		find_shared_send(r, &r->v.v[0]);
	if (!err)
		err = follow_pieces(r, 0);
	if (!err && !r->shown_ns && moments_draws(r->m, task))
		err = follow_waiting_jobs(r, task, event);
	if (!r->shown_ns)
		r->open |= went_on_elsewhere(r, task) || may_have_written(r, task, event);
	return err;
}

void reach_done(struct reach *r)
{
	VEC_FREE(&r->v);
	map_done(&r->newest);
}
