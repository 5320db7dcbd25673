// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctrace/fields.h"
#include "daemon/thresholds.h"
#include "detect/thresholds.h"
#include "lib/bits.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

/* A tree of three levels. The 22 bits of a tid are the way from the root to the task. A walk visits
 * tids in order. */
#define LEAF_BITS 4
#define MID_BITS  8
#define TOP_BITS  10
_Static_assert(1u << (LEAF_BITS + MID_BITS + TOP_BITS) == TASKS_TID_MAX, "levels");

/* used: one bit for each entry, so that a walk reads only the entries that are used */
struct tasks_leaf {
	uint64_t used;
	struct task tasks[1 << LEAF_BITS];
};
/* due_ns[i]: no task of leaves[i] is due (tasks_next_due()) before this time */
struct tasks_mid {
	uint64_t used[(1 << MID_BITS) / 64];
	uint64_t due_ns[1 << MID_BITS];
	struct tasks_leaf *leaves[1 << MID_BITS];
};

struct tasks {
	uint64_t used[(1 << TOP_BITS) / 64];
	struct tasks_mid *top[1 << TOP_BITS];
	uint32_t max, n, n_dead;
	uint32_t generation;
	bool coarse;
	uint32_t told_round;
	uint64_t refused;
	uint64_t found_ns;
	VEC(struct window_state) states;
};

struct tasks *tasks_new(uint32_t max)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (t)
		t->max = max;
	return t;
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(t->top); i++) {
		for (size_t j = 0; t->top[i] && j < ARRAY_SIZE(t->top[i]->leaves); j++)
			free(t->top[i]->leaves[j]);
		free(t->top[i]);
	}
	VEC_FREE(&t->states);
	free(t);
}

/* The place of the tid in top, in a tasks_mid, and in a leaf. */
static uint32_t at_top(uint32_t tid)
{
	return tid >> (LEAF_BITS + MID_BITS);
}

static uint32_t at_mid(uint32_t tid)
{
	return tid >> LEAF_BITS & ((1 << MID_BITS) - 1);
}

static uint32_t at_leaf(uint32_t tid)
{
	return tid & ((1 << LEAF_BITS) - 1);
}

static struct tasks_leaf *tasks_leaf(const struct tasks *t, uint32_t tid)
{
	const struct tasks_mid *mid = tid < TASKS_TID_MAX ? t->top[at_top(tid)] : NULL;

	return mid ? mid->leaves[at_mid(tid)] : NULL;
}

static struct task *tasks_entry(const struct tasks *t, uint32_t tid)
{
	struct tasks_leaf *leaf = tasks_leaf(t, tid);
	struct task *task = leaf ? &leaf->tasks[at_leaf(tid)] : NULL;

	return task && task->flags & TASK_USED ? task : NULL;
}

static void task_reset(struct task *task, uint32_t tid)
{
	*task = (struct task){
		.flags = TASK_USED,
		.st = { .last = { .kind = CT_SWITCH, .tid = tid, .nr = CT_NR_NONE },
			.run = WINDOW_RUN_RUNNABLE,
			.cpu = 0xffff },
	};
}

static struct task *tasks_make(struct tasks *t, uint32_t tid)
{
	struct tasks_mid **mid;
	struct tasks_leaf **leaf;
	struct task *task;
	uint32_t i;

	if (!tid || tid >= TASKS_TID_MAX || t->n >= t->max)
		return NULL;
	mid = &t->top[at_top(tid)];
	if (!*mid) {
		*mid = calloc(1, sizeof(**mid));
		if (!*mid)
			return NULL;
		bits_set(t->used, at_top(tid));
	}
	i = at_mid(tid);
	leaf = &(*mid)->leaves[i];
	if (!*leaf) {
		*leaf = calloc(1, sizeof(**leaf));
		if (!*leaf)
			return NULL;
		bits_set((*mid)->used, i);
	}
	task = &(*leaf)->tasks[at_leaf(tid)];
	bits_set(&(*leaf)->used, at_leaf(tid));
	(*mid)->due_ns[i] = 0;
	t->n++;
	task_reset(task, tid);
	task->generation = t->generation;
	return task;
}

