// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/blame.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "graph/thresholds.h"
#include "graph/wake/cause.h"
#include "graph/wake/nat.h"
#include "graph/wake/owner.h"
#include "graph/wake/repeats.h"
#include "graph/wake/title.h"
#include "graph/timeline/scan.h"
#include "lib/bisect.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/words/call.h"
#include "trace/words/frame.h"

const char *time_kind_name(enum time_kind k)
{
	static const char *const names[TIME_KINDS] = { "running", "runnable", "lock",       "ipc",
						       "disk",    "network",  "timer",      "queue",
						       "fault",   "unknown",  "short_waits" };

	return k < TIME_KINDS ? names[k] : "unknown";
}

static bool on_disk(const struct graph *g, uint64_t obj)
{
	const struct window_object *o = graph_object(g, obj);

	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_BLOCKDEV:
		return true;
	case CT_OBJ_FILE:
	case CT_OBJ_DIR:
		return o && ct_dev_major(o->dev) != 0;
	default:
		return false;
	}
}

/* When the disk is done, any task may be on the CPU, so the waker does not matter. */
static bool is_disk_wait(const struct graph *g, const struct interval *s, const struct window_event *wake)
{
	if (resource_of_object(g->w, s->obj) == RESOURCE_FUSE ||
	    CT_OBJ_KIND(wake ? wake->r.obj : 0) == CT_OBJ_FUSEDEV)
		return false;
	/* The kernel may count any wait for an io_uring as a wait for I/O. */
	if (s->wait == CT_W_STOPPED || s->wait == CT_W_KTHREAD || s->wait == CT_W_FLOCK ||
	    s->wait == CT_W_URING)
		return false;
	if (s->flags & CT_SF_IOWAIT)
		return true;
	return s->wait == CT_W_SYNC && (s->st & CT_ST_DISK);
}

static enum time_kind time_of(const struct graph *g, const struct interval *s, const struct blame *b)
{
	switch ((enum ct_wait)s->wait) {
	case CT_W_FUTEX:
		if (b->edge == EDGE_EXIT) /* the task joined a thread */
			return TIME_IPC;
		return b->edge == EDGE_LOCK || graph_futex_owner(g, s) ? TIME_LOCK : TIME_QUEUE;
	case CT_W_FLOCK:
		return TIME_LOCK;
	case CT_W_SLEEP:
		return TIME_TIMER;
	case CT_W_CHILD:
	case CT_W_VFORK:
	case CT_W_SIGNAL:
	case CT_W_SYSVIPC:
		return TIME_IPC;
	case CT_W_FAULT:
	case CT_W_MEMORY:
		return TIME_FAULT;
	case CT_W_STOPPED:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
		return TIME_UNKNOWN;
	case CT_W_NONE:
	case CT_W_READ:
	case CT_W_WRITE:
	case CT_W_POLL:
	case CT_W_EPOLL:
	case CT_W_ACCEPT:
	case CT_W_CONNECT:
	case CT_W_SYNC:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_URING:
	case CT_W_OTHER:
	case CT_W_YIELD:
		break;
	}
	if (b->kind == RESOURCE_NETWORK_FS)
		return TIME_NETWORK;
	switch ((unsigned)CT_OBJ_KIND(b->obj)) {
	case CT_OBJ_SOCK:
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
	case CT_OBJ_EVENTFD:
	case CT_OBJ_EPOLL:
	case CT_OBJ_SIGNALFD:
	case CT_OBJ_PIDFD:
	case CT_OBJ_FUSEDEV:
		return TIME_IPC;
	case CT_OBJ_TIMERFD:
		return TIME_TIMER;
	case CT_OBJ_FILE:
	case CT_OBJ_DIR:
	case CT_OBJ_BLOCKDEV:
		if (on_disk(g, b->obj) && s->flags & CT_SF_IOWAIT)
			return TIME_DISK;
		return s->st & CT_ST_DISK ? TIME_LOCK : TIME_IPC;
	default:
		return ct_wait_is_poll(s->wait) ? TIME_IPC : TIME_UNKNOWN;
	}
}

static bool ends_programs(int signal, const struct graph_task *t)
{
	return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM ||
	       signal == WTERMSIG(t->exit_code);
}

const struct window_event *blame_killer(const struct graph *g, uint32_t task, uint64_t end_ns,
					const struct window_event *last)
{
	const struct graph_task *t = &g->tasks[task];
	size_t n;
	const struct graph_ref *r =
		graph_refs_from(g, &g->signals, t->tgid, checked_sub(end_ns, KILLER_EARLY_NS), &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (e->r.ts > end_ns + KILLER_LATE_NS)
			break;
		if ((!last || e > last) && !(e->r.flags & CT_GF_IGNORED) &&
		    ends_programs(ct_signal_number(&e->r), t))
			return e;
	}
	return NULL;
}

/* Returns true if a thread of the process, but not the waker, sent the signal after the wake. Such a
 * signal did not make the wake. */
static bool is_own_end(const struct graph *g, const struct graph_task *t, const struct window_event *wake,
		       const struct window_event *sig)
{
	uint32_t sender = graph_task_at(g, sig->r.tid, sig->r.ts);

	return sig->r.ts > wake->r.ts && sender != GRAPH_NONE && g->tasks[sender].tgid == t->tgid &&
	       sig->r.tid != ct_wake_waker(&wake->r);
}

/* Returns true if another task than the waker sent the signal after the wake. Then something else may have
 * ended the wait before. */
static bool came_too_late(const struct window_event *wake, const struct window_event *sig)
{
	return sig->r.ts > wake->r.ts && sig->r.tid != ct_wake_waker(&wake->r);
}

