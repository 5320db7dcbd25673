// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner_private.h"
#include "trace/words/call.h"
#include "trace/words/frame.h"

bool owner_stack_locks(const struct window *w, uint64_t stack)
{
	const struct window_stack *s = window_stack(w, stack);

	for (uint16_t i = 0; s && i < s->n_frames; i++)
		if (frame_is_lock(s->frames[i]))
			return true;
	return false;
}

bool owner_in_lock(const struct graph *g, const struct interval *s)
{
	const struct interval *first = &g->intervals[g->tasks[s->task].first_interval], *x = s;
	uint64_t stack;

	for (unsigned looks = 0; looks < LOCK_LOOKS && x >= first; looks++, x--) {
		if (x->state != INTERVAL_BLOCKED)
			continue;
		if (x->wait != CT_W_FUTEX || x->obj != s->obj)
			return false;
		if (x != s && (x->wake == GRAPH_NONE || !edge_by_timer(g, x, &g->w->events[x->wake])))
			return false;
		stack = graph_visit_stack(g, x);
		if (stack)
			return owner_stack_locks(g->w, stack);
	}
	return false;
}

static bool waits_for_class(const struct graph *g, const struct interval *s)
{
	uint64_t id = graph_visit_stack(g, s);
	const struct window_stack *w = id ? window_stack(g->w, id) : NULL;

	for (uint16_t i = 1; w && i < w->n_frames; i++)
		if (frame_waits_for_class(w->frames[i - 1], w->frames[i]))
			return true;
	return false;
}

static bool initializes_class(const struct graph *g, const struct interval *s)
{
	uint64_t id = graph_visit_stack(g, s);
	const struct window_stack *w = id ? window_stack(g->w, id) : NULL;

	for (uint16_t i = 0; w && i < w->n_frames; i++)
		if (frame_initializes_class(w->frames[i]))
			return true;
	return false;
}

bool owner_of_class(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all)
{
	bool runs = false;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[s->task].tgid, &n);

	if (!waits_for_class(g, s))
		return false;
	b->kind = RESOURCE_LOCK;
	b->time = TIME_LOCK;
	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t at = graph_interval_at(g, r[i].event, s->to_ns - 1);
		const struct interval *x = at == GRAPH_NONE ? NULL : &g->intervals[at];

		if (!x || r[i].event == s->task || x->from_ns >= s->to_ns)
			continue;
		if (x->state == INTERVAL_BLOCKED && all->n < ENDERS_MAX && initializes_class(g, x))
			all->v[all->n++] = r[i].event;
		runs |= x->state != INTERVAL_BLOCKED;
	}
	/* A thread that runs, or whose state is not known, may be the one that initializes the class. */
	if (runs)
		all->n = 0;
	/* If the budget of scan.h is spent, the loop may have missed other threads. */
	b->task = all->n == 1 && scan_left(g) ? all->v[0] : GRAPH_NONE;
	return true;
}

/* Returns true if x and s are parts of one wait: a timer ended x, and the task sent and received
 * nothing between x and s. After a message, s may be a new wait on the same object. */
static bool is_part(const struct graph *g, const struct interval *x, const struct interval *s)
{
	size_t at = window_lower_bound(g->w, x->to_ns);

	if (!s->obj || !blame_same_wait(x, s) || x->wake == GRAPH_NONE ||
	    !edge_by_timer(g, x, &g->w->events[x->wake]) ||
	    graph_lacks_within(g, x->to_ns, s->from_ns) & CT_LACK_MESSAGES)
		return false;
	for (size_t n = 0; at < g->w->n_events && g->w->events[at].r.ts < s->from_ns; at++, n++) {
		const struct ct_rec *r = &g->w->events[at].r;

		if (n == SPOKE_LOOKS || !scan_step(g) ||
		    (r->tid == g->tasks[s->task].tid && (r->kind == CT_SEND || r->kind == CT_RECV)))
			return false;
	}
	return true;
}

