// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path.c - finds the critical path. The published methods walk backward in time; this walk goes
 * forward and gives the same path. The walk replaces each part of a wait by the intervals of the
 * task to blame in that part (Panappticon, section 4.3). The intervals are cut to the time of the
 * wait.
 */
#include "graph/path/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/wake/legs.h"
#include "graph/wake/owner.h"
#include "graph/wake/repeats.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

struct walker {
	const struct graph *g;
	VEC(struct path_piece) pieces;
	VEC(struct path_frame) frames;
	VEC(struct blame) leaves;
	uint32_t stack[PATH_MAX_DEPTH + 1]; /* [depth]: the task of the open frame at this depth;
					       GRAPH_NONE: no open frame */
	uint32_t *near; /* [task]: the interval that the last look-up found. The frames of a task
			   come in order of time, so the next look-up starts at this interval. */
	/* The answer of blame_wait() for the wait `last` and the limit last_ns. It is kept,
	 * because many waits of one event loop have the same last repeat. */
	uint32_t last;
	uint64_t last_ns;
	struct blame last_blame;
	/* [depth]: the legs (legs.h) of the request of the open frame at this depth, and the
	 * frame to which these legs belong. */
	struct legs legs[PATH_MAX_DEPTH + 1];
	uint32_t legs_of[PATH_MAX_DEPTH + 1];
	bool truncated;
	int err;
};

static void add_piece(struct walker *k, uint32_t frame, uint64_t from, uint64_t to, uint32_t interval,
		      uint8_t time, uint32_t blame, bool cycle)
{
	struct path_piece p = { .from_ns = from,
				.to_ns = to,
				.frame = frame,
				.interval = interval,
				.time = time,
				.blame = blame,
				.cycle = cycle };

	if (from < to && VEC_PUSH(&k->pieces, p))
		k->err = -ENOMEM;
}

static bool on_stack(const struct walker *k, uint32_t depth, uint32_t task)
{
	for (uint32_t i = 0; i <= depth; i++)
		if (k->stack[i] == task)
			return true;
	return false;
}

static void walk(struct walker *k, uint32_t frame);

/* Returns the time up to which records may explain the waits in the frame. For frame 0, this is the
 * end of the frame. For other frames, it is the time at which the task of the frame ended the wait
 * that opened the frame, but not earlier than the end of the frame. If the waiter polled, it may be
 * long after the end of the frame. */
static uint64_t horizon(const struct path_frame *f)
{
	return f->depth ? MAX(f->to_ns, f->blame.until_ns) : f->to_ns;
}

/* Returns true if the interval is a wait of an event loop. */
static bool is_poll(const struct graph *g, uint32_t interval)
{
	uint8_t wait = g->intervals[interval].wait;

	return wait == CT_W_POLL || wait == CT_W_EPOLL;
}

/* Returns the last repeat, in the frame, of the wait `interval` of an event loop. A loop that
 * goes back to wait on the same set has not answered yet. So, for the waiter, the last wake-up
 * before the answer counts. Returns `interval` itself if it has no such repeat, if it is no
 * poll, or if f is frame 0. */
static uint32_t last_idle(const struct walker *k, const struct path_frame *f, uint32_t interval)
{
	uint64_t end = horizon(f);
	uint32_t last;

	if (f->depth == 0 || !is_poll(k->g, interval))
		return interval;
	last = repeats_last(k->g, interval, end, no_progress_ns(end - f->from_ns));
	return last == GRAPH_NONE ? interval : last;
}

/* Returns true if the task of frame f acted because of its own time limit: the limit ended the
 * wait `interval`, and the task did not repeat this wait before it ended the waiter's wait. */
static bool acted_on_limit(const struct walker *k, const struct path_frame *f, uint32_t interval,
			   const struct blame *b)
{
	uint64_t end = horizon(f);
	uint32_t next;

	if (f->depth == 0 || !f->blame.ended || f->blame.killed || !b->timed_out ||
	    k->g->intervals[interval].to_ns > end)
		return false;
	next = repeats_next(k->g, interval);
	return next == GRAPH_NONE || k->g->intervals[next].from_ns >= end;
}