/* A task may handle a signal, and exit later for another reason. So the signal killed the task only if the
 * task exited soon. But no task handles SIGKILL: if the task exits late, it got no CPU, or the kernel worked
 * for it. Such a task counts as killed unless the signal came too late.
 */
static bool got_killer(const struct graph *g, const struct interval *s, const struct window_event *wake)
{
	const struct window_event *e = NULL;
	bool soon = g->tasks[s->task].exit_ns <= wake->r.ts + KILLED_GONE_NS;

	while ((e = blame_killer(g, s->task, wake->r.ts, e)))
		if ((soon || (ct_signal_number(&e->r) == SIGKILL && !came_too_late(wake, e))) &&
		    !is_own_end(g, &g->tasks[s->task], wake, e))
			return true;
	return false;
}

/* Returns true if the wake-up killed the waiter: by a signal, or because another thread called
 * exit_group() or execve(), which end all other threads of the process. A task that waited for a
 * signal may also have handled the signal and exited. So such a task counts as killed only if its
 * exit code names a signal. */
static bool was_killed(const struct graph *g, const struct interval *s, const struct window_event *wake)
{
	enum call call = call_of(g->w->machine, wake->r.nr);
	uint32_t waker =
		ct_wake_waker(&wake->r) ? graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts) : GRAPH_NONE;

	if (s->wait == CT_W_STOPPED || (s->wait == CT_W_SIGNAL && !WTERMSIG(g->tasks[s->task].exit_code)))
		return false;
	if (got_killer(g, s, wake))
		return true;
	return g->tasks[s->task].exit_ns <= wake->r.ts + KILLED_GONE_NS &&
	       ct_wake_context(&wake->r) == CT_CTX_TASK && waker != GRAPH_NONE &&
	       g->tasks[waker].tgid == g->tasks[s->task].tgid &&
	       (call == CALL_EXIT_GROUP || call == CALL_EXECVE);
}

static void blame_task(struct blame *b, uint32_t task, enum edge_kind edge, enum edge_strength strength)
{
	b->task = task;
	b->edge = (uint8_t)edge;
	b->strength = (uint8_t)strength;
}

/* A wait for a file of a network file system is a wait for its server, or for the network. A wait for a file
 * of a file system that is not known may be so too, and so may a wait with no known object, such as a page
 * fault. */
static void blame_disk(const struct graph *g, const struct interval *s, struct blame *b)
{
	const struct window_object *o = graph_object(g, b->obj);
	bool file = CT_OBJ_KIND(b->obj) == CT_OBJ_FILE || CT_OBJ_KIND(b->obj) == CT_OBJ_DIR;
	bool far = file && resource_network_fs(o);

	b->task = GRAPH_NONE;
	b->edge = far ? EDGE_OWNER : EDGE_DISK;
	b->strength = far || (file ? resource_is_local_file(o) : b->obj) ? EDGE_STRONG : EDGE_WEAK;
	b->kind = far ? RESOURCE_NETWORK_FS : RESOURCE_DISK;
	b->time = s->wait == CT_W_FAULT ? TIME_FAULT : far ? TIME_NETWORK : TIME_DISK;
	b->ended = true;
}

/* Returns the socket that the wake-up reports as readable, if the object of the wait is no socket,
 * and the wait is not a wait to write. Otherwise returns the object of the wait. (If the task waits
 * to write, the readable socket may be another one: one softirq can make one socket readable, and
 * make room on another one.) */
static uint64_t own_socket(const struct interval *s, const struct window_event *wake)
{
	bool named = CT_OBJ_KIND(s->obj) == CT_OBJ_SOCK || s->wait == CT_W_WRITE;

	return wake->r.flags & CT_WF_READY && !named && CT_OBJ_KIND(wake->r.obj) == CT_OBJ_SOCK ? wake->r.obj
												: s->obj;
}

/* Returns the task at the other end of b->obj that ended the wait. If several tasks may have ended it, *all
 * has them. */
static uint32_t other_end(const struct graph *g, const struct interval *s, const struct window_event *wake,
			  struct blame *b, struct enders *all)
{
	return s->wait == CT_W_WRITE ? owner_receiver(g, s, b->obj, wake, &b->event, all)
				     : owner_sender(g, s, b->obj, wake, &b->event, all);
}

/* Returns true if the end of another process ended the wait. The last thread of the process that exits closes
 * the descriptors of the process, too. The exit of any single thread only wakes waits on a futex. */
static bool is_end_of_process(const struct graph *g, const struct interval *s,
			      const struct window_event *wake, uint32_t waker)
{
	return wake->r.flags & CT_WF_EXITING && s->wait != CT_W_FUTEX &&
	       g->tasks[waker].tgid != g->tasks[s->task].tgid;
}

/* `task` is the last thread of its process to exit. Returns when the first of the threads exited that ended
 * together with it, and sets *ret_several if there are others. */
static uint64_t first_exit_ns(const struct graph *g, uint32_t task, bool *ret_several)
{
	uint64_t last_ns = g->tasks[task].exit_ns, first_ns = last_ns;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[task].tgid, &n);

	*ret_several = false;
	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint64_t exit_ns = g->tasks[r[i].event].exit_ns;

		if (r[i].event == task || exit_ns > last_ns || exit_ns < checked_sub(last_ns, KILLED_GONE_NS))
			continue;
		*ret_several = true;
		first_ns = MIN(first_ns, exit_ns);
	}
	return first_ns;
}

/* b->task exits, and this ended the wait. But it may only be the last thread of its process. Then blames the
 * thread that ended the process. If a signal ended the process, and so the connection of the waiter, blames
 * the thread that used the other end before, or else the main thread. This thread could have ended the wait,
 * but did not. */
