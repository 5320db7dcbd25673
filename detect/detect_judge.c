// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * detect_judge.c - the rules. A hang is reported only if four things hold:
 * - It is longer than the threshold of its rule.
 * - It is a deadlock, or far longer than usual for the task or for tasks of its name (TIMES_*).
 * - No hang with the same cause was reported lately (judge_is_told()).
 * - The kernel does not contradict the state of the task (judge_look()).
 *
 * The rules LOOP and BUSY leave out some tasks:
 * - LOOP and BUSY: a task that has forked a process since it was last idle. It may wait for this process.
 * - BUSY: a thread that shares an epoll. The other threads take over the work of a stuck thread.
 * - LOOP: a thread that shares an epoll, unless it waits for a lock with a known owner, for a file lock,
 *   or for an answer.
 *
 * The rule BUSY judges only event loops. In a pool, a thread that does a long job looks like a
 * stuck one.
 */
#include <errno.h>
#include <string.h>

#include "detect/detect_private.h"
#include "lib/cleanup.h"

#define JUDGE_CHAIN 32

static const struct detect_task *judge_task(const struct detect *d, uint32_t tid)
{
	const struct detect_task *t = tid ? detect_tasks_find(&d->tasks, tid) : NULL;

	return t && !(t->bits & DETECT_DEAD) ? t : NULL;
}

static uint32_t judge_far_reader(const struct detect *d, uint64_t obj)
{
	const struct detect_socket *s = detect_socket_find(&d->sockets, obj);

	s = s ? detect_socket_find(&d->sockets, s->peer) : NULL;
	return s ? s->reader : 0;
}

static uint32_t judge_waits_for(const struct detect *d, const struct detect_task *t)
{
	if (t->run != DETECT_BLOCKED)
		return 0;
	if (t->wait == CT_W_FUTEX)
		return t->owner;
	if (t->wait == CT_W_CHILD && CT_OBJ_KIND(t->obj) == CT_OBJ_TASK)
		return (uint32_t)(t->obj & CT_OBJ_MASK);
	if (CT_OBJ_KIND(t->obj) == CT_OBJ_SOCK && !(t->bits & DETECT_IDLE))
		return judge_far_reader(d, t->obj);
	return 0;
}

/* Returns the tid at the end of the chain of waits from t. In a cycle, this is the smallest tid. */
static uint32_t judge_root(const struct detect *d, const struct detect_task *t)
{
	uint32_t tid = t->tid, low;

	for (unsigned i = 0; t && i < JUDGE_CHAIN; i++) {
		uint32_t next = judge_waits_for(d, t);

		if (!next)
			return tid;
		tid = next;
		t = judge_task(d, tid);
	}
	if (!t)
		return tid;
	/* no end after JUDGE_CHAIN steps: tid counts as a task of a cycle */
	low = tid;
	for (unsigned i = 0; i < JUDGE_CHAIN && t; i++) {
		low = MIN(low, t->tid);
		t = judge_task(d, judge_waits_for(d, t));
	}
	return low;
}

static bool judge_is_told(const struct detect *d, const struct detect_task *t, enum ct_hang rule,
			  uint32_t root, uint64_t now_ns)
{
	unsigned n = MIN(d->n_reports, (unsigned)DETECT_REPORTS);

	for (unsigned i = 0; i < n; i++) {
		const struct detect_report *r = &d->reports[i];

		if (now_ns > r->ns + DETECT_QUIET_NS)
			continue;
		/* one slow disk, or one lack of CPUs, makes many tasks wait */
		if (rule == r->rule && (rule == CT_HANG_DISK || rule == CT_HANG_STARVED))
			return true;
		if (r->root == root || r->tid == root || r->root == t->tid)
			return true;
	}
	return false;
}

/* Returns true if records are missing that the rules LOOP, BUSY and STARVED need. */
static bool judge_is_blind(const struct detect *d)
{
	return d->lost_ns || d->lacks & CT_LACK_WAIT_OBJECTS;
}

