// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner_private.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

bool owner_may_have_unlocked(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	/* A pause makes a CT_GAP only at its end, so a pause that has not ended has none. */
	return graph_may_lack(g, CT_LACK_PAUSES, from_ns, to_ns) ||
	       graph_process_was_capped(g, g->tasks[task].tgid, from_ns, to_ns);
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

/* Locks of flock() and of fcntl() do not know each other. */
static bool know_each_other(const struct window_event *a, const struct window_event *b)
{
	return (ct_lock_type(&a->r) == CT_LOCK_FLOCK) == (ct_lock_type(&b->r) == CT_LOCK_FLOCK);
}

static bool overlap(struct bytes a, struct bytes b)
{
	return a.from <= b.to && b.from <= a.to;
}

/* Returns true if the record is about bytes that the waiter wants. */
static bool is_about(const struct graph *g, const struct window_event *want, const struct window_event *e)
{
	return (!want || know_each_other(want, e)) && overlap(bytes_of(g, e), wanted_bytes(g, want));
}

/* Returns true if two processes cannot have both locks on the same bytes. */
static bool exclude_each_other(const struct window_event *a, const struct window_event *b)
{
	return know_each_other(a, b) &&
	       (ct_lock_op(&a->r) == CT_LOCK_WRITE || ct_lock_op(&b->r) == CT_LOCK_WRITE);
}

/* Returns true if both processes are of one family, and so may have the same open file. If the parent of
 * `locker` is not known, or is the init process, only ancestors and descendants are of its family. */
static bool are_family(const struct graph *g, uint32_t task, uint32_t locker)
{
	uint32_t parent = g->tasks[locker].ptgid, tgid = g->tasks[task].tgid;

	return (parent > 1 && (tgid == parent || graph_descends_from(g, task, parent))) ||
	       graph_descends_from(g, task, g->tasks[locker].tgid) || graph_descends_from(g, locker, tgid);
}

/* A lock, or a part of it, that keeps the waiter out. */
struct held {
	uint32_t task, event; /* the owner, and the record of the lock */
	struct bytes b;
	bool doubtful; /* a record may be about the end of this lock */
};

/* The locks at a time. A process may have several. */
struct holders {
	const struct graph *g;
	const struct lock_try *t;
	size_t n;
	bool full; /* a limit is exceeded, so the locks are not known */
	struct held v[LOCKERS_MAX];
};

static void add_held(struct holders *h, const struct held *add)
{
	if (h->n == LOCKERS_MAX)
		h->full = true;
	else
		h->v[h->n++] = *add;
}

/* Ends the lock v[i] on these bytes. */
static void end_held(struct holders *h, size_t i, struct bytes b)
{
	struct held *p = &h->v[i], behind = *p;

	behind.b.from = b.to + 1;
	if (b.from > p->b.from) {
		bool more = b.to < p->b.to;

		p->b.to = b.from - 1;
		if (more)
			add_held(h, &behind);
	} else if (b.to < p->b.to) {
		*p = behind;
	} else {
		h->n--;
		for (; i < h->n; i++)
			h->v[i] = h->v[i + 1];
	}
}

static bool has_several_fds(const struct graph *g, uint64_t obj, uint32_t tgid)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, obj, &n);
	const struct window_event *first = NULL;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.tid != tgid)
			continue;
		if (first && ct_fd_number(&first->r) != ct_fd_number(&e->r))
			return true;
		first = e;
	}
	return false;
}

/* What a record does to a lock on the same bytes. */
enum effect { STAYS, MAY_END, ENDS };

/* Called for a record of flock() that did not get the lock, of the process of p. The kernel deletes the lock
 * of this open file before it tries to get another one: flock_lock_inode() in fs/locks.c. But a process
 * always gets again a lock that it has. So such a failed call is for another open file. */
static enum effect effect_of_failure(const struct holders *h, const struct held *p,
				     const struct window_event *e)
{
	const struct window_event *lock = &h->g->w->events[p->event];

	if (ct_lock_type(&lock->r) != CT_LOCK_FLOCK || ct_lock_op(&lock->r) == ct_lock_op(&e->r))
		return STAYS;
	return has_several_fds(h->g, h->t->obj, h->g->tasks[p->task].tgid) ? MAY_END : ENDS;
}

