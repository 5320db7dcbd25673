// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path.c - finds the critical path: replaces each part of a wait by the intervals of the task to
 * blame (Panappticon, section 4.3). This walk goes forward in time. Published methods go backward,
 * and give the same path.
 */
#include "graph/path/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/path/lost.h"
#include "graph/path/newcomer.h"
#include "graph/wake/bytes.h"
#include "graph/wake/legs.h"
#include "graph/wake/owner.h"
#include "graph/wake/repeats.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

/* The result of the last search of look_lasting(): the task that could end a wait in epoll. */
struct look {
	uint32_t frame;     /* the frame (path.h) of the task that waits */
	uint32_t interval;  /* the wait in epoll */
	struct blame blame; /* blames the task that could end the wait */
};

/* The result of the last search of look_debts(). */
struct debt_look {
	uint32_t frame, interval;
	uint32_t before;    /* the task that was blamed before the search */
	struct blame blame; /* after the search */
};

/* Arguments and result of a call of blame_last(). The next call often has the same arguments. Example: an
 * event loop repeats a poll 1000 times. For each of these polls, last_idle() returns the last repeat, and
 * blame_last() is called for this repeat. */
struct last_look {
	uint32_t last;
	uint64_t limit_ns;
	struct blame blame;
	uint64_t asked_ns;
};

