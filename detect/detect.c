// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * detect.c - learns the states and habits of tasks. The rings of the CPUs are emptied one after the
 * other, so records come out of order. An older state never replaces a newer one.
 */
#include "detect/detect.h"

#include <stdlib.h>
#include <string.h>

#include "ctrace/fields.h"
#include "ctrace/glibc.h"
#include "detect/detect_private.h"
#include "lib/cleanup.h"

struct detect *detect_new(const struct detect_options *opt)
{
	struct detect *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->opt = *opt;
	d->set = *opt->settings;
	d->set.n_overrides = MIN(d->set.n_overrides, (unsigned)DETECT_OVERRIDES_MAX);
	detect_limits_init(d);
	if (detect_tasks_init(&d->tasks, opt->max_tasks ?: 131072) || detect_habits_init(&d->habits) ||
	    detect_sockets_init(&d->sockets)) {
		detect_free(d);
		return NULL;
	}
	return d;
}

void detect_free(struct detect *d)
{
	if (!d)
		return;
	detect_tasks_done(&d->tasks);
	detect_habits_done(&d->habits);
	detect_sockets_done(&d->sockets);
	map_done(&d->cgroups);
	free(d);
}

/* The tid has a new task, or the task of the tid still runs or waits after its CT_EXIT. Such a task keeps its
 * name, because records in the rings of other CPUs may still need it (task_identify()). A new task gets its
 * own name from its CT_TASK. */
static void task_revive(struct detect_task *t, uint64_t ts)
{
	struct detect_task was = *t;

	detect_task_reset(t, ts);
	if (ts >= was.since_ns + DEAD_KEPT_NS)
		return;
	t->named_ns = was.named_ns;
	t->tgid = was.tgid;
	t->cgroup_id = was.cgroup_id;
	t->uid = was.uid;
	memcpy(t->comm, was.comm, sizeof(t->comm));
}

struct detect_task *detect_task_touch(struct detect *d, uint32_t tid, uint64_t ts)
{
	struct detect_task *t = detect_tasks_find(&d->tasks, tid);

	if (!t)
		return tid ? detect_tasks_make(&d->tasks, tid, ts) : NULL;
	if (t->bits & DETECT_DEAD) {
		if (ts <= t->since_ns)
			return NULL;
		task_revive(t, ts);
	}
	return t;
}

struct detect_task *detect_task_find(struct detect *d, uint32_t tid)
{
	struct detect_task *t = detect_tasks_find(&d->tasks, tid);

	return t && !(t->bits & DETECT_DEAD) ? t : NULL;
}

static void task_kill(struct detect_task *t, uint64_t ts)
{
	t->bits |= DETECT_DEAD;
	t->since_ns = MAX(t->since_ns, ts);
}

static bool wait_is_loop(uint8_t wait)
{
	return ct_wait_is_poll(wait) || wait == CT_W_URING || wait == CT_W_ACCEPT || wait == CT_W_SIGNAL;
}

static bool wait_can_idle(const struct detect_task *t)
{
	enum ct_obj_kind kind = CT_OBJ_KIND(t->obj);

	if (t->state & CT_ST_DISK)
		return false;
	if (t->wait == CT_W_READ)
		return kind != CT_OBJ_FILE && kind != CT_OBJ_DIR && kind != CT_OBJ_BLOCKDEV;
	return wait_is_loop(t->wait) || (t->wait == CT_W_FUTEX && !t->owner);
}

static uint64_t wait_point(const struct detect_task *t)
{
	return t->wait == CT_W_FUTEX ? GLIBC_FUTEX_PAIR(t->obj) : t->obj;
}

/* Returns true if the task waits on a socket for the answer to what it has sent. */
static bool wait_is_call(const struct detect_task *t)
{
	return (t->wait == CT_W_READ || t->wait == CT_W_POLL) && t->obj && t->sent_obj == t->obj;
}

static bool wait_is_idle_point(const struct detect_task *t)
{
	return t->votes && t->idle_point_wait == t->wait && t->idle_point == wait_point(t);
}

/* Chooses the idle point of the task, the place where it waits for its next work, by the majority
 * vote of Boyer and Moore. Returns true if the present wait is at the idle point. */