/* The close of a file unlocks too. Its record has the type CT_LOCK_POSIX, also if the lock is an OFD lock. */
static enum effect effect_of_unlock(const struct held *p, const struct window_event *lock,
				    const struct window_event *e)
{
	if (!know_each_other(lock, e))
		return STAYS;
	return ct_lock_type(&lock->r) == ct_lock_type(&e->r) ? ENDS : MAY_END;
}

/* `task` did the record e, and `owner` is true if it has a lock itself. */
static enum effect effect_on(const struct holders *h, const struct held *p, const struct window_event *e,
			     uint32_t task, bool owner)
{
	const struct graph *g = h->g;
	const struct window_event *lock = &g->w->events[p->event];
	bool own = task != GRAPH_NONE && g->tasks[task].tgid == g->tasks[p->task].tgid;

	if (is_lock(e))
		return exclude_each_other(lock, e) || (own && ct_lock_type(&lock->r) == ct_lock_type(&e->r))
			       ? ENDS
			       : STAYS;
	if (ct_lock_op(&e->r) != CT_LOCK_UNLOCK)
		return own ? effect_of_failure(h, p, e) : STAYS;
	if (own)
		return effect_of_unlock(p, lock, e);
	/* The other process may have the same open file. */
	return task != GRAPH_NONE && !owner && ct_lock_type(&lock->r) == CT_LOCK_FLOCK &&
			       ct_lock_type(&e->r) == CT_LOCK_FLOCK && are_family(g, task, p->task)
		       ? MAY_END
		       : STAYS;
}

static bool has_lock(const struct holders *h, uint32_t task)
{
	for (size_t i = 0; i < h->n && task != GRAPH_NONE; i++)
		if (h->g->tasks[h->v[i].task].tgid == h->g->tasks[task].tgid)
			return true;
	return false;
}

/* Returns true if the record may change the owners of the wanted bytes. */
static bool is_change(const struct graph *g, const struct window_event *want, const struct window_event *e)
{
	if ((e->r.kind == CT_HELD && ct_held_is_waiter(&e->r)) || !is_about(g, want, e))
		return false;
	return ct_lock_op(&e->r) == CT_LOCK_UNLOCK || is_lock(e) || ct_lock_type(&e->r) == CT_LOCK_FLOCK;
}

/* Returns true if a thread of the process got a lock of the file from from_ns to to_ns. */
static bool has_got_lock(const struct graph *g, uint64_t obj, uint32_t tgid, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->flocks, obj, from_ns, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= to_ns; i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

		if (!scan_step(g) || (e->r.kind == CT_FLOCK && is_lock(e) && task != GRAPH_NONE &&
				      g->tasks[task].tgid == tgid))
			return true;
	}
	return false;
}

/*
 * Returns true if the line of /proc/locks says nothing new about the owner:
 * - A lock of flock() has the pid of the process that took it, also after this process has ended. The pid may
 *   be that of another process now, which was born in the window, and got no lock.
 * - An OFD lock has no pid. Records may show which process took it.
 */
static bool is_line_of_other(const struct holders *h, const struct window_event *e, uint32_t task)
{
	const struct graph *g = h->g;
	const struct window_event *want = h->t->want;

	if (e->r.kind != CT_HELD)
		return false;
	if (!e->r.tid) {
		for (size_t i = 0; i < h->n; i++)
			if (ct_lock_type(&g->w->events[h->v[i].event].r) == CT_LOCK_OFD &&
			    overlap(h->v[i].b, bytes_of(g, e)))
				return true;
		return false;
	}
	/* If the waiter has a record of its try, the locks of all tasks are recorded. */
	return ct_lock_type(&e->r) == CT_LOCK_FLOCK && want && want->r.kind == CT_FLOCK &&
	       task != GRAPH_NONE && g->tasks[task].born_ns &&
	       !has_got_lock(g, e->r.obj, g->tasks[task].tgid, g->tasks[task].born_ns, e->r.ts) &&
	       !owner_may_have_unlocked(g, task, g->tasks[task].born_ns, e->r.ts);
}