static void leaf_due(struct tasks *t, uint32_t tid)
{
	t->top[at_top(tid)]->due_ns[at_mid(tid)] = 0;
}

/* Called when the task begins a wait, or yields. */
static void task_due(struct tasks *t, struct task *task)
{
	if (!task->due_ns)
		return;
	task->due_ns = 0;
	leaf_due(t, task->st.last.tid);
}

/* Returns the entry of a task, new if there was none. NULL: the idle task, a task that died at ts
 * or later, or no room. */
static struct task *tasks_touch(struct tasks *t, uint32_t tid, uint64_t ts)
{
	struct task *task = tasks_entry(t, tid);

	if (!tid)
		return NULL;
	if (!task) {
		task = tasks_make(t, tid);
		t->refused += !task;
		return task;
	}
	if (!(task->flags & TASK_DEAD))
		return task;
	if (ts <= task->st.last.ts)
		return NULL;
	task_reset(task, tid);
	leaf_due(t, tid);
	task->generation = t->generation;
	t->n_dead--;
	return task;
}

static void tasks_kill(struct tasks *t, struct task *task, uint64_t ts)
{
	if (task->flags & TASK_DEAD)
		return;
	task->flags |= TASK_DEAD;
	task->st.last.ts = MAX(task->st.last.ts, ts);
	t->n_dead++;
}

/* Makes the task runnable. In a coarse step, makes it folded: short waits are not recorded, so the task may
 * be in one of them. */
static void task_runnable(const struct tasks *t, struct task *task, uint64_t ts)
{
	task->st.run = t->coarse ? WINDOW_RUN_FOLDED : WINDOW_RUN_RUNNABLE;
	task->st.owner = 0;
	task->st.last =
		(struct ct_rec){ .ts = ts, .kind = CT_SWITCH, .tid = task->st.last.tid, .nr = CT_NR_NONE };
}

/* Notices a loop of waits with a timeout, such as a poll of a flag or a retry with back-off. A wait
 * without a timeout, real work (TASKS_LOOP_RAN_NS), or a wake-up not by a timer (tasks_wake()) ends
 * the loop. */
static void task_loop_block(struct task *task, const struct ct_rec *rec, uint64_t ran_ns)
{
	bool timed = rec->wait == CT_W_SLEEP || rec->flags & CT_SF_TIMEOUT;
	uint64_t span = rec->ts - task->loop_since_ns;

	if (!timed || !task->loop_waits) {
		task->loop_since_ns = rec->ts;
		task->loop_ran_ns = 0;
		task->loop_waits = timed;
		return;
	}
	task->loop_waits++;
	task->loop_ran_ns += ran_ns;
	if (task->loop_ran_ns > TASKS_LOOP_RAN_NS && task->loop_ran_ns > span / TASKS_LOOP_RAN_SHARE)
		task->loop_waits = 0;
}

static void tasks_switch_out(struct tasks *t, uint16_t cpu, const struct ct_rec *rec)
{
	struct task *task = tasks_touch(t, rec->tid, rec->ts);
	uint64_t ran_ns;

	if (!task || rec->ts < task->st.last.ts)
		return;
	if (rec->state & CT_ST_DEAD || rec->wait == CT_W_EXITED) {
		tasks_kill(t, task, rec->ts);
		return;
	}
	if (t->coarse)
		return;
	task->st.cpu = cpu;
	if (rec->flags & CT_SF_KTHREAD)
		task->flags |= TASK_KTHREAD;
	task_due(t, task);
	ran_ns = task->st.run == WINDOW_RUN_RUNNING ? rec->ts - task->st.last.ts : 0;
	if (rec->flags & CT_SF_PREEMPT || rec->wait == CT_W_NONE || rec->wait == CT_W_YIELD) {
		task->loop_ran_ns += ran_ns;
		task->yields += rec->wait == CT_W_YIELD || rec->flags & CT_SF_ZEROWAIT;
		task_runnable(t, task, rec->ts);
		return;
	}
	task_loop_block(task, rec, ran_ns);
	task->st.last = *rec;
	task->st.run = WINDOW_RUN_BLOCKED;
	task->st.owner = 0;
	/* After a CT_FUTEX, the task may get the mutex without a wait, and then wait for a condition.
	 * So the object and the time have to match. */
	if (rec->wait == CT_W_FUTEX && task->futex_obj == rec->obj && task->futex_ns <= rec->ts &&
	    rec->ts - task->futex_ns < FUTEX_EARLY_NS)
		task->st.owner = task->futex_owner;
	/* the wake-up was read before this switch, from the ring of another CPU */
	if (task->wake_ns > rec->ts)
		task_runnable(t, task, task->wake_ns);
}