/* Called for a wait that its own time limit ended. Returns true if the wait was a sleep. Then no
 * other task is to blame: neither a task that sends requests to this event loop, nor a task that
 * posted on this futex earlier. */
static bool is_sleep(const struct graph *g, uint32_t interval, const struct blame *b)
{
	if (g->intervals[interval].wait == CT_W_FUTEX)
		return b->timed_out && b->edge == EDGE_OWNER;
	return is_poll(g, interval) && graph_is_accepted(g, b->obj);
}

/* Like blame_wait(), but keeps the last answer, because the walk asks about some waits
 * repeatedly. */
static void blame_last(struct walker *k, uint32_t last, uint64_t limit_ns, struct blame *b)
{
	if (last != k->last || limit_ns != k->last_ns)
		blame_wait(k->g, last, limit_ns, &k->last_blame);
	k->last = last;
	k->last_ns = limit_ns;
	*b = k->last_blame;
}

/* Returns true if a request of some client ended the wait of an event loop. */
static bool is_request(const struct graph *g, uint32_t interval, const struct blame *b)
{
	return is_poll(g, interval) && b->ended && b->edge == EDGE_MESSAGE && graph_is_accepted(g, b->obj);
}

/* Returns when the waiter sent the request whose answer ended the wait of b. Returns 0 if this is
 * not known, or if no answer ended the wait. */
static uint64_t asked_ns(const struct graph *g, const struct blame *b)
{
	const struct graph_ref *sent = b->ended && b->edge == EDGE_MESSAGE &&
						       CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK &&
						       !graph_is_accepted(g, b->obj)
					       ? graph_ref_before(g, &g->sends, b->obj, b->until_ns)
					       : NULL;

	return sent ? g->w->events[sent->event].r.ts : 0;
}

/* Returns the same wait as last_idle(), and fills *b with the blame of this wait. Exception:
 * after `interval`, the event loop may send a request of its own, and wait for the answer. The
 * wait for this answer says nothing about the end of `interval`. Then the result is the last
 * repeat before that request. */
static uint32_t last_blamed(struct walker *k, const struct path_frame *f, uint32_t interval, struct blame *b)
{
	uint64_t end = horizon(f), asked;
	uint32_t last = last_idle(k, f, interval), before;

	blame_last(k, last, end, b);
	for (unsigned i = 0; i < ASKED_STEPS && last != interval; i++) {
		asked = asked_ns(k->g, b);
		if (asked <= k->g->intervals[interval].to_ns)
			break;
		before = repeats_last(k->g, interval, asked, no_progress_ns(end - f->from_ns));
		if (before != GRAPH_NONE && before >= last)
			break;
		last = before == GRAPH_NONE ? interval : before;
		blame_last(k, last, end, b);
		/* A client's request ended this wait, but this request is not the reason why the
		 * loop sent its own request. */
		if (is_request(k->g, last, b))
			blame_lasting(k->g, last, b);
	}
	return last;
}

/* Returns true if the wait is on a futex, and no record shows which task could end it. */
static bool is_unexplained(const struct graph *g, uint32_t interval, const struct blame *b)
{
	const struct interval *s = &g->intervals[interval];

	return s->wait == CT_W_FUTEX && b->edge == EDGE_OWNER && !b->ended && !graph_futex_owner(g, s);
}

/* A task for which another task waits may look at its clock now and then: its wait times out,
 * and the task repeats the wait up to the end of the trace. If the task does this, and some
 * other task could end the last repeat, fills *b with that other task. Otherwise leaves *b as it
 * is. */
static void blame_open(const struct graph *g, uint32_t interval, uint64_t since_ns, uint64_t ran_ns,
		       struct blame *b)
{
	uint32_t open = is_poll(g, interval) || g->intervals[interval].wait == CT_W_FUTEX
				? repeats_open(g, interval, ran_ns)
				: GRAPH_NONE;
	struct blame lasting;

	if (open == GRAPH_NONE)
		return;
	blame_lasting(g, open, &lasting);
	if (is_unexplained(g, open, &lasting))
		blame_active(g, open, since_ns, &lasting);
	if (lasting.task != GRAPH_NONE)
		*b = lasting;
}