/* Asks the kernel for the state of t. Returns false if t must not be reported now. */
static bool judge_look(struct detect *d, struct detect_task *t)
{
	struct ct_iter_task it;
	bool runs, same;
	int r;

	if (!d->opt.look)
		return !judge_is_blind(d);
	r = d->opt.look(d->opt.look_arg, t->tid, &it);
	if (r == -ESRCH) {
		t->bits |= DETECT_DEAD;
		return false;
	}
	if (r)
		return !judge_is_blind(d);
	t->prio = (uint8_t)it.wait.aux;
	if (it.task.comm[0]) /* the record of a rename may be lost */
		memcpy(t->comm, it.task.comm, sizeof(t->comm) - 1);
	runs = it.wait.state == CT_ST_RUNNING || it.wait.wait == CT_W_NONE;
	if (t->run == DETECT_BLOCKED)
		same = !runs && it.wait.wait == t->wait;
	else
		same = runs;
	/* sched_since: when the task's present state began, as the kernel says. If this is later than
	 * since_ns, the task has had the CPU in between, and does not hang. But sched_since may be wrong
	 * by tenths of a second. So it only counts if it is in the second half of the time from since_ns
	 * to now: half of this time is mostly longer than the error. */
	if (t->run != DETECT_RUNNING && it.sched_since > t->since_ns + (d->now_ns - t->since_ns) / 2)
		same = false;
	if (!same && it.task.h.ts >= t->since_ns)
		detect_adopt(d, t, &it, it.task.h.ts);
	return same;
}

static void judge_tell(struct detect *d, struct detect_task *t, enum ct_hang rule, uint64_t since_ns,
		       uint64_t now_ns, uint64_t threshold_ns)
{
	struct detect_hang h = { .rule = rule,
				 .tid = t->tid,
				 .tgid = t->tgid,
				 .cgroup_id = t->cgroup_id,
				 .since_ns = since_ns,
				 .found_ns = now_ns,
				 .threshold_ns = threshold_ns,
				 .obj = t->obj,
				 .nr = t->nr,
				 .wait = t->run == DETECT_BLOCKED ? t->wait : CT_W_NONE };
	const struct detect_task *peer;
	uint32_t root = t->tid;

	h.peer = rule == CT_HANG_SERVICE ? judge_far_reader(d, t->obj) : judge_waits_for(d, t);
	peer = judge_task(d, h.peer);
	if (h.peer)
		root = peer ? judge_root(d, peer) : h.peer;
	if (judge_is_told(d, t, rule, root, now_ns)) {
		t->told |= (uint8_t)(1u << rule);
		d->stats.behind++;
		return;
	}
	if (!judge_look(d, t)) {
		d->stats.withdrawn++;
		return;
	}
	if (rule == CT_HANG_STARVED && t->prio >= JUDGE_PRIO_LOW) {
		t->told |= (uint8_t)(1u << rule);
		return;
	}
	t->told |= (uint8_t)(1u << rule);
	memcpy(h.comm, t->comm, sizeof(h.comm));
	detect_habit(&d->habits, t->comm, now_ns)->told++;
	d->reports[d->n_reports++ % DETECT_REPORTS] =
		(struct detect_report){ .tid = t->tid, .root = root, .rule = rule, .ns = now_ns };
	d->stats.found[rule]++;
	d->opt.hang(d->opt.hang_arg, &h);
}

static bool judge_is_known(const struct detect *d, const struct detect_task *t)
{
	return t->away_ns && !(t->bits & DETECT_IDLE) && t->returns >= RETURNS_MIN && t->first_ns &&
	       t->away_ns >= t->first_ns + d->set.learn_ns;
}

static uint64_t judge_max_away(struct detect *d, const struct detect_task *t, uint64_t now_ns)
{
	if (now_ns >= t->first_ns + LEARN_NAME_TIMES * d->set.learn_ns)
		return t->max_away_ns;
	return MAX(t->max_away_ns, detect_habit(&d->habits, t->comm, now_ns)->max_away_ns);
}

static bool judge_is_patient(struct detect *d, const struct detect_task *t, uint8_t wait, uint64_t now_ns)
{
	if (now_ns >= t->first_ns + LEARN_NAME_TIMES * d->set.learn_ns)
		return t->patient >> wait & 1;
	return (t->patient | detect_habit(&d->habits, t->comm, now_ns)->patient) >> wait & 1;
}

