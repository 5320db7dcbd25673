// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/owner.h"

#include <signal.h>
#include <sys/socket.h>

#include "ctrace/glibc.h"
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner_private.h"
#include "graph/wake/title.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "trace/words/frame.h"

uint32_t owner_child(const struct graph *g, const struct interval *s, struct enders *all)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->children, g->tasks[s->task].tgid, &n);
	uint32_t best = GRAPH_NONE;

	if (CT_OBJ_KIND(s->obj) == CT_OBJ_TASK)
		return graph_task_at(g, (uint32_t)(s->obj & CT_OBJ_MASK), s->from_ns);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t c = r[i].event;

		if (!owner_alive(g, c, s->from_ns + (s->to_ns - s->from_ns) / 2))
			continue;
		owner_add(g, all, c);
		if (best == GRAPH_NONE || g->tasks[c].born_ns > g->tasks[best].born_ns)
			best = c;
	}
	return best;
}

static uint8_t other_side(const struct interval *s)
{
	return s->wait == CT_W_WRITE ? CT_FF_READ : CT_FF_WRITE;
}

static const struct interval *ended_wait(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns - 1);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED ? &g->intervals[i] : NULL;
}

/* Returns true if at ts_ns the task waits again for the same thing as in `wait` (blame_same_place()),
 * like a worker without work. If `wait` was a short wait on a futex, the task may have waited only
 * for a mutex. So the wait before `wait` is compared too, and so on. */
static bool is_back(const struct graph *g, const struct interval *wait, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, wait->task, ts_ns);
	const struct interval *now = i == GRAPH_NONE ? NULL : &g->intervals[i], *x = wait;
	const struct interval *first = &g->intervals[g->tasks[wait->task].first_interval];

	if (!now || now == wait || now->state != INTERVAL_BLOCKED)
		return false;
	for (unsigned looks = 0; looks < WAIT_ENDED_LOOKS && x >= first && scan_step(g); looks++, x--) {
		if (x->state != INTERVAL_BLOCKED)
			continue;
		if (blame_same_place(x, now))
			return true;
		if (x->wait != CT_W_FUTEX || x->to_ns - x->from_ns > HANDED_PAUSE_NS)
			return false;
	}
	return false;
}

/* Returns true if a time limit has cut one poll into the waits x and s. Waits on a futex do not
 * count: a runtime makes its threads wait on a futex with a time limit for many reasons. */
static bool is_cut(const struct graph *g, const struct interval *x, const struct interval *s)
{
	return s->wait != CT_W_FUTEX && x->wake != GRAPH_NONE && blame_same_wait(x, s) &&
	       edge_by_timer(g, x, &g->w->events[x->wake]);
}

uint32_t owner_handed_to(const struct graph *g, const struct interval *s)
{
	const struct window_event *e = g->w->events;
	const struct graph_task *me = &g->tasks[s->task];
	uint32_t at = (uint32_t)(s - g->intervals);
	size_t i = BISECT(k, 0, g->w->n_events, e[k].r.ts > s->from_ns);
	bool own = s->wait == CT_W_FUTEX || ct_wait_is_poll(s->wait);
	uint64_t since_ns = 0;

	while (at-- > me->first_interval && !since_ns)
		if (g->intervals[at].state == INTERVAL_BLOCKED && !is_cut(g, &g->intervals[at], s) &&
		    (s->wait != CT_W_FUTEX ||
		     g->intervals[at].to_ns - g->intervals[at].from_ns > HANDED_PAUSE_NS))
			since_ns = g->intervals[at].to_ns;
	for (size_t looks = 0; i-- > 0 && e[i].r.ts > since_ns && looks < HANDED_LOOKS && scan_step(g);
	     looks++) {
		const struct interval *wait;
		uint32_t task;

		if (e[i].r.kind == CT_FORK && own && e[i].r.tid == me->tid) {
			task = graph_task_at(g, e[i].r.peer, e[i].r.ts);
			if (task != GRAPH_NONE && g->tasks[task].tgid == me->tgid &&
			    owner_alive(g, task, s->to_ns - 1))
				return task;
		}
		if (e[i].r.kind != CT_WAKE || !ct_wake_by_task(&e[i].r) || ct_wake_waker(&e[i].r) != me->tid)
			continue;
		task = graph_task_at(g, e[i].r.tid, e[i].r.ts);
		wait = task == GRAPH_NONE || task == s->task ? NULL : ended_wait(g, task, e[i].r.ts);
		if (!wait)
			continue;
		if (own ? g->tasks[task].tgid == me->tgid && !is_back(g, wait, s->to_ns - 1)
			: CT_OBJ_KIND(wait->obj) == CT_OBJ_FUSEDEV)
			return owner_alive(g, task, s->to_ns - 1) ? task : GRAPH_NONE;
	}
	return GRAPH_NONE;
}

