// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/watch.h"

#include "lib/cleanup.h"
#include "lib/clock.h"

void watch_init(struct watch *w, uint64_t long_wait_ns, uint64_t now_ns)
{
	*w = (struct watch){
		.long_wait_ns = long_wait_ns, .next_tid = 1, .fill_ns = now_ns, .tokens = WATCH_PER_SEC
	};
}

static void watch_fill(struct watch *w, uint64_t now_ns)
{
	/* the clocks of two CPUs may differ a little */
	uint64_t n = now_ns > w->fill_ns ? (now_ns - w->fill_ns) / (NSEC_PER_SEC / WATCH_PER_SEC) : 0;

	w->fill_ns += n * (NSEC_PER_SEC / WATCH_PER_SEC);
	w->tokens = (uint32_t)MIN((uint64_t)WATCH_PER_SEC, w->tokens + n);
}

/* The count of a task's group; NULL: it has no limit, or there are many groups, none of which can have had
 * much. */
static uint32_t *share_of(struct watch_shares *s, const struct task *task)
{
	for (unsigned i = 0; task->group && i < WATCH_GROUPS; i++) {
		if (!s->v[i].group)
			s->v[i].group = task->group;
		if (s->v[i].group == task->group)
			return &s->v[i].n;
	}
	return NULL;
}

/* A wait that a person may ask about: of a program, in a system call or a fault. */
static bool watch_counts(const struct task *task)
{
	return task->st.run == WINDOW_RUN_BLOCKED && !(task->flags & TASK_KTHREAD) &&
	       task->st.last.wait != CT_W_KTHREAD && task->st.last.wait != CT_W_EXITED;
}

static bool watch_is_loop(const struct task *task)
{
	return task->loop_waits >= WATCH_LOOP_WAITS;
}

/* A long sleep and a loop of short ones are two things. */
static bool watch_same_wait(const struct task *task)
{
	return task->inspect_ns && task->inspect_obj == task->st.last.obj &&
	       task->inspect_nr == task->st.last.nr && task->inspect_loop == watch_is_loop(task);
}

/* In one wait for long, not inspected in it, and not lately in others just like it. */
static bool watch_long_due(const struct watch *w, const struct task *task, uint64_t now_ns)
{
	uint64_t since = task->st.last.ts;

	if (now_ns < since + w->long_wait_ns || task->inspect_since_ns == since)
		return false;
	return !watch_same_wait(task) || now_ns >= task->inspect_next_ns ||
	       (now_ns >= since + WATCH_STUCK * w->long_wait_ns &&
		now_ns >= task->inspect_ns + WATCH_STUCK_AGAIN);
}

static bool watch_loop_due(const struct task *task, uint64_t now_ns)
{
	return watch_is_loop(task) && now_ns >= task->loop_since_ns + WATCH_LOOP_NS &&
	       (!task->inspect_loop || now_ns >= task->inspect_ns + WATCH_LOOP_AGAIN) &&
	       (!watch_same_wait(task) || now_ns >= task->inspect_next_ns);
}

/* Does nothing but give its CPU away.  On a busy machine it is hardly ever on one when a sample is due. */
static bool watch_spins(struct task *task)
{
	uint32_t yields = task->yields - task->yields_seen;

	task->yields_seen = task->yields;
	return yields >= WATCH_YIELDS && task->st.run != WINDOW_RUN_BLOCKED;
}

static void watch_mark(struct task *task, uint64_t now_ns)
{
	if (!watch_same_wait(task))
		task->inspect_level = 0;
	task->inspect_ns = now_ns;
	task->inspect_since_ns = task->st.last.ts;
	task->inspect_obj = task->st.last.obj;
	task->inspect_nr = task->st.last.nr;
	task->inspect_loop = watch_is_loop(task);
	task->inspect_next_ns = now_ns + (WATCH_BACKOFF_BASE << task->inspect_level);
	if (task->inspect_level < WATCH_BACKOFF_MAX)
		task->inspect_level++;
}

void watch_scan(struct watch *w, struct tasks *tasks, uint64_t now_ns, watch_inspect_fn inspect, void *arg)
{
	struct task *task;

	if (now_ns < w->next_scan_ns)
		return;
	w->next_scan_ns = now_ns + WATCH_SCAN_NS;
	watch_fill(w, now_ns);
	if (now_ns >= w->shares_ns + NSEC_PER_SEC) {
		w->shares = (struct watch_shares){ 0 };
		w->shares_ns = now_ns;
	}
	for (unsigned seen = 0; seen < WATCH_SCAN_MAX; seen++) {
		task = tasks_next(tasks, w->next_tid);
		if (!task) {
			w->next_tid = 1;
			return;
		}
		if (watch_counts(task) && (watch_long_due(w, task, now_ns) || watch_loop_due(task, now_ns))) {
			uint32_t *share = share_of(&w->shares, task);

			if (!w->tokens) {
				w->postponed++;
				return; /* the next scan begins with this task */
			}
			if (share && *share >= WATCH_PER_SEC / 2) {
				w->postponed++;
			} else if (inspect(arg, task)) {
				w->tokens--;
				watch_mark(task, now_ns);
				if (share)
					++*share;
			}
		}
		/* what is left over by the inspections of those that wait */
		if (watch_spins(task) && w->tokens > WATCH_PER_SEC / 2 && inspect(arg, task))
			w->tokens--;
		w->next_tid = task->st.last.tid + 1;
	}
}

unsigned watch_all(struct watch *w, struct tasks *tasks, uint64_t now_ns, uint64_t since_ns, unsigned max,
		   watch_inspect_fn inspect, void *arg)
{
	struct watch_shares shares = { 0 };
	unsigned n = 0;

	for (struct task *t = tasks_next(tasks, 1); t && n < max; t = tasks_next(tasks, t->st.last.tid + 1)) {
		uint32_t *share;

		if (!watch_counts(t) || now_ns < t->st.last.ts + w->long_wait_ns)
			continue;
		if (t->inspect_since_ns == t->st.last.ts && t->inspect_ns >= since_ns)
			continue;
		share = share_of(&shares, t);
		if ((!share || *share <= max / 2) && inspect(arg, t)) {
			watch_mark(t, now_ns);
			n++;
			if (share)
				++*share;
		}
	}
	return n;
}