static bool task_vote(struct detect_task *t)
{
	bool loop = wait_is_loop(t->wait);
	unsigned weight = loop ? VOTES_LOOP : 1;

	if (wait_is_idle_point(t)) {
		t->votes = (uint16_t)MIN(t->votes + weight, (unsigned)VOTES_MAX);
		return true;
	}
	if (t->votes > weight) {
		t->votes = (uint16_t)(t->votes - weight);
		return false;
	}
	t->votes = (uint16_t)weight;
	t->idle_point_wait = t->wait;
	t->idle_point = wait_point(t);
	t->returns = 0;
	t->first_ns = t->away_ns = t->max_away_ns = 0;
	t->bits &= (uint8_t)~DETECT_SHARED;
	return true;
}

static bool task_is_known(const struct detect *d, const struct detect_task *t, uint64_t now_ns)
{
	return t->returns >= RETURNS_MIN && t->first_ns && now_ns >= t->first_ns + d->set.learn_ns;
}

static void task_comes_round(struct detect_task *t, uint64_t ts)
{
	t->progress_ns = ts;
	t->ran_ns = t->queued_ns = 0;
	t->looks = 0;
	t->look_nr = CT_NR_NONE;
}

/* Learns how long the task was away from its idle point. Learns nothing if the rule LOOP or
 * BUSY has reported this time as a hang, and there were at most TOLD_HABIT reports about tasks of
 * this name. */
static void task_learn_away(struct detect *d, struct detect_task *t, uint64_t ts)
{
	uint64_t from = detect_max(t->away_ns, t->progress_ns, d->floor_ns);
	uint64_t away_ns = ts > from + t->queued_ns ? ts - from - t->queued_ns : 0;
	struct detect_habit *h;

	if (away_ns <= t->max_away_ns)
		return;
	h = detect_habit(&d->habits, t->comm, ts);
	if (t->told & (1 << CT_HANG_LOOP | 1 << CT_HANG_BUSY) && h->told <= TOLD_HABIT)
		return;
	t->max_away_ns = away_ns;
	if (task_is_known(d, t, ts))
		h->max_away_ns = MAX(h->max_away_ns, away_ns);
}

static void task_be_patient(struct detect *d, struct detect_task *t, uint8_t wait, uint64_t ts)
{
	struct detect_habit *h;

	if (t->patient >> wait & 1)
		return;
	h = detect_habit(&d->habits, t->comm, ts);
	if (t->told && h->told <= TOLD_HABIT)
		return;
	t->patient |= 1u << wait;
	if (task_is_known(d, t, ts))
		h->patient |= 1u << wait;
}

/* Threads that wait at the same epoll share the work, so one of them may be away from its idle
 * point for long. Marks such threads (DETECT_SHARED). */
static void task_share(struct detect *d, struct detect_task *t, uint64_t ts)
{
	struct detect_socket *e;
	struct detect_task *other;

	if (t->wait != CT_W_EPOLL || t->bits & DETECT_SHARED ||
	    (t->returns > SHARE_FIRST && t->returns % SHARE_EVERY))
		return;
	e = detect_socket_get(&d->sockets, t->obj, ts);
	other = e->reader != t->tid ? detect_task_find(d, e->reader) : NULL;
	e->reader = t->tid;
	if (!other || other->tgid != t->tgid)
		return;
	other->bits |= DETECT_SHARED;
	t->bits |= DETECT_SHARED;
}

static void task_returns(struct detect_task *t, uint64_t ts)
{
	t->returns += t->returns < UINT32_MAX;
	if (!t->first_ns)
		t->first_ns = ts;
}

static void task_idle(struct detect *d, struct detect_task *t, uint64_t ts, bool is_idle_point)
{
	if (t->away_ns && ts > t->away_ns) {
		task_learn_away(d, t, ts);
		if (t->sleep_since_ns && ts > t->sleep_since_ns + d->patient_ns)
			task_be_patient(d, t, CT_W_SLEEP, ts);
		if (is_idle_point)
			task_returns(t, ts);
	}
	if (is_idle_point) {
		t->idle_point_nr = t->nr;
		task_share(d, t, ts);
	}
	t->bits |= DETECT_IDLE;
	t->bits &= (uint8_t)~DETECT_FORKED;
	t->told &= (uint8_t) ~(1 << CT_HANG_LOOP | 1 << CT_HANG_BUSY | 1 << CT_HANG_SERVICE);
	t->away_ns = t->sleep_since_ns = t->sent_obj = 0;
}