bool owner_has_no_work(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *now = i == GRAPH_NONE ? NULL : &g->intervals[i];

	if (!now || now->state != INTERVAL_BLOCKED || now->wait != CT_W_FUTEX || graph_futex_owner(g, now) ||
	    owner_in_lock(g, now))
		return false;
	for (unsigned looks = 0; i-- > g->tasks[task].first_interval && looks < HANDED_WAITS && scan_step(g);
	     looks++) {
		const struct interval *x = &g->intervals[i];

		if (x->state == INTERVAL_BLOCKED && x->wait == CT_W_FUTEX && !graph_futex_owner(g, x) &&
		    !(x->wake != GRAPH_NONE && edge_by_timer(g, x, &g->w->events[x->wake])))
			return blame_same_place(x, now);
	}
	return false;
}

uint64_t owner_handed_ns(const struct graph *g, uint32_t waiter, const struct blame *b)
{
	bool inner = b->ended && (b->edge == EDGE_EVENTFD || b->edge == EDGE_PIPE) && b->task != GRAPH_NONE &&
		     g->tasks[b->task].tgid == g->tasks[waiter].tgid;
	uint32_t i = inner ? graph_interval_at(g, b->task, b->until_ns) : GRAPH_NONE;

	for (unsigned looks = 0; i != GRAPH_NONE && looks < HANDED_WAITS && scan_step(g); looks++, i--) {
		const struct interval *s = &g->intervals[i];
		const struct window_event *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake];

		if (s->state == INTERVAL_BLOCKED && s->wait == CT_W_FUTEX && s->to_ns <= b->until_ns &&
		    !graph_futex_owner(g, s) && s->to_ns - s->from_ns > HANDED_PAUSE_NS)
			return wake && ct_wake_by_task(&wake->r) &&
					       ct_wake_waker(&wake->r) == g->tasks[waiter].tid
				       ? wake->r.ts
				       : 0;
		if (i == g->tasks[b->task].first_interval)
			break;
	}
	return 0;
}

/*
 * Returns the only process that may be the server of the FUSE file system for which s waits, or
 * GRAPH_NONE. An old trace does not say which /dev/fuse belongs to which mount.
 */
static uint32_t fuse_server(const struct graph *g, const struct interval *s, struct enders *all)
{
	const struct window_object *o = g->w->objects, *waited = graph_object(g, s->obj);
	size_t n = g->w->n_objects;

	for (size_t i = BISECT(k, 0, n, CT_OBJ_KIND(o[k].id) >= CT_OBJ_FUSEDEV);
	     i < n && CT_OBJ_KIND(o[i].id) == CT_OBJ_FUSEDEV && scan_step(g); i++) {
		uint32_t task;

		if (waited && o[i].x && o[i].x != waited->dev)
			continue;
		task = owner_fd(g, o[i].id, s->to_ns - 1, g->tasks[s->task].tgid, 0, all);
		if (task != GRAPH_NONE)
			owner_add(g, all, task);
	}
	return all->n == 1 ? all->v[0] : GRAPH_NONE;
}

/* Returns the thread of the FUSE server to which s has given its request. A thread that waits for the next
 * request has passed it on. Then, or if no record shows the thread, returns `server`. */
