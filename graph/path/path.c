// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path.c - finds the critical path: replaces each part of a wait by the intervals of the task to
 * blame (Panappticon, section 4.3). This walk goes forward in time. Published methods go backward,
 * and give the same path.
 */
#include "graph/path/path_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/wake/bytes.h"
#include "graph/wake/owner.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

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

static void walk(struct walker *k, uint32_t frame);

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

/* Returns true if the task of the frame owns a lock of a database, as an inspection has shown, and polls for
 * the next command of its client. Only such a command releases the lock. */
static bool awaits_command(const struct walker *k, uint32_t frame, uint32_t interval, const struct blame *b)
{
	return k->frames.v[frame].depth && is_shown_lock(&k->frames.v[frame].blame) &&
	       is_poll(k->g, interval) && CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK &&
	       graph_is_accepted(k->g, b->obj);
}

/* A session awaits a command of b->task: see awaits_command(). The frame shows for what this client waits.
 * Returns true if it sends the command only after this wait: it does not poll for other things too, and has
 * not sent the command while it waited. */
static bool is_held_up(const struct walker *k, uint32_t frame, const struct blame *b)
{
	const struct path_frame *f = frame == GRAPH_NONE ? NULL : &k->frames.v[frame];

	if (!f || f->interval == GRAPH_NONE || blame_polls_several(k->g, f->interval))
		return false;
	return !b->ended || f->blame.until_ns <= b->until_ns;
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
	bool command = awaits_command(k, frame, interval, b);
	bool ended =
		b->ended && !died && (b->until_ns <= to || (!command && may_be_for_another(k->g, interval)));
	uint32_t i, client = GRAPH_NONE;

	if (ended || (!command && is_guess(k->g, b, interval)) ||
	    (b->edge == EDGE_OWNER && owner_under_way(k->g, b->obj, k->g->intervals[interval].to_ns)))
		return false;
	for (i = frame; k->frames.v[i].task != b->task; i = k->frames.v[i].parent) {
		if (will_arrive(k->g, &k->frames.v[i], to))
			return false;
		if (k->frames.v[i].interval != GRAPH_NONE &&
		    is_guess(k->g, &k->frames.v[i].blame, k->frames.v[i].interval))
			return false;
		loops &= is_loop_of(k->g, &k->frames.v[i].blame, k->frames.v[i].interval);
		client = i;
	}
	if (command && !is_held_up(k, client, b))
		return false;
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
	bool cycle = b->task != GRAPH_NONE && on_stack(k, sub.depth - 1, b->task) &&
		     !path_is_other_request(k, &sub);

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
	path_look_lasting(k, frame, interval, &before);
	if (before.task != GRAPH_NONE && k->g->tasks[before.task].tgid == k->g->tasks[b->task].tgid)
		before.task = GRAPH_NONE;
	walk_blamed(k, frame, interval, from, asked, &before);
	return asked;
}

static void walk_wait(struct walker *k, uint32_t frame, uint32_t interval, uint64_t from, uint64_t to)
{
	struct blame b, delayed;
	uint64_t sent, arrived;

	path_blame_in_frame(k, frame, interval, &b);
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