static void blame_user_before_end(const struct graph *g, struct blame *b)
{
	uint32_t last = b->task, user;
	struct enders all;
	bool several;
	uint64_t end_ns = first_exit_ns(g, last, &several);

	b->task = wake_ender(g, last);
	if (!several || !WTERMSIG(g->tasks[last].exit_code) || CT_OBJ_KIND(b->obj) != CT_OBJ_SOCK)
		return;
	user = owner_of_socket(g, b->obj, checked_sub(end_ns, 1), &all);
	if (user != GRAPH_NONE && g->tasks[user].tgid == g->tasks[last].tgid)
		b->task = user;
	b->ended = false;
	b->event = GRAPH_NONE;
	b->time = TIME_IPC;
	blame_task(b, b->task, EDGE_OWNER, EDGE_WEAK);
}

static void blame_network(const struct graph *g, const struct interval *s, const struct window_event *wake,
			  struct blame *b)
{
	const struct window_object *o;
	struct enders all = { 0 };

	b->obj = own_socket(s, wake);
	b->kind = resource_of_object(g->w, b->obj);
	b->ended = true;
	b->task = other_end(g, s, wake, b, &all);
	if (b->task == GRAPH_NONE && !all.n && s->wait != CT_W_WRITE)
		b->task = nat_sender(g, b->obj, wake);
	b->rivals = all.n > 1 ? (uint8_t)all.n : 0;
	if (b->task == s->task)
		b->task = GRAPH_NONE;
	if (b->task != GRAPH_NONE && g->tasks[b->task].tid == ct_wake_waker(&wake->r) &&
	    is_end_of_process(g, s, wake, b->task))
		blame_user_before_end(g, b);
	if (!b->ended)
		return;
	if (b->task != GRAPH_NONE) {
		/* An interrupt of unknown kind may have had nothing to do with the network. */
		blame_task(b, b->task, EDGE_MESSAGE,
			   b->event != GRAPH_NONE && ct_wake_context(&wake->r) != CT_CTX_IRQ ? EDGE_STRONG
											     : EDGE_WEAK);
		b->time = TIME_IPC;
		return;
	}
	o = graph_object(g, b->obj);
	b->edge = EDGE_IRQ;
	b->time = (o && o->family == AF_UNIX) || graph_is_local(g, b->obj) ? TIME_IPC : TIME_NETWORK;
}

/* Returns true if a task in a wait of this kind hardly ever waits for a signal. A task that waits for a
 * terminal may also wait for a signal. */
static bool is_for_one_thing(const struct interval *s)
{
	if (CT_OBJ_KIND(s->obj) == CT_OBJ_TTY)
		return false;
	return s->wait == CT_W_FUTEX || s->wait == CT_W_READ || s->wait == CT_W_WRITE ||
	       s->wait == CT_W_FLOCK || s->wait == CT_W_CONNECT;
}

/* Returns true if the sender of a signal is of the task's process, or of a descendant of this process. */
static bool is_own_sender(const struct graph *g, uint32_t sender, uint32_t task)
{
	return g->tasks[sender].tgid == g->tasks[task].tgid ||
	       graph_descends_from(g, sender, g->tasks[task].tgid);
}

/* Returns false if the task may have waited for the signal. Otherwise returns true, and *b blames
 * the task that could have ended the wait. Signs that the task may have waited for the signal:
 * - The sender is of the task's process, or of a descendant (is_own_sender()).
 * - The sender is the task that could have ended the wait.
 * - The task waited for a standby, a checkpoint or the archive, and the sender is of the same server.
 * - No task could have ended the wait, and is_for_one_thing() is false. */
static bool blame_interrupted(const struct graph *g, const struct interval *s, uint32_t sender,
			      struct blame *b)
{
	struct blame lasting;

	if (is_own_sender(g, sender, s->task))
		return false;
	blame_lasting(g, (uint32_t)(s - g->intervals), &lasting);
	if (lasting.task == sender || (lasting.task == GRAPH_NONE && !is_for_one_thing(s)))
		return false;
	/* Processes of PostgreSQL wake each other by signals. */
	if ((lasting.kind == RESOURCE_STANDBY || lasting.kind == RESOURCE_CHECKPOINT ||
	     lasting.kind == RESOURCE_ARCHIVE) &&
	    g->tasks[sender].ptgid == g->tasks[s->task].ptgid)
		return false;
	lasting.until_ns = b->until_ns;
	*b = lasting;
	return true;
}

/* Returns true if the waker did not unlock the file for which s waits. */
static bool is_no_unlock(const struct graph *g, const struct interval *s, const struct window_event *wake)
{
	return s->wait == CT_W_FLOCK && !wake->r.obj && !owner_unlocks(g, s, wake);
}

/*
 * A signal, also the SIGCHLD of a child that exits, interrupts the wait for a lock, but releases no lock. If
 * records show the signal, and that the waker does not own the lock, but another task does, returns true, and
 * *b blames this owner, or no task if the mutex may have got another owner.
 *
 * A file lock belongs to a process: then the owner has to be in another process than the waker. But a process
 * may also unlock a file that another process has locked, if both have the same open file, by a close() or at
 * its exit. Then the signal came only after the unlock.
 */
