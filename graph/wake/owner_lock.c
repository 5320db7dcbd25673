// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner_private.h"
#include "lib/bisect.h"
#include "trace/words/frame.h"

/* Returns true if a cap begins with this record. */
static bool is_begin(const struct graph *g, const struct window_event *cap)
{
	return window_words(g->w, cap)[0] == cap->r.ts;
}

static bool may_have_unlocked(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->gaps, 0, &n);

	/* In a pause, nothing is recorded. A pause makes a CT_GAP only at its end, so the loop below would
	 * not find a pause that has not ended. */
	if (graph_lacks_within(g, from_ns, to_ns) & CT_LACK_PAUSES)
		return true;
	for (size_t i = 0; i < n; i++)
		if (!scan_step(g) || (window_words(g->w, owner_event(g, &r[i]))[0] < to_ns &&
				      owner_event(g, &r[i])->r.ts >= from_ns))
			return true;
	r = graph_refs(&g->threads, g->tasks[task].tgid, &n);
	for (size_t i = 0; i < n; i++) {
		const struct graph_ref *cap = graph_ref_before(g, &g->caps, g->tasks[r[i].event].tid, to_ns);

		if (!scan_step(g) ||
		    (cap && (owner_event(g, cap)->r.ts >= from_ns || is_begin(g, owner_event(g, cap)))))
			return true;
	}
	return false;
}

static bool is_held_later(const struct graph *g, uint64_t obj, uint32_t task, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->flocks, obj, &n);

	for (size_t i = n; i-- > 0 && owner_event(g, &r[i])->r.ts >= ts_ns && scan_step(g);)
		if (owner_event(g, &r[i])->r.kind == CT_HELD &&
		    owner_event(g, &r[i])->r.tid == g->tasks[task].tgid)
			return true;
	return false;
}

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
	struct enders all = { 0 };
	uint64_t since_ns;

	after = BISECT(k, 0, n, owner_event(g, &r[k])->r.ts > ts_ns);
	for (i = after; i > 0 && owner == GRAPH_NONE && scan_step(g); i--)
		if (is_lock(owner_event(g, &r[i - 1]))) {
			owner = lock_task(g, owner_event(g, &r[i - 1]), tgid);
			event = r[i - 1].event;
		}
	for (i++; owner != GRAPH_NONE && i < after && scan_step(g); i++) {
		uint32_t task = ct_lock_op(&owner_event(g, &r[i])->r) == CT_LOCK_UNLOCK
					? lock_task(g, owner_event(g, &r[i]), tgid)
					: GRAPH_NONE;

		if (task != GRAPH_NONE && g->tasks[task].tgid == g->tasks[owner].tgid)
			owner = GRAPH_NONE;
	}
	for (i = after;
	     i < n && owner == GRAPH_NONE && owner_event(g, &r[i])->r.kind == CT_HELD && scan_step(g); i++)
		if (is_lock(owner_event(g, &r[i]))) {
			owner = lock_task(g, owner_event(g, &r[i]), tgid);
			event = r[i].event;
		}
	*ret_strength = EDGE_STRONG;
	/* If the budget of scan.h is spent, the loops above may have missed an unlock. */
	if (owner == GRAPH_NONE || !g->scans->left)
		return GRAPH_NONE;
	if (ret_event)
		*ret_event = event;
	since_ns = g->w->events[event].r.ts;
	if (since_ns > ts_ns
		    ? may_have_unlocked(g, owner, ts_ns, since_ns)
		    : may_have_unlocked(g, owner, since_ns, ts_ns) && !is_held_later(g, obj, owner, ts_ns))
		*ret_strength = EDGE_WEAK;
	/* A flock() lock stays while another process has the inherited descriptor open. */
	if (g->tasks[owner].exit_ns <= ts_ns && ct_lock_type(&g->w->events[event].r) == CT_LOCK_FLOCK)
		owner = owner_fd(g, obj, ts_ns, tgid, 0, &all);
	return owner;
}

/*
 * Finds the owner by its unlock. The unlock ends the wait, but is recorded only after the wake-up. So
 * looks for unlocks from the end of the wait until a task gets the lock: the waiter or another task.
 * The close of a file is recorded as an unlock too. If tasks of several processes unlock in this time,
 * the owner is not known: returns GRAPH_NONE. The result is weak if no record shows that the waiter got
 * the lock, or if records may be missing.
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
		const struct window_event *e = owner_event(g, &r[i]);
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

static uint64_t lock_of_wait(const struct graph *g, const struct interval *s)
{
	const struct graph_task *me = &g->tasks[s->task];
	const struct graph_ref *r = graph_ref_before(g, &g->locktries, me->tid, s->from_ns);
	uint32_t visit = graph_visit(g, s);
	uint64_t obj = 0;

	if (r && ct_lock_result(&owner_event(g, r)->r) > 0)
		return owner_event(g, r)->r.obj;
	if (visit != GRAPH_NONE && g->w->events[visit].r.obj)
		return g->w->events[visit].r.obj;
	for (size_t i = 0; i < g->flocks.n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &g->flocks.v[i]);

		if (e->r.kind != CT_HELD || !ct_held_is_waiter(&e->r) || e->r.tid != me->tgid ||
		    e->r.ts < s->from_ns || e->r.ts > s->to_ns)
			continue;
		if (obj && obj != e->r.obj)
			return 0;
		obj = e->r.obj;
	}
	return obj;
}

void owner_of_flock(const struct graph *g, const struct interval *s, struct blame *b)
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
	b->task = all->n == 1 && g->scans->left ? all->v[0] : GRAPH_NONE;
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
	    may_have_unlocked(g, task, since_ns, to_ns))
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
