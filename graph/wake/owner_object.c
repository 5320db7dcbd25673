// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_object.c - finds the task that has a descriptor open, or could end a wait for a pipe,
 * terminal, eventfd or futex. */
#include <unistd.h>

#include "graph/timeline/scan.h"
#include "graph/wake/owner_private.h"

void owner_add(const struct graph *g, struct enders *e, uint32_t task)
{
	for (size_t i = 0; i < e->n; i++)
		if (g->tasks[e->v[i]].tgid == g->tasks[task].tgid)
			return;
	if (e->n < ENDERS_MAX)
		e->v[e->n++] = task;
}

uint32_t owner_process(const struct graph *g, uint32_t tgid, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, tgid, &n);
	uint32_t best = GRAPH_NONE;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		if (!owner_alive(g, r[i].event, ts_ns))
			continue;
		if (g->tasks[r[i].event].tid == tgid)
			return r[i].event;
		if (best == GRAPH_NONE)
			best = r[i].event;
	}
	return best;
}

static uint8_t modes_of(const struct graph *g, const struct graph_ref *r, size_t n, uint32_t tgid)
{
	uint8_t modes = 0;

	for (size_t i = 0; i < n && scan_step(g); i++)
		if (owner_event(g, &r[i])->r.tid == tgid)
			modes |= owner_event(g, &r[i])->r.flags;
	return modes & (CT_FF_READ | CT_FF_WRITE);
}

/* Returns true if the task only inherited the descriptor `held` from an ancestor with another
 * program. Exception: an ancestor with both ends of the pipe, such as make, opened the pipe for its
 * children. */
static bool is_left_open(const struct graph *g, const struct graph_ref *r, size_t n,
			 const struct window_event *held, uint8_t mode, uint32_t task, uint64_t ts_ns)
{
	for (size_t i = 0; ct_fd_number(&held->r) > STDERR_FILENO && i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		uint32_t up;

		if (ct_fd_number(&e->r) != ct_fd_number(&held->r) || !graph_descends_from(g, task, e->r.tid))
			continue;
		up = owner_process(g, e->r.tid, ts_ns);
		if (up != GRAPH_NONE && !graph_is_called(g, task, ts_ns, graph_comm(g, up, ts_ns)) &&
		    modes_of(g, r, n, e->r.tid) == mode)
			return true;
	}
	return false;
}

/* Returns true if a common ancestor of the task and of the waiter has the same descriptor of the
 * pipe as the task. The ancestor may have made the pipe for itself and the waiter. Then the task
 * only inherited the descriptor. */
static bool is_of_ancestor(const struct graph *g, const struct graph_ref *r, size_t n, uint8_t mode,
			   uint32_t task, uint32_t waiter)
{
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *up = owner_event(g, &r[i]);

		if (ct_fd_number(&up->r) <= STDERR_FILENO || !(up->r.flags & mode) ||
		    !graph_descends_from(g, task, up->r.tid) || !graph_descends_from(g, waiter, up->r.tid))
			continue;
		for (size_t k = 0; k < n && scan_step(g); k++)
			if (owner_event(g, &r[k])->r.tid == g->tasks[task].tgid &&
			    ct_fd_number(&owner_event(g, &r[k])->r) == ct_fd_number(&up->r))
				return true;
	}
	return false;
}

uint8_t owner_modes(const struct graph *g, uint64_t obj, uint32_t tgid)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, obj, &n);

	return modes_of(g, r, n, tgid);
}

static bool has_exited(const struct graph *g, uint32_t tgid, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, tgid, &n);

	for (size_t i = 0; i < n; i++)
		if (!scan_step(g) || g->tasks[r[i].event].exit_ns > ts_ns)
			return false;
	return n > 0;
}

bool owner_holders(const struct graph *g, uint64_t obj, uint64_t ts_ns, struct enders *all)
{
	bool known = true;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, obj, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t task = owner_process(g, owner_event(g, &r[i])->r.tid, ts_ns);

		if (task != GRAPH_NONE)
			owner_add(g, all, task);
		else
			known &= has_exited(g, owner_event(g, &r[i])->r.tid, ts_ns);
	}
	return known && all->n < ENDERS_MAX;
}