/* The rule LOOP (CT_HANG_LOOP) reports a wait that lasts N times as long as the task's longest time away
 * from its idle point. Returns N for the present wait of t: TIMES_LOCK, TIMES_WAIT, or 0: never report it. */
static unsigned judge_wait(const struct detect *d, const struct detect_task *t)
{
	enum ct_obj_kind kind = CT_OBJ_KIND(t->obj);
	bool alone = ct_wait_is_poll(t->idle_point_wait) && !(t->bits & DETECT_SHARED),
	     first = t->tid == t->tgid;
	bool channel =
		kind == CT_OBJ_SOCK || kind == CT_OBJ_PIPE || kind == CT_OBJ_FIFO || kind == CT_OBJ_EVENTFD;

	if (t->state & CT_ST_DISK || t->bits & DETECT_FORKED)
		return 0;
	switch ((enum ct_wait)t->wait) {
	case CT_W_FUTEX:
		if (t->owner)
			return TIMES_LOCK;
		/* a task in a futex wait without a known owner may be a worker thread that has no work */
		return alone && first ? TIMES_WAIT : 0;
	case CT_W_FLOCK:
		return TIMES_LOCK;
	case CT_W_POLL:
		return t->obj && t->sent_obj == t->obj ? TIMES_WAIT : 0;
	case CT_W_READ:
		if (kind == CT_OBJ_SOCK && t->sent_obj == t->obj)
			return TIMES_WAIT;
		return alone && first && channel ? TIMES_WAIT : 0;
	case CT_W_WRITE:
		return alone && channel ? TIMES_WAIT : 0;
	case CT_W_CONNECT:
	case CT_W_SLEEP:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_FAULT:
	case CT_W_SYSVIPC:
		return alone ? TIMES_WAIT : 0;
	case CT_W_NONE:
	case CT_W_EPOLL:
	case CT_W_ACCEPT:
	case CT_W_CHILD:
	case CT_W_VFORK:
	case CT_W_SIGNAL:
	case CT_W_SYNC:
	case CT_W_STOPPED:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
	case CT_W_URING:
	case CT_W_OTHER:
	case CT_W_YIELD:
	case CT_W_MEMORY:
		break;
	}
	return 0;
}

static void judge_loop(struct detect *d, struct detect_task *t, uint64_t limit_ns, uint64_t now_ns)
{
	unsigned times = judge_wait(d, t);
	uint64_t since_ns = t->wait == CT_W_SLEEP && t->sleep_since_ns ? t->sleep_since_ns : t->since_ns;
	uint8_t wait = t->owner ? DETECT_W_LOCK : t->wait;

	if (!limit_ns || !times || !judge_is_known(d, t) || t->told & (1 << CT_HANG_LOOP | 1 << CT_HANG_BUSY))
		return;
	since_ns = MAX(since_ns, d->floor_ns);
	limit_ns = MAX(limit_ns, times * judge_max_away(d, t, now_ns));
	if (now_ns < since_ns + limit_ns || judge_is_patient(d, t, wait, now_ns))
		return;
	judge_tell(d, t, CT_HANG_LOOP, since_ns, now_ns, limit_ns);
}

static void judge_busy(struct detect *d, struct detect_task *t, uint64_t limit_ns, uint64_t now_ns)
{
	uint64_t since_ns = MAX(t->away_ns, t->progress_ns);

	/* without records of messages, a loop that always has work looks like a stuck task */
	if (!limit_ns || !d->opt.messages || d->lacks & CT_LACK_MESSAGES ||
	    !ct_wait_is_poll(t->idle_point_wait) || t->bits & (DETECT_SHARED | DETECT_FORKED) ||
	    !judge_is_known(d, t) || t->returns < RETURNS_BUSY || t->looks < LOOKS_MIN ||
	    t->told & (1 << CT_HANG_LOOP | 1 << CT_HANG_BUSY))
		return;
	if (since_ns < d->floor_ns)
		return;
	limit_ns = MAX(limit_ns, TIMES_BUSY * judge_max_away(d, t, now_ns));
	if (now_ns < since_ns + limit_ns || detect_ran_ns(t, now_ns) < limit_ns / BUSY_OF * BUSY_PART)
		return;
	judge_tell(d, t, CT_HANG_BUSY, since_ns, now_ns, limit_ns);
}

