// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_object.c - finds the task that has a descriptor open, or could end a wait for a pipe,
 * terminal, eventfd or futex. */
#include <unistd.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/timeline/tables.h"
#include "graph/wake/owner_private.h"

void owner_add(const struct graph *g, struct enders *e, uint32_t task)
{
	for (size_t i = 0; i < e->n; i++)
		if (g->tasks[e->v[i]].tgid == g->tasks[task].tgid)
			return;
	if (e->n < ENDERS_MAX)
		e->v[e->n++] = task;
}

void owner_add_task(struct enders *e, uint32_t task)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->v[i] == task)
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
		uint32_t task;

		if (table_is_outdated(g, r[i].event, ts_ns))
			continue;
		task = owner_process(g, owner_event(g, &r[i])->r.tid, ts_ns);
		if (task != GRAPH_NONE)
			owner_add(g, all, task);
		else
			known &= has_exited(g, owner_event(g, &r[i])->r.tid, ts_ns);
	}
	return known && all->n < ENDERS_MAX;
}

bool owner_has_left(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *sent = sock ? graph_ref_before(g, &g->sends, sock, ts_ns) : NULL;
	const struct ct_rec *r = sent ? &owner_event(g, sent)->r : NULL;
	uint32_t task = r ? graph_task_at(g, r->tid, r->ts) : GRAPH_NONE;
	struct enders all = { 0 };

	return task != GRAPH_NONE && has_exited(g, g->tasks[task].tgid, ts_ns) &&
	       owner_holders(g, sock, ts_ns, &all) && !all.n;
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
		uint32_t task;

		if (table_is_outdated(g, r[i].event, ts_ns))
			continue;
		task = owner_process(g, owner_event(g, &r[i])->r.tid, ts_ns);
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

bool owner_is_in_table(const struct graph *g, uint64_t obj, uint32_t tgid, uint64_t from_ns, uint64_t to_ns)
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
	    owner_is_in_table(g, obj, tgid, used_ns, UINT64_MAX))
		return false;
	set = graph_ref_before(g, &g->waitfds, g->tasks[task].tid, s->to_ns);
	return (s->obj && owner_is_in_table(g, s->obj, tgid, used_ns, ts_ns)) ||
	       (s->wait == CT_W_POLL && set && owner_event(g, set)->r.ts >= used_ns &&
		owner_is_in_table(g, owner_event(g, set)->r.obj, tgid, used_ns, ts_ns));
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

static bool waits_on(const struct graph *g, uint32_t task, uint64_t obj, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED && g->intervals[i].obj == obj;
}

/* The wakers of `me` through obj, found from the newest wake-up to the oldest, or from the first one on. */
struct past_wakers {
	const struct graph *g;
	uint64_t obj;
	uint64_t ts_ns;
	uint32_t me;
	uint64_t last_ns; /* the time of the first found wake-up */
	struct enders found;
};

static void past_add(struct past_wakers *p, const struct graph_ref *wake)
{
	uint32_t task = waker_of(p->g, wake, p->ts_ns, p->me);
	uint64_t at_ns = owner_event(p->g, wake)->r.ts;
	bool pipe = CT_OBJ_KIND(p->obj) == CT_OBJ_PIPE || CT_OBJ_KIND(p->obj) == CT_OBJ_FIFO;

	if (task == GRAPH_NONE || (pipe && owner_has_closed(p->g, p->obj, task, at_ns, p->ts_ns)))
		return;
	if (!p->found.n)
		p->last_ns = at_ns;
	owner_add_task(&p->found, task);
}

/* Of several tasks, drops those that wait on obj themselves: they cannot end the wait of another task. Drops
 * none if all wait: one of them may end the wait of the others later. */
static void past_drop_waiters(struct past_wakers *p)
{
	struct enders left = { 0 };

	for (size_t i = 0; i < p->found.n; i++)
		if (!waits_on(p->g, p->found.v[i], p->obj, p->ts_ns))
			owner_add_task(&left, p->found.v[i]);
	if (left.n)
		p->found = left;
}

/* The record `wake`, after the wait of p->me, is a wake-up of p->me. Returns true if p->me itself has woken
 * the waker after the wait. Then the waker may only have obeyed: it says nothing about the wait. */