uint32_t owner_fd(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid, uint8_t mode,
		  struct enders *all)
{
	const struct window_object *o = graph_object(g, obj);
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, obj, &n);
	struct enders found = { 0 };
	uint32_t best = GRAPH_NONE;
	bool several = false;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t task = owner_process(g, owner_event(g, &r[i])->r.tid, ts_ns);

		if (task == GRAPH_NONE || g->tasks[task].tgid == tgid)
			continue;
		if (mode && (!(owner_event(g, &r[i])->r.flags & mode) ||
			     is_left_open(g, r, n, owner_event(g, &r[i]), mode, task, ts_ns)))
			continue;
		owner_add(g, &found, task);
		if (best == GRAPH_NONE || graph_descends_from(g, task, g->tasks[best].tgid))
			best = task;
		else
			several |= g->tasks[task].tgid != g->tasks[best].tgid &&
				   !graph_descends_from(g, best, g->tasks[task].tgid);
	}
	if (mode && best != GRAPH_NONE && !several && found.n > 1)
		several = is_of_ancestor(g, r, n, mode, best, owner_process(g, tgid, ts_ns));
	if (several) {
		for (size_t i = 0; i < found.n; i++)
			owner_add(g, all, found.v[i]);
		return GRAPH_NONE;
	}
	/* If no descriptor table has obj, its owner is the task that used it (o->tid). But if obj is
	 * the end of a connection that is not accepted, this task has the other end, and does not
	 * own obj. */
	if (best == GRAPH_NONE && o && o->tid && !n &&
	    !(CT_OBJ_KIND(obj) == CT_OBJ_SOCK && obj & CT_OBJ_NOT_ACCEPTED)) {
		uint32_t task = graph_task_at(g, o->tid, ts_ns);

		if (task != GRAPH_NONE && g->tasks[task].tgid != tgid && owner_alive(g, task, ts_ns))
			best = task;
	}
	return best;
}

static uint32_t waker_of(const struct graph *g, const struct graph_ref *wake, uint64_t ts_ns, uint32_t me)
{
	const struct window_event *e = owner_event(g, wake);
	uint32_t task;

	if (e->r.tid != g->tasks[me].tid || ct_wake_context(&e->r) == CT_CTX_IRQ)
		return GRAPH_NONE;
	task = graph_task_at(g, ct_wake_waker(&e->r), e->r.ts);
	return task != GRAPH_NONE && task != me && owner_alive(g, task, ts_ns) ? task : GRAPH_NONE;
}

uint32_t owner_past_waker(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint64_t *ret_ns)
{
	size_t n, n_after, first_after;
	const struct graph_ref *r = graph_refs(&g->wakes, obj, &n);
	uint32_t task = GRAPH_NONE;

	graph_refs_from(g, &g->wakes, obj, ts_ns + 1, &n_after);
	first_after = n - n_after;
	for (size_t i = first_after; i > 0 && task == GRAPH_NONE && scan_step(g); i--) {
		task = waker_of(g, &r[i - 1], ts_ns, me);
		*ret_ns = owner_event(g, &r[i - 1])->r.ts;
	}
	for (size_t i = first_after; i < n && task == GRAPH_NONE && scan_step(g); i++) {
		task = waker_of(g, &r[i], ts_ns, me);
		*ret_ns = owner_event(g, &r[i])->r.ts;
	}
	return task;
}

static bool is_in_table(const struct graph *g, uint64_t obj, uint32_t tgid, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->fds, obj, from_ns, &n);

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts <= to_ns && scan_step(g); i++)
		if (owner_event(g, &r[i])->r.tid == tgid)
			return true;
	return false;
}

/* A CT_FD has only one entry of a descriptor table. But the table also has the object for which the
 * task waits. So if a CT_FD shows this object, the whole table was recorded at that time. */
bool owner_has_closed(const struct graph *g, uint64_t obj, uint32_t task, uint64_t used_ns, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns), tgid = g->tasks[task].tgid;
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	const struct graph_ref *set;

	if (!s || s->state != INTERVAL_BLOCKED || used_ns > ts_ns ||
	    is_in_table(g, obj, tgid, used_ns, UINT64_MAX))
		return false;
	set = graph_ref_before(g, &g->waitfds, g->tasks[task].tid, s->to_ns);
	return (s->obj && is_in_table(g, s->obj, tgid, used_ns, ts_ns)) ||
	       (s->wait == CT_W_POLL && set && owner_event(g, set)->r.ts >= used_ns &&
		is_in_table(g, owner_event(g, set)->r.obj, tgid, used_ns, ts_ns));
}

bool owner_is_stopped(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns - 1);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED &&
	       g->intervals[i].wait == CT_W_STOPPED;
}

size_t owner_count_stopped(const struct graph *g, const struct enders *e, uint64_t ts_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += owner_is_stopped(g, e->v[i], ts_ns);
	return n;
}