static void judge_starved(struct detect *d, struct detect_task *t, uint64_t limit_ns, uint64_t now_ns)
{
	uint64_t since_ns = MAX(t->since_ns, d->floor_ns), longest_ns;

	if (!limit_ns || now_ns < since_ns + limit_ns || t->prio >= JUDGE_PRIO_LOW ||
	    now_ns < t->seen_ns + d->set.learn_ns / LEARN_STARVED_SHARE || t->told >> CT_HANG_STARVED & 1)
		return;
	longest_ns = MAX(t->max_runq_ns, detect_habit(&d->habits, t->comm, now_ns)->max_runq_ns);
	limit_ns = MAX(limit_ns, TIMES_STARVED * longest_ns);
	if (now_ns >= since_ns + limit_ns)
		judge_tell(d, t, CT_HANG_STARVED, since_ns, now_ns, limit_ns);
}

static void judge_disk(struct detect *d, struct detect_task *t, uint64_t limit_ns, uint64_t now_ns)
{
	uint64_t since_ns = MAX(t->since_ns, d->slept_ns);

	if (!limit_ns || !(t->state & CT_ST_DISK) || t->flags & CT_SF_IDLE || t->wait == CT_W_VFORK ||
	    t->wait == CT_W_STOPPED || t->wait == CT_W_KTHREAD || t->told >> CT_HANG_DISK & 1)
		return;
	limit_ns *= t->wait == CT_W_SYNC ? TIMES_SYNC : 1;
	limit_ns = MAX(limit_ns, TIMES_DISK * detect_habit(&d->habits, t->comm, now_ns)->max_disk_ns);
	if (now_ns >= since_ns + limit_ns)
		judge_tell(d, t, CT_HANG_DISK, since_ns, now_ns, limit_ns);
}

static bool judge_is_stuck(const struct detect_task *t, uint64_t limit_ns, uint64_t now_ns)
{
	return t && t->run == DETECT_BLOCKED && t->wait == CT_W_FUTEX && t->owner &&
	       !(t->flags & CT_SF_TIMEOUT) && now_ns >= t->since_ns + limit_ns;
}

/* Returns true if t has the smallest tid of a deadlock's cycle. So each cycle is reported only once. */
static bool judge_is_cycle(struct detect *d, struct detect_task *t, uint64_t limit_ns, uint64_t now_ns)
{
	const struct detect_task *at = t;

	for (unsigned i = 0; i < JUDGE_CHAIN; i++) {
		if (!judge_is_stuck(at, limit_ns, now_ns) || at->tid < t->tid)
			return false;
		if (at->owner == t->tid)
			return true;
		at = judge_task(d, at->owner);
	}
	return false;
}

static void judge_deadlock(struct detect *d, struct detect_task *t, uint64_t limit_ns, uint64_t now_ns)
{
	if (!limit_ns || t->told >> CT_HANG_DEADLOCK & 1 || !judge_is_cycle(d, t, limit_ns, now_ns))
		return;
	for (struct detect_task *at = detect_tasks_find(&d->tasks, t->owner); at && at != t;
	     at = detect_tasks_find(&d->tasks, at->owner))
		if (!judge_look(d, at)) {
			d->stats.withdrawn++;
			return;
		}
	/* a reported effect of the deadlock must not hide the deadlock */
	for (unsigned i = 0; i < DETECT_REPORTS; i++)
		if (d->reports[i].root == t->tid && d->reports[i].rule != CT_HANG_DEADLOCK)
			d->reports[i].ns = 0;
	judge_tell(d, t, CT_HANG_DEADLOCK, t->since_ns, now_ns, limit_ns);
}