static void tasks_switch_in(struct tasks *t, uint16_t cpu, const struct ct_rec *rec)
{
	struct task *task = tasks_touch(t, ct_switch_next(rec), rec->ts);

	if (!task || t->coarse || rec->ts < task->st.last.ts)
		return;
	task_runnable(t, task, rec->ts);
	task->st.run = WINDOW_RUN_RUNNING;
	task->st.cpu = cpu;
}

static bool wake_is_timer(const struct ct_rec *rec)
{
	enum softirq softirq = ct_wake_softirq(rec);

	return ct_wake_context(rec) == CT_CTX_TIMER ||
	       (ct_wake_context(rec) == CT_CTX_SOFTIRQ &&
		(softirq == TIMER_SOFTIRQ || softirq == HRTIMER_SOFTIRQ));
}

static void tasks_wake(struct tasks *t, const struct ct_rec *rec)
{
	struct task *task = tasks_touch(t, rec->tid, rec->ts);

	if (!task)
		return;
	task->wake_ns = MAX(task->wake_ns, rec->ts);
	if (!wake_is_timer(rec))
		task->loop_waits = 0;
	if (rec->ts >= task->st.last.ts && (task->st.run == WINDOW_RUN_BLOCKED || !task->st.last.ts))
		task_runnable(t, task, rec->ts);
}

static void tasks_wake_new(struct tasks *t, const struct ct_rec *rec)
{
	struct task *task = tasks_touch(t, rec->tid, rec->ts);

	if (task && rec->ts >= task->st.last.ts)
		task_runnable(t, task, rec->ts);
}

void tasks_record(struct tasks *t, uint16_t cpu, const struct ct_rec *rec)
{
	struct task *task;

	switch (rec->kind) {
	case CT_SWITCH:
		if (rec->tid)
			tasks_switch_out(t, cpu, rec);
		if (ct_switch_next(rec))
			tasks_switch_in(t, cpu, rec);
		break;
	case CT_WAKE:
		tasks_wake(t, rec);
		break;
	case CT_WAKE_NEW:
		tasks_wake_new(t, rec);
		break;
	case CT_EXIT:
		/* outside a coarse step, the last switch of a task says that the task is dead */
		task = t->coarse ? tasks_get(t, rec->tid) : NULL;
		if (task && rec->ts >= task->st.last.ts)
			tasks_kill(t, task, rec->ts);
		break;
	case CT_EXEC:
		/* A thread that calls exec gets the tid of its leader. Its former tid is gone. */
		task = ct_exec_tid_before(rec) != rec->tid ? tasks_entry(t, ct_exec_tid_before(rec)) : NULL;
		if (task && rec->ts >= task->st.last.ts)
			tasks_kill(t, task, rec->ts);
		break;
	case CT_FUTEX:
		task = tasks_touch(t, rec->tid, rec->ts);
		if (task) {
			task->futex_ns = rec->ts;
			task->futex_obj = rec->obj;
			task->futex_owner = ct_futex_owner(rec);
		}
		break;
	/* With CT_GV_GROUP, the task may be new: the cap may have left out the record of its fork. */
	case CT_SHED:
		if (!(rec->flags & CT_GV_CAP))
			break;
		task = rec->flags & CT_GV_GROUP ? tasks_touch(t, rec->tid, rec->ts) : tasks_get(t, rec->tid);
		if (task && rec->ts > task->uncapped_ns)
			task->capped_ns = rec->ts;
		break;
	default:
		break;
	}
}

