// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner_private.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

/* Returns true if a cap begins with this record. */
static bool is_begin(const struct graph *g, const struct window_event *cap)
{
	return window_words(g->w, cap)[0] == cap->r.ts;
}

bool owner_may_have_unlocked(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
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

/* The first and the last byte of a lock. */
struct bytes {
	uint64_t from, to;
};

static struct bytes bytes_of(const struct graph *g, const struct window_event *e)
{
	const uint64_t *x = window_words(g->w, e);

	return (struct bytes){ x[0], x[1] };
}

static struct bytes wanted_bytes(const struct graph *g, const struct window_event *want)
{
	return want ? bytes_of(g, want) : (struct bytes){ 0, UINT64_MAX };
}

/* Returns true if the record is about bytes that the waiter wants. Locks of flock() and of fcntl() do
 * not know each other. */
static bool is_about(const struct graph *g, const struct window_event *want, const struct window_event *e)
{
	struct bytes w = wanted_bytes(g, want), b = bytes_of(g, e);

	if (want && (ct_lock_type(&want->r) == CT_LOCK_FLOCK) != (ct_lock_type(&e->r) == CT_LOCK_FLOCK))
		return false;
	return b.from <= w.to && w.from <= b.to;
}

static bool keeps_out(const struct window_event *want, const struct window_event *lock)
{
	return !want || ct_lock_op(&want->r) == CT_LOCK_WRITE || ct_lock_op(&lock->r) == CT_LOCK_WRITE;
}

/* A process that may own a lock that the waiter wants. */
struct holder {
	uint32_t tgid;
	struct bytes left; /* the wanted bytes that no later record of the process is about */
	bool decided;
	uint32_t task, event; /* the owner and the record of its lock. GRAPH_NONE: it owns no such lock */
};

struct holders {
	const struct graph *g;
	const struct lock_try *t;
	size_t n;
	bool full; /* there are more than LOCKERS_MAX processes */
	struct holder v[LOCKERS_MAX];
};

static struct holder *holder_of(struct holders *h, uint32_t tgid)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].tgid == tgid)
			return &h->v[i];
	if (h->n == LOCKERS_MAX) {
		h->full = true;
		return NULL;
	}
	h->v[h->n] = (struct holder){
		.tgid = tgid, .left = wanted_bytes(h->g, h->t->want), .task = GRAPH_NONE, .event = GRAPH_NONE
	};
	return &h->v[h->n++];
}

/* Bytes in the midst of `left` stay: then there would be two ranges. */
static void take_bytes(struct holder *p, struct bytes b)
{
	if (b.from <= p->left.from && b.to >= p->left.to)
		p->decided = true;
	else if (b.from <= p->left.from)
		p->left.from = b.to + 1;
	else if (b.to >= p->left.to)
		p->left.to = b.from - 1;
}

/* The records come from the last one to the first one. So for each byte, the first record counts. */
static void look_at(struct holders *h, uint32_t event)
{
	const struct window_event *e = &h->g->w->events[event];
	uint32_t task = lock_task(h->g, e, h->t->tgid);
	struct bytes b = bytes_of(h->g, e);
	struct holder *p;

	if (task == GRAPH_NONE || !is_about(h->g, h->t->want, e) ||
	    (ct_lock_op(&e->r) != CT_LOCK_UNLOCK && !is_lock(e)))
		return;
	p = holder_of(h, h->g->tasks[task].tgid);
	if (!p || p->decided || b.from > p->left.to || b.to < p->left.from)
		return;
	if (!is_lock(e) || !keeps_out(h->t->want, e)) {
		take_bytes(p, b);
		return;
	}
	p->decided = true;
	p->task = task;
	p->event = event;
}

/* Returns true if a process got all wanted bytes for itself with this record. So no other process had a lock
 * on them then. */
static bool is_alone(const struct graph *g, const struct window_event *want, const struct window_event *e)
{
	struct bytes w = wanted_bytes(g, want), b = bytes_of(g, e);

	return is_lock(e) && ct_lock_op(&e->r) == CT_LOCK_WRITE && is_about(g, want, e) && b.from <= w.from &&
	       b.to >= MIN(w.to, INT64_MAX) && !(e->r.kind == CT_HELD && ct_held_is_waiter(&e->r));
}