/* Returns true if the task was in one wait from since_ns to to_ns, perhaps in several parts
 * (is_part()). Then the task has unlocked nothing in this time. */
static bool has_only_waited(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t to_ns)
{
	const struct interval *first = &g->intervals[g->tasks[task].first_interval], *x, *part;
	uint32_t i = graph_interval_at(g, task, to_ns - 1);

	if (i == GRAPH_NONE || g->intervals[i].state != INTERVAL_BLOCKED ||
	    owner_may_have_unlocked(g, task, since_ns, to_ns))
		return false;
	x = part = &g->intervals[i];
	for (unsigned looks = 0; looks < LOCK_LOOKS && x >= first && scan_step(g); looks++, x--) {
		if (x->state == INTERVAL_BLOCKED) {
			if (x != part && !is_part(g, x, part))
				return false;
			part = x;
		} else if (x->state != INTERVAL_RUNNING && x->state != INTERVAL_RUNNABLE) {
			return false;
		}
		if (x->from_ns <= since_ns)
			return x->state == INTERVAL_BLOCKED;
	}
	return false;
}

/* Returns the CT_VISIT event of s. If timers have divided the wait into parts (is_part()), the CT_VISIT may
 * be of an earlier part. */
static uint32_t visit_of_parts(const struct graph *g, const struct interval *s)
{
	const struct interval *first = &g->intervals[g->tasks[s->task].first_interval], *x = s, *part = s;

	for (unsigned looks = 0; looks < LOCK_LOOKS && x >= first && scan_step(g); looks++, x--) {
		if (x->state != INTERVAL_BLOCKED)
			continue;
		if (x != s && !is_part(g, x, part))
			return GRAPH_NONE;
		part = x;
		if (graph_visit(g, x) != GRAPH_NONE)
			return graph_visit(g, x);
	}
	return GRAPH_NONE;
}

/* Returns true if the thread of Java was in one wait from since_ns to to_ns. So it has unlocked nothing.
 * Between the parts of a wait, it may have run, and then waited for another thing on the same futex.
 * Exception: a thread that waits for a monitor does nothing else before it gets the monitor. */
static bool java_has_only_waited(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t to_ns)
{
	uint32_t i = graph_interval_at(g, task, to_ns - 1), visit;

	if (i == GRAPH_NONE || !has_only_waited(g, task, since_ns, to_ns))
		return false;
	if (g->intervals[i].from_ns <= since_ns)
		return true;
	visit = visit_of_parts(g, &g->intervals[i]);
	return visit != GRAPH_NONE && ct_visit_lock(&g->w->events[visit].r) & CT_VL_MONITOR;
}

/* Returns the owner that the CT_VISIT shows, or GRAPH_NONE. */
static uint32_t visit_owner(const struct graph *g, uint32_t visit, uint64_t to_ns)
{
	const struct ct_rec *r = &g->w->events[visit].r;
	uint32_t owner = ct_visit_owner(r) ? graph_task_at(g, ct_visit_owner(r), r->ts) : GRAPH_NONE;

	return owner != GRAPH_NONE && owner_alive(g, owner, to_ns - 1) ? owner : GRAPH_NONE;
}

/* Returns the CT_VISIT event that shows the lock for which the task waits in s, or GRAPH_NONE. A CT_VISIT of
 * an earlier part of the wait counts too (visit_of_parts()), but for a lock of Java only if it is a monitor
 * that the shown owner cannot have left since. Otherwise the thread may have got the lock, or given up. */
static uint32_t shown_lock(const struct graph *g, const struct interval *s)
{
	uint32_t visit = visit_of_parts(g, s), owner;
	const struct ct_rec *r = visit == GRAPH_NONE ? NULL : &g->w->events[visit].r;

	if (!r || !ct_visit_lock(r))
		return GRAPH_NONE;
	if (!(ct_visit_lock(r) & CT_VL_JAVA) || visit == graph_visit(g, s))
		return visit;
	owner = visit_owner(g, visit, s->to_ns);
	return ct_visit_lock(r) & CT_VL_MONITOR && owner != GRAPH_NONE &&
			       java_has_only_waited(g, owner, r->ts, s->to_ns)
		       ? visit
		       : GRAPH_NONE;
}

