// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctrace/glibc.h"
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner_private.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
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

uint64_t blame_stack(const struct graph *g, const struct interval *s)
{
	const struct interval *first = &g->intervals[g->tasks[s->task].first_interval], *x = s;
	uint64_t stack;

	for (unsigned looks = 0; looks < LOCK_LOOKS && x >= first; looks++, x--) {
		if (x->state != INTERVAL_BLOCKED)
			continue;
		if (!blame_same_wait(x, s))
			return 0;
		if (x != s && (x->wake == GRAPH_NONE || !edge_by_timer(g, x, &g->w->events[x->wake])))
			return 0;
		stack = graph_visit_stack(g, x);
		if (stack)
			return stack;
	}
	return 0;
}

bool owner_in_lock(const struct graph *g, const struct interval *s)
{
	uint64_t stack = s->wait == CT_W_FUTEX ? blame_stack(g, s) : 0;

	return stack && owner_stack_locks(g->w, stack);
}

bool owner_visit_shows(const struct graph *g, const struct interval *s, bool (*is)(const char *frame))
{
	uint64_t id = graph_visit_stack(g, s);
	const struct window_stack *w = id ? window_stack(g->w, id) : NULL;

	for (uint16_t i = 0; w && i < w->n_frames; i++)
		if (is(w->frames[i]))
			return true;
	return false;
}

bool owner_in_rwlock(const struct graph *g, const struct interval *s)
{
	return owner_visit_shows(g, s, frame_is_rwlock);
}

bool owner_sleeps_in_java(const struct graph *g, const struct interval *s)
{
	return owner_visit_shows(g, s, frame_is_java_sleep);
}