static void blame_repeats(struct walker *k, const struct path_frame *f, uint32_t interval, struct blame *b)
{
	uint32_t last = last_blamed(k, f, interval, b);
	uint64_t end = horizon(f);
	bool limit;

	if (last != interval && b->task != GRAPH_NONE && !b->timed_out && !on_stack(k, f->depth, b->task))
		return;
	limit = acted_on_limit(k, f, last, b);
	if (last != interval)
		blame_wait(k->g, interval, horizon(f), b);
	if (f->depth && b->timed_out && b->task == GRAPH_NONE)
		blame_open(k->g, interval, f->from_ns, no_progress_ns(end - f->from_ns), b);
	if (limit && (b->edge == EDGE_TIMER || is_sleep(k->g, interval, b)))
		*b = (struct blame){ .task = GRAPH_NONE,
				     .event = GRAPH_NONE,
				     .until_ns = k->g->intervals[last].to_ns,
				     .kind = RESOURCE_TIMER,
				     .time = TIME_TIMER,
				     .edge = EDGE_TIMER,
				     .ended = true,
				     .timed_out = true };
}

/* The walk came from another process into the process of `frame`. If the reason was a request
 * that has no answer yet, returns the frame at which this happened. Returns NULL if there was
 * another reason, or if `frame` is of the victim's process. */
static const struct path_frame *unanswered(const struct walker *k, uint32_t frame)
{
	const struct path_frame *f = &k->frames.v[frame], *up;

	for (; f->depth; f = up) {
		up = &k->frames.v[f->parent];
		if (k->g->tasks[up->task].tgid != k->g->tasks[f->task].tgid)
			return f->blame.owed && !f->blame.ended ? f : NULL;
	}
	return NULL;
}

/* A thread of the process has received a request. Returns true if the wait `interval` of a thread
 * of the same process may have nothing to do with the request: the waiting thread may have got
 * other work, or the task to blame is a guess. */
static bool is_aside(const struct graph *g, uint32_t interval, const struct blame *b)
{
	if (g->intervals[interval].wait == CT_W_FUTEX)
		return b->edge == EDGE_OWNER || b->edge == EDGE_POST || b->edge == EDGE_TIMER;
	return is_poll(g, interval) && !b->owed;
}

/* The waiter of frame f asked the event loop of the frame. Returns true if the loop waited for
 * an answer that it had asked for before it received the waiter's request. Then this answer is
 * for another request. The waiter may be queued behind the other request, or may have nothing to
 * do with it. */
static bool is_of_another_request(const struct graph *g, const struct path_frame *f, uint32_t interval,
				  const struct blame *b)
{
	uint64_t peer = graph_peer_object(g, f->blame.obj), asked = asked_ns(g, b);
	const struct graph_ref *sent, *got;
	size_t n;

	if (!f->depth || !is_poll(g, interval) || !asked || !peer || graph_is_accepted(g, f->blame.obj))
		return false;
	sent = graph_ref_before(g, &g->sends, f->blame.obj, f->from_ns);
	if (!sent)
		return false;
	got = graph_refs_from(g, &g->recvs, peer, g->w->events[sent->event].r.ts, &n);
	return n && asked < g->w->events[got->event].r.ts;
}

/* If the waiter of frame f asked an event loop, finds the legs of the waiter's request. Sets
 * *ret in any case. */
static void find_legs(struct walker *k, const struct path_frame *f, struct legs *ret)
{
	uint64_t sock = graph_peer_object(k->g, f->blame.obj);
	const struct graph_ref *sent =
		sock ? graph_ref_before(k->g, &k->g->sends, f->blame.obj, f->from_ns) : NULL;

	*ret = (struct legs){ 0 };
	if (sent && graph_is_accepted(k->g, sock) &&
	    legs_find(k->g, k->g->tasks[f->task].tgid, sock, k->g->w->events[sent->event].r.ts, horizon(f),
		      ret))
		k->err = -ENOMEM;
}

/* The waiter of the frame may have asked an event loop. If the messages show for which answer
 * the loop waited in `interval`, while it had the waiter's request, fills *b and returns true. */