static uint32_t fuse_thread(const struct graph *g, const struct interval *s, uint32_t server)
{
	uint32_t task = server == GRAPH_NONE ? GRAPH_NONE : owner_handed_to(g, s), i;

	if (task == GRAPH_NONE || g->tasks[task].tgid != g->tasks[server].tgid)
		return server;
	i = graph_interval_at(g, task, s->to_ns - 1);
	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED &&
			       CT_OBJ_KIND(g->intervals[i].obj) == CT_OBJ_FUSEDEV
		       ? server
		       : task;
}

/* Returns the stack of the kernel in the wait s, or NULL. */
static const struct window_stack *kernel_stack(const struct graph *g, const struct interval *s)
{
	uint64_t id = graph_visit_stack(g, s);
	const struct window_stack *w = id ? window_stack(g->w, id) : NULL;

	return w && w->n_frames && frame_is_kernel(w->frames[0]) ? w : NULL;
}

static bool has_directory(const struct graph *g, const struct interval *s)
{
	const struct window_stack *w = kernel_stack(g, s);

	for (uint16_t i = 1; w && i < w->n_frames && frame_is_kernel(w->frames[i]); i++)
		if (frame_locks_directory(w->frames[i]))
			return true;
	return false;
}

/* s is a wait in a file system of FUSE. If an inspection shows that it is for the kernel's lock of a
 * directory, and so not for the server, returns true, and *b blames the only task that may own the lock: it
 * waits for the server in a call that locks a directory. */
static bool owner_of_directory(const struct graph *g, const struct interval *s, struct blame *b,
			       struct enders *all)
{
	const struct window_stack *w = kernel_stack(g, s);
	const struct window_object *mine = graph_object(g, s->obj);

	if (!w || !mine || !frame_locks_directory(w->frames[0]))
		return false;
	b->kind = RESOURCE_KERNEL_LOCK;
	b->edge = EDGE_KERNEL_LOCK;
	b->time = TIME_LOCK;
	for (uint32_t i = 0; i < g->n_tasks && scan_step(g); i++) {
		uint32_t at = i == s->task ? GRAPH_NONE : graph_interval_at(g, i, s->to_ns - 1);
		const struct interval *x = at == GRAPH_NONE ? NULL : &g->intervals[at];
		const struct window_object *o;

		if (!x || x->state != INTERVAL_BLOCKED || x->from_ns >= s->to_ns || !x->obj ||
		    resource_of_object(g->w, x->obj) != RESOURCE_FUSE)
			continue;
		o = graph_object(g, x->obj);
		if (o && o->dev == mine->dev && has_directory(g, x))
			owner_add_task(all, i);
	}
	b->task = all->n == 1 && scan_left(g) ? all->v[0] : GRAPH_NONE;
	return true;
}

static bool is_join(const struct graph *g, const struct interval *s, uint32_t owner)
{
	const struct graph_ref *r = graph_ref_before(g, &g->joins, g->tasks[s->task].tid, s->to_ns);

	return r && owner_event(g, r)->r.obj == s->obj && owner != GRAPH_NONE &&
	       g->tasks[owner].tgid == g->tasks[s->task].tgid &&
	       (ct_futex_owner(&owner_event(g, r)->r) == graph_futex_owner(g, s) ||
		owner_event(g, r)->r.ts >= s->from_ns);
}

/* If the waiter's process has two threads, returns the thread that is not the waiter: it uses the
 * pipe's other end. Returns GRAPH_NONE if another process may have the pipe open. */
static uint32_t mate_of_pipe(const struct graph *g, const struct interval *s)
{
	const struct graph_task *me = &g->tasks[s->task];
	uint32_t mate = GRAPH_NONE;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, s->obj, &n);
	bool known = n > 0;

	for (size_t i = 0; i < n && scan_step(g); i++)
		if (owner_event(g, &r[i])->r.tid != me->tgid)
			return GRAPH_NONE;
	r = graph_refs(&g->threads, me->tgid, &n);
	for (size_t i = 0; known && i < n && scan_step(g); i++) {
		if (r[i].event == s->task || !owner_alive(g, r[i].event, s->to_ns - 1))
			continue;
		if (mate != GRAPH_NONE)
			return GRAPH_NONE;
		mate = r[i].event;
	}
	return mate;
}

/* Returns true if the task polls, but waits for something else than its descriptors. Then *b says for what.
 */