void tasks_uncap(struct tasks *t, uint32_t tid, uint64_t ts_ns)
{
	struct task *task = tasks_entry(t, tid);

	if (!task)
		return;
	task->capped_ns = 0;
	task->uncapped_ns = ts_ns;
}

void tasks_ended(struct tasks *t, uint32_t tid, uint64_t ts_ns)
{
	struct task *task = tasks_entry(t, tid);

	if (task)
		tasks_kill(t, task, ts_ns);
}

void tasks_identity(struct tasks *t, const struct ct_task_blob *blob)
{
	struct task *task = tasks_touch(t, blob->h.tid, blob->h.ts);

	if (!task)
		return;
	task->tgid = blob->tgid;
	task->group = govern_group(blob->uid, blob->cgroup_id);
	if (blob->h.flags & CT_TF_KTHREAD) {
		task->flags |= TASK_KTHREAD;
	} else if (task->flags & TASK_KTHREAD) {
		task->flags &= ~TASK_KTHREAD;
		task_due(t, task);
	}
}

void tasks_found_begin(struct tasks *t, uint64_t now_ns)
{
	t->generation++;
	t->found_ns = now_ns;
}

static bool is_runnable(const struct ct_iter_task *found)
{
	return found->wait.state == CT_ST_RUNNING || found->wait.wait == CT_W_NONE;
}

void tasks_found(struct tasks *t, const struct ct_iter_task *found)
{
	const struct ct_rec *w = &found->wait;
	struct task *task;

	tasks_identity(t, &found->task);
	task = tasks_entry(t, found->task.h.tid);
	if (!task)
		return;
	task->generation = t->generation;
	if (task->st.last.ts >= t->found_ns || task->flags & TASK_DEAD)
		return;
	if (is_runnable(found)) {
		task_runnable(t, task, t->found_ns);
		if (w->peer) {
			task->st.run = WINDOW_RUN_RUNNING;
			task->st.cpu = (uint16_t)(w->peer - 1);
		}
		return;
	}
	if (task->st.run == WINDOW_RUN_BLOCKED && task->st.last.ts && task->st.last.wait == w->wait &&
	    task->st.last.obj == w->obj && found->sched_since <= task->st.last.ts + TASKS_SINCE_NS)
		return;
	task_due(t, task);
	task->st.run = WINDOW_RUN_BLOCKED;
	task->st.last = *w;
	task->st.last.kind = CT_SWITCH;
	task->st.last.tid = found->task.h.tid;
	task->st.last.ts = found->sched_since ? MIN(found->sched_since, t->found_ns) : t->found_ns;
	task->st.owner = 0;
}

void tasks_coarse(struct tasks *t, bool coarse)
{
	t->coarse = coarse;
	for (struct task *task = tasks_next(t, 1); coarse && task;
	     task = tasks_next(t, task->st.last.tid + 1)) {
		task->loop_waits = 0;
		if (task->st.run != WINDOW_RUN_BLOCKED)
			task->st.run = WINDOW_RUN_FOLDED;
	}
}

void tasks_tell_all(struct tasks *t)
{
	t->told_round++;
}

static uint64_t task_since(const struct task *task, const struct ct_iter_task *found)
{
	if (task->told_what != CT_FOUND_QUEUED || !is_runnable(found) || found->wait.peer ||
	    task->told_switches != (uint32_t)found->switches ||
	    ct_found_ran_ns(task->told_times, found->times))
		return found->sched_since;
	return MIN(task->told_since_ns, found->sched_since ?: UINT64_MAX);
}

uint64_t tasks_since(struct tasks *t, const struct ct_iter_task *found)
{
	const struct task *task = tasks_get(t, found->task.h.tid);

	return task ? task_since(task, found) : found->sched_since;
}

/* In a coarse step, a task that has waited for less than CT_COARSE_NS so far counts as folded
 * (CT_FOUND_FOLDED). It must not count as blocked, because the trace does not show when such a
 * short wait ends. */