static bool blame_lock_owner(const struct graph *g, const struct interval *s, const struct window_event *wake,
			     uint32_t waker, struct blame *b)
{
	struct blame lasting;
	bool known, unsure;

	if ((s->wait != CT_W_FUTEX && !is_no_unlock(g, s, wake)) || wake->r.obj ||
	    ct_wake_call(&wake->r) == (enum ct_wait)s->wait || !wake_signal(g, s, wake, true))
		return false;
	blame_lasting(g, (uint32_t)(s - g->intervals), &lasting);
	known = lasting.task != GRAPH_NONE && lasting.strength == EDGE_STRONG &&
		(lasting.edge == EDGE_LOCK || lasting.edge == EDGE_FILELOCK);
	/* The lock may have got another owner. */
	unsure = s->wait == CT_W_FUTEX && lasting.edge == EDGE_LOCK && !known;
	if ((!known && !unsure) || lasting.task == waker ||
	    (s->wait == CT_W_FLOCK && g->tasks[lasting.task].tgid == g->tasks[waker].tgid))
		return false;
	lasting.until_ns = b->until_ns;
	if (unsure)
		lasting.task = GRAPH_NONE;
	*b = lasting;
	return true;
}

/* An inspection shows which thread of Java owned the lock, and this owner has stayed in one wait up to the
 * end of s. So the waker did not release the lock: it only interrupted the wait, as by Thread.interrupt().
 * Then returns true, and *b blames the owner. If the waiter owns the lock itself, *b blames no task. */
static bool blame_shown_owner(const struct graph *g, const struct interval *s, uint32_t waker,
			      struct blame *b)
{
	struct blame shown = *b;

	if (s->wait != CT_W_FUTEX || !owner_of_shown_lock(g, s, &shown) || shown.edge != EDGE_LOCK ||
	    shown.strength != EDGE_STRONG || shown.task == waker)
		return false;
	if (shown.task == s->task)
		shown.task = GRAPH_NONE;
	*b = shown;
	return true;
}

/* Returns true if in the wait s, another task than the waker posted on the futex, and woke another waiter.
 * Then the waiter may have waited for that task, as for the owner of a lock that another task got first. */
static bool others_posted(const struct graph *g, const struct interval *s, const struct window_event *wake)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->wakes, s->obj, s->from_ns, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < wake->r.ts; i++) {
		const struct ct_rec *e = &g->w->events[r[i].event].r;

		if (!scan_step(g) ||
		    (ct_wake_waker(e) != ct_wake_waker(&wake->r) && e->tid != g->tasks[s->task].tid))
			return true;
	}
	return false;
}

/* Returns true if at ts_ns the task waits for room in a pipe that the process tgid has to read. */
static bool fills_pipe_of(const struct graph *g, uint32_t task, uint32_t tgid, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	struct blame b;

	if (!s || s->state != INTERVAL_BLOCKED || s->wait != CT_W_WRITE ||
	    (CT_OBJ_KIND(s->obj) != CT_OBJ_PIPE && CT_OBJ_KIND(s->obj) != CT_OBJ_FIFO))
		return false;
	blame_lasting(g, i, &b);
	return b.task != GRAPH_NONE && g->tasks[b.task].tgid == tgid;
}

/* The waiter opens a FIFO, and another task has opened the other end. Returns true if the waiter may have
 * waited for another one: the opener is no relative of the waiter, and a sibling of the waiter, such as
 * another command of the same script, waits for the waiter all the time. So each of the two may wait for the
 * other one. */
static bool may_await_sibling(const struct graph *g, const struct interval *s, uint32_t opener,
			      uint64_t ts_ns)
{
	const struct graph_task *me = &g->tasks[s->task];
	uint64_t middle_ns = s->from_ns + checked_sub(ts_ns, s->from_ns) / 2;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->children, me->ptgid, &n);

	if (me->ptgid <= 1 || g->tasks[opener].ptgid == me->ptgid || g->tasks[opener].tgid == me->ptgid ||
	    graph_descends_from(g, opener, me->tgid))
		return false;
	for (size_t i = 0; i < n && scan_step(g); i++)
		if (g->tasks[r[i].event].tgid != me->tgid &&
		    fills_pipe_of(g, r[i].event, me->tgid, middle_ns) &&
		    fills_pipe_of(g, r[i].event, me->tgid, checked_sub(ts_ns, 1)))
			return true;
	return false;
}

/* Returns true if the task waited for signals, or at least for those of its own process and its descendants.
 */
static bool awaits_signal_of(const struct graph *g, const struct interval *s, const struct window_event *wake,
			     uint32_t sender)
{
	return s->wait == CT_W_SIGNAL || CT_OBJ_KIND(wake->r.obj) == CT_OBJ_SIGNALFD ||
	       is_own_sender(g, sender, s->task);
}