static bool is_behind_poll(const struct graph *g, const struct interval *s, struct blame *b,
			   struct enders *all)
{
	if (owner_of_shown_lock(g, s, b)) {
		if (b->task == GRAPH_NONE && !b->ownerless)
			b->task = title_owner(g, s, all);
		return true;
	}
	if (title_helper(g, s, b, all)) {
		b->obj = 0;
		b->time = TIME_IPC;
		return true;
	}
	if (!title_waits(g, s))
		return false;
	b->task = title_owner(g, s, all);
	b->obj = 0;
	b->kind = RESOURCE_DATABASE_LOCK;
	b->time = TIME_LOCK;
	return true;
}

/* Two threads may wait for each other. So this function does not ask whether another task idles, too. */
bool owner_idles_in_loop(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	struct blame b = { .task = GRAPH_NONE, .event = GRAPH_NONE };
	struct enders all = { 0 };

	if (!s || s->state != INTERVAL_BLOCKED)
		return false;
	if (!ct_wait_is_poll(s->wait))
		return s->wait == CT_W_ACCEPT;
	b.obj = s->obj;
	if (!is_behind_poll(g, s, &b, &all))
		b.obj = owner_polled(g, s);
	return CT_OBJ_KIND(b.obj) != CT_OBJ_SOCK || !owner_owed(g, b.obj, s->to_ns - 1);
}

static bool waits_for_one(const struct interval *s)
{
	return CT_OBJ_KIND(s->obj) == CT_OBJ_SOCK && (s->wait == CT_W_READ || s->wait == CT_W_POLL);
}

/* s waits on a futex that is no lock. Another task has to post on it. Leaves out tasks that idle in a loop.
 */
static void owner_of_post(const struct graph *g, const struct interval *s, struct blame *b,
			  struct enders *all)
{
	struct enders past = { 0 };
	uint64_t at;

	b->task = owner_past_waker(g, s->obj, s->to_ns - 1, s->task, &past, &at);
	if (b->task == GRAPH_NONE)
		b->task = owner_handed_to(g, s);
	if (b->task != GRAPH_NONE) {
		if (owner_idles_in_loop(g, b->task, s->to_ns - 1))
			b->task = GRAPH_NONE;
		return;
	}
	for (size_t i = 0; i < past.n; i++)
		if (!owner_idles_in_loop(g, past.v[i], s->to_ns - 1))
			owner_add_task(all, past.v[i]);
	b->task = all->n == 1 ? all->v[0] : owner_only_likely(g, all, s->from_ns, s->to_ns);
}

/* s waits for a mutex or a read-write lock with a known owner. If the lock may have got another owner since,
 * the blame is weak. */
static void owner_of_mutex(const struct graph *g, const struct interval *s, struct blame *b,
			   struct enders *all)
{
	struct lock_turn turn;

	owner_turn(g, s, s->to_ns - 1, &turn, all);
	b->task = turn.task;
	b->event = turn.event;
	b->time = TIME_LOCK;
	b->kind = turn.task == GRAPH_NONE ? RESOURCE_LOCK : b->kind;
	b->edge = EDGE_LOCK;
	b->strength = turn.certain ? EDGE_STRONG : EDGE_WEAK;
}

static void owner_of_futex(const struct graph *g, const struct interval *s, struct blame *b,
			   struct enders *all)
{
	uint32_t owner = graph_futex_owner(g, s);

	if (owner_of_java_task(g, s, b) || owner_of_shown_lock(g, s, b) || owner_of_class(g, s, b, all))
		return;
	if (!owner && owner_sleeps_in_java(g, s)) {
		b->kind = RESOURCE_TIMER;
		b->time = TIME_TIMER;
		return;
	}
	if (!owner && owner_in_lock(g, s)) {
		b->kind = RESOURCE_LOCK;
		b->time = TIME_LOCK;
		return;
	}
	if (!owner) {
		owner_of_post(g, s, b, all);
		return;
	}
	b->task = graph_task_at(g, owner, s->from_ns);
	if (!is_join(g, s, b->task)) {
		owner_of_mutex(g, s, b, all);
		return;
	}
	b->edge = EDGE_EXIT;
	b->strength = EDGE_STRONG;
	b->time = TIME_IPC;
}