static enum ct_found found_what(const struct tasks *t, const struct ct_iter_task *found, uint64_t since_ns)
{
	const struct ct_rec *w = &found->wait;
	bool since = since_ns && since_ns < w->ts;

	if (is_runnable(found))
		return !w->peer && since && w->ts - since_ns >= CT_COARSE_NS ? CT_FOUND_QUEUED
									     : CT_FOUND_FOLDED;
	return since && (!t->coarse || w->ts - since_ns >= CT_COARSE_NS) ? CT_FOUND_BLOCKED : CT_FOUND_FOLDED;
}

bool tasks_read(struct tasks *t, const struct ct_iter_task *found, struct ct_rec *ret, uint64_t ret_words[2])
{
	enum ct_found what;
	uint64_t since_ns;
	struct task *task;

	tasks_found(t, found);
	task = tasks_get(t, found->task.h.tid);
	if (!task)
		return false;
	since_ns = task_since(task, found);
	what = found_what(t, found, since_ns);
	if (what != CT_FOUND_BLOCKED && task->st.last.ts < t->found_ns)
		task_runnable(t, task, t->found_ns);
	if (task->told_round == t->told_round && task->told_what == what &&
	    task->told_switches == (uint32_t)found->switches && task->told_times == found->times)
		return false;
	task->told_round = t->told_round;
	task->told_what = (uint8_t)what;
	task->told_switches = (uint32_t)found->switches;
	task->told_times = found->times;
	task->told_since_ns = since_ns;
	*ret = found->wait;
	if (what != CT_FOUND_BLOCKED)
		*ret = (struct ct_rec){ .ts = found->wait.ts,
					.tid = found->wait.tid,
					.nr = CT_NR_NONE,
					.flags = found->wait.flags & CT_SF_THROTTLED };
	ret->kind = CT_FOUND;
	ret->aux = (uint16_t)what;
	ret->peer = (uint32_t)found->switches;
	ret_words[0] = what == CT_FOUND_FOLDED ? ret->ts : since_ns;
	ret_words[1] = found->times;
	return true;
}

void tasks_found_end(struct tasks *t)
{
	for (struct task *task = tasks_next(t, 1); task; task = tasks_next(t, task->st.last.tid + 1))
		if (task->generation != t->generation && task->st.last.ts < t->found_ns)
			tasks_kill(t, task, t->found_ns);
}

struct task *tasks_get(struct tasks *t, uint32_t tid)
{
	struct task *task = tasks_entry(t, tid);

	return task && !(task->flags & TASK_DEAD) ? task : NULL;
}

/* Returns the first tid from `from` on whose leaf exists, or that begins a leaf that exists. TASKS_TID_MAX:
 * there is none. */
static uint32_t tasks_next_leaf(const struct tasks *t, uint32_t from)
{
	uint32_t tid = from;

	while (tid < TASKS_TID_MAX) {
		uint32_t top = bits_next(t->used, 1 << TOP_BITS, at_top(tid)), mid;

		if (top >= 1 << TOP_BITS)
			break;
		if (top > at_top(tid))
			tid = top << (LEAF_BITS + MID_BITS);
		mid = bits_next(t->top[top]->used, 1 << MID_BITS, at_mid(tid));
		if (mid == at_mid(tid))
			return tid;
		if (mid < 1 << MID_BITS)
			return (top << MID_BITS | mid) << LEAF_BITS;
		tid = (top + 1) << (LEAF_BITS + MID_BITS);
	}
	return TASKS_TID_MAX;
}

static struct task *tasks_next_entry(struct tasks *t, uint32_t from)
{
	uint32_t tid = from;

	while ((tid = tasks_next_leaf(t, tid)) < TASKS_TID_MAX) {
		struct tasks_leaf *leaf = tasks_leaf(t, tid);
		uint32_t at = bits_next(&leaf->used, 1 << LEAF_BITS, at_leaf(tid));

		if (at < 1 << LEAF_BITS)
			return &leaf->tasks[at];
		tid = ((tid >> LEAF_BITS) + 1) << LEAF_BITS;
	}
	return NULL;
}