/* The records come in the order of time. */
static void replay(struct holders *h, uint32_t event)
{
	const struct graph *g = h->g;
	const struct window_event *e = &g->w->events[event], *want = h->t->want;
	uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);
	struct bytes b = bytes_of(g, e), w = wanted_bytes(g, want);
	bool owner = has_lock(h, task);

	if (!is_change(g, want, e) || is_line_of_other(h, e, task))
		return;
	for (size_t i = h->n; i-- > 0;) {
		enum effect effect = overlap(h->v[i].b, b) ? effect_on(h, &h->v[i], e, task, owner) : STAYS;

		if (effect == MAY_END)
			h->v[i].doubtful = true;
		else if (effect == ENDS)
			end_held(h, i, b);
	}
	if (!is_lock(e) || task == GRAPH_NONE || g->tasks[task].tgid == h->t->tgid ||
	    (want && !exclude_each_other(want, e)))
		return;
	add_held(h, &(struct held){
			    .task = task, .event = event, .b = { MAX(b.from, w.from), MIN(b.to, w.to) } });
}

/* Returns true if a process got all wanted bytes for itself with this record. So no other process had a lock
 * on them then. A line of /proc/locks counts only if it surely shows the process: see is_line_of_other(). */
static bool is_alone(const struct graph *g, const struct window_event *want, const struct window_event *e)
{
	struct bytes w = wanted_bytes(g, want), b = bytes_of(g, e);

	return is_change(g, want, e) && is_lock(e) && ct_lock_op(&e->r) == CT_LOCK_WRITE &&
	       (e->r.kind == CT_FLOCK || ct_lock_type(&e->r) == CT_LOCK_POSIX) && b.from <= w.from &&
	       b.to >= MIN(w.to, INT64_MAX);
}

/* Returns the first of the records r[0] .. r[end - 1] that counts: what was before it does not matter. If the
 * kind of the wanted lock is not known, looks for such a record of both kinds: flock() and fcntl(). */
static size_t first_record(struct holders *h, const struct graph_ref *r, size_t end)
{
	const struct window_event *want = h->t->want;
	bool flock = want && ct_lock_type(&want->r) != CT_LOCK_FLOCK, other = want && !flock;
	size_t i = end;

	while (i > 0 && !(flock && other) && !h->full && scan_step(h->g)) {
		const struct window_event *e = owner_event(h->g, &r[--i]);

		h->full = end - i > LOCK_RECORDS_MAX;
		if (is_alone(h->g, want, e))
			*(ct_lock_type(&e->r) == CT_LOCK_FLOCK ? &flock : &other) = true;
	}
	return i;
}

static void find_holders(struct holders *h)
{
	const struct graph *g = h->g;
	size_t n, after;
	const struct graph_ref *r = graph_refs(&g->flocks, h->t->obj, &n);
	bool certain = false;

	after = BISECT(k, 0, n, owner_event(g, &r[k])->r.ts > h->t->ts_ns);
	for (size_t i = first_record(h, r, after); i < after && !h->full && scan_step(g); i++)
		replay(h, r[i].event);
	for (size_t i = 0; i < h->n; i++)
		certain |= !h->v[i].doubtful;
	for (size_t i = after;
	     i < n && !certain && !h->full && owner_event(g, &r[i])->r.kind == CT_HELD && scan_step(g); i++)
		replay(h, r[i].event);
}

/* How sure it is that a lock was held. */
enum sureness { DOUBTFUL, UNSURE, SURE };

static enum sureness sureness_of(const struct holders *h, const struct held *p)
{
	const struct graph *g = h->g;
	uint64_t ts_ns = h->t->ts_ns, since_ns = g->w->events[p->event].r.ts;

	if (p->doubtful)
		return DOUBTFUL;
	if (since_ns > ts_ns ? owner_may_have_unlocked(g, p->task, ts_ns, since_ns)
			     : owner_may_have_unlocked(g, p->task, since_ns, ts_ns) &&
				       !is_held_later(g, h->t->obj, p->task, ts_ns))
		return UNSURE;
	return SURE;
}