static bool is_obeyed(const struct past_wakers *p, const struct graph_ref *wake)
{
	const struct window_event *e = owner_event(p->g, wake);
	uint32_t task = graph_task_at(p->g, ct_wake_waker(&e->r), e->r.ts);
	uint32_t i = task == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(p->g, task, e->r.ts);

	for (; i != GRAPH_NONE && i >= p->g->tasks[task].first_interval &&
	       p->g->intervals[i].to_ns > p->ts_ns && scan_step(p->g);
	     i--) {
		const struct interval *s = &p->g->intervals[i];
		const struct ct_rec *r = s->wake == GRAPH_NONE ? NULL : &p->g->w->events[s->wake].r;

		if (s->state == INTERVAL_BLOCKED && s->to_ns <= e->r.ts)
			return r && r->ts > p->ts_ns && ct_wake_by_task(r) &&
			       ct_wake_waker(r) == p->g->tasks[p->me].tid;
	}
	return false;
}

uint32_t owner_past_waker(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me,
			  struct enders *all, uint64_t *ret_ns)
{
	struct past_wakers p = { .g = g, .obj = obj, .ts_ns = ts_ns, .me = me };
	size_t n, n_after, before;
	const struct graph_ref *r = graph_refs(&g->wakes, obj, &n);

	graph_refs_from(g, &g->wakes, obj, ts_ns + 1, &n_after);
	before = n - n_after;
	for (size_t i = before, left = PAST_WAKES; i > 0 && left && scan_step(g); i--) {
		past_add(&p, &r[i - 1]);
		left -= p.found.n && owner_event(g, &r[i - 1])->r.tid == g->tasks[me].tid;
	}
	for (size_t i = before; i < n && !p.found.n && scan_step(g); i++)
		if (!is_obeyed(&p, &r[i]))
			past_add(&p, &r[i]);
	*ret_ns = p.last_ns;
	if (p.found.n > 1)
		past_drop_waiters(&p);
	if (p.found.n == 1)
		return p.found.v[0];
	for (size_t i = 0; i < p.found.n; i++)
		owner_add_task(all, p.found.v[i]);
	return GRAPH_NONE;
}

bool owner_wakes_first(const struct graph *g, uint64_t obj, uint32_t me, uint32_t waker, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->wakes, obj, &n);
	bool others = false;

	for (size_t i = 0; i < n && owner_event(g, &r[i])->r.ts < ts_ns; i++) {
		if (!scan_step(g) || ct_wake_waker(&owner_event(g, &r[i])->r) == g->tasks[waker].tid)
			return false;
		others |= waker_of(g, &r[i], ts_ns, me) != GRAPH_NONE;
	}
	return others;
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

static uint32_t only_stopped(const struct graph *g, const struct enders *e, uint64_t ts_ns)
{
	if (owner_count_stopped(g, e, ts_ns) != 1)
		return GRAPH_NONE;
	for (size_t i = 0; i < e->n; i++)
		if (owner_is_stopped(g, e->v[i], ts_ns))
			return e->v[i];
	return GRAPH_NONE;
}

uint32_t owner_only_likely(const struct graph *g, const struct enders *e, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t found = only_stopped(g, e, to_ns);
	bool stopped = found != GRAPH_NONE;

	for (size_t i = 0; !stopped && i < e->n; i++) {
		if (!owner_computed(g, e->v[i], from_ns, to_ns))
			continue;
		if (found != GRAPH_NONE)
			return GRAPH_NONE;
		found = e->v[i];
	}
	return found;
}

/* `me` waits for obj at ts_ns. Returns the task that has woken it through obj before. If there are several,
 * adds them to *all, which is empty, and returns the only likely one, or GRAPH_NONE. */
static uint32_t past_owner(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me,
			   struct enders *all)
{
	uint32_t i = graph_interval_at(g, me, ts_ns), task;
	uint64_t at;

	task = owner_past_waker(g, obj, ts_ns, me, all, &at);
	return all->n && i != GRAPH_NONE
		       ? owner_only_likely(g, all, g->intervals[i].from_ns, g->intervals[i].to_ns)
		       : task;
}

