// SPDX-License-Identifier: GPL-2.0-or-later
/* path_blame.c - finds the task to blame for one wait on the critical path: blame_wait(), corrected by what
 * is known about the frame (path.h) of the wait. */
#include <errno.h>

#include "graph/path/lost.h"
#include "graph/path/newcomer.h"
#include "graph/path/path_private.h"
#include "graph/wake/bytes.h"
#include "graph/wake/owner.h"
#include "graph/wake/repeats.h"
#include "lib/cleanup.h"

/* Returns the time up to which records may explain the waits in the frame. */
static uint64_t horizon(const struct path_frame *f)
{
	return f->depth ? MAX(f->to_ns, f->blame.until_ns) : f->to_ns;
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

/* b is the blame for a wait of the process tgid. If a helper of another process ended the wait through a
 * pipe, returns when the process gave this helper its last command, or 0. */
static uint64_t command_ns(const struct graph *g, uint32_t tgid, const struct blame *b)
{
	return b->ended && b->edge == EDGE_PIPE && b->task != GRAPH_NONE && g->tasks[b->task].tgid != tgid
		       ? blame_command_ns(g, b->task, b->until_ns, tgid)
		       : 0;
}

/* Returns when the waiter asked for what ended the wait: it sent the request, gave work to a thread, or, if
 * repeat is true, gave a command to a helper. 0: not known. */
static uint64_t blame_last(struct walker *k, unsigned step, uint32_t last, bool repeat, uint64_t limit_ns,
			   struct blame *b)
{
	struct last_look *look = &k->lasts[step];
	uint32_t task = k->g->intervals[last].task;

	if (last != look->last || limit_ns != look->limit_ns) {
		look->last = last;
		look->limit_ns = limit_ns;
		look->commanded = false;
		find_blame(k, last, limit_ns, &look->blame);
		look->asked_ns =
			MAX(blame_asked_ns(k->g, &look->blame), owner_handed_ns(k->g, task, &look->blame));
	}
	if (repeat && !look->commanded) {
		look->commanded = true;
		look->asked_ns = MAX(look->asked_ns, command_ns(k->g, k->g->tasks[task].tgid, &look->blame));
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

/* b is the blame for a repeat of the poll `interval`. If bytes on a connection ended the repeat, and
 * `interval` did not wait for bytes on this connection, because there were some, returns when the task read
 * on there, or UINT64_MAX. Otherwise returns 0. */
static uint64_t read_on_ns(const struct graph *g, uint32_t interval, const struct blame *b)
{
	return b->ended && b->edge == EDGE_MESSAGE && CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK
		       ? bytes_read_on_ns(g, b->obj, &g->intervals[interval])
		       : 0;
}

/* Like last_idle(), returns the last repeat of the poll `interval`, or `interval` itself. But skips
 * repeats that say nothing about `interval`: an answer ended the repeat, and the task sent the request
 * for this answer only after `interval`. Or a thread of the process, or a helper, ended the repeat, and the
 * task gave work to this thread or helper only after `interval`. If the last repeat is of this kind, looks at
 * the last repeat before that request or work, and so on, at most ASKED_STEPS times. *b is the blame of the
 * returned poll. */
static uint32_t last_blamed(struct walker *k, const struct path_frame *f, uint32_t interval, struct blame *b)
{
	uint64_t end = horizon(f), asked, read_on;
	uint32_t last = last_idle(k, f, interval), before;

	asked = blame_last(k, 0, last, last != interval, end, b);
	for (unsigned i = 0; i < ASKED_STEPS && last != interval; i++) {
		if (asked <= k->g->intervals[interval].to_ns)
			break;
		before = repeats_last(k->g, interval, asked, no_progress_ns(end - f->from_ns));
		if (before != GRAPH_NONE && before >= last)
			break;
		last = before == GRAPH_NONE ? interval : before;
		asked = blame_last(k, i + 1, last, last != interval, end, b);
		if (is_request(k->g, last, b)) {
			blame_lasting(k->g, last, b);
			asked = blame_asked_ns(k->g, b);
		}
	}
	read_on = last == interval ? 0 : read_on_ns(k->g, interval, b);
	if (read_on) {
		before = repeats_last(k->g, interval, read_on, no_progress_ns(end - f->from_ns));
		last = before == GRAPH_NONE || before >= last ? interval : before;
		blame_last(k, ASKED_STEPS + 1, last, false, end, b);
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
 * NULL if there is none. */
static const struct path_frame *entry(const struct walker *k, uint32_t frame)
{
	const struct path_frame *f = &k->frames.v[frame], *up;

	for (; f->depth; f = up) {
		up = &k->frames.v[f->parent];
		if (k->g->tasks[up->task].tgid != k->g->tasks[f->task].tgid)
			return f;
	}
	return NULL;
}

/* b is the blame for `interval` of the frame. Returns the frame of entry() if its parent still waits for an
 * answer at the end of `interval`. If the answer came later, this holds only if b explains nothing. Otherwise
 * returns NULL. */
static const struct path_frame *unanswered(const struct walker *k, uint32_t frame, uint32_t interval,
					   const struct blame *b)
{
	const struct path_frame *f = entry(k, frame);

	if (!f)
		return NULL;
	if (!f->blame.ended)
		return f->blame.owed ? f : NULL;
	return f->blame.edge == EDGE_MESSAGE && !graph_is_accepted(k->g, f->blame.obj) &&
			       k->g->intervals[interval].to_ns <= f->blame.until_ns &&
			       is_unexplained(k->g, interval, b) && b->task == GRAPH_NONE && !b->rivals
		       ? f
		       : NULL;
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

bool path_is_other_request(struct walker *k, const struct path_frame *f)
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

void path_look_lasting(struct walker *k, uint32_t frame, uint32_t interval, struct blame *b)
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

/* b is the blame for a wait of the process that answered the request of the frame `asked` later. Returns true
 * if the process may have waited for the output of b->task, which ended before the answer. */
static bool has_ended_for(const struct graph *g, const struct path_frame *asked, const struct blame *b)
{
	return b->kind == RESOURCE_PIPE && g->tasks[b->task].exit_ns <= asked->blame.until_ns;
}

/* The process has a request that it has not answered: see `asked`. Looks at what else than b->task may keep
 * back the answer. The result of a search also holds for waits shortly before or after, as in
 * path_look_lasting(). */
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
		if (asked->blame.ended && !has_ended_for(k->g, asked, &look->blame))
			return;
		*b = look->blame;
		b->until_ns = k->g->intervals[interval].to_ns;
	} else if (look->blame.request.since_ns && !asked->blame.ended) {
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

void path_blame_in_frame(struct walker *k, uint32_t frame, uint32_t interval, struct blame *b)
{
	const struct path_frame *f = &k->frames.v[frame], *asked;
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
		path_look_lasting(k, frame, interval, b);
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
	asked = unanswered(k, frame, interval, b);
	if (asked)
		look_debts(k, frame, interval, asked, b);
	/* The main thread of some programs only waits for signals. Other threads do the work. */
	if (!f->depth && k->g->intervals[interval].wait == CT_W_SIGNAL && !b->ended && b->task == GRAPH_NONE)
		blame_debt(k->g, interval, &(struct blame_request){ f->from_ns, false }, b);
}