/* Returns true if `task` was born as a descendant of `locker` when this one had the lock. */
static bool inherited_lock(const struct graph *g, uint32_t task, uint32_t locker, uint64_t locked_ns)
{
	return g->tasks[task].born_ns >= locked_ns && graph_descends_from(g, task, g->tasks[locker].tgid);
}

/* A lock of flock() belongs to the open file, and stays while another process has it too. The owner of
 * `lock`, which took it, has exited. Shells use this: flock(1) locks a file that its parent has opened.
 * Returns the parent, if it has the file open. But if a process that was born as a descendant of the owner
 * has it open, this process counts too. If none of them has it open, the only process of the family counts
 * that has it open. If several count, or if further processes may have the file open, *all has them.
 */
static uint32_t heir(const struct graph *g, const struct lock_try *t, const struct held *lock,
		     struct enders *all)
{
	struct enders have = { 0 }, may = { 0 }, born = { 0 };
	bool known = owner_holders(g, t->obj, t->ts_ns, &have), parent = false;
	uint32_t locker = lock->task;

	for (size_t i = 0; i < have.n; i++) {
		if (g->tasks[have.v[i]].tgid == t->tgid)
			continue;
		if (g->tasks[have.v[i]].tgid == g->tasks[locker].ptgid ||
		    inherited_lock(g, have.v[i], locker, g->w->events[lock->event].r.ts)) {
			parent |= g->tasks[have.v[i]].tgid == g->tasks[locker].ptgid;
			owner_add(g, &born, have.v[i]);
		}
		if (g->tasks[locker].ptgid <= 1 || are_family(g, have.v[i], locker))
			owner_add(g, &may, have.v[i]);
	}
	if (born.n)
		may = born;
	if (may.n == 1 && (known || parent))
		return may.v[0];
	*all = may;
	return GRAPH_NONE;
}

/* Finds the process that has the surest lock. If there are several, *all has a task of each. Returns its
 * last lock, or NULL. *ret_strength is weak if another process may have a lock too. */
static const struct held *surest(const struct holders *h, uint8_t *ret_strength, struct enders *all)
{
	const struct graph *g = h->g;
	enum sureness best = DOUBTFUL, sure[LOCKERS_MAX];
	const struct held *last = NULL;
	struct enders found = { 0 };
	bool other = false;

	for (size_t i = 0; i < h->n; i++) {
		sure[i] = sureness_of(h, &h->v[i]);
		best = MAX(best, sure[i]);
	}
	for (size_t i = h->n; i-- > 0;) {
		if (sure[i] != best)
			continue;
		owner_add(g, &found, h->v[i].task);
		if (!last || g->w->events[h->v[i].event].r.ts > g->w->events[last->event].r.ts)
			last = &h->v[i];
	}
	if (found.n > 1) {
		*all = found;
		return NULL;
	}
	for (size_t i = 0; i < h->n; i++)
		other |= g->tasks[h->v[i].task].tgid != g->tasks[last->task].tgid;
	*ret_strength = best == SURE && !other ? EDGE_STRONG : EDGE_WEAK;
	return last;
}

/* Returns the time up to which no record shows that the owners of the wanted bytes change after t->ts_ns. */
static uint64_t unchanged_until(const struct graph *g, const struct lock_try *t)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->flocks, t->obj, t->ts_ns + 1, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= t->until_ns; i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

		if (!scan_step(g))
			return t->ts_ns;
		if (e->r.kind == CT_FLOCK && is_change(g, t->want, e) &&
		    (task == GRAPH_NONE || g->tasks[task].tgid != t->tgid))
			return e->r.ts - 1;
	}
	return MAX(t->ts_ns, t->until_ns);
}

/* Like owner_of_lock(), but does not look at the descriptor tables of living processes. Returns the lock,
 * which is in *h, or NULL. */