static void find_holders(struct holders *h)
{
	const struct graph *g = h->g;
	size_t n, after;
	const struct graph_ref *r = graph_refs(&g->flocks, h->t->obj, &n);
	bool found = false;

	after = BISECT(k, 0, n, owner_event(g, &r[k])->r.ts > h->t->ts_ns);
	for (size_t i = after; i > 0 && !h->full && scan_step(g); i--) {
		look_at(h, r[i - 1].event);
		if (is_alone(g, h->t->want, owner_event(g, &r[i - 1])))
			break;
	}
	for (size_t i = 0; i < h->n; i++)
		found |= h->v[i].task != GRAPH_NONE;
	if (found || h->full)
		return;
	h->n = 0;
	for (size_t i = after; i < n && owner_event(g, &r[i])->r.kind == CT_HELD && scan_step(g); i++)
		look_at(h, r[i].event);
}

static uint8_t holder_strength(const struct holders *h, const struct holder *p)
{
	const struct graph *g = h->g;
	uint64_t ts_ns = h->t->ts_ns, since_ns = g->w->events[p->event].r.ts;

	if (since_ns > ts_ns ? owner_may_have_unlocked(g, p->task, ts_ns, since_ns)
			     : owner_may_have_unlocked(g, p->task, since_ns, ts_ns) &&
				       !is_held_later(g, h->t->obj, p->task, ts_ns))
		return EDGE_WEAK;
	return EDGE_STRONG;
}

/* Returns true if `task` may have the open file of `locker`: both are of one family of processes, or the
 * parent of `locker` is not known. */
static bool may_share(const struct graph *g, uint32_t task, uint32_t locker)
{
	uint32_t parent = g->tasks[locker].ptgid, tgid = g->tasks[task].tgid;

	return parent <= 1 || tgid == parent || graph_descends_from(g, task, parent) ||
	       graph_descends_from(g, task, g->tasks[locker].tgid) || graph_descends_from(g, locker, tgid);
}

/* A lock of flock() belongs to the open file, and stays while another process has it too. `locker`, which
 * took the lock, has exited. Shells use this: flock(1) locks a file that its parent has opened. Returns the
 * parent, if it has the file open, or else the only process that may share it. If several may, *all has them.
 */
static uint32_t heir(const struct graph *g, const struct lock_try *t, uint32_t locker, struct enders *all)
{
	struct enders have = { 0 }, may = { 0 };

	owner_holders(g, t->obj, t->ts_ns, &have);
	for (size_t i = 0; i < have.n; i++) {
		if (g->tasks[have.v[i]].tgid == t->tgid || !may_share(g, have.v[i], locker))
			continue;
		if (g->tasks[have.v[i]].tgid == g->tasks[locker].ptgid)
			return have.v[i];
		owner_add(g, &may, have.v[i]);
	}
	if (may.n == 1)
		return may.v[0];
	*all = may;
	return GRAPH_NONE;
}

void owner_of_lock(const struct graph *g, const struct lock_try *t, struct lock_owner *ret,
		   struct enders *all)
{
	struct holders h;
	const struct holder *owner = NULL;
	struct enders found = { 0 };
	uint8_t best = EDGE_WEAK;

	*ret = (struct lock_owner){ .task = GRAPH_NONE, .event = GRAPH_NONE, .strength = EDGE_STRONG };
	/* h.v is large, so only the used part is set. */
	h.g = g;
	h.t = t;
	h.n = 0;
	h.full = false;
	find_holders(&h);
	/* If the budget of scan.h is spent, the walk may have missed an unlock. */
	if (h.full || !g->scans->left)
		return;
	for (size_t i = 0; i < h.n; i++)
		if (h.v[i].task != GRAPH_NONE)
			best = MAX(best, holder_strength(&h, &h.v[i]));
	for (size_t i = 0; i < h.n; i++)
		if (h.v[i].task != GRAPH_NONE && holder_strength(&h, &h.v[i]) == best) {
			owner = &h.v[i];
			owner_add(g, &found, owner->task);
		}
	if (found.n > 1) {
		*all = found;
		return;
	}
	if (!owner)
		return;
	*ret = (struct lock_owner){ .task = owner->task, .event = owner->event, .strength = best };
	if (g->tasks[owner->task].exit_ns > t->ts_ns ||
	    ct_lock_type(&g->w->events[owner->event].r) != CT_LOCK_FLOCK)
		return;
	ret->task = heir(g, t, owner->task, all);
	ret->strength = EDGE_WEAK; /* it may have opened the file for itself */
}