/* Returns the task W that has woken the waiter through the pipe obj. Exceptions:
 * - If W is not known, takes the process that owner_fd() finds. Returns the result of thread_of().
 * - If several tasks may be W, returns GRAPH_NONE, or the only likely one of them.
 * - If W is not stopped, but exactly one of several tasks with the other end is stopped, returns
 *   the stopped task. */
static uint32_t pipe_owner(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode,
			   struct enders *all)
{
	uint32_t task = past_owner(g, obj, ts_ns, me, all), i = graph_interval_at(g, me, ts_ns), stopped;
	uint64_t end_ns = i == GRAPH_NONE ? g->w->to_ns : g->intervals[i].to_ns;
	struct enders holders = { 0 };

	if (all->n)
		return task;
	if (task == GRAPH_NONE)
		return thread_of(g, obj, owner_fd(g, obj, ts_ns, g->tasks[me].tgid, mode, all), me, ts_ns);
	owner_fd(g, obj, ts_ns, g->tasks[me].tgid, mode, &holders);
	stopped = owner_is_stopped(g, task, end_ns) ? GRAPH_NONE : only_stopped(g, &holders, end_ns);
	return stopped == GRAPH_NONE ? task : stopped;
}

/* Returns true if the task waits for room in the pipe. Then the pipe is full, so no task waits for its data.
 */
static bool awaits_room(const struct graph *g, uint32_t task, uint64_t pipe, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	return waits_on(g, task, pipe, ts_ns) && g->intervals[i].wait == CT_W_WRITE;
}

/* Returns true if a task of another process made the wake-up of s->task by a write to a pipe. *ret is this
 * task, or GRAPH_NONE if it cannot end the wait s. */
static bool ring_writer(const struct graph *g, const struct interval *s, const struct window_event *wake,
			uint32_t *ret)
{
	uint64_t pipe = wake->r.obj, ts_ns = s->to_ns - 1;
	uint32_t task = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);

	if ((CT_OBJ_KIND(pipe) != CT_OBJ_PIPE && CT_OBJ_KIND(pipe) != CT_OBJ_FIFO) ||
	    ct_wake_call(&wake->r) != CT_W_WRITE || !ct_wake_by_task(&wake->r) || task == GRAPH_NONE ||
	    g->tasks[task].tgid == g->tasks[s->task].tgid)
		return false;
	*ret = !owner_alive(g, task, ts_ns) || awaits_room(g, task, pipe, ts_ns) ||
			       owner_has_closed(g, pipe, task, wake->r.ts, ts_ns)
		       ? GRAPH_NONE
		       : task;
	return true;
}

uint32_t owner_of_ring(const struct graph *g, const struct interval *s, uint64_t *ret_pipe,
		       struct enders *all)
{
	const struct interval *x = s, *first = &g->intervals[g->tasks[s->task].first_interval];
	uint64_t pipes[ENDERS_MAX];
	struct enders found = { 0 };
	uint32_t task;
	unsigned left = PAST_WAKES;

	for (unsigned looks = RING_LOOKS; x-- > first && left && looks-- && scan_step(g);) {
		const struct window_event *wake = x->wake == GRAPH_NONE ? NULL : &g->w->events[x->wake];

		if (!wake || x->state != INTERVAL_BLOCKED || !blame_same_wait(x, s) ||
		    edge_by_timer(g, x, wake))
			continue;
		left--;
		if (!ring_writer(g, s, wake, &task))
			return GRAPH_NONE;
		if (task != GRAPH_NONE && found.n < ENDERS_MAX)
			pipes[found.n] = wake->r.obj;
		if (task != GRAPH_NONE)
			owner_add_task(&found, task);
	}
	task = found.n == 1 ? found.v[0] : owner_only_likely(g, &found, s->from_ns, s->to_ns);
	for (size_t i = 0; i < found.n; i++) {
		if (found.v[i] == task)
			*ret_pipe = pipes[i];
		if (found.n > 1)
			owner_add_task(all, found.v[i]);
	}
	return task;
}

uint32_t owner_object(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode,
		      struct enders *all)
{
	uint32_t tgid = g->tasks[me].tgid;

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
		return past_owner(g, obj, ts_ns, me, all);
	default:
		return GRAPH_NONE;
	}
}