static void blame_waker(const struct graph *g, const struct interval *s, const struct window_event *wake,
			struct blame *b)
{
	uint32_t waker = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);
	const struct window_event *sig = wake_signal(g, s, wake, false);
	struct blame shown = *b;
	struct wake_cause cause;
	uint64_t mine;

	wake_cause(g, s, wake, CAUSE_LOOK, &cause);
	b->edge = cause.edge;
	b->strength = cause.strength;
	if (waker == GRAPH_NONE || waker == s->task || blame_lock_owner(g, s, wake, waker, b) ||
	    blame_shown_owner(g, s, waker, b) || owner_has_died(g, s, waker, b))
		return;
	if (wake->r.flags & CT_WF_READY)
		b->obj = own_socket(s, wake);
	else if (ct_wait_is_poll(s->wait)) {
		mine = CT_OBJ_KIND(wake->r.obj) == CT_OBJ_SOCK ? graph_peer_object(g, wake->r.obj)
							       : wake->r.obj;
		if (mine && CT_OBJ_KIND(mine) != CT_OBJ_FUTEX)
			b->obj = mine;
	}
	b->kind = resource_of_wait(g->w, ct_wait_is_poll(s->wait) ? CT_W_READ : s->wait, s->nr, b->obj);
	if (b->edge == EDGE_MESSAGE && s->obj && graph_peer_object(g, s->obj) == wake->r.obj)
		b->strength = EDGE_STRONG;
	/* Other readers may have owned a read-write lock for longer than the waker did. */
	if (b->edge == EDGE_LOCK && !graph_futex_owner(g, s))
		b->kind = RESOURCE_LOCK;
	b->ended = true;
	b->event = s->wake;
	if (sig && (b->edge == EDGE_WAKE || b->edge == EDGE_SIGNAL || b->strength == EDGE_WEAK ||
		    (!(wake->r.flags & CT_WF_EXITING) && is_no_unlock(g, s, wake)))) {
		if (s->wait != CT_W_SIGNAL && blame_interrupted(g, s, waker, b))
			return;
		b->edge = EDGE_SIGNAL;
		b->strength = awaits_signal_of(g, s, wake, waker) ? EDGE_STRONG : EDGE_WEAK;
		b->kind = RESOURCE_SIGNAL;
	}
	if (b->edge == EDGE_POST && others_posted(g, s, wake))
		b->strength = EDGE_WEAK;
	/* The last of several readers has released the lock. Another one may have had it for longer. */
	if (b->edge == EDGE_POST && owner_in_rwlock(g, s)) {
		blame_task(b, GRAPH_NONE, EDGE_LOCK, EDGE_WEAK);
		b->kind = RESOURCE_LOCK;
	}
	/* The SIGCHLD only interrupted the wait on the futex, unless a handler of the signal posts on it. */
	if (b->edge == EDGE_EXIT && s->wait == CT_W_FUTEX && !graph_futex_owner(g, s) &&
	    g->tasks[waker].ptgid == g->tasks[s->task].tgid && g->tasks[waker].tgid != g->tasks[s->task].tgid)
		b->strength = EDGE_WEAK;
	if (cause.closed) {
		b->obj = cause.closed;
		b->kind = resource_of_object(g->w, cause.closed);
	}
	if (b->edge == EDGE_EXIT && g->tasks[waker].ptgid == g->tasks[s->task].tgid)
		b->kind = RESOURCE_CHILD;
	else if (b->edge == EDGE_PIPE && s->wait == CT_W_OPEN)
		b->kind = RESOURCE_PIPE;
	if (b->edge == EDGE_FUSE)
		b->kind = RESOURCE_FUSE;
	else if (b->edge == EDGE_KERNEL_LOCK)
		b->kind = RESOURCE_KERNEL_LOCK;
	if (g->tasks[waker].kthread) {
		/* A kernel thread is not to blame: it works for others, such as a device. */
		if ((on_disk(g, b->obj) || resource_of_object(g->w, b->obj) == RESOURCE_NETWORK_FS) &&
		    s->st & CT_ST_DISK) {
			blame_disk(g, s, b);
		} else if (s->wait == CT_W_URING && s->flags & CT_SF_IOWAIT &&
			   g->tasks[waker].tgid != g->tasks[s->task].tgid) {
			/* The workers of an io_uring belong to the process of the waiter. Other kernel
			 * threads mostly end I/O of a disk, for example of a loop device. */
			blame_disk(g, s, b);
			b->strength = EDGE_WEAK;
		} else if (CT_OBJ_KIND(s->obj) == CT_OBJ_TTY && s->wait == CT_W_WRITE)
			blame_lasting(g, (uint32_t)(s - g->intervals), b);
		return;
	}
	/* A task that was born late in the wait did not hold the lock for most of it. Example: it thawed a
	 * frozen file system. */
	if (b->edge == EDGE_KERNEL_LOCK &&
	    g->tasks[waker].born_ns > s->from_ns + checked_sub(wake->r.ts, s->from_ns) / 2) {
		b->time = TIME_LOCK;
		return;
	}
	if (b->edge == EDGE_PIPE && s->wait == CT_W_OPEN && may_await_sibling(g, s, waker, wake->r.ts)) {
		b->ended = false;
		b->event = GRAPH_NONE;
		b->time = TIME_IPC;
		blame_task(b, GRAPH_NONE, EDGE_OWNER, EDGE_WEAK);
		return;
	}
	b->task = waker;
	if (is_end_of_process(g, s, wake, waker))
		blame_user_before_end(g, b);
	if (!b->ended)
		return;
	if (ct_wait_is_poll(s->wait) &&
	    ((title_waits(g, s) && g->tasks[waker].ptgid == g->tasks[s->task].ptgid) ||
	     (sig && ct_signal_number(&sig->r) == SIGURG && title_sessions(g, s->task, waker, s->to_ns)))) {
		b->kind = RESOURCE_DATABASE_LOCK;
		b->time = TIME_LOCK;
		/* The signal says that the lock is free. */
		b->strength = b->edge == EDGE_SIGNAL ? EDGE_STRONG : b->strength;
		/* The inspection shows that a prepared transaction owned the lock. The waker
		 * released the lock without owning it. But if the inspection is old, the lock may
		 * have got another owner since. Then the owner is not known. */
		if (owner_of_shown_lock(g, s, &shown) && shown.ownerless) {
			*b = shown;
			b->ended = true;
			b->ownerless = owner_shown_recently(g, s);
		}
		return;
	}
	b->time = time_of(g, s, b);
	if (b->edge == EDGE_FUSE)
		b->time = TIME_IPC;
}

static void blame_woken(const struct graph *g, const struct interval *s, const struct window_event *wake,
			struct blame *b)
{
	bool task_ctx = ct_wake_by_task(&wake->r);
	bool by_disk =
		ct_wake_context(&wake->r) == CT_CTX_SOFTIRQ &&
		(ct_wake_softirq(&wake->r) == BLOCK_SOFTIRQ || ct_wake_softirq(&wake->r) == IRQ_POLL_SOFTIRQ);
	bool by_device = by_disk || (!s->obj && ct_wake_context(&wake->r) == CT_CTX_HARDIRQ);
	uint64_t obj = own_socket(s, wake);
	struct wake_cause cause;
	struct blame last;