struct walker {
	const struct graph *g;
	path_blamed_fn blamed; /* may be NULL */
	void *blamed_arg;
	VEC(struct path_piece) pieces;
	VEC(struct path_frame) frames;
	VEC(struct blame) leaves;
	uint32_t stack[PATH_MAX_DEPTH + 1];
	uint32_t *near;
	struct last_look lasts[ASKED_STEPS + 1]; /* by the step of last_blamed() */
	/* legs[d] has the legs of one frame at depth d. A leg is the time from a question to its answer
	 * (legs.h). */
	struct legs legs[PATH_MAX_DEPTH + 1];
	/* legs_of[d] is the index in `frames` of the frame to which legs[d] belongs. GRAPH_NONE: none */
	uint32_t legs_of[PATH_MAX_DEPTH + 1];
	struct look looks[PATH_MAX_DEPTH + 1]; /* looks[d] is of a frame at depth d */
	struct debt_look debts[PATH_MAX_DEPTH + 1];
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

/* Returns the time up to which records may explain the waits in the frame. */
static uint64_t horizon(const struct path_frame *f)
{
	return f->depth ? MAX(f->to_ns, f->blame.until_ns) : f->to_ns;
}

static bool is_poll(const struct graph *g, uint32_t interval)
{
	return ct_wait_is_poll(g->intervals[interval].wait);
}

/* The task P of the parent frame waits until the task T of frame f does something for P, for
 * example answers. If T polls the same set of objects again, T has not done this yet. So only the
 * last of these polls can show what P waits for. Returns the last repeat (repeats.h) of the poll
 * `interval`. Returns `interval` if it is no poll, has no repeat, or is in frame 0. */
static uint32_t last_idle(const struct walker *k, const struct path_frame *f, uint32_t interval)
{
	uint64_t end = horizon(f);
	uint32_t last;

	if (f->depth == 0 || !is_poll(k->g, interval))
		return interval;
	last = repeats_last(k->g, interval, end, no_progress_ns(end - f->from_ns));
	return last == GRAPH_NONE ? interval : last;
}

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

static bool is_sleep(const struct graph *g, uint32_t interval, const struct blame *b)
{
	if (g->intervals[interval].wait == CT_W_FUTEX)
		return b->timed_out && b->edge == EDGE_OWNER && b->kind != RESOURCE_LOCK;
	return is_poll(g, interval) && graph_is_accepted(g, b->obj);
}

static void find_blame(const struct walker *k, uint32_t interval, uint64_t limit_ns, struct blame *b)
{
	blame_wait(k->g, interval, limit_ns, b);
	if (k->blamed)
		k->blamed(k->blamed_arg, interval, limit_ns, b);
}

/* Returns when the waiter asked for what ended the wait: it sent the request, or gave work to a thread. 0:
 * not known. */
static uint64_t blame_last(struct walker *k, unsigned step, uint32_t last, uint64_t limit_ns, struct blame *b)
{
	struct last_look *look = &k->lasts[step];

	if (last != look->last || limit_ns != look->limit_ns) {
		look->last = last;
		look->limit_ns = limit_ns;
		find_blame(k, last, limit_ns, &look->blame);
		look->asked_ns = MAX(blame_asked_ns(k->g, &look->blame),
				     owner_handed_ns(k->g, k->g->intervals[last].task, &look->blame));
	}
	*b = look->blame;
	return look->asked_ns;
}

static bool is_request(const struct graph *g, uint32_t interval, const struct blame *b)
{
	return is_poll(g, interval) && b->ended && b->edge == EDGE_MESSAGE && graph_is_accepted(g, b->obj);
}

/* Returns true if work for a server ended the wait: the request or the connection of a client, or a request
 * to a FUSE server. */
static bool is_new_work(const struct graph *g, uint32_t interval, const struct blame *b)
{
	const struct interval *s = &g->intervals[interval];

	return is_request(g, interval, b) ||
	       (b->ended && ((s->wait == CT_W_ACCEPT && b->edge == EDGE_MESSAGE) ||
			     (CT_OBJ_KIND(s->obj) == CT_OBJ_FUSEDEV && b->edge == EDGE_FUSE)));
}

/* b is the blame for `interval` of frame f, and newcomer_sent() holds. The task of the parent frame waits
 * for an answer of the task T of f, and T may need the newcomer for this answer. Returns true if it did not:
 * T has not started the newcomer, and after the message, T waited in the same poll again before it acted. */
static bool waits_again(const struct walker *k, const struct path_frame *f, uint32_t interval,
			const struct blame *b)
{
	uint32_t last = last_idle(k, f, interval);

	return last != interval && k->g->intervals[last].from_ns >= b->until_ns &&
	       !graph_descends_from(k->g, b->task, k->g->tasks[f->task].tgid);
}

/* Like last_idle(), returns the last repeat of the poll `interval`, or `interval` itself. But skips
 * repeats that say nothing about `interval`: an answer ended the repeat, and the task sent the request
 * for this answer only after `interval`. Or a thread of the process ended the repeat, and the task gave
 * work to this thread only after `interval`. If the last repeat is of this kind, looks at the last repeat
 * before that request or work, and so on, at most ASKED_STEPS times. *b is the blame of the returned
 * poll. */
static uint32_t last_blamed(struct walker *k, const struct path_frame *f, uint32_t interval, struct blame *b)
{
	uint64_t end = horizon(f), asked;
	uint32_t last = last_idle(k, f, interval), before;

	asked = blame_last(k, 0, last, end, b);
	for (unsigned i = 0; i < ASKED_STEPS && last != interval; i++) {
		if (asked <= k->g->intervals[interval].to_ns)
			break;
		before = repeats_last(k->g, interval, asked, no_progress_ns(end - f->from_ns));
		if (before != GRAPH_NONE && before >= last)
			break;
		last = before == GRAPH_NONE ? interval : before;
		asked = blame_last(k, i + 1, last, end, b);
		if (is_request(k->g, last, b)) {
			blame_lasting(k->g, last, b);
			asked = blame_asked_ns(k->g, b);
		}
	}
	return last;
}

static bool is_unexplained(const struct graph *g, uint32_t interval, const struct blame *b)
{
	const struct interval *s = &g->intervals[interval];

	if (b->edge != EDGE_OWNER || b->ended)
		return false;
	if (s->wait == CT_W_FUTEX)
		return !graph_futex_owner(g, s) && !(b->kind == RESOURCE_LOCK && b->task != GRAPH_NONE);
	/* the event loop waits for a thread of its own process */
	return is_poll(g, interval) && b->task == GRAPH_NONE && CT_OBJ_KIND(b->obj) == CT_OBJ_EVENTFD;
}

/* A task may wait for one thing in many short waits, for example because it looks at its clock once a
 * second. If the last of these waits has not ended by the end of the trace, *b blames the task that could
 * end it. If that task is not known, *b does not change. */
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