/* Returns true if a descendant of the process tgid has sent the message that was received with `got` on the
 * socket o. */
static bool is_from_descendant(const struct graph *g, const struct graph_ref *got,
			       const struct window_object *o, uint32_t tgid)
{
	const struct window_event *e = g->w->events;
	uint32_t at = got->event, last = at > NOTIFY_LOOKS ? at - NOTIFY_LOOKS : 0;

	while (at-- > last && scan_step(g))
		if (e[at].r.kind == CT_SEND && owner_dest_is_for(&e[at].r, o))
			return graph_descends_from(g, graph_task_at(g, e[at].r.tid, e[at].r.ts), tgid);
	return false;
}

/* s reads from a unix datagram socket with a name, to which no socket is connected, and the last message came
 * from a descendant of the process: a service manager, whose services say that they are ready. Returns the
 * only child that the process has started since then. */
static uint32_t started_child(const struct graph *g, const struct interval *s)
{
	const struct window_object *o = graph_object(g, s->obj);
	const struct graph_ref *got = graph_ref_before(g, &g->recvs, s->obj, s->from_ns), *r;
	uint32_t child = GRAPH_NONE;
	uint64_t since_ns;
	size_t n;

	if (s->wait != CT_W_READ || !o || CT_OBJ_KIND(o->id) != CT_OBJ_SOCK || o->family != AF_UNIX ||
	    o->type != SOCK_DGRAM || o->peer || !o->name[0] || !got ||
	    !is_from_descendant(g, got, o, g->tasks[s->task].tgid))
		return GRAPH_NONE;
	since_ns = owner_event(g, got)->r.ts;
	r = graph_refs(&g->children, g->tasks[s->task].tgid, &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t c = r[i].event;

		if (g->tasks[c].born_ns <= since_ns || !owner_alive(g, c, s->to_ns - 1))
			continue;
		if (child != GRAPH_NONE)
			return GRAPH_NONE;
		child = c;
	}
	return child;
}

void owner_of_wait(const struct graph *g, uint32_t interval, struct blame *b, struct enders *all)
{
	const struct interval *s = &g->intervals[interval];

	*all = (struct enders){ 0 };
	b->edge = EDGE_OWNER;
	b->strength = EDGE_WEAK;
	switch ((enum ct_wait)s->wait) {
	case CT_W_FUTEX:
		owner_of_futex(g, s, b, all);
		break;
	case CT_W_FLOCK:
		owner_of_flock(g, s, b, all);
		break;
	case CT_W_POLL:
	case CT_W_EPOLL:
		if (!is_behind_poll(g, s, b, all))
			owner_of_poll(g, s, b, all);
		break;
	case CT_W_SIGNAL:
	case CT_W_CHILD:
	case CT_W_VFORK:
		b->task = owner_child(g, s, all);
		if (s->wait == CT_W_SIGNAL && b->task == GRAPH_NONE)
			break;
		b->edge = EDGE_EXIT;
		b->strength = s->wait == CT_W_SIGNAL || all->n > 1 ? EDGE_WEAK : EDGE_STRONG;
		break;
	case CT_W_SYSVIPC:
		owner_of_sysv(g, s, b);
		break;
	case CT_W_URING:
		b->task = owner_of_ring(g, s, &b->obj, all);
		b->kind = b->task == GRAPH_NONE ? b->kind : resource_of_object(g->w, b->obj);
		break;
	case CT_W_NONE:
	case CT_W_READ:
	case CT_W_WRITE:
	case CT_W_ACCEPT:
	case CT_W_CONNECT:
	case CT_W_SLEEP:
	case CT_W_SYNC:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_FAULT:
	case CT_W_STOPPED:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
	case CT_W_OTHER:
	case CT_W_YIELD:
	case CT_W_MEMORY:
	default:
		if (b->kind == RESOURCE_FUSE && owner_of_directory(g, s, b, all))
			break;
		if (b->kind == RESOURCE_FUSE)
			b->task = fuse_thread(g, s, fuse_server(g, s, all));
		else
			b->task = owner_object(g, s->obj, s->to_ns - 1, s->task, other_side(s), all);
		if (!s->obj && s->wait != CT_W_SLEEP && b->task == GRAPH_NONE)
			b->task = owner_handed_to(g, s);
		if (CT_OBJ_KIND(s->obj) == CT_OBJ_PIPE && b->task == GRAPH_NONE && !all->n)
			b->task = mate_of_pipe(g, s);
		if (b->task == GRAPH_NONE && !all->n)
			b->task = started_child(g, s);
		if (!s->obj && b->task != GRAPH_NONE) {
			b->edge = EDGE_FUSE;
			b->kind = RESOURCE_FUSE;
		}
	}
	b->rivals = all->n > 1 ? (uint8_t)all->n : 0;
	if (b->task == s->task)
		b->task = GRAPH_NONE;
	if (b->task != GRAPH_NONE && b->time == TIME_UNKNOWN)
		b->time = TIME_IPC;
	if (b->task == GRAPH_NONE && waits_for_one(s) && owner_has_dest(g, s->obj, s->to_ns - 1) &&
	    owner_dest_is_far(g, s->obj, s->to_ns - 1)) {
		b->time = TIME_NETWORK;
	} else if (b->task == GRAPH_NONE && CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK) {
		const struct window_object *o = graph_object(g, b->obj);

		if (o && (o->family == AF_INET || o->family == AF_INET6) && o->rport)
			b->time = graph_is_local(g, o->id) ? TIME_IPC : TIME_NETWORK;
	}
}