	b->until_ns = wake->r.ts;
	if (by_disk || is_disk_wait(g, s, wake)) {
		b->obj = s->obj;
		blame_disk(g, s, b);
		if (by_device)
			b->strength = EDGE_STRONG;
		return;
	}
	if (CT_OBJ_KIND(obj) == CT_OBJ_SOCK && !task_ctx) {
		blame_network(g, s, wake, b);
		return;
	}
	if (task_ctx) {
		blame_waker(g, s, wake, b);
		return;
	}
	/* It is not known whether the network or the time limit of the poll made the interrupt. */
	if (ct_wake_context(&wake->r) == CT_CTX_IRQ && ct_wait_is_poll(s->wait)) {
		blame_lasting(g, (uint32_t)(s - g->intervals), b);
		return;
	}
	b->ended = true;
	wake_cause(g, s, wake, CAUSE_LOOK, &cause);
	if (cause.closed)
		blame_lasting(g, (uint32_t)(s - g->intervals), &last);
	/* The close of a connection ended the wait, unless the waiter is owed an answer on another
	 * connection: then the waiter goes on waiting for this answer. */
	if (cause.closed && (!last.owed || last.obj == cause.closed)) {
		b->obj = cause.closed;
		b->kind = resource_of_object(g->w, cause.closed);
		b->event = (uint32_t)(wake - g->w->events);
		b->time = TIME_IPC;
		blame_task(b, cause.task, cause.edge, cause.strength);
		return;
	}
	b->edge = EDGE_IRQ;
	/* The record of a wake-up names a socket only if bytes or a connection arrived on it. This
	 * record names none. So the network reported something else, such as room for a send, or the
	 * records lack the socket, because the poll is for many. */
	if (ct_wake_context(&wake->r) == CT_CTX_SOFTIRQ &&
	    (ct_wake_softirq(&wake->r) == NET_TX_SOFTIRQ || ct_wake_softirq(&wake->r) == NET_RX_SOFTIRQ) &&
	    ct_wait_is_poll(s->wait)) {
		blame_lasting(g, (uint32_t)(s - g->intervals), &last);
		if (!wake_polls_far(g, s) ||
		    (last.owed && last.task != GRAPH_NONE && owner_has_dest(g, last.obj, s->from_ns))) {
			*b = last;
			return;
		}
		b->time = TIME_NETWORK;
		b->kind = RESOURCE_TCP;
	}
	if (CT_OBJ_KIND(b->obj) == CT_OBJ_TTY || CT_OBJ_KIND(b->obj) == CT_OBJ_CHARDEV)
		b->kind = RESOURCE_INPUT;
}

static const struct interval *blame_repeat(const struct graph *g, uint32_t interval, uint64_t limit_ns)
{
	uint32_t ended = repeats_ended(g, interval);
	const struct interval *x = ended == GRAPH_NONE ? NULL : &g->intervals[ended];

	return x && x->from_ns < limit_ns && x->to_ns <= limit_ns ? x : NULL;
}

/* Returns the task's last try to lock a file before ts_ns, if the try failed, and is at most
 * LOCK_TRY_OLD_NS old. Otherwise returns NULL. Skips unlocks after the try: a task that closes the file
 * after a failed try makes the record of an unlock too. */
static const struct window_event *failed_try(const struct graph *g, uint32_t tid, uint64_t ts_ns,
					     uint32_t *ret_event)
{
	const struct graph_ref *r = graph_ref_before(g, &g->locktries, tid, ts_ns);
	size_t n;
	const struct graph_ref *first = graph_refs(&g->locktries, tid, &n);

	for (; r && r >= first && scan_step(g); r--) {
		const struct window_event *e = &g->w->events[r->event];

		if (e->r.ts + LOCK_TRY_OLD_NS < ts_ns)
			return NULL;
		if (ct_lock_op(&e->r) == CT_LOCK_UNLOCK)
			continue;
		*ret_event = r->event;
		return ct_lock_result(&e->r) < 0 ? e : NULL;
	}
	return NULL;
}

/* Returns true if the task has another failed try to lock the file. After a single try, a task may sleep for
 * another reason. */
static bool tries_again(const struct graph *g, uint32_t tid, const struct window_event *try)
{
	size_t n, at;
	const struct graph_ref *r = graph_refs(&g->locktries, tid, &n);

	at = BISECT(i, 0, n, &g->w->events[r[i].event] >= try);
	for (size_t i = at > LOCK_TRIES_NEAR ? at - LOCK_TRIES_NEAR : 0;
	     i < n && i <= at + LOCK_TRIES_NEAR && scan_step(g); i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (e != try && e->r.obj == try->r.obj && ct_lock_result(&e->r) < 0)
			return true;
	}
	return false;
}

static bool blame_polled_lock(const struct graph *g, const struct interval *s, struct blame *b,
			      struct enders *all)
{
	struct lock_owner owner;
	uint32_t event;
	const struct window_event *e = failed_try(g, g->tasks[s->task].tid, s->from_ns, &event);