void detect_wait_begins(struct detect *d, struct detect_task *t, uint64_t ts, bool is_whole)
{
	bool is_idle_point;

	if (t->wait == CT_W_READ && CT_OBJ_KIND(t->obj) == CT_OBJ_SOCK) {
		struct detect_socket *s = detect_socket_find(&d->sockets, t->obj);

		/* A task that waits to read has found nothing to read. */
		if (s)
			s->unread_ns = 0, s->unread_bytes = 0;
	}
	if (wait_can_idle(t)) {
		is_idle_point = is_whole ? task_vote(t) : wait_is_idle_point(t);
		if (is_idle_point || (wait_is_loop(t->wait) && !wait_is_call(t))) {
			task_idle(d, t, ts, is_idle_point);
			return;
		}
	}
	if (t->wait != CT_W_SLEEP)
		t->sleep_since_ns = 0;
	else if (!t->sleep_since_ns)
		t->sleep_since_ns = ts;
}

/* Returns how long the task has waited, without the time for which the machine slept. Returns 0 if
 * there was no tick for DETECT_GAP_NS, because the machine may have slept then. */
static uint64_t task_waited_ns(const struct detect *d, const struct detect_task *t, uint64_t ts)
{
	uint64_t from_ns = MAX(t->since_ns, d->slept_ns);

	return ts > from_ns && ts < d->now_ns + DETECT_GAP_NS ? ts - from_ns : 0;
}

void detect_wait_ends(struct detect *d, struct detect_task *t, uint64_t ts)
{
	uint64_t waited_ns = task_waited_ns(d, t, ts);

	if (t->bits & DETECT_IDLE) {
		t->bits &= (uint8_t)~DETECT_IDLE;
		t->away_ns = ts;
		task_comes_round(t, ts);
	} else if (t->wait == CT_W_STOPPED) {
		/* The task was stopped, traced or frozen, so its time away starts anew. */
		if (t->away_ns)
			t->away_ns = ts;
		task_comes_round(t, ts);
	} else if (waited_ns >= d->patient_ns && t->away_ns) {
		task_be_patient(d, t, t->owner ? DETECT_W_LOCK : t->wait, ts);
	}
	if (t->state & CT_ST_DISK && waited_ns >= DISK_LEARNT_NS) {
		struct detect_habit *h = detect_habit(&d->habits, t->comm, ts);

		if (!(t->told >> CT_HANG_DISK & 1) || h->told > TOLD_HABIT)
			h->max_disk_ns = MAX(h->max_disk_ns, waited_ns);
	}
	t->told &= 1 << CT_HANG_LOOP | 1 << CT_HANG_BUSY;
}

void detect_set_awake(struct detect_task *t, enum detect_run run, uint64_t ts)
{
	t->run = run;
	t->since_ns = ts;
	t->wait = CT_W_NONE;
	t->nr = CT_NR_NONE;
	t->owner = 0;
	t->obj = 0;
}

void detect_forget(struct detect_task *t, uint64_t ts)
{
	t->away_ns = t->sleep_since_ns = 0;
	task_comes_round(t, ts);
}

/* The CT_SWITCH is older than the known state: the ring of another CPU was read first. */
static void switch_out_late(struct detect *d, struct detect_task *t, const struct ct_rec *rec)
{
	if (t->votes && rec->wait == t->idle_point_wait && t->away_ns && rec->ts > t->away_ns &&
	    (rec->wait == CT_W_FUTEX ? GLIBC_FUTEX_PAIR(rec->obj) : rec->obj) == t->idle_point) {
		task_learn_away(d, t, rec->ts);
		task_returns(t, rec->ts);
		t->away_ns = t->since_ns;
		task_comes_round(t, t->since_ns);
		t->sleep_since_ns = 0;
	}
}

/*
 * The task was on the CPU, in system call nr (CT_NR_NONE: in no call), and did not wait. Each of
 * these is a sign of progress:
 * - polls: the task polls with a time limit of zero, and always finds work
 * - nr is the system call of the task's idle point
 * - nr differs from the last system call in which the task was seen
 */