	if (last != interval && b->task != GRAPH_NONE && !b->timed_out && !on_stack(k, f->depth, b->task) &&
	    !blame_is_interruption(k->g, last, b))
		return;
	limit = acted_on_limit(k, f, last, b);
	if (last != interval)
		find_blame(k, interval, horizon(f), b);
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

/* Goes from `frame` towards frame 0, to the first frame whose parent is in another process. Returns
 * this frame if the parent still waits for an answer, or else NULL. */
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

/* A request may be sent in several parts. If nothing was sent, the connection itself is the request. */
static struct blame_request request_of(const struct graph *g, const struct path_frame *f)
{
	const struct graph_ref *answer = graph_ref_before(g, &g->recvs, f->blame.obj, f->from_ns), *sent;
	uint64_t since_ns = answer ? g->w->events[answer->event].r.ts : 0;
	size_t n;

	sent = graph_refs_from(g, &g->sends, f->blame.obj, since_ns, &n);
	if (n && g->w->events[sent->event].r.ts <= f->from_ns)
		return (struct blame_request){ g->w->events[sent->event].r.ts, true };
	if (answer || f->interval == GRAPH_NONE || graph_ref_before(g, &g->sends, f->blame.obj, f->to_ns))
		return (struct blame_request){ f->from_ns, false };
	return (struct blame_request){
		blame_connected_ns(g, g->intervals[f->interval].task, f->blame.obj, f->from_ns), false
	};
}

/* Returns true if the wait may have nothing to do with the request that the process received. */
static bool is_aside(const struct graph *g, uint32_t interval, const struct blame *b)
{
	if (g->intervals[interval].wait == CT_W_FUTEX)
		return (b->edge == EDGE_OWNER && b->kind != RESOURCE_LOCK) || b->edge == EDGE_POST ||
		       b->edge == EDGE_TIMER;
	if (g->intervals[interval].wait == CT_W_ACCEPT)
		return !b->ended;
	return is_poll(g, interval) && !b->owed;
}

static bool is_of_another_request(const struct graph *g, const struct path_frame *f, uint32_t interval,
				  const struct blame *b)
{
	uint64_t peer = graph_peer_object(g, f->blame.obj), asked = blame_asked_ns(g, b);
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
	return k->legs[f->depth].v.n && !(s->wait == CT_W_FUTEX && owner_is_shown_lock(k->g, s)) &&
	       legs_blame(k->g, &k->legs[f->depth], interval, b);
}

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

static bool is_near(const struct walker *k, const struct path_frame *f, uint32_t one, uint32_t other)
{
	const struct interval *a = &k->g->intervals[one], *b = &k->g->intervals[other];
	uint64_t near_ns = (f->to_ns - f->from_ns) / FRAME_LOOKS;

	return a->obj == b->obj && a->wait == b->wait && a->to_ns <= b->to_ns + near_ns &&
	       b->to_ns <= a->to_ns + near_ns;
}

/* Blames the task that could end the wait. On an epoll object with many connections, the search for
 * this task is slow, and an event loop may wait there a million times. But the task to blame changes
 * slowly. So the result of a search also holds for the waits on the same epoll object that end
 * shortly before or after: at most 1/FRAME_LOOKS of the length of the frame apart. */
static void look_lasting(struct walker *k, uint32_t frame, uint32_t interval, struct blame *b)
{
	const struct path_frame *f = &k->frames.v[frame];
	const struct interval *s = &k->g->intervals[interval];
	struct look *look = &k->looks[f->depth];

	if (s->wait != CT_W_EPOLL) {
		blame_lasting(k->g, interval, b);
		return;
	}
	if (look->frame != frame || !is_near(k, f, look->interval, interval)) {
		*look = (struct look){ .frame = frame, .interval = interval };
		blame_lasting(k->g, interval, &look->blame);
	}
	*b = look->blame;
	b->until_ns = s->to_ns;
}

/* The process has a request that it has not answered: see `asked`. Looks at what else than b->task may keep
 * back the answer. The result of a search also holds for waits shortly before or after, as in
 * look_lasting(). */
static void look_debts(struct walker *k, uint32_t frame, uint32_t interval, const struct path_frame *asked,
		       struct blame *b)
{
	const struct path_frame *f = &k->frames.v[frame];
	struct debt_look *look = &k->debts[f->depth];
	bool owed = b->task != GRAPH_NONE && is_poll(k->g, interval) && b->owed && !b->ended;
	struct blame_request request;

