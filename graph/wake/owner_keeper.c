// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_keeper.c - finds the process that keeps a file lock which another process took and passed on. A lock
 * of flock(), and an OFD lock, belong to an open file. A process gets the open file of another one by a fork
 * or through a socket. */
#include "graph/timeline/scan.h"
#include "graph/timeline/tables.h"
#include "graph/wake/owner_private.h"

/* Returns true if the process has asked for a lock of the file, and not got it. Then it has opened the file
 * for itself. */
static bool asks_itself(const struct graph *g, uint64_t obj, uint32_t tgid, uint64_t until_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->flocks, obj, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= until_ns; i++) {
		const struct ct_rec *e = &owner_event(g, &r[i])->r;
		uint32_t task = graph_task_at(g, e->tid, e->ts);

		if (!scan_step(g) || (task != GRAPH_NONE && g->tasks[task].tgid == tgid &&
				      (e->kind == CT_HELD ? ct_held_is_waiter(e) : ct_lock_result(e) != 0)))
			return true;
	}
	return false;
}

/* Adds the processes, but not that of kept->task nor the waiter, whose last tables have the file open: with
 * its lock, if `locked` is true. */
static void add_openers(const struct graph *g, const struct lock_try *t, const struct lock_kept *kept,
			bool locked, struct enders *ret)
{
	uint64_t since_ns = g->w->events[kept->event].r.ts;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->fds, t->obj, since_ns + 1, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= kept->until_ns && scan_step(g); i++) {
		uint32_t tgid = owner_event(g, &r[i])->r.tid, task = owner_process(g, tgid, kept->until_ns);
		enum table_has has;

		if (task == GRAPH_NONE || tgid == t->tgid || tgid == g->tasks[kept->task].tgid)
			continue;
		has = table_last_has(g, tgid, t->obj, since_ns, kept->until_ns);
		if (has == TABLE_HAS_LOCK ||
		    (has == TABLE_HAS && !locked && !asks_itself(g, t->obj, tgid, kept->until_ns)))
			owner_add(g, ret, task);
	}
}

/* Returns true if a process has an OFD lock of the file, or if this is not known. CT_FF_LOCK does not tell
 * such a lock from one of flock(). */
static bool may_have_ofd_lock(const struct graph *g, uint64_t obj)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->flocks, obj, &n);

	for (size_t i = 0; i < n; i++)
		if (!scan_step(g) || ct_lock_type(&owner_event(g, &r[i])->r) == CT_LOCK_OFD)
			return true;
	return false;
}

static bool has_task(const struct enders *e, uint32_t task)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->v[i] == task)
			return true;
	return false;
}

void owner_find_keeper(const struct graph *g, const struct lock_try *t, const struct lock_kept *kept,
		       struct lock_owner *ret, struct enders *all)
{
	const struct ct_rec *lock = &g->w->events[kept->event].r;
	uint32_t tgid = g->tasks[kept->task].tgid, process = owner_process(g, tgid, kept->until_ns);
	enum table_has has = table_last_has(g, tgid, t->obj, lock->ts, kept->until_ns);
	bool alive = process != GRAPH_NONE && owner_is_same_process(g, kept->task, process);
	struct enders keepers = { 0 };
	uint8_t strength = EDGE_WEAK;
	bool certain;

	if (alive && has == TABLE_HAS_LOCK)
		return;
	add_openers(g, t, kept, true, &keepers);
	/* An OFD lock may be on other bytes. If the budget of scan.h is spent, keepers may be missing. */
	certain = keepers.n && (!alive || has == TABLE_LACKS) && ct_lock_type(lock) == CT_LOCK_FLOCK &&
		  !may_have_ofd_lock(g, t->obj) && scan_left(g);
	if (keepers.n && has_task(&keepers, ret->task)) {
		/* The heir that was likely is certain now. */
		ret->strength = certain && !alive && keepers.n == 1 ? EDGE_STRONG : ret->strength;
		return;
	}
	if (keepers.n && alive && has == TABLE_UNKNOWN) {
		ret->strength = EDGE_WEAK; /* both may have it */
		return;
	}
	if (!keepers.n && (!alive || has != TABLE_LACKS))
		return;
	if (certain)
		strength = EDGE_STRONG;
	if (!keepers.n)
		add_openers(g, t, kept, false, &keepers);
	ret->strength = strength;
	/* A memory mapping keeps the file open too, as does a message that is not received yet. */
	if (!keepers.n)
		return;
	ret->task = keepers.n == 1 ? keepers.v[0] : GRAPH_NONE;
	ret->event = keepers.n == 1 ? kept->event : GRAPH_NONE;
	*all = keepers.n == 1 ? (struct enders){ 0 } : keepers;
}