static void task_look(struct detect *d, struct detect_task *t, uint64_t ts, uint16_t nr, bool polls)
{
	if (!t->away_ns || ts < t->progress_ns)
		return;
	if (polls || (nr != CT_NR_NONE &&
		      (nr == t->idle_point_nr || (t->look_nr != CT_NR_NONE && t->look_nr != nr)))) {
		task_learn_away(d, t, ts);
		task_comes_round(t, ts);
		return;
	}
	t->looks += t->looks < UINT16_MAX;
	if (nr != CT_NR_NONE)
		t->look_nr = nr;
}

static void switch_out_runs_on(struct detect *d, struct detect_task *t, const struct ct_rec *rec)
{
	task_look(d, t, rec->ts, rec->nr, rec->flags & CT_SF_ZEROWAIT);
	detect_set_awake(t, DETECT_RUNNABLE, rec->ts);
	t->nr = rec->nr;
}

static void switch_out(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = rec->flags & CT_SF_KTHREAD ? NULL : detect_task_touch(d, rec->tid, rec->ts);

	if (!t)
		return;
	if (rec->ts < t->since_ns) {
		switch_out_late(d, t, rec);
		return;
	}
	if (rec->state & CT_ST_DEAD || rec->wait == CT_W_EXITED) {
		task_kill(t, rec->ts);
		return;
	}
	t->prio = ct_switch_prio(rec);
	t->ran_ns = detect_ran_ns(t, rec->ts);
	if (rec->flags & CT_SF_PREEMPT || rec->wait == CT_W_NONE || rec->wait == CT_W_YIELD) {
		switch_out_runs_on(d, t, rec);
		return;
	}
	t->run = DETECT_BLOCKED;
	t->since_ns = rec->ts;
	t->wait = rec->wait;
	t->state = rec->state;
	t->flags = rec->flags;
	t->nr = rec->nr;
	t->obj = rec->obj;
	t->owner = rec->wait == CT_W_FUTEX && t->futex_ns && t->futex_ns <= rec->ts &&
				   rec->ts - t->futex_ns < FUTEX_EARLY_NS
			   ? t->futex_owner
			   : 0;
	t->futex_ns = 0;
	detect_wait_begins(d, t, rec->ts, true);
	/* the record of the wake-up came first, through the ring of another CPU */
	if (t->wake_ns > rec->ts) {
		detect_wait_ends(d, t, t->wake_ns);
		detect_set_awake(t, DETECT_RUNNABLE, t->wake_ns);
	}
}

void detect_queue_ends(struct detect *d, struct detect_task *t, uint64_t ts)
{
	uint64_t queued_ns = ts - MAX(t->since_ns, d->floor_ns);
	struct detect_habit *h;

	if (ts - t->since_ns < d->patient_ns)
		return;
	h = detect_habit(&d->habits, t->comm, ts);
	if (ts > d->floor_ns && (!(t->told >> CT_HANG_STARVED & 1) || h->told > TOLD_HABIT)) {
		h->max_runq_ns = MAX(h->max_runq_ns, queued_ns);
		t->max_runq_ns = MAX(t->max_runq_ns, queued_ns);
	}
	t->told &= (uint8_t) ~(1 << CT_HANG_STARVED);
}

static void switch_in(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = detect_task_find(d, ct_switch_next(rec));

	if (!t || rec->ts < t->since_ns)
		return;
	if (t->run == DETECT_BLOCKED)
		detect_wait_ends(d, t, rec->ts);
	if (t->run == DETECT_RUNNABLE && rec->ts > t->progress_ns)
		t->queued_ns += rec->ts - MAX(t->since_ns, t->progress_ns);
	if (t->run == DETECT_RUNNABLE && rec->ts - t->since_ns >= d->patient_ns)
		detect_queue_ends(d, t, rec->ts);
	t->run = DETECT_RUNNING;
	t->since_ns = rec->ts;
	t->wait = CT_W_NONE;
	t->owner = 0;
	t->obj = 0;
}

static void wake(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = detect_task_find(d, rec->tid);

	if (!t)
		return;
	t->wake_ns = MAX(t->wake_ns, rec->ts);
	if (t->run != DETECT_BLOCKED || rec->ts < t->since_ns)
		return;
	detect_wait_ends(d, t, rec->ts);
	if (detect_is_coarse(d))
		detect_coarse_fold(t, rec->ts);
	else
		detect_set_awake(t, DETECT_RUNNABLE, rec->ts);
}