	if (!e)
		return false;
	owner_of_lock(g,
		      &(struct lock_try){ .obj = e->r.obj,
					  .want = e,
					  .ts_ns = e->r.ts,
					  .until_ns = s->to_ns,
					  .tgid = g->tasks[s->task].tgid },
		      &owner, all);
	b->obj = e->r.obj;
	b->kind = RESOURCE_FILE_LOCK;
	b->time = TIME_LOCK;
	b->event = event;
	b->rivals = all->n > 1 ? (uint8_t)all->n : 0;
	if (owner.task != GRAPH_NONE && owner.task != s->task)
		blame_task(b, owner.task, EDGE_POLLED,
			   tries_again(g, g->tasks[s->task].tid, e) ? owner.strength : EDGE_WEAK);
	return true;
}

static void blame_nobody(const struct graph *g, const struct interval *s, struct blame *b)
{
	*b = (struct blame){ .task = GRAPH_NONE,
			     .event = GRAPH_NONE,
			     .obj = s->obj,
			     .until_ns = s->to_ns,
			     .kind = resource_of_wait(g->w, s->wait, s->nr, s->obj),
			     .edge = EDGE_OWNER };
	b->time = (uint8_t)time_of(g, s, b);
}

/* A page fault may find that the control group has no memory left. Only a stack shows this. */
static bool is_memory_wait(const struct graph *g, const struct interval *s)
{
	return s->wait == CT_W_MEMORY ||
	       (s->wait == CT_W_FAULT && owner_visit_shows(g, s, frame_is_out_of_memory));
}

/* A write to a frozen file system waits for a lock of the kernel, whose owner is no task. */
static bool awaits_thaw(const struct graph *g, const struct interval *s)
{
	uint64_t id = s->st & CT_ST_DISK ? graph_visit_stack(g, s) : 0;
	const struct window_stack *stack = id ? window_stack(g->w, id) : NULL;

	for (uint16_t i = 0; stack && i + 1 < stack->n_frames; i++)
		if (frame_waits_for_thaw(stack->frames[i], stack->frames[i + 1]))
			return true;
	return false;
}

bool blame_is_interruption(const struct graph *g, uint32_t interval, const struct blame *b)
{
	const struct interval *x = &g->intervals[interval];

	return b->edge == EDGE_SIGNAL && x->wake != GRAPH_NONE && ct_wait_is_poll(x->wait) &&
	       CT_OBJ_KIND(g->w->events[x->wake].r.obj) != CT_OBJ_SIGNALFD &&
	       b->kind != RESOURCE_DATABASE_LOCK && b->task != GRAPH_NONE &&
	       !is_own_sender(g, b->task, x->task);
}

uint64_t blame_asked_ns(const struct graph *g, const struct blame *b)
{
	const struct graph_ref *sent = b->ended && b->edge == EDGE_MESSAGE &&
						       CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK &&
						       !graph_is_accepted(g, b->obj)
					       ? graph_ref_before(g, &g->sends, b->obj, b->until_ns)
					       : NULL;

	return sent ? g->w->events[sent->event].r.ts : 0;
}

/* Returns true if more was sent on the socket than received. Heartbeats may be answered meanwhile. */
static bool owes_answers(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	size_t n_sent, n_got;
	const struct graph_ref *sent = graph_refs(&g->sends, sock, &n_sent);
	const struct graph_ref *got = graph_refs(&g->recvs, sock, &n_got);

	n_sent = BISECT(i, 0, n_sent, g->w->events[sent[i].event].r.ts > ts_ns);
	n_got = BISECT(i, 0, n_got, g->w->events[got[i].event].r.ts > ts_ns);
	return n_sent > n_got;
}

/* A wait that timed out without a task to blame is a sleep. Exception: a wait for input of a terminal. */
static void sleep_if_nobody(const struct graph *g, const struct interval *s, struct blame *b)
{
	if (b->timed_out && b->task == GRAPH_NONE && CT_OBJ_KIND(b->obj) != CT_OBJ_TTY &&
	    b->time != TIME_NETWORK && b->kind != RESOURCE_DATABASE_LOCK && b->kind != RESOURCE_LOCK &&
	    b->kind != RESOURCE_ARCHIVE &&
	    !(graph_is_local(g, b->obj) && owner_owed(g, b->obj, s->from_ns))) {
		b->obj = 0;
		b->kind = RESOURCE_TIMER;
		b->edge = EDGE_TIMER;
		b->time = TIME_TIMER;
	}
}

/* An event ended the wait `interval`. If it was a signal that only interrupted the wait, looks at the part of
 * the wait that did not end in this way. That part must end by limit_ns. */
static void blame_end(const struct graph *g, uint32_t interval, uint64_t limit_ns, struct blame *b)
{
	struct blame debt;
	uint32_t last = repeats_rest(g, interval);
	const struct interval *x = &g->intervals[last == GRAPH_NONE ? interval : last];
	const struct window_event *wake = x->wake == GRAPH_NONE ? NULL : &g->w->events[x->wake];
	bool killed = wake && last != interval && was_killed(g, x, wake);
	bool gave_up = wake && last != interval && owner_gave_up(g, x, wake);
	bool was_limit = b->timed_out;

	if (last == interval && repeats_debt(g, interval, &debt)) {
		*b = debt;
		return;
	}
	if (last == interval || (last != GRAPH_NONE && wake && x->to_ns <= limit_ns && !killed && !gave_up &&
				 !edge_by_timer(g, x, wake))) {
		blame_woken(g, x, wake, b);
		return;
	}
	blame_lasting(g, x->from_ns < limit_ns ? (uint32_t)(x - g->intervals) : interval, b);
	b->killed = killed;
	b->timed_out = was_limit || (wake && edge_by_timer(g, x, wake));
	if (!was_limit)
		sleep_if_nobody(g, x, b);
}