static bool blame_leg(struct walker *k, uint32_t frame, uint32_t interval, struct blame *b)
{
	const struct path_frame *f = &k->frames.v[frame];
	const struct interval *s = &k->g->intervals[interval];

	if (!f->depth || !(is_poll(k->g, interval) || (s->wait == CT_W_FUTEX && !graph_futex_owner(k->g, s))))
		return false;
	if (k->legs_of[f->depth] != frame) {
		legs_done(&k->legs[f->depth]);
		k->legs_of[f->depth] = frame;
		find_legs(k, f, &k->legs[f->depth]);
	}
	return legs_blame(k->g, &k->legs[f->depth], interval, b);
}

/* The task of frame f is on the path further up already. Returns true if the task is an event
 * loop that served another request there than it serves here, and the messages show for which
 * answer it waits here. */
static bool is_other_request(struct walker *k, const struct path_frame *f)
{
	struct legs legs;
	bool found = false;

	for (uint32_t i = f->parent; k->frames.v[i].depth; i = k->frames.v[i].parent)
		if (k->frames.v[i].task == f->task && k->frames.v[i].blame.obj == f->blame.obj)
			return false;
	find_legs(k, f, &legs);
	for (size_t i = 0; i < legs.v.n; i++)
		found |= legs.v.v[i].from_ns < f->to_ns && legs.v.v[i].to_ns > f->from_ns;
	legs_done(&legs);
	return found;
}

static void blame_in_frame(struct walker *k, uint32_t frame, uint32_t interval, struct blame *b)
{
	const struct path_frame *f = &k->frames.v[frame], *asked = unanswered(k, frame);
	bool main_thread = k->g->tasks[f->task].tid == k->g->tasks[f->task].tgid;
	struct blame active;

	if (blame_leg(k, frame, interval, b))
		return;

	blame_repeats(k, f, interval, b);
	/* The waiter of the frame has no answer yet. So the server did not wait for the requests
	 * of other clients that came in meanwhile. */
	if (f->depth && !f->blame.ended && is_request(k->g, interval, b))
		blame_lasting(k->g, interval, b);
	if (is_of_another_request(k->g, f, interval, b))
		b->strength = EDGE_WEAK;
	active = *b;
	/* A thread of a pool for which no other task waits may well wait for work. Then no active
	 * thread is to blame. */
	if ((f->depth || main_thread || b->task != GRAPH_NONE) && is_unexplained(k->g, interval, b) &&
	    blame_active(k->g, interval, f->from_ns, &active)) {
		if (!f->depth && !main_thread)
			active.task = GRAPH_NONE;
		*b = active;
	}
	if (asked && is_aside(k->g, interval, b))
		blame_debt(k->g, interval, asked->from_ns, b);
	/* The main thread of some programs only waits for signals, and other threads do the
	 * work. So look for an answer that the process is owed. */
	if (!f->depth && k->g->intervals[interval].wait == CT_W_SIGNAL && !b->ended && b->task == GRAPH_NONE)
		blame_debt(k->g, interval, f->from_ns, b);
}

/* Returns true if the object of the wait does not show which task could end the wait. The object
 * is a futex, or the set of a poll. */
static bool may_be_for_another(const struct graph *g, uint32_t interval)
{
	return g->intervals[interval].wait == CT_W_FUTEX || is_poll(g, interval);
}

/* Returns true if the task to blame is a guess: no task ended the wait, and the wait is on a
 * futex or a poll. A poll is no guess if exactly one task owes the poller an answer. A cycle of
 * waits must not rest on guesses. */
static bool is_guess(const struct graph *g, const struct blame *b, uint32_t interval)
{
	if (b->edge != EDGE_OWNER)
		return false;
	return g->intervals[interval].wait == CT_W_FUTEX || (is_poll(g, interval) && (!b->owed || b->rivals));
}

/* Returns true if an event loop waits in `interval`, and no task ended the wait. Returns false
 * if interval is GRAPH_NONE. */
static bool is_loop_of(const struct graph *g, const struct blame *b, uint32_t interval)
{
	return interval != GRAPH_NONE && is_poll(g, interval) && b->edge == EDGE_OWNER;
}

/* Another task waits for the task of frame f. Returns true if, at ts_ns, bytes were on their way
 * to the waiter. */
static bool will_arrive(const struct graph *g, const struct path_frame *f, uint64_t ts_ns)
{
	return f->interval != GRAPH_NONE && g->intervals[f->interval].wait != CT_W_WRITE &&
	       CT_OBJ_KIND(f->blame.obj) == CT_OBJ_SOCK && owner_under_way(g, f->blame.obj, ts_ns);
}