static void wake_new(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = detect_task_find(d, rec->tid);

	if (t && t->run == DETECT_UNKNOWN && rec->ts >= t->since_ns && !detect_is_coarse(d))
		detect_set_awake(t, DETECT_RUNNABLE, rec->ts);
}

static void received(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = detect_task_find(d, rec->tid);

	if (CT_OBJ_KIND(rec->obj) == CT_OBJ_SOCK) {
		if (t && t->capped_ns)
			detect_socket_forget(&d->sockets, rec->obj, t->capped_ns);
		detect_socket_received(&d->sockets, rec);
	}
	if (!t)
		return;
	t->receives += t->receives < UINT16_MAX;
	if (t->away_ns && rec->ts > t->progress_ns) {
		task_learn_away(d, t, rec->ts);
		task_comes_round(t, rec->ts);
		t->sleep_since_ns = 0;
	}
}

static void sent(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = detect_task_find(d, rec->tid);

	if (CT_OBJ_KIND(rec->obj) != CT_OBJ_SOCK)
		return;
	detect_socket_sent(&d->sockets, rec);
	if (t)
		t->sent_obj = rec->obj;
}

static void shed(struct detect *d, const struct ct_rec *rec)
{
	uint32_t lacks = ct_shed_lacks(ct_shed_step(rec)), ends = d->lacks & ~lacks;
	struct detect_task *t;

	if (rec->flags & CT_GV_CAP) {
		t = detect_task_find(d, rec->tid);
		if (t) {
			t->capped_ns = rec->ts;
			detect_forget(t, rec->ts);
		}
		return;
	}
	if (rec->flags & CT_GV_GROUP)
		/* each capped task of the group has a CT_SHED with CT_GV_CAP (see above) */
		return;
	/* when messages begin or cease to be recorded, the counts of unread bytes are out of date */
	if ((lacks ^ d->lacks) & CT_LACK_MESSAGES)
		for (uint32_t i = 0; i < DETECT_SOCKETS; i++)
			d->sockets.v[i].unread_ns = 0, d->sockets.v[i].unread_bytes = 0;
	/* when objects of waits are recorded again, all tasks must be read again */
	if (ends & CT_LACK_WAIT_OBJECTS)
		detect_lost(d, rec->ts);
	if ((lacks ^ d->lacks) & CT_LACK_SWITCHES)
		detect_coarse_step(d, lacks & CT_LACK_SWITCHES, rec->ts);
	d->lacks = lacks;
}

static void born(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = rec->flags & CT_LF_THREAD ? NULL : detect_task_find(d, rec->tid);

	if (t)
		t->bits |= DETECT_FORKED;
}

static void exited(struct detect *d, const struct ct_rec *rec, uint32_t tid)
{
	struct detect_task *t = detect_task_find(d, tid);

	if (t && rec->ts >= t->since_ns)
		task_kill(t, rec->ts);
}

static void futex(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = detect_task_touch(d, rec->tid, rec->ts);

	if (!t)
		return;
	t->futex_ns = rec->ts;
	t->futex_owner = ct_futex_owner(rec);
	if (t->run != DETECT_BLOCKED || t->wait != CT_W_FUTEX || rec->ts <= t->since_ns)
		return;
	/* An inspection has found the owner: the task waits for a lock, and is not idle. */
	if (t->bits & DETECT_IDLE && ct_futex_owner(rec) && !t->returns) {
		t->bits &= (uint8_t)~DETECT_IDLE;
		t->votes = 0;
	}
	if (!(t->bits & DETECT_IDLE))
		t->owner = ct_futex_owner(rec);
}