bool owner_shown_recently(const struct graph *g, const struct interval *s)
{
	uint32_t visit = graph_visit(g, s);

	return visit != GRAPH_NONE && ct_visit_lock(&g->w->events[visit].r) &&
	       g->w->events[visit].r.ts + SHOWN_LOCK_OLD_NS >= s->to_ns;
}

bool owner_is_shown_lock(const struct graph *g, const struct interval *s)
{
	return shown_lock(g, s) != GRAPH_NONE;
}

bool owner_of_shown_lock(const struct graph *g, const struct interval *s, struct blame *b)
{
	uint32_t visit = shown_lock(g, s), owner;
	const struct ct_rec *r = visit == GRAPH_NONE ? NULL : &g->w->events[visit].r;
	bool java;

	if (!r)
		return false;
	java = ct_visit_lock(r) & CT_VL_JAVA;
	b->obj = 0;
	b->kind = java ? RESOURCE_LOCK : RESOURCE_DATABASE_LOCK;
	b->time = TIME_LOCK;
	b->edge = EDGE_OWNER;
	b->strength = EDGE_WEAK;
	b->ownerless = ct_visit_lock(r) & CT_VL_NO_TASK;
	owner = visit_owner(g, visit, s->to_ns);
	if (owner == GRAPH_NONE)
		return true;
	b->task = owner;
	b->event = visit;
	if (java && java_has_only_waited(g, owner, r->ts, s->to_ns)) {
		b->kind = RESOURCE_JAVA_LOCK;
		b->edge = EDGE_LOCK;
		b->strength = EDGE_STRONG;
	} else if (!java && (owner_shown_recently(g, s) || has_only_waited(g, owner, r->ts, s->to_ns))) {
		b->strength = EDGE_STRONG;
	}
	return true;
}

/* Returns the only living thread of the process, or GRAPH_NONE. */
static uint32_t only_thread(const struct graph *g, uint32_t tgid, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, tgid, &n);
	uint32_t found = GRAPH_NONE;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		if (!owner_alive(g, r[i].event, ts_ns))
			continue;
		if (found != GRAPH_NONE)
			return GRAPH_NONE;
		found = r[i].event;
	}
	return scan_left(g) ? found : GRAPH_NONE;
}

/* Returns true if the task waits in a call of System V, and perhaps for nothing that it owes: for any
 * message, or for a semaphore of which no inspection shows who has taken it. Such a task may have taken an
 * item from a pool, and wait for the next one. */
static bool idles_in_ipc(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns), visit;
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	enum call call;

	if (!s || s->state != INTERVAL_BLOCKED || s->wait != CT_W_SYSVIPC)
		return false;
	call = call_of(g->w->machine, s->nr);
	if (call != CALL_SEMOP && call != CALL_SEMTIMEDOP)
		return call == CALL_MSGRCV;
	visit = graph_visit(g, s);
	return visit == GRAPH_NONE || !(ct_visit_lock(&g->w->events[visit].r) & CT_VL_SYSV);
}

void owner_of_sysv(const struct graph *g, const struct interval *s, struct blame *b)
{
	uint32_t visit = graph_visit(g, s), task;
	const struct ct_rec *r = visit == GRAPH_NONE ? NULL : &g->w->events[visit].r;

	if (!r || !(ct_visit_lock(r) & CT_VL_SYSV) || !ct_visit_owner(r))
		return;
	task = only_thread(g, ct_visit_owner(r), s->to_ns - 1);
	if (task == GRAPH_NONE || idles_in_ipc(g, task, s->to_ns - 1))
		return;
	b->task = task;
	b->event = visit;
	if (b->kind == RESOURCE_SEMAPHORE)
		b->time = TIME_LOCK;
}