/* The task of `frame` waits in `interval` up to `to` or longer, and b blames the task of a frame
 * further up. Returns true if the waits of these frames are a cycle, and no blame in the cycle
 * is a guess. Two event loops may well keep a request open at each other. So a cycle of event
 * loops counts only if it owes an answer to a task outside. */
static bool is_circle(const struct walker *k, uint32_t frame, uint32_t interval, uint64_t to,
		      const struct blame *b)
{
	/* A wait in a cycle ends only when a task of the cycle dies. */
	bool died = b->event != GRAPH_NONE && k->g->w->events[b->event].r.kind == CT_WAKE &&
		    k->g->w->events[b->event].r.flags & CT_WF_EXITING;
	bool loops = is_loop_of(k->g, b, interval);
	/* If the wait ended after `to`, this shows nothing: something else had broken the cycle
	 * by then. Exception: a wait on a futex or a poll. Its object does not show for which
	 * task the waiter waited, so its end always shows that there was no cycle. */
	bool ended = b->ended && !died && (b->until_ns <= to || may_be_for_another(k->g, interval));
	uint32_t i;

	if (ended || is_guess(k->g, b, interval) ||
	    (b->edge == EDGE_OWNER && owner_under_way(k->g, b->obj, k->g->intervals[interval].to_ns)))
		return false;
	for (i = frame; k->frames.v[i].task != b->task; i = k->frames.v[i].parent) {
		if (will_arrive(k->g, &k->frames.v[i], to))
			return false;
		if (k->frames.v[i].interval != GRAPH_NONE &&
		    is_guess(k->g, &k->frames.v[i].blame, k->frames.v[i].interval))
			return false;
		loops &= is_loop_of(k->g, &k->frames.v[i].blame, k->frames.v[i].interval);
	}
	return !loops || (k->frames.v[i].depth && k->frames.v[i].blame.owed);
}

/* The waiter of b waited for bytes. If they were on their way for at least MESSAGE_DELAYED_NS,
 * returns when the sender had sent them. Otherwise returns UINT64_MAX. On a connection within
 * this host, TCP can keep bytes back (Nagle's algorithm, and an acknowledgement that the
 * receiver delays). */
static uint64_t sent_long_before(const struct graph *g, const struct blame *b)
{
	const struct window_event *sent = b->event == GRAPH_NONE ? NULL : &g->w->events[b->event];
	size_t n;
	const struct graph_ref *got = graph_refs_from(g, &g->recvs, b->obj, b->until_ns, &n);

	if (!b->ended || b->edge != EDGE_MESSAGE || b->kind != RESOURCE_TCP || !sent ||
	    sent->r.kind != CT_SEND || sent->r.ts + MESSAGE_DELAYED_NS > b->until_ns)
		return UINT64_MAX;
	/* This counts only if the waiter then received the bytes, and no record of a send is
	 * missing. */
	if (!n || g->w->events[got->event].r.ts > b->until_ns + MESSAGE_DELAYED_NS ||
	    graph_lacks_within(g, sent->r.ts, b->until_ns) & CT_LACK_MESSAGES)
		return UINT64_MAX;
	return sent->r.ts;
}

static void add_leaf(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from, uint64_t to,
		     const struct blame *b, bool cycle)
{
	if (VEC_PUSH(&k->leaves, *b))
		k->err = -ENOMEM;
	else
		add_piece(k, frame, from, to, interval, b->time, (uint32_t)k->leaves.n - 1, cycle);
}