static void blame_interval(const struct graph *g, uint32_t interval, uint64_t limit_ns, struct blame *b)
{
	bool asked_later;
	const struct interval *s = &g->intervals[interval], *end;
	const struct window_event *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake];
	struct enders all = { 0 };

	blame_nobody(g, s, b);
	if (is_memory_wait(g, s)) {
		b->kind = RESOURCE_MEMORY;
		b->time = TIME_FAULT;
		b->edge = EDGE_IRQ;
		b->ended = wake != NULL;
		return;
	}
	if (s->wait == CT_W_STOPPED) {
		owner_stopper(g, s, b);
		return;
	}
	if (s->wait == CT_W_SLEEP) {
		if (blame_polled_lock(g, s, b, &all))
			return;
		b->edge = EDGE_TIMER;
		b->ended = wake && edge_by_timer(g, s, wake);
		return;
	}
	if (wake && edge_by_timer(g, s, wake) &&
	    (CT_OBJ_KIND(s->obj) == CT_OBJ_TIMERFD || s->wait == CT_W_SIGNAL || s->wait == CT_W_EXITED)) {
		b->edge = EDGE_TIMER;
		b->ended = true;
		b->kind = RESOURCE_TIMER;
		b->time = TIME_TIMER;
		return;
	}
	if (wake && !edge_by_timer(g, s, wake)) {
		b->killed = was_killed(g, s, wake);
		if (!b->killed && !owner_gave_up(g, s, wake)) {
			blame_end(g, interval, limit_ns, b);
			return;
		}
	} else if (wake) {
		b->timed_out = true;
		end = blame_repeat(g, interval, limit_ns);
		if (end && !was_killed(g, end, &g->w->events[end->wake])) {
			blame_end(g, (uint32_t)(end - g->intervals), limit_ns, b);
			/* The answer to a request that the task only sent after its time limit shows
			 * nothing about this wait, unless another answer was owed. */
			asked_later = blame_asked_ns(g, b) > s->to_ns;
			if (b->task != GRAPH_NONE && (!asked_later || owes_answers(g, b->obj, s->to_ns)) &&
			    !blame_is_interruption(g, (uint32_t)(end - g->intervals), b)) {
				b->strength = asked_later ? EDGE_WEAK : b->strength;
				return;
			}
			if (b->task != GRAPH_NONE) {
				blame_nobody(g, s, b);
				b->timed_out = true;
			}
		}
	}
	if (awaits_thaw(g, s)) {
		b->edge = EDGE_KERNEL_LOCK;
		b->kind = RESOURCE_KERNEL_LOCK;
		b->time = TIME_LOCK;
		return;
	}
	if (is_disk_wait(g, s, wake)) {
		blame_disk(g, s, b);
		b->ended = false;
		return;
	}
	owner_of_wait(g, interval, b, &all);
	/* The governor left out the object, so the wait may have been for anything. */
	if (!s->obj && b->task == GRAPH_NONE && graph_lacks_at(g, s->from_ns) & CT_LACK_WAIT_OBJECTS)
		return;
	sleep_if_nobody(g, s, b);
}

void blame_wait(const struct graph *g, uint32_t interval, uint64_t limit_ns, struct blame *b)
{
	blame_interval(g, interval, limit_ns, b);
	b->owed = CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK && owner_owed(g, b->obj, g->intervals[interval].from_ns);
}

bool blame_has_limit(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];

	return s->wake != GRAPH_NONE && (edge_by_timer(g, s, &g->w->events[s->wake]) ||
					 repeats_interrupted(g, interval) != GRAPH_NONE);
}

void blame_lasting(const struct graph *g, uint32_t interval, struct blame *ret)
{
	const struct interval *s = &g->intervals[interval];
	struct enders all;

	blame_nobody(g, s, ret);
	owner_of_wait(g, interval, ret, &all);
	/* Another thread of the process may have sent a request during the wait, so the end of the
	 * wait counts. */
	ret->owed = CT_OBJ_KIND(ret->obj) == CT_OBJ_SOCK && owner_owed(g, ret->obj, s->to_ns - 1);
}

void blame_socket(const struct graph *g, uint32_t interval, uint64_t sock, struct blame *ret)
{
	const struct interval *s = &g->intervals[interval];
	struct enders all;

	blame_nobody(g, s, ret);
	ret->obj = sock;
	ret->kind = resource_of_object(g->w, sock);
	ret->task = owner_of_socket(g, sock, s->from_ns, &all);
	ret->rivals = all.n > 1 ? (uint8_t)all.n : 0;
	ret->time = ret->task == GRAPH_NONE && ret->kind != RESOURCE_UNIX && !graph_is_local(g, sock)
			    ? TIME_NETWORK
			    : TIME_IPC;
	ret->owed = true;
}

void blame_rivals(const struct graph *g, uint32_t interval, const struct blame *b, struct enders *ret)
{
	uint32_t last = repeats_rest(g, interval);
	const struct interval *s = &g->intervals[last == GRAPH_NONE ? interval : last];
	struct blame anew;

	*ret = (struct enders){ 0 };
	if (b->request.since_ns) {
		blame_debtors(g, interval, &b->request, ret);
		return;
	}
	blame_nobody(g, s, &anew);
	if (b->ended && !b->timed_out && CT_OBJ_KIND(b->obj) == CT_OBJ_SOCK && s->wake != GRAPH_NONE) {
		anew.obj = b->obj;
		other_end(g, s, &g->w->events[s->wake], &anew, ret);
		return;
	}
	if (s->wait == CT_W_SLEEP && blame_polled_lock(g, s, &anew, ret))
		return;
	anew.timed_out = s->wake != GRAPH_NONE && edge_by_timer(g, s, &g->w->events[s->wake]);
	owner_of_wait(g, (uint32_t)(s - g->intervals), &anew, ret);
}