static void judge_task_now(struct detect *d, struct detect_task *t, uint64_t now_ns)
{
	struct detect_limits limits;

	if (t->bits & DETECT_IDLE || (t->run == DETECT_BLOCKED && now_ns < t->since_ns + d->min_ns &&
				      (!t->sleep_since_ns || now_ns < t->sleep_since_ns + d->min_ns)))
		return;
	if (t->run == DETECT_UNKNOWN || t->tgid == d->opt.own_tgid ||
	    (t->capped_ns && now_ns < t->capped_ns + JUDGE_CAP_NS))
		return;
	detect_limits_of(d, t, &limits);
	if (t->run == DETECT_BLOCKED) {
		/* lost records do no harm here: judge_look() asks the kernel before a report */
		judge_deadlock(d, t, limits.after_ns[CT_HANG_DEADLOCK], now_ns);
		judge_disk(d, t, limits.after_ns[CT_HANG_DISK], now_ns);
	}
	if (judge_is_blind(d))
		return;
	if (t->run == DETECT_BLOCKED) {
		judge_loop(d, t, limits.after_ns[CT_HANG_LOOP], now_ns);
		return;
	}
	if (t->run == DETECT_RUNNABLE)
		judge_starved(d, t, limits.after_ns[CT_HANG_STARVED], now_ns);
	judge_busy(d, t, limits.after_ns[CT_HANG_BUSY], now_ns);
}

static bool judge_reader_is_away(const struct detect *d, const struct detect_task *r, uint64_t limit_ns,
				 uint64_t now_ns)
{
	uint64_t since_ns = detect_max(r->away_ns, r->progress_ns, d->floor_ns);

	if (r->bits & DETECT_IDLE)
		return false;
	if (r->run == DETECT_RUNNING)
		return r->away_ns && now_ns >= since_ns + limit_ns &&
		       detect_ran_ns(r, now_ns) >= limit_ns / BUSY_OF * BUSY_PART;
	if (r->run == DETECT_RUNNABLE)
		return false;
	/* r may be a worker thread without work */
	if (r->wait == CT_W_FUTEX && !r->owner && r->tid != r->tgid)
		return false;
	return r->wait != CT_W_EPOLL && r->wait != CT_W_ACCEPT && r->wait != CT_W_URING;
}

static bool judge_client_waits(const struct detect_task *c, const struct detect_socket *s, uint64_t limit_ns,
			       uint64_t now_ns)
{
	return c->run == DETECT_BLOCKED && c->obj == s->peer && now_ns >= c->since_ns + limit_ns &&
	       (c->wait == CT_W_READ || c->wait == CT_W_POLL || c->wait == CT_W_WRITE);
}

/* Asks the kernel whether s has unread bytes. Returns true if the kernel said yes twice: now, and
 * limit_ns or more before. The reader must not have run between the two answers. */
static bool judge_unread(struct detect *d, struct detect_socket *s, const struct detect_task *client,
			 const struct detect_task *reader, uint64_t limit_ns, uint64_t now_ns)
{
	uint64_t since_ns = detect_max(client->since_ns, reader->since_ns, d->floor_ns), unread;
	int r;

	if (reader->run != DETECT_BLOCKED || (reader->wait == CT_W_READ && reader->obj == s->obj) ||
	    !judge_client_waits(client, s, limit_ns, now_ns) ||
	    !judge_reader_is_away(d, reader, limit_ns, now_ns))
		return false;
	if (s->unread_ns < since_ns)
		s->unread_ns = 0;
	if (now_ns < (s->unread_ns ?: s->asked_ns) + limit_ns)
		return false;
	r = d->opt.unread(d->opt.look_arg, reader->tgid, s->obj, &unread);
	if (r == -EBUSY)
		return false;
	s->asked_ns = now_ns;
	if (!r && unread && s->unread_ns)
		return true;
	s->unread_ns = !r && unread ? now_ns : 0;
	return false;
}