static void walk_wait(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from, uint64_t to)
{
	struct path_frame f = k->frames.v[frame];
	struct path_frame sub = {
		.from_ns = from, .to_ns = to, .parent = frame, .interval = interval, .depth = f.depth + 1
	};
	struct blame b, delayed;
	uint64_t sent;
	bool cycle;

	blame_in_frame(k, frame, interval, &b);
	sent = sent_long_before(k->g, &b);
	if (b.task != GRAPH_NONE && sent < to) {
		delayed = b;
		delayed.task = GRAPH_NONE;
		if (sent > from)
			walk_wait(k, frame, interval, from, sent);
		add_leaf(k, frame, interval, MAX(from, sent), to, &delayed, false);
		return;
	}
	sub.task = b.task;
	sub.blame = b;
	cycle = b.task != GRAPH_NONE && on_stack(k, f.depth, b.task) && !is_other_request(k, &sub);
	if (cycle && !is_circle(k, frame, interval, to, &b)) {
		cycle = false;
		b.task = GRAPH_NONE;
		/* No task is to blame. A wait on a connection within this host counts as IPC. A
		 * wait for bytes that were on their way, or that came from another host, counts
		 * as network time. */
		if (graph_is_local(k->g, b.obj))
			b.time = TIME_IPC;
		else if ((b.edge == EDGE_OWNER && owner_under_way(k->g, b.obj, to)) ||
			 (b.ended && b.edge == EDGE_MESSAGE && b.kind != RESOURCE_UNIX))
			b.time = TIME_NETWORK;
	}
	if (b.task == GRAPH_NONE || cycle || f.depth + 1 >= PATH_MAX_DEPTH ||
	    k->pieces.n >= PATH_MAX_PIECES) {
		k->truncated |= b.task != GRAPH_NONE && !cycle;
		add_leaf(k, frame, interval, from, to, &b, cycle);
		return;
	}
	if (VEC_PUSH(&k->frames, sub)) {
		k->err = -ENOMEM;
		return;
	}
	walk(k, (uint32_t)k->frames.n - 1);
}

/* Puts the creator of the frame's task on the path for [from, to), which is before the task was
 * born. Adds a piece of TIME_UNKNOWN instead if the creator is not known or is on the path
 * already, or if the path is PATH_MAX_DEPTH deep. */
static void walk_unborn(struct walker *k, uint32_t frame, uint64_t from, uint64_t to)
{
	struct path_frame f = k->frames.v[frame];
	uint32_t parent = k->g->tasks[f.task].parent;
	struct path_frame sub = { .from_ns = from,
				  .to_ns = to,
				  .task = parent,
				  .parent = frame,
				  .interval = GRAPH_NONE,
				  .depth = f.depth + 1,
				  .blame = { .task = parent,
					     .event = GRAPH_NONE,
					     .until_ns = to,
					     .kind = RESOURCE_CHILD,
					     .time = TIME_IPC,
					     .edge = EDGE_FORK,
					     .strength = EDGE_STRONG,
					     .ended = true } };

	if (from >= to)
		return;
	if (parent == GRAPH_NONE || on_stack(k, f.depth, parent) || f.depth + 1 >= PATH_MAX_DEPTH)
		add_piece(k, frame, from, to, GRAPH_NONE, TIME_UNKNOWN, GRAPH_NONE, false);
	else if (VEC_PUSH(&k->frames, sub))
		k->err = -ENOMEM;
	else
		walk(k, (uint32_t)k->frames.n - 1);
}

static void walk(struct walker *k, uint32_t frame)
{
	struct path_frame f = k->frames.v[frame];
	const struct graph_task *t = &k->g->tasks[f.task];
	uint64_t at = f.from_ns;
	uint32_t i = graph_interval_near(k->g, f.task, f.from_ns, k->near[f.task]);

	k->stack[f.depth] = f.task;
	if (f.depth && t->born_ns > at) {
		uint64_t born = MIN(t->born_ns, f.to_ns);

		walk_unborn(k, frame, at, born);
		at = born;
		t = &k->g->tasks[f.task];
	}
	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals && at < f.to_ns && !k->err; i++) {
		const struct interval *s = &k->g->intervals[i];
		uint64_t from = MAX(s->from_ns, at), to = MIN(s->to_ns, f.to_ns);

		if (s->from_ns >= f.to_ns)
			break;
		if (from >= to)
			continue;
		k->near[f.task] = i;
		add_piece(k, frame, at, from, GRAPH_NONE, TIME_UNKNOWN, GRAPH_NONE, false);
		switch ((enum interval_state)s->state) {
		case INTERVAL_RUNNING:
			add_piece(k, frame, from, to, i, TIME_RUNNING, GRAPH_NONE, false);
			break;
		case INTERVAL_RUNNABLE:
			add_piece(k, frame, from, to, i, TIME_RUNNABLE, GRAPH_NONE, false);
			break;
		case INTERVAL_BLOCKED:
			walk_wait(k, frame, i, from, to);
			break;
		case INTERVAL_FOLDED:
			add_piece(k, frame, from, to, i, s->flags & INTERVAL_SUMS ? TIME_SHORT : TIME_UNKNOWN,
				  GRAPH_NONE, false);
			break;
		case INTERVAL_UNKNOWN:
			add_piece(k, frame, from, to, i, TIME_UNKNOWN, GRAPH_NONE, false);
		}
		at = to;
	}
	add_piece(k, frame, at, f.to_ns, GRAPH_NONE, TIME_UNKNOWN, GRAPH_NONE, false);
	k->stack[f.depth] = GRAPH_NONE;
}