void detect_record(struct detect *d, const struct ct_rec *rec, const uint64_t *words)
{
	switch (rec->kind) {
	case CT_SWITCH:
		if (detect_is_coarse(d)) {
			/* A late record from before the coarse stretch: only the end of a task
			 * counts. */
			if (rec->state & CT_ST_DEAD)
				exited(d, rec, rec->tid);
			break;
		}
		if (rec->tid)
			switch_out(d, rec);
		if (d->n_raised)
			detect_exception_wait(d, rec);
		if (ct_switch_next(rec))
			switch_in(d, rec);
		break;
	case CT_WAKE:
		wake(d, rec);
		break;
	case CT_WAKE_NEW:
		wake_new(d, rec);
		break;
	case CT_FUTEX:
		futex(d, rec);
		break;
	case CT_SEND:
		sent(d, rec);
		break;
	case CT_RECV:
		received(d, rec);
		break;
	case CT_FORK:
		born(d, rec);
		if (!(rec->flags & CT_LF_THREAD))
			detect_exception_anew(d, ct_fork_child_tgid(rec), rec->ts);
		break;
	/* a thread that calls exec gets the tgid as its tid; its former tid ends */
	case CT_EXEC:
		if (ct_exec_tid_before(rec) != rec->tid)
			exited(d, rec, ct_exec_tid_before(rec));
		detect_exception_anew(d, rec->tid, rec->ts);
		break;
	case CT_MARK:
		detect_exception_call(d, rec);
		break;
	case CT_SIGDELIVER:
		detect_crash_signal(d, rec);
		break;
	case CT_EXIT:
		detect_crash_exit(d, rec);
		detect_exception_exit(d, rec);
		exited(d, rec, rec->tid);
		break;
	case CT_SHED:
		shed(d, rec);
		break;
	case CT_FOUND:
		detect_coarse_found(d, rec, words[0]);
		break;
	case CT_GAP:
		/* no rule needs the records of probes */
		if (!(rec->flags & CT_GF_SIDE) &&
		    (ct_gap_cause(rec) == CT_LOSS_SHED || ct_gap_cause(rec) == CT_LOSS_RING_FULL))
			detect_lost(d, rec->ts);
		break;
	default:
		break;
	}
}

/*
 * At ts_ns, the process executed another program, or another task got the tid. Resets what is known
 * about the task, except for the members run and since_ns. If the present state began after ts_ns, it
 * is the state of the new program or task, so the members about this state (such as wait) stay too.
 */
static void task_begin_anew(struct detect_task *t, uint64_t ts_ns)
{
	struct detect_task was = *t;

	detect_task_reset(t, ts_ns);
	t->run = was.run;
	t->since_ns = was.since_ns;
	if (was.since_ns <= ts_ns)
		return;
	t->prio = was.prio;
	t->wait = was.wait;
	t->state = was.state;
	t->flags = was.flags;
	t->nr = was.nr;
	t->obj = was.obj;
	t->owner = was.owner;
	t->futex_owner = was.futex_owner;
	t->futex_ns = was.futex_ns;
	t->wake_ns = was.wake_ns;
}

static void task_name(struct detect_task *t, const struct ct_task_blob *b)
{
	t->named_ns = b->h.ts;
	t->tgid = b->tgid;
	t->cgroup_id = b->cgroup_id;
	t->uid = b->uid;
	memcpy(t->comm, b->comm, sizeof(t->comm));
	t->comm[sizeof(t->comm) - 1] = 0;
}

static void task_identify(struct detect *d, struct detect_task *t, const struct ct_task_blob *b)
{
	bool anew = b->h.flags & (CT_TF_EXEC | CT_TF_FORK) && b->h.ts > t->seen_ns;

	if (b->h.ts < t->named_ns)
		return;
	/* The ring of another CPU had the end of the task, and has been read first. A fatal signal that
	 * is read after this name still needs it (detect_crash.c). */
	if (t->bits & DETECT_DEAD) {
		task_name(t, b);
		return;
	}
	if (anew)
		task_begin_anew(t, b->h.ts);
	task_name(t, b);
	if (anew && t->run == DETECT_BLOCKED && t->since_ns > b->h.ts)
		detect_wait_begins(d, t, t->since_ns, true);
}