static const struct held *find_locker(struct holders *h, struct lock_owner *ret, struct enders *all)
{
	const struct graph *g = h->g;
	const struct lock_try *t = h->t;
	const struct held *lock;
	uint32_t process;

	find_holders(h);
	/* If the budget of scan.h is spent, the walk may have missed an unlock. */
	if (h->full || !scan_left(g))
		return NULL;
	lock = surest(h, &ret->strength, all);
	if (!lock)
		return NULL;
	ret->task = lock->task;
	ret->event = lock->event;
	if (g->tasks[lock->task].exit_ns > t->ts_ns)
		return lock;
	/* The thread has exited. The lock is that of its process. */
	process = owner_process(g, g->tasks[lock->task].tgid, t->ts_ns);
	if (process != GRAPH_NONE && owner_is_same_process(g, lock->task, process)) {
		ret->task = process;
		return lock;
	}
	if (ct_lock_type(&g->w->events[lock->event].r) != CT_LOCK_FLOCK)
		return lock;
	ret->task = heir(g, t, lock, all);
	if (ret->task == GRAPH_NONE)
		ret->event = GRAPH_NONE;
	ret->strength = EDGE_WEAK; /* it may have opened the file for itself */
	return lock;
}

void owner_of_lock(const struct graph *g, const struct lock_try *t, struct lock_owner *ret,
		   struct enders *all)
{
	struct holders h;
	const struct held *lock;

	*ret = (struct lock_owner){ .task = GRAPH_NONE, .event = GRAPH_NONE, .strength = EDGE_STRONG };
	/* h.v is large, so only the used part is set. */
	h.g = g;
	h.t = t;
	h.n = 0;
	h.full = false;
	lock = find_locker(&h, ret, all);
	if (lock && ct_lock_type(&g->w->events[lock->event].r) != CT_LOCK_POSIX)
		owner_find_keeper(g, t, &(struct lock_kept){ lock->task, lock->event, unchanged_until(g, t) },
				  ret, all);
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

/* `wake` ended s. Returns the first unlock of wanted bytes by the waker's process, or NULL. The record of an
 * unlock comes after the wake-up. If another task gets a lock first, the unlock is for a later wait. */
static const struct window_event *unlock_after(const struct graph *g, const struct interval *s,
					       const struct window_event *wake, uint32_t waker,
					       const struct lock_try *t)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->flocks, t->obj, wake->r.ts, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

		if (e->r.kind != CT_FLOCK || task == GRAPH_NONE || !is_about(g, t->want, e))
			continue;
		if (is_lock(e) && task != s->task)
			return NULL;
		if (ct_lock_op(&e->r) == CT_LOCK_UNLOCK && g->tasks[task].tgid == g->tasks[waker].tgid)
			return e;
	}
	return NULL;
}

bool owner_unlocks(const struct graph *g, const struct interval *s, const struct window_event *wake)
{
	struct lock_try t = { .obj = s->obj, .ts_ns = s->from_ns, .tgid = g->tasks[s->task].tgid };
	uint32_t waker = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);

	find_try(g, s, &t);
	return !t.obj || waker == GRAPH_NONE || unlock_after(g, s, wake, waker, &t) || !scan_left(g);
}

/* Returns true if the waker unlocks a part of the file after the wake-up. An unlock of the whole file shows
 * nothing: at the exit of a task, the kernel unlocks each file as a whole, also if the task has no lock. */
static bool unlocks_part(const struct graph *g, const struct interval *s, const struct window_event *wake,
			 uint32_t waker, const struct lock_try *t)
{
	const struct window_event *e = unlock_after(g, s, wake, waker, t);

	return e && (bytes_of(g, e).from || bytes_of(g, e).to < INT64_MAX);
}

/* Returns true if the task is still in the call that tried to get a lock at try_ns: since its last wait for
 * the lock, it had no other wait, and hardly ran. */
static bool is_in_try(const struct graph *g, uint32_t task, uint64_t try_ns, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, try_ns);
	uint32_t end = g->tasks[task].first_interval + g->tasks[task].n_intervals;
	uint64_t ran_ns = 0;

	for (; i < end && g->intervals[i].from_ns < ts_ns && scan_step(g); i++) {
		const struct interval *x = &g->intervals[i];

		if (x->state == INTERVAL_BLOCKED && x->wait != CT_W_FLOCK && x->to_ns > try_ns)
			return false;
		if (x->state == INTERVAL_BLOCKED)
			ran_ns = 0;
		else if (x->state != INTERVAL_RUNNABLE)
			ran_ns += MIN(x->to_ns, ts_ns) - x->from_ns;
	}
	return ran_ns <= GAVE_UP_RAN_NS && scan_left(g);
}