bool owner_sends_to_channel(const struct graph *g, const struct interval *s)
{
	return s->wait == CT_W_FUTEX && owner_visit_shows(g, s, frame_sends_to_channel);
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
		if (x->state == INTERVAL_BLOCKED && all->n < ENDERS_MAX &&
		    owner_visit_shows(g, x, frame_initializes_class))
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
	return visit != GRAPH_NONE &&
	       (ct_visit_lock(&g->w->events[visit].r) & (CT_VL_MONITOR | CT_VL_TASK)) == CT_VL_MONITOR;
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

	if (!r || !ct_visit_lock(r) || ct_visit_lock(r) & CT_VL_TASK)
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

bool owner_is_own_lock(const struct graph *g, const struct interval *s)
{
	uint32_t visit = shown_lock(g, s);

	return visit != GRAPH_NONE && ct_visit_lock(&g->w->events[visit].r) & CT_VL_JAVA &&
	       visit_owner(g, visit, s->to_ns) == s->task;
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

bool owner_of_java_task(const struct graph *g, const struct interval *s, struct blame *b)
{
	uint32_t visit = graph_visit(g, s), owner;
	const struct ct_rec *r = visit == GRAPH_NONE ? NULL : &g->w->events[visit].r;

	if (!r || !(ct_visit_lock(r) & CT_VL_TASK))
		return false;
	owner = visit_owner(g, visit, s->to_ns);
	if (owner == GRAPH_NONE)
		return false;
	b->task = owner;
	b->event = visit;
	b->time = TIME_IPC;
	b->strength = EDGE_WEAK;
	if (ct_visit_lock(r) & CT_VL_MONITOR) {
		b->edge = EDGE_EXIT;
		return true;
	}
	b->obj = 0;
	b->kind = RESOURCE_JAVA_TASK;
	b->edge = EDGE_OWNER;
	if (owner_shown_recently(g, s) || java_has_only_waited(g, owner, r->ts, s->to_ns))
		b->strength = EDGE_STRONG;
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

/* The part of an address that all processes with the same shared memory have in common. */
#define PAGE_PART(obj) ((obj)&4095)

static bool is_read_write(const struct graph *g, const struct interval *s)
{
	size_t n;

	graph_refs(&g->owned, GRAPH_FUTEX_KEY(s->obj), &n);
	return n != 0;
}

/* Returns true if both futexes have the same place in a page. A read-write lock has two futexes. */
static bool is_same_part(const struct graph *g, const struct interval *s, uint64_t obj)
{
	return PAGE_PART(obj) == PAGE_PART(s->obj) ||
	       (GLIBC_FUTEX_PAIR(PAGE_PART(obj)) == GLIBC_FUTEX_PAIR(PAGE_PART(s->obj)) &&
		is_read_write(g, s));
}

/* Returns true if x is a wait for the same lock as s. A process that shares a lock with another one has an id
 * of its own for the futex. Then both ids have the same place in a page, and a record shows that x is for a
 * lock. */
static bool is_for_lock(const struct graph *g, const struct interval *s, const struct interval *x)
{
	if (x->wait != CT_W_FUTEX || x->task == s->task || !is_same_part(g, s, x->obj))
		return false;
	return GLIBC_FUTEX_PAIR(x->obj) == GLIBC_FUTEX_PAIR(s->obj) ||
	       (g->tasks[x->task].tgid != g->tasks[s->task].tgid && graph_futex_owner(g, x));
}

/* x is a wait for which is_for_lock() is true. Returns false if x is of another process, and has the futex at
 * another address: then x may be for another lock at the same place in a page. Processes that got the lock by
 * a fork have it at the same address. */
static bool is_surely_for_lock(const struct interval *s, const struct interval *x)
{
	return GLIBC_FUTEX_PAIR(CT_OBJ_FUTEX_ID(0, x->obj)) == GLIBC_FUTEX_PAIR(CT_OBJ_FUTEX_ID(0, s->obj));
}

/* Returns the wait for the lock of s that this CT_WAKE ended, or NULL. */
static const struct interval *ended_by(const struct graph *g, const struct interval *s, uint32_t event)
{
	const struct ct_rec *r = &g->w->events[event].r;
	uint32_t task = graph_task_at(g, r->tid, r->ts), i, end;

	if (task == GRAPH_NONE || task == s->task)
		return NULL;
	i = graph_interval_at(g, task, r->ts - 1);
	end = g->tasks[task].first_interval + g->tasks[task].n_intervals;
	/* the record of the wake-up may come before that of the switch with which the wait begins */
	for (unsigned looks = 0; i < end && looks < WAIT_ENDED_LOOKS && scan_step(g); i++, looks++) {
		const struct interval *x = &g->intervals[i];

		if (x->state == INTERVAL_BLOCKED && x->wake == event)
			return is_for_lock(g, s, x) ? x : NULL;
	}
	return NULL;
}

/* Returns the first of the records that ends a wait for the lock, and is not later than the record `best`. If
 * there is none, returns `best`. */
static uint32_t first_of(const struct graph *g, const struct interval *s, const struct graph_ref *r, size_t n,
			 uint32_t best)
{
	for (size_t i = 0;
	     i < n && r[i].event < best && owner_event(g, &r[i])->r.ts < s->to_ns && scan_step(g); i++)
		if (ended_by(g, s, r[i].event))
			return r[i].event;
	return best;
}

/* Returns the first CT_WAKE after after_ns that released the lock for which s waits, through a futex with an
 * id from `first` to `last`. It is not later than the record `best`. If there is none, returns `best`. */
static uint32_t first_within(const struct graph *g, const struct interval *s, uint64_t first, uint64_t last,
			     uint64_t after_ns, uint32_t best)
{
	const struct graph_index *ix = &g->wakes;
	size_t n;

	for (size_t k = BISECT(i, 0, ix->n_keys, ix->keys[i] >= first);
	     k < ix->n_keys && ix->keys[k] <= last && scan_step(g); k++) {
		const struct graph_ref *r;

		if (!is_same_part(g, s, ix->keys[k]))
			continue;
		r = graph_refs_from(g, ix, ix->keys[k], after_ns + 1, &n);
		best = first_of(g, s, r, n, best);
	}
	return best;
}

/* Returns the first CT_WAKE after after_ns by which a task of the waiter's process, or of the process tgid,
 * released the lock for which s waits, or GRAPH_NONE. */
static uint32_t first_release(const struct graph *g, const struct interval *s, uint32_t tgid,
			      uint64_t after_ns)
{
	uint64_t pair = GLIBC_FUTEX_PAIR(s->obj);
	uint32_t best = first_within(g, s, pair, pair | 7, after_ns, GRAPH_NONE);

	return tgid == g->tasks[s->task].tgid ? best
					      : first_within(g, s, CT_OBJ_FUTEX_ID(tgid, 0),
							     CT_OBJ_FUTEX_ID(tgid, ~0ULL), after_ns, best);
}

/* The owner exits. If the mutex is robust, the kernel releases it: handle_futex_death() in kernel/futex. This
 * may be before or after the CT_EXIT. Returns the CT_WAKE by which it woke a waiter, or GRAPH_NONE. */
static uint32_t release_at_exit(const struct graph *g, const struct interval *s, const struct lock_turn *t)
{
	size_t n;
	const struct graph_ref *r =
		graph_refs_from(g, &g->last_wakes, g->tasks[t->task].tid, t->from_ns + 1, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts < s->to_ns && scan_step(g); i++) {
		/* a later task with this tid */
		if (graph_task_at(g, g->tasks[t->task].tid, owner_event(g, &r[i])->r.ts) != t->task)
			break;
		if (ended_by(g, s, r[i].event))
			return r[i].event;
	}
	return GRAPH_NONE;
}

static uint32_t release_of(const struct graph *g, const struct interval *s, const struct lock_turn *t)
{
	uint32_t tgid = g->tasks[t->task == GRAPH_NONE ? s->task : t->task].tgid;
	uint32_t event = first_release(g, s, tgid, t->from_ns);
	uint32_t at_exit = t->task == GRAPH_NONE ? GRAPH_NONE : release_at_exit(g, s, t);

	return event < at_exit ? event : at_exit;
}

/* Returns true if the task woke another one through the futex between these times. */
static bool has_released(const struct graph *g, uint64_t obj, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->wakes, obj, from_ns + 1, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts < to_ns && scan_step(g); i++)
		if (ct_wake_waker(&owner_event(g, &r[i])->r) == g->tasks[task].tid)
			return true;
	return false;
}

/* The CT_WAKE `event` ended x, a wait for the lock. Sets *ret to the next turn. */
static void turn_after(const struct graph *g, const struct interval *s, const struct interval *x,
		       uint32_t event, struct lock_turn *ret)
{
	const struct graph_task *t = &g->tasks[x->task];
	const struct interval *end = &g->intervals[t->first_interval + t->n_intervals], *y = x + 1;
	bool ran = false;

	*ret = (struct lock_turn){
		.task = x->task, .event = event, .from_ns = g->w->events[event].r.ts, .until_ns = UINT64_MAX
	};
	for (; y < end && y->from_ns < s->to_ns && scan_step(g); y++) {
		if (y->state == INTERVAL_UNKNOWN || y->state == INTERVAL_FOLDED)
			return;
		ran |= y->state == INTERVAL_RUNNING;
		if (y->state == INTERVAL_BLOCKED)
			break;
	}
	ret->certain = ran;
	if (y == end || y->from_ns >= s->to_ns || y->wait != CT_W_FUTEX || y->obj != x->obj ||
	    has_released(g, x->obj, x->task, ret->from_ns, y->from_ns))
		return;
	/* Another task got the lock before the woken task did. */
	ret->task =
		graph_futex_owner(g, y) ? graph_task_at(g, graph_futex_owner(g, y), y->from_ns) : GRAPH_NONE;
	ret->from_ns = MAX(ret->from_ns, graph_futex_owner_ns(g, y));
	ret->certain = ret->task != GRAPH_NONE && ret->task != s->task;
}

/* Adds the tasks that were woken through the futexes of the read-write lock after after_ns, and do not wait
 * for it again. */
static void add_readers(const struct graph *g, const struct interval *s, uint64_t after_ns,
			struct enders *all)
{
	uint64_t pair = GLIBC_FUTEX_PAIR(s->obj);
	size_t n;
	const struct graph_ref *r = graph_refs_range(&g->wakes, pair, pair | 7, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		const struct interval *x;
		struct lock_turn t;

		if (e->r.ts <= after_ns || e->r.ts >= s->to_ns)
			continue;
		x = ended_by(g, s, r[i].event);
		if (!x)
			continue;
		turn_after(g, s, x, r[i].event, &t);
		if (t.task == x->task && owner_alive(g, t.task, s->to_ns - 1))
			owner_add_task(all, t.task);
	}
}

void owner_turn(const struct graph *g, const struct interval *s, uint64_t at_ns, struct lock_turn *ret,
		struct enders *all)
{
	struct lock_turn t = { .task = graph_task_at(g, graph_futex_owner(g, s), s->from_ns),
			       .event = GRAPH_NONE,
			       .from_ns = graph_futex_owner_ns(g, s),
			       .until_ns = UINT64_MAX,
			       .certain = true };
	const struct interval *x;
	uint64_t known_ns = t.from_ns;
	bool sure = true;
	uint32_t release;

	/* An inspection may have shown the owner in the middle of the wait. */
	if (at_ns < known_ns) {
		release = first_release(g, s, g->tasks[t.task == GRAPH_NONE ? s->task : t.task].tgid, at_ns);
		t.certain = release == GRAPH_NONE || g->w->events[release].r.ts >= known_ns;
	}
	for (unsigned turns = 0; turns < LOCK_TURNS; turns++) {
		release = release_of(g, s, &t);
		if (release == GRAPH_NONE || g->w->events[release].r.ts > at_ns) {
			t.until_ns = release == GRAPH_NONE ? UINT64_MAX : g->w->events[release].r.ts;
			t.certain = t.certain && sure && scan_left(g) && t.task != GRAPH_NONE &&
				    !owner_may_have_unlocked(g, t.task, t.from_ns, at_ns);
			*ret = t;
			return;
		}
		x = ended_by(g, s, release);
		if (is_read_write(g, s) || !x)
			break;
		sure &= is_surely_for_lock(s, x);
		turn_after(g, s, x, release, &t);
	}
	*ret = (struct lock_turn){ .task = GRAPH_NONE, .event = GRAPH_NONE, .until_ns = UINT64_MAX };
	if (!is_read_write(g, s))
		return;
	add_readers(g, s, known_ns, all);
	if (all->n == 1)
		ret->task = all->v[0];
}

bool owner_has_died(const struct graph *g, const struct interval *s, uint32_t waker, struct blame *b)
{
	struct enders all = { 0 };
	struct lock_turn turn;

	if (s->wait != CT_W_FUTEX || !graph_futex_owner(g, s))
		return false;
	owner_turn(g, s, s->to_ns - 1, &turn, &all);
	if (!turn.certain || turn.task == waker || turn.task == s->task ||
	    g->tasks[turn.task].exit_ns >= s->to_ns)
		return false;
	b->task = turn.task;
	b->event = turn.event;
	b->time = TIME_LOCK;
	b->edge = EDGE_LOCK;
	b->strength = EDGE_STRONG;
	return true;
}

/* Nothing ended the wait for the mutex, and its owner is not certain, because records are missing later. Sets
 * *ret to the blame up to the first missing record. */
static bool is_certain_before_loss(const struct graph *g, const struct interval *s, uint64_t at_ns,
				   const struct blame *b, struct blame *ret)
{
	size_t lost = graph_span_within(&g->lost, 0, at_ns, s->to_ns);
	struct enders all = { 0 };
	struct lock_turn turn;

	if (b->strength == EDGE_STRONG || lost == g->lost.n)
		return false;
	owner_turn(g, s, at_ns, &turn, &all);
	if (!turn.certain || turn.task != b->task)
		return false;
	*ret = *b;
	ret->strength = EDGE_STRONG;
	ret->until_ns = MIN(turn.until_ns, g->lost.v[lost].from_ns);
	return true;
}

/* Finds the turn of the lock at at_ns, in a wait s that has ended. Returns false if no task surely owned the
 * lock then, or if the turn lasted until the end of the wait. */
static bool turn_at(const struct graph *g, const struct interval *s, uint64_t at_ns, const struct blame *b,
		    struct lock_turn *ret)
{
	struct enders all = { 0 };

	if (s->wait == CT_W_FUTEX && graph_futex_owner(g, s) && b->edge == EDGE_LOCK)
		owner_turn(g, s, at_ns, ret, &all);
	else if (s->wait != CT_W_FLOCK || b->edge != EDGE_FILELOCK || !owner_file_turn(g, s, at_ns, ret))
		return false;
	return ret->certain && ret->task != s->task && ret->until_ns < s->to_ns;
}

bool blame_earlier_owner(const struct graph *g, uint32_t interval, uint64_t at_ns, const struct blame *b,
			 struct blame *ret)
{
	const struct interval *s = &g->intervals[interval];
	struct lock_turn turn, next;

	if (b->task == GRAPH_NONE)
		return false;
	if (s->wait == CT_W_FUTEX && graph_futex_owner(g, s) && !b->ended && b->edge == EDGE_LOCK)
		return is_certain_before_loss(g, s, at_ns, b, ret);
	if (!b->ended || !turn_at(g, s, at_ns, b, &turn))
		return false;
	/* The task that ended the wait may have owned the lock twice, with another owner in between. */
	if (turn.task == b->task && (!turn_at(g, s, turn.until_ns, b, &next) || next.task == b->task))
		return false;
	*ret = *b;
	ret->task = turn.task;
	ret->strength = EDGE_STRONG;
	ret->event = turn.event;
	ret->until_ns = turn.until_ns;
	return true;
}