int path_walk(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct path **ret)
{
	struct walker k = { .g = g, .last = GRAPH_NONE };
	_cleanup_free_ uint32_t *near = NULL;
	struct path *p;

	if (task == GRAPH_NONE || task >= g->n_tasks || from_ns >= to_ns)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(k.stack); i++)
		k.stack[i] = k.legs_of[i] = GRAPH_NONE;
	k.near = near = calloc(g->n_tasks, sizeof(*near));
	p = calloc(1, sizeof(*p));
	if (!near || !p) {
		free(p);
		return -ENOMEM;
	}
	if (VEC_PUSH(&k.frames, (struct path_frame){ .from_ns = from_ns,
						     .to_ns = to_ns,
						     .task = task,
						     .parent = GRAPH_NONE,
						     .interval = GRAPH_NONE }))
		k.err = -ENOMEM;
	else
		walk(&k, 0);
	for (size_t i = 0; i < ARRAY_SIZE(k.legs); i++)
		legs_done(&k.legs[i]);
	*p = (struct path){ .pieces = k.pieces.v,
			    .n_pieces = k.pieces.n,
			    .frames = k.frames.v,
			    .n_frames = k.frames.n,
			    .leaf_blames = k.leaves.v,
			    .n_leaf_blames = k.leaves.n,
			    .truncated = k.truncated };
	if (k.err) {
		path_free(p);
		return k.err;
	}
	*ret = p;
	return 0;
}

void path_free(struct path *p)
{
	if (!p)
		return;
	free(p->pieces);
	free(p->frames);
	free(p->leaf_blames);
	free(p);
}

void path_parts(const struct graph *g, const struct path_piece *x, uint64_t ret[TIME_KINDS])
{
	struct interval_sums sums;

	memset(ret, 0, TIME_KINDS * sizeof(*ret));
	ret[x->time] = x->to_ns - x->from_ns;
	if (x->time != TIME_SHORT || !interval_sums(&g->intervals[x->interval], x->from_ns, x->to_ns, &sums))
		return;
	ret[TIME_RUNNING] = sums.ran_ns;
	ret[TIME_RUNNABLE] = sums.queued_ns;
	ret[TIME_SHORT] -= sums.ran_ns + sums.queued_ns;
}

uint32_t path_cpu_wanted(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];
	const struct graph_task *t = &g->tasks[s->task];

	if (interval + 1 < t->first_interval + t->n_intervals && s[1].state == INTERVAL_RUNNING)
		return s[1].cpu;
	return s->cpu;
}

size_t path_run_near(const struct graph *g, uint32_t cpu, uint64_t ts_ns, size_t near)
{
	size_t lo = 0, end = cpu < g->n_cpus ? g->n_runs[cpu] : 0, hi = end;

	/* Double the step until it leads beyond the wanted run. Then the binary search below has a
	 * small range. */
	if (near && near < end && graph_run(g, cpu, near - 1)->to_ns <= ts_ns) {
		lo = near;
		for (size_t step = 1; step < end - lo; step *= 2) {
			if (graph_run(g, cpu, lo + step - 1)->to_ns > ts_ns) {
				hi = lo + step - 1;
				break;
			}
			lo += step;
		}
	}
	return BISECT(i, lo, hi, graph_run(g, cpu, i)->to_ns > ts_ns);
}

size_t path_first_run(const struct graph *g, uint32_t cpu, uint64_t ts_ns)
{
	return path_run_near(g, cpu, ts_ns, 0);
}