bool owner_gave_up(const struct graph *g, const struct interval *s, const struct window_event *wake)
{
	struct lock_try t = { .obj = s->obj ? s->obj : wake->r.obj, .tgid = g->tasks[s->task].tgid };
	const struct graph_ref *r;
	const struct window_event *e;
	uint32_t waker;

	if (s->wait != CT_W_FLOCK || !ct_wake_by_task(&wake->r) || ct_wake_call(&wake->r) != CT_W_FLOCK ||
	    wake->r.flags & CT_WF_EXITING)
		return false;
	waker = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);
	r = graph_ref_before(g, &g->locktries, ct_wake_waker(&wake->r), wake->r.ts);
	if (waker == GRAPH_NONE || !r)
		return false;
	e = owner_event(g, r);
	if (ct_lock_result(&e->r) <= 0 || e->r.obj != t.obj)
		return false;
	find_try(g, s, &t);
	return is_about(g, t.want, e) && (!t.want || exclude_each_other(t.want, e)) &&
	       is_in_try(g, waker, e->r.ts, wake->r.ts) && !unlocks_part(g, s, wake, waker, &t) &&
	       !owner_may_have_unlocked(g, waker, e->r.ts, wake->r.ts);
}

/* Returns true if another process may get or end a lock during the wait. Then the owner at the end of the
 * wait counts: if another waiter gets the lock, Linux does not wake this one. */
static bool changes_within(const struct graph *g, const struct lock_try *t, const struct interval *s)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->flocks, t->obj, s->from_ns, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts < s->to_ns && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);

		if (is_change(g, t->want, e) && (task == GRAPH_NONE || g->tasks[task].tgid != t->tgid))
			return true;
	}
	return false;
}

/* The owner has a lock at at_ns. Returns the time of the first record after at_ns, but before end_ns, that
 * shows that this lock ends. UINT64_MAX: there is none. */
static uint64_t end_of_lock(const struct graph *g, const struct lock_try *t, const struct lock_owner *owner,
			    uint64_t end_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->flocks, t->obj, t->ts_ns + 1, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts < end_ns && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);
		bool own = task != GRAPH_NONE && g->tasks[task].tgid == g->tasks[owner->task].tgid;

		if (e->r.kind != CT_FLOCK || !is_change(g, t->want, e))
			continue;
		if (own ? !is_lock(e) : is_lock(e) && exclude_each_other(&g->w->events[owner->event], e))
			return e->r.ts;
	}
	return UINT64_MAX;
}

bool owner_file_turn(const struct graph *g, const struct interval *s, uint64_t at_ns, struct lock_turn *ret)
{
	struct lock_try t = {
		.obj = s->obj, .ts_ns = at_ns, .until_ns = at_ns, .tgid = g->tasks[s->task].tgid
	};
	struct lock_owner owner;
	struct enders all = { 0 };

	find_try(g, s, &t);
	if (!t.obj || !changes_within(g, &t, s))
		return false;
	owner_of_lock(g, &t, &owner, &all);
	if (owner.task == GRAPH_NONE || owner.strength != EDGE_STRONG)
		return false;
	*ret = (struct lock_turn){ .task = owner.task,
				   .event = owner.event,
				   .from_ns = at_ns,
				   .until_ns = end_of_lock(g, &t, &owner, s->to_ns),
				   .certain = true };
	return ret->until_ns != UINT64_MAX && scan_left(g);
}

void owner_of_flock(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all)
{
	struct lock_try t = {
		.obj = b->obj, .ts_ns = s->from_ns, .until_ns = s->to_ns, .tgid = g->tasks[s->task].tgid
	};
	struct lock_owner owner;

	find_try(g, s, &t);
	b->obj = t.obj;
	b->edge = EDGE_FILELOCK;
	if (!b->obj)
		return;
	if (changes_within(g, &t, s))
		t.ts_ns = s->to_ns - 1;
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