/*
 * Finds the owner by its unlock. The unlock ends the wait, but is recorded only after the wake-up. So
 * looks for unlocks from the end of the wait until a task gets the lock: the waiter or another task.
 * The close of a file is recorded as an unlock too. If tasks of several processes unlock in this time,
 * the owner is not known: returns GRAPH_NONE. The result is weak if no record shows that the waiter got
 * the lock, or if records may be missing.
 */
static uint32_t owner_by_unlock(const struct graph *g, const struct lock_try *t, const struct interval *s,
				uint32_t *ret_event, uint8_t *ret_strength)
{
	const struct graph_task *me = &g->tasks[s->task];
	uint32_t owner = GRAPH_NONE, event = GRAPH_NONE;
	bool granted = false;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->flocks, t->obj, s->from_ns, &n);

	for (size_t i = 0; i < n && !granted && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		bool unlock = ct_lock_op(&e->r) == CT_LOCK_UNLOCK;
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

		if (e->r.kind != CT_FLOCK || task == GRAPH_NONE || !is_about(g, t->want, e))
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
		granted && !g->caps.n &&
				!owner_may_have_unlocked(g, owner, s->from_ns, g->w->events[event].r.ts)
			? EDGE_STRONG
			: EDGE_WEAK;
	return owner;
}

/* Looks for lines of /proc/locks in which the process of the waiter waits for a lock. If all of them are
 * about one file, sets t->obj; if there is only one, sets t->want. */
static void find_waiters(const struct graph *g, const struct interval *s, const struct graph_ref *r, size_t n,
			 struct lock_try *t)
{
	size_t lines = 0;
	uint64_t obj = 0;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.kind != CT_HELD || !ct_held_is_waiter(&e->r) || e->r.tid != t->tgid ||
		    e->r.ts < s->from_ns || e->r.ts > s->to_ns)
			continue;
		if (obj && obj != e->r.obj) {
			t->want = NULL;
			return;
		}
		obj = e->r.obj;
		t->want = lines++ ? NULL : e;
	}
	if (!t->obj)
		t->obj = obj;
}

/* Sets t->obj, the file whose lock the task waits for, or 0. Sets t->want if a record shows it. */
static void find_try(const struct graph *g, const struct interval *s, struct lock_try *t)
{
	const struct graph_ref *r = graph_ref_before(g, &g->locktries, g->tasks[s->task].tid, s->from_ns);
	uint32_t visit = graph_visit(g, s);
	size_t n;

	if (r && ct_lock_result(&owner_event(g, r)->r) > 0 &&
	    (!t->obj || t->obj == owner_event(g, r)->r.obj)) {
		t->want = owner_event(g, r);
		t->obj = t->want->r.obj;
		return;
	}
	if (!t->obj && visit != GRAPH_NONE)
		t->obj = g->w->events[visit].r.obj;
	if (!t->obj) {
		find_waiters(g, s, g->flocks.v, g->flocks.n, t);
		return;
	}
	r = graph_refs_from(g, &g->flocks, t->obj, s->from_ns, &n);
	find_waiters(g, s, r, n, t);
}

void owner_of_flock(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all)
{
	struct lock_try t = { .obj = b->obj, .ts_ns = s->from_ns, .tgid = g->tasks[s->task].tgid };
	struct lock_owner owner;

	find_try(g, s, &t);
	b->obj = t.obj;
	b->edge = EDGE_FILELOCK;
	if (!b->obj)
		return;
	owner_of_lock(g, &t, &owner, all);
	b->task = owner.task;
	b->event = owner.event;
	b->strength = owner.strength;
	if (b->task != GRAPH_NONE)
		return;
	b->strength = EDGE_WEAK;
	b->task = owner_by_unlock(g, &t, s, &b->event, &b->strength);
	if (b->task != GRAPH_NONE)
		all->n = 0;
}