/* Returns the first task in the leaf that is due, from `at` on. If there is none, sets *due_ns to the time
 * when the first one will be due. */
static struct task *leaf_next_due(struct tasks_leaf *leaf, uint32_t at, uint64_t now_ns, uint64_t *due_ns)
{
	uint64_t first_ns = UINT64_MAX;

	for (uint32_t i = bits_next(&leaf->used, 1 << LEAF_BITS, 0); i < 1 << LEAF_BITS;
	     i = bits_next(&leaf->used, 1 << LEAF_BITS, i + 1)) {
		struct task *task = &leaf->tasks[i];

		if (task->flags & TASK_DEAD)
			continue;
		if (i >= at && task->due_ns <= now_ns)
			return task;
		first_ns = MIN(first_ns, task->due_ns);
	}
	*due_ns = first_ns;
	return NULL;
}

struct task *tasks_next_due(struct tasks *t, uint32_t from, uint64_t now_ns)
{
	uint32_t tid = from;

	while ((tid = tasks_next_leaf(t, tid)) < TASKS_TID_MAX) {
		struct tasks_mid *mid = t->top[at_top(tid)];
		uint64_t *due_ns = &mid->due_ns[at_mid(tid)];
		struct task *task = NULL;

		if (*due_ns <= now_ns)
			task = leaf_next_due(mid->leaves[at_mid(tid)], at_leaf(tid), now_ns, due_ns);
		if (task)
			return task;
		tid = ((tid >> LEAF_BITS) + 1) << LEAF_BITS;
	}
	return NULL;
}

struct task *tasks_next(struct tasks *t, uint32_t from)
{
	struct task *task = tasks_next_entry(t, from);

	while (task && task->flags & TASK_DEAD)
		task = tasks_next_entry(t, task->st.last.tid + 1);
	return task;
}

int tasks_states(struct tasks *t, const struct window_state **ret, size_t *ret_n)
{
	if (VEC_RESERVE(&t->states, t->n + 1))
		return -ENOMEM;
	t->states.n = 0;
	for (struct task *task = tasks_next(t, 1); task; task = tasks_next(t, task->st.last.tid + 1)) {
		struct window_state *st = &t->states.v[t->states.n++];

		*st = task->st;
		if (task->capped_ns) {
			st->run = WINDOW_RUN_CAPPED;
			st->owner = 0;
			st->last = (struct ct_rec){ .ts = task->capped_ns,
						    .kind = CT_SWITCH,
						    .tid = task->st.last.tid,
						    .nr = CT_NR_NONE };
		}
	}
	*ret = t->states.v;
	*ret_n = t->states.n;
	return 0;
}

static void tasks_release(struct tasks *t, uint32_t tid)
{
	struct tasks_mid *mid = t->top[at_top(tid)];
	uint32_t i = at_mid(tid);
	struct tasks_leaf **leaf = &mid->leaves[i];

	(*leaf)->tasks[at_leaf(tid)].flags = 0;
	t->n--;
	t->n_dead--;
	bits_clear(&(*leaf)->used, at_leaf(tid));
	if (!(*leaf)->used) {
		free(*leaf);
		*leaf = NULL;
		bits_clear(mid->used, i);
	}
}

void tasks_purge(struct tasks *t, uint64_t now_ns, void (*gone)(void *arg, uint32_t tid), void *arg)
{
	uint32_t tid;

	if (!t->n_dead)
		return;
	for (struct task *task = tasks_next_entry(t, 1); task && t->n_dead;
	     task = tasks_next_entry(t, tid + 1)) {
		tid = task->st.last.tid;
		if (!(task->flags & TASK_DEAD) || now_ns < task->st.last.ts + DEAD_KEPT_NS)
			continue;
		gone(arg, tid);
		tasks_release(t, tid);
	}
}

size_t tasks_count(const struct tasks *t)
{
	return t->n - t->n_dead;
}

uint64_t tasks_refused(const struct tasks *t)
{
	return t->refused;
}