/* Returns the thread of process tgid that last waited for the pipe obj before ts_ns, as wake-ups show.
 * GRAPH_NONE: there is none. */
static uint32_t pipe_user(const struct graph *g, uint64_t obj, uint32_t tgid, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *first = graph_refs(&g->wakes, obj, &n);
	const struct graph_ref *r = graph_ref_before(g, &g->wakes, obj, ts_ns);

	for (; r && r >= first && scan_step(g); r--) {
		uint32_t task = graph_task_at(g, owner_event(g, r)->r.tid, owner_event(g, r)->r.ts);

		if (task != GRAPH_NONE && g->tasks[task].tgid == tgid && owner_alive(g, task, ts_ns))
			return task;
	}
	return GRAPH_NONE;
}

/* If a descriptor table shows that the process of `owner` has the pipe obj, it does not show which thread of
 * this process uses the pipe. Then returns the thread that used it before. If there is none, returns the
 * thread that started the process of `me`, or an ancestor of this process: it mostly reads what its child
 * writes. In all other cases, returns `owner`. */
static uint32_t thread_of(const struct graph *g, uint64_t obj, uint32_t owner, uint32_t me, uint64_t ts_ns)
{
	uint32_t tgid = owner == GRAPH_NONE ? 0 : g->tasks[owner].tgid, task;

	if (!tgid || !owner_modes(g, obj, tgid))
		return owner;
	task = pipe_user(g, obj, tgid, ts_ns);
	if (task != GRAPH_NONE)
		return task;
	task = owner_process(g, g->tasks[me].tgid, ts_ns);
	for (unsigned i = 0; i < ANCESTORS_MAX && task != GRAPH_NONE && scan_step(g); i++) {
		task = g->tasks[task].parent;
		if (task != GRAPH_NONE && g->tasks[task].tgid == tgid)
			return owner_alive(g, task, ts_ns) ? task : owner;
		if (task != GRAPH_NONE)
			task = owner_process(g, g->tasks[task].tgid, ts_ns);
	}
	return owner;
}

/* Returns the task W that woke the waiter last through the pipe obj. Exceptions:
 * - If W is not known, or has closed the pipe since, takes the process that owner_fd() finds. Returns the
 *   result of thread_of().
 * - If W is not stopped, but exactly one of several tasks with the other end is stopped, returns
 *   the stopped task. */
static uint32_t pipe_owner(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode,
			   struct enders *all)
{
	struct enders holders = { 0 };
	uint64_t at, end_ns = g->w->to_ns;
	uint32_t task = owner_past_waker(g, obj, ts_ns, me, &at), i = graph_interval_at(g, me, ts_ns);

	if (task == GRAPH_NONE || owner_has_closed(g, obj, task, at, ts_ns))
		return thread_of(g, obj, owner_fd(g, obj, ts_ns, g->tasks[me].tgid, mode, all), me, ts_ns);
	if (i != GRAPH_NONE)
		end_ns = g->intervals[i].to_ns;
	owner_fd(g, obj, ts_ns, g->tasks[me].tgid, mode, &holders);
	for (size_t k = 0; k < holders.n; k++)
		if (!owner_is_stopped(g, task, end_ns) && owner_is_stopped(g, holders.v[k], end_ns) &&
		    owner_count_stopped(g, &holders, end_ns) == 1)
			return holders.v[k];
	return task;
}

uint32_t owner_object(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode,
		      struct enders *all)
{
	uint32_t tgid = g->tasks[me].tgid;
	uint64_t at;

	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
		/* A wait for input, which the task at the other end writes. */
		if (mode == CT_FF_WRITE && owner_has_dest(g, obj, ts_ns))
			return owner_of_dest(g, obj, ts_ns, all);
		return owner_sock(g, obj, ts_ns, tgid, all);
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		return pipe_owner(g, obj, ts_ns, me, mode, all);
	case CT_OBJ_TTY:
		/* A person types the input, so a wait to read has no owner. A wait to write can be
		 * ended by the task that has the other side of the terminal and reads the
		 * output. */
		return mode == CT_FF_READ && graph_peer_object(g, obj)
			       ? owner_fd(g, graph_peer_object(g, obj), ts_ns, tgid, 0, all)
			       : GRAPH_NONE;
	case CT_OBJ_EVENTFD:
	case CT_OBJ_FUTEX:
		return owner_past_waker(g, obj, ts_ns, me, &at);
	default:
		return GRAPH_NONE;
	}
}