static void judge_socket(struct detect *d, struct detect_socket *s, uint64_t now_ns)
{
	struct detect_task *client = detect_tasks_find(&d->tasks, s->writer);
	const struct detect_task *reader = judge_task(d, s->reader);
	uint64_t since_ns = MAX(s->unread_ns, d->floor_ns), limit_ns;
	struct detect_limits limits;

	if (s->shared || !s->answers || !reader || !client || client->bits & DETECT_DEAD ||
	    client == reader || reader->receives < RECEIVES_MIN ||
	    now_ns < reader->seen_ns + d->set.learn_ns || client->told >> CT_HANG_SERVICE & 1 ||
	    client->tgid == d->opt.own_tgid || reader->tgid == d->opt.own_tgid)
		return;
	/* while the reader was capped, its receives were not recorded */
	if (reader->capped_ns && (now_ns < reader->capped_ns + JUDGE_CAP_NS ||
				  (s->unread_ns <= reader->capped_ns && !(d->lacks & CT_LACK_MESSAGES))))
		return;
	detect_limits_of(d, reader, &limits);
	limit_ns = limits.after_ns[CT_HANG_SERVICE];
	if (!limit_ns)
		return;
	limit_ns =
		MAX(limit_ns, TIMES_WAIT * detect_max(s->max_delay_ns, judge_max_away(d, reader, now_ns), 0));
	if (d->lacks & CT_LACK_MESSAGES) {
		if (judge_unread(d, s, client, reader, limit_ns, now_ns))
			judge_tell(d, client, CT_HANG_SERVICE, s->unread_ns, now_ns, limit_ns);
		return;
	}
	if (now_ns < since_ns + limit_ns || !judge_client_waits(client, s, limit_ns, now_ns) ||
	    !judge_reader_is_away(d, reader, limit_ns, now_ns))
		return;
	judge_tell(d, client, CT_HANG_SERVICE, since_ns, now_ns, limit_ns);
}

static void judge_bury(struct detect *d, struct detect_task *t, uint64_t now_ns)
{
	if (now_ns >= t->since_ns + DEAD_KEPT_NS)
		detect_tasks_remove(&d->tasks, t);
}

void detect_judge(struct detect *d, uint64_t now_ns)
{
	bool messages = !(d->lacks & CT_LACK_MESSAGES);
	uint32_t last = 0;

	d->stats.judged = 0;
	for (uint32_t i = 1; i <= d->tasks.used; i++) {
		struct detect_task *t = detect_tasks_slot(&d->tasks, i);

		if (!t)
			continue;
		last = i;
		if (t->bits & DETECT_DEAD) {
			judge_bury(d, t, now_ns);
			continue;
		}
		d->stats.judged += t->returns >= RETURNS_MIN && now_ns >= t->first_ns + d->set.learn_ns;
		judge_task_now(d, t, now_ns);
	}
	if (last < d->tasks.used / 2)
		detect_tasks_trim(&d->tasks, last);
	if (d->lost_ns || (!messages && !d->opt.unread))
		return;
	if (messages) {
		for (struct detect_socket *s = detect_socket_next_unread(&d->sockets, 0); s;
		     s = detect_socket_next_unread(&d->sockets, (uint32_t)(s - d->sockets.v) + 1))
			if (now_ns >= s->unread_ns + d->min_ns)
				judge_socket(d, s, now_ns);
		return;
	}
	for (struct detect_socket *s = detect_socket_next_answered(&d->sockets, 0); s;
	     s = detect_socket_next_answered(&d->sockets, (uint32_t)(s - d->sockets.v) + 1))
		judge_socket(d, s, now_ns);
}

void detect_tick(struct detect *d, uint64_t now_ns)
{
	uint64_t gap_ns = d->now_ns && now_ns > d->now_ns ? now_ns - d->now_ns : 0;

	if (d->now_ns && gap_ns < DETECT_TICK_NS)
		return;
	if (gap_ns >= DETECT_GAP_NS || !d->now_ns)
		d->floor_ns = d->slept_ns = MAX(d->floor_ns, now_ns);
	if (judge_is_blind(d))
		d->stats.blind_ns += gap_ns;
	d->now_ns = now_ns;
	detect_crash_report(d, now_ns);
	detect_exception_report(d, now_ns);
	detect_judge(d, now_ns);
}