void detect_blob(struct detect *d, const struct ct_blob *blob)
{
	const struct ct_task_blob *b = (const void *)blob;
	const struct ct_rawstack_blob *stack = (const void *)blob;
	struct detect_task *t;

	if (blob->kind == CT_RAWSTACK) {
		t = detect_task_find(d, blob->tid);
		if (t)
			task_look(d, t, blob->ts, stack->nr, false);
		return;
	}
	if (blob->kind == CT_OBJECT && blob->size >= sizeof(struct ct_object_blob)) {
		detect_socket_name(&d->sockets, (const void *)blob);
		detect_limits_cgroup(d, (const void *)blob);
		detect_exception_name(d, (const void *)blob);
	}
	if (blob->kind != CT_TASK || blob->size < sizeof(*b))
		return;
	if (blob->flags & CT_TF_KTHREAD) {
		exited(d, &(struct ct_rec){ .ts = blob->ts }, blob->tid);
		return;
	}
	t = detect_task_touch(d, blob->tid, blob->ts) ?: detect_tasks_find(&d->tasks, blob->tid);
	if (t)
		task_identify(d, t, b);
	detect_crash_name(d, b);
}

void detect_adopt(struct detect *d, struct detect_task *t, const struct ct_iter_task *found, uint64_t ts_ns)
{
	const struct ct_rec *w = &found->wait;
	bool runs = w->state == CT_ST_RUNNING || w->wait == CT_W_NONE;

	if (!runs && t->run == DETECT_BLOCKED && t->wait == w->wait && t->nr == w->nr &&
	    (!found->sched_since || found->sched_since <= t->since_ns + ADOPT_SLACK_NS))
		return;
	if (t->run == DETECT_BLOCKED)
		detect_wait_ends(d, t, MAX(ts_ns, t->since_ns));
	detect_forget(t, ts_ns);
	if (runs && detect_is_coarse(d)) {
		detect_coarse_fold(t, ts_ns);
		return;
	}
	if (runs) {
		if (t->run == DETECT_BLOCKED || t->run == DETECT_UNKNOWN)
			detect_set_awake(t, DETECT_RUNNABLE, ts_ns);
		return;
	}
	t->run = DETECT_BLOCKED;
	t->since_ns = found->sched_since ? MIN(found->sched_since, ts_ns) : ts_ns;
	t->wait = w->wait;
	t->state = w->state;
	t->flags = w->flags;
	t->nr = w->nr;
	t->obj = w->obj;
	t->owner = 0;
	detect_wait_begins(d, t, ts_ns, true);
}

/* If the tgid or name differs, the record of an exec or rename was lost, so the habits are forgotten. */
static void task_recognise(struct detect *d, struct detect_task *t, const struct ct_task_blob *b)
{
	struct ct_task_blob now = *b;

	if (t->comm[0] && t->tgid == b->tgid && !strncmp(t->comm, b->comm, sizeof(t->comm)))
		return;
	if (t->comm[0])
		now.h.flags |= CT_TF_EXEC;
	task_identify(d, t, &now);
}

void detect_found(struct detect *d, const struct ct_iter_task *found)
{
	struct detect_task *t;

	if (found->task.h.flags & CT_TF_KTHREAD || found->wait.flags & CT_SF_KTHREAD)
		return;
	t = detect_task_touch(d, found->task.h.tid, found->task.h.ts);
	if (!t)
		return;
	task_recognise(d, t, &found->task);
	t->bits |= DETECT_FOUND;
	if (t->since_ns <= found->task.h.ts)
		detect_adopt(d, t, found, found->task.h.ts);
}

void detect_lost(struct detect *d, uint64_t ts_ns)
{
	d->lost_ns = MAX(d->lost_ns, ts_ns);
}

bool detect_is_blind(const struct detect *d)
{
	return d->lost_ns != 0;
}

static void tasks_not_found(struct detect *d, uint64_t now_ns)
{
	for (uint32_t i = 1; i <= d->tasks.used; i++) {
		struct detect_task *t = detect_tasks_slot(&d->tasks, i);

		if (!t)
			continue;
		if (!(t->bits & (DETECT_FOUND | DETECT_DEAD)) && t->since_ns < now_ns)
			task_kill(t, now_ns);
		t->bits &= (uint8_t)~DETECT_FOUND;
	}
}

void detect_resync(struct detect *d, uint64_t now_ns)
{
	tasks_not_found(d, now_ns);
	if (now_ns < d->lost_ns)
		return;
	d->lost_ns = 0;
	d->floor_ns = MAX(d->floor_ns, now_ns);
}

struct detect_stats detect_stats(const struct detect *d)
{
	struct detect_stats s = d->stats;

	s.tasks = d->tasks.n;
	s.tasks_refused = d->tasks.refused;
	return s;
}