	if (!owed && !is_aside(k->g, interval, b))
		return;
	if (look->frame != frame || look->before != b->task || !is_near(k, f, look->interval, interval)) {
		*look = (struct debt_look){ frame, interval, b->task, *b };
		request = request_of(k->g, asked);
		if (owed)
			blame_doubt(k->g, interval, &request, &look->blame);
		else
			blame_debt(k->g, interval, &request, &look->blame);
	}
	if (look->blame.task != GRAPH_NONE && look->blame.task != b->task) {
		*b = look->blame;
		b->until_ns = k->g->intervals[interval].to_ns;
	} else if (look->blame.request.since_ns) {
		b->task = GRAPH_NONE;
		b->rivals = look->blame.rivals;
		b->request = look->blame.request;
	}
}

/* Blames the task that could have ended the wait, but not `poster`, which ended it. */
static void blame_without(const struct graph *g, uint32_t interval, uint32_t poster, struct blame *b)
{
	blame_lasting(g, interval, b);
	if (b->task == poster)
		b->task = GRAPH_NONE;
}

static void blame_in_frame(struct walker *k, uint32_t frame, uint32_t interval, struct blame *b)
{
	const struct path_frame *f = &k->frames.v[frame], *asked = unanswered(k, frame);
	bool main_thread = k->g->tasks[f->task].tid == k->g->tasks[f->task].tgid, for_work;
	struct blame active;

	if (blame_leg(k, frame, interval, b))
		return;

	blame_repeats(k, f, interval, b);
	/* The end of a child ended the poll, but not what the victim waits for. */
	if (!f->depth && is_poll(k->g, interval) && b->ended && b->edge == EDGE_EXIT)
		repeats_answered(k->g, interval, f->to_ns, b);
	/* The task of the parent frame did not wait for the message that ended this wait, if this message
	 * is a request of another client, or is from a task that was born after the wait began. In these
	 * cases, the task that could have ended the wait is to blame instead. */
	if (f->depth &&
	    ((!f->blame.ended && is_new_work(k->g, interval, b)) ||
	     (newcomer_sent(k->g, interval, b) && (!f->blame.owed || waits_again(k, f, interval, b) ||
						   newcomer_unasked(k->g, interval, f->from_ns, b)))))
		look_lasting(k, frame, interval, b);
	if (newcomer_ordered(k->g, interval, f->from_ns, b) || newcomer_read(k->g, interval, f->from_ns, b) ||
	    lost_thread(k->g, interval, b))
		blame_without(k->g, interval, b->task, b);
	if (is_of_another_request(k->g, f, interval, b))
		b->strength = EDGE_WEAK;
	active = *b;
	/* A victim that is a thread of a pool may wait for work. Then no active thread is to blame. */
	for_work = !f->depth && !main_thread && b->kind != RESOURCE_LOCK;
	if ((!for_work || b->task != GRAPH_NONE) && is_unexplained(k->g, interval, b) &&
	    blame_active(k->g, interval, f->from_ns, &active)) {
		if (for_work)
			active.task = GRAPH_NONE;
		*b = active;
	}
	if (asked)
		look_debts(k, frame, interval, asked, b);
	/* The main thread of some programs only waits for signals. Other threads do the work. */
	if (!f->depth && k->g->intervals[interval].wait == CT_W_SIGNAL && !b->ended && b->task == GRAPH_NONE)
		blame_debt(k->g, interval, &(struct blame_request){ f->from_ns, false }, b);
}

static bool may_be_for_another(const struct graph *g, uint32_t interval)
{
	return g->intervals[interval].wait == CT_W_FUTEX || is_poll(g, interval);
}

/* Returns true if the wait is for a lock of a database, and an inspection has shown that b->task
 * owns this lock. */
static bool is_shown_lock(const struct blame *b)
{
	return b->kind == RESOURCE_DATABASE_LOCK && b->edge == EDGE_OWNER && b->strength == EDGE_STRONG;
}

/* Returns true if it is a guess that the interval waits for b->task. For a poll, b->task is certain if it is
 * the only task that owes the poller an answer, or if only its process can end the poll. A message, or the
 * end of a connection, may have ended a poll that was for other connections too. */
static bool is_guess(const struct graph *g, const struct blame *b, uint32_t interval)
{
	if (is_poll(g, interval) && b->ended && b->edge == EDGE_MESSAGE)
		return !b->owed;
	if (b->edge == EDGE_LOCK)
		return !b->ended && b->strength != EDGE_STRONG;
	if (b->edge != EDGE_OWNER || is_shown_lock(b))
		return false;
	return g->intervals[interval].wait == CT_W_FUTEX || g->intervals[interval].wait == CT_W_SYSVIPC ||
	       (is_poll(g, interval) && (!b->owed || b->rivals) && !b->sole);
}

static bool is_loop_of(const struct graph *g, const struct blame *b, uint32_t interval)
{
	return interval != GRAPH_NONE && is_poll(g, interval) && b->edge == EDGE_OWNER && !is_shown_lock(b);
}

static bool will_arrive(const struct graph *g, const struct path_frame *f, uint64_t ts_ns)
{
	return f->interval != GRAPH_NONE && g->intervals[f->interval].wait != CT_W_WRITE &&
	       CT_OBJ_KIND(f->blame.obj) == CT_OBJ_SOCK && owner_under_way(g, f->blame.obj, ts_ns);
}

/* The task b->task is on the path already, so the wait `interval` may close a cycle of tasks that
 * wait for each other. Returns true if the cycle may be a deadlock. A cycle of event loops counts
 * as a deadlock only if a loop of the cycle owes an answer to a task outside of the cycle.
 * Otherwise the loops can still serve other tasks. */
static bool is_circle(const struct walker *k, uint32_t frame, uint32_t interval, uint64_t to,
		      const struct blame *b)
{
	/* If the wait ended because the waker exited, the wait may have been in a cycle. */
	bool died = b->event != GRAPH_NONE && k->g->w->events[b->event].r.kind == CT_WAKE &&
		    k->g->w->events[b->event].r.flags & CT_WF_EXITING;
	bool loops = is_loop_of(k->g, b, interval);
	/* A wait that ended at `to` or before is in no cycle. A wait that ended after `to` may have been in a
	 * cycle up to `to`. But if this wait was a poll or a wait on a futex, it does not count: its object
	 * does not show for which task the waiter waited. */
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

/* For a wait that ended with bytes that were under way over TCP for MESSAGE_DELAYED_NS or longer, returns the
 * time at which they were sent. For other waits, returns UINT64_MAX. Even within a host, TCP can keep bytes
 * back (Nagle's algorithm, delayed acknowledgements). */
static uint64_t sent_long_before(const struct graph *g, const struct blame *b)
{
	const struct window_event *sent = b->event == GRAPH_NONE ? NULL : &g->w->events[b->event];
	size_t n;
	const struct graph_ref *got = graph_refs_from(g, &g->recvs, b->obj, b->until_ns, &n);

	if (!b->ended || b->edge != EDGE_MESSAGE || b->kind != RESOURCE_TCP || !sent ||
	    sent->r.kind != CT_SEND || sent->r.ts + MESSAGE_DELAYED_NS > b->until_ns)
		return UINT64_MAX;
	if (!n || g->w->events[got->event].r.ts > b->until_ns + MESSAGE_DELAYED_NS ||
	    graph_lacks_within(g, sent->r.ts, b->until_ns) & CT_LACK_MESSAGES)
		return UINT64_MAX;
	return sent->r.ts;
}

/* The task waits because of *b for something on a connection. Returns the time at which its last message, or
 * its request for the connection, arrived at the other end, but at most `to`. Returns 0 if it had arrived
 * before, or if this is not known. */
static uint64_t arrived_ns(const struct graph *g, uint32_t interval, const struct blame *b, uint64_t from,
			   uint64_t to)
{
	const struct interval *s = &g->intervals[interval];
	uint64_t made;

	if (CT_OBJ_KIND(b->obj) != CT_OBJ_SOCK || (b->kind != RESOURCE_TCP && b->kind != RESOURCE_UDP) ||
	    s->wait == CT_W_WRITE)
		return 0;
	made = bytes_connected_ns(g, s, b->obj, from, to);
	if (made || b->task == GRAPH_NONE || (b->edge != EDGE_OWNER && b->edge != EDGE_MESSAGE))
		return made;
	return bytes_arrived_ns(g, b->obj, b->task, from, to);
}

static void add_leaf(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from, uint64_t to,
		     const struct blame *b, bool cycle)
{
	if (VEC_PUSH(&k->leaves, *b))
		k->err = -ENOMEM;
	else
		add_piece(k, frame, from, to, interval, b->time, (uint32_t)k->leaves.n - 1, cycle);
}

/* What the waiter has sent to b->task has not arrived. */
static void add_undelivered(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from, uint64_t to,
			    const struct blame *b)
{
	struct blame lost = *b;

	lost.task = lost.event = GRAPH_NONE;
	lost.rivals = 0;
	lost.edge = EDGE_OWNER;
	lost.strength = EDGE_WEAK;
	lost.time = TIME_NETWORK;
	lost.ended = false;
	lost.undelivered = true;
	add_leaf(k, frame, interval, from, to, &lost, false);
}

/* The task of the frame waited from `from` to `to` because of b->task, or because of something else. */
static void walk_blamed(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from, uint64_t to,
			struct blame *b)
{
	struct path_frame sub = { .from_ns = from,
				  .to_ns = to,
				  .task = b->task,
				  .blame = *b,
				  .parent = frame,
				  .interval = interval,
				  .depth = k->frames.v[frame].depth + 1 };
	bool cycle =
		b->task != GRAPH_NONE && on_stack(k, sub.depth - 1, b->task) && !is_other_request(k, &sub);

	if (cycle && !is_circle(k, frame, interval, to, b)) {
		cycle = false;
		b->task = GRAPH_NONE;
		if (graph_is_local(k->g, b->obj))
			b->time = TIME_IPC;
		else if ((b->edge == EDGE_OWNER && owner_under_way(k->g, b->obj, to)) ||
			 (b->ended && b->edge == EDGE_MESSAGE && b->kind != RESOURCE_UNIX))
			b->time = TIME_NETWORK;
	}
	if (b->task == GRAPH_NONE || cycle || sub.depth >= PATH_MAX_DEPTH || k->pieces.n >= PATH_MAX_PIECES) {
		k->truncated |= b->task != GRAPH_NONE && !cycle;
		add_leaf(k, frame, interval, from, to, b, cycle);
		return;
	}
	if (VEC_PUSH(&k->frames, sub)) {
		k->err = -ENOMEM;
		return;
	}
	walk(k, (uint32_t)k->frames.n - 1);
}

/* If several tasks owned a lock one after the other while the task waited for it, each of them is to blame
 * for its own turn. Adds the turns from `from` on, except the last one. Returns when they end. */
static uint64_t walk_turns(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from, uint64_t to,
			   const struct blame *b)
{
	struct blame turn;
	uint64_t end;

	for (unsigned i = 0; i < LOCK_TURNS && from < to; i++) {
		if (!blame_earlier_owner(k->g, interval, from, b, &turn) || turn.until_ns <= from)
			break;
		end = MIN(turn.until_ns, to);
		walk_blamed(k, frame, interval, from, end, &turn);
		from = end;
	}
	return from;
}

/* A thread polls for several things. Another thread of its process writes a command to the process of
 * b->task, whose answer then ends the poll. The poll was not for this answer before the command. Adds this
 * time, and returns when it ends. */
static uint64_t walk_before_command(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from,
				    uint64_t to, const struct blame *b)
{
	uint32_t tgid = k->g->tasks[k->g->intervals[interval].task].tgid;
	uint64_t asked = 0;
	struct blame before;

	if (to - from > OTHER_WAIT_NS && is_poll(k->g, interval) && b->ended && b->edge == EDGE_PIPE &&
	    b->task != GRAPH_NONE && k->g->tasks[b->task].tgid != tgid)
		asked = MIN(blame_command_ns(k->g, b->task, b->until_ns, tgid), to);
	if (asked <= from)
		return from;
	look_lasting(k, frame, interval, &before);
	if (before.task != GRAPH_NONE && k->g->tasks[before.task].tgid == k->g->tasks[b->task].tgid)
		before.task = GRAPH_NONE;
	walk_blamed(k, frame, interval, from, asked, &before);
	return asked;
}

static void walk_wait(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from, uint64_t to)
{
	struct blame b, delayed;
	uint64_t sent, arrived;

	blame_in_frame(k, frame, interval, &b);
	arrived = arrived_ns(k->g, interval, &b, from, to);
	if (arrived > from) {
		add_undelivered(k, frame, interval, from, arrived, &b);
		if (arrived < to)
			walk_wait(k, frame, interval, arrived, to);
		return;
	}
	sent = sent_long_before(k->g, &b);
	if (b.task != GRAPH_NONE && sent < to) {
		delayed = b;
		delayed.task = GRAPH_NONE;
		if (sent > from)
			walk_wait(k, frame, interval, from, sent);
		add_leaf(k, frame, interval, MAX(from, sent), to, &delayed, false);
		return;
	}
	from = walk_before_command(k, frame, interval, from, to, &b);
	from = walk_turns(k, frame, interval, from, to, &b);
	if (from < to)
		walk_blamed(k, frame, interval, from, to, &b);
}

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
	k->truncated |= parent != GRAPH_NONE && f.depth + 1 >= PATH_MAX_DEPTH;
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
	return path_walk_blamed(g, task, from_ns, to_ns, NULL, NULL, ret);
}

int path_walk_blamed(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		     path_blamed_fn blamed, void *arg, struct path **ret)
{
	struct walker k = { .g = g, .blamed = blamed, .blamed_arg = arg };
	_cleanup_free_ uint32_t *near = NULL;
	struct path *p;

	if (task == GRAPH_NONE || task >= g->n_tasks || from_ns >= to_ns)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(k.lasts); i++)
		k.lasts[i].last = GRAPH_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(k.stack); i++)
		k.stack[i] = k.legs_of[i] = k.looks[i].frame = k.debts[i].frame = GRAPH_NONE;
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

	if (near && near <= end && graph_run(g, cpu, near - 1)->to_ns > ts_ns) {
		hi = near - 1;
		for (size_t step = 1; step <= hi; step *= 2) {
			if (graph_run(g, cpu, hi - step)->to_ns <= ts_ns) {
				lo = hi - step + 1;
				break;
			}
			hi -= step;
		}
	} else if (near && near <= end) {
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

bool path_waits_for_lock(const struct blame *b)
{
	return b->time == TIME_LOCK || b->kind == RESOURCE_FILE_LOCK || b->kind == RESOURCE_KERNEL_LOCK ||
	       b->kind == RESOURCE_DATABASE_LOCK;
}

const struct path_frame *path_lock(const struct path *p, const struct path_piece *x)
{
	const struct path_frame *f = &p->frames[x->frame];

	while (f->depth && !path_waits_for_lock(&f->blame))
		f = &p->frames[f->parent];
	return f->depth ? f : NULL;
}