/* Returns the SIGCHLD of the stopped task to its tracer (strace, a debugger), or GRAPH_NONE. */
static uint32_t tracer_told(const struct graph *g, const struct interval *s)
{
	const struct window_event *e = g->w->events;
	size_t i = window_lower_bound(g->w, s->from_ns + 1);

	for (size_t looks = 0; i-- > 0 && looks < TRACER_LOOKS && scan_step(g); looks++)
		if (e[i].r.kind == CT_SIGNAL && e[i].r.tid == g->tasks[s->task].tid &&
		    ct_signal_number(&e[i].r) == SIGCHLD)
			return (uint32_t)i;
	return GRAPH_NONE;
}

static bool is_idle_tracer(const struct graph *g, uint32_t tracer, const struct interval *s)
{
	uint32_t i = graph_interval_at(g, tracer, s->from_ns + (s->to_ns - s->from_ns) / 2);
	const struct interval *x = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return !x || x->state == INTERVAL_UNKNOWN ||
	       (x->state == INTERVAL_BLOCKED &&
		(x->wait == CT_W_READ || ct_wait_is_poll(x->wait) || x->wait == CT_W_CHILD ||
		 x->wait == CT_W_SLEEP || x->wait == CT_W_SIGNAL));
}

static bool owner_tracer(const struct graph *g, const struct interval *s, struct blame *b)
{
	uint32_t told = s->st & CT_ST_TRACED ? tracer_told(g, s) : GRAPH_NONE, tracer;

	if (told == GRAPH_NONE)
		return false;
	tracer = graph_task_at(g, ct_signal_target(&g->w->events[told].r), s->from_ns);
	b->event = told;
	b->strength = EDGE_STRONG;
	if (tracer != GRAPH_NONE && tracer != s->task && !is_idle_tracer(g, tracer, s))
		b->task = tracer;
	return true;
}

static bool is_stop_signal(unsigned signal)
{
	return signal >= SIGSTOP && signal <= SIGTTOU;
}

void owner_stopper(const struct graph *g, const struct interval *s, struct blame *b)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->signals, g->tasks[s->task].tgid, &n);

	b->kind = RESOURCE_SIGNAL;
	b->edge = EDGE_STOP;
	b->time = TIME_UNKNOWN;
	if (owner_tracer(g, s, b))
		return;
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.ts > s->from_ns)
			break;
		/* SIGCONT continues the task even if the task ignores the signal. */
		if (ct_signal_number(&e->r) == SIGCONT)
			b->event = GRAPH_NONE;
		else if (is_stop_signal(ct_signal_number(&e->r)) && !(e->r.flags & CT_GF_IGNORED))
			b->event = r[i].event;
	}
}
