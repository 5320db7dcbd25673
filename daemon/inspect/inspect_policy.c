// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect_policy.h"

#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

void inspect_policy_init(struct inspect_policy *p, uint64_t long_wait_ns, uint64_t now_ns)
{
	*p = (struct inspect_policy){ .long_wait_ns = long_wait_ns,
				      .next_tid = 1,
				      .fill_ns = now_ns,
				      .tokens = INSPECT_POLICY_PER_SEC };
}

static void policy_fill(struct inspect_policy *p, uint64_t now_ns)
{
	/* the clocks of two CPUs may differ */
	uint64_t n =
		now_ns > p->fill_ns ? (now_ns - p->fill_ns) / (NSEC_PER_SEC / INSPECT_POLICY_PER_SEC) : 0;

	p->fill_ns += n * (NSEC_PER_SEC / INSPECT_POLICY_PER_SEC);
	p->tokens = (uint32_t)MIN((uint64_t)INSPECT_POLICY_PER_SEC, p->tokens + n);
}

static uint32_t *share_of(struct inspect_policy_shares *s, const struct task *task)
{
	if (!task->group)
		return NULL;
	for (unsigned i = 0; i < INSPECT_POLICY_GROUPS; i++) {
		if (!s->v[i].group)
			s->v[i].group = task->group;
		if (s->v[i].group == task->group)
			return &s->v[i].n;
	}
	return &s->others;
}

static bool policy_is_own(const struct inspect_policy *p, const struct task *task)
{
	return p->own_tgid && task->tgid == p->own_tgid;
}

static bool policy_counts(const struct inspect_policy *p, const struct task *task)
{
	return task->st.run == WINDOW_RUN_BLOCKED && !(task->flags & TASK_KTHREAD) &&
	       task->st.last.wait != CT_W_KTHREAD && task->st.last.wait != CT_W_EXITED &&
	       !policy_is_own(p, task);
}

static bool policy_is_loop(const struct task *task)
{
	return task->loop_waits >= INSPECT_POLICY_LOOP_WAITS;
}

static bool policy_same_wait(const struct task *task)
{
	return task->inspect_ns && task->inspect_obj == task->st.last.obj &&
	       task->inspect_nr == task->st.last.nr && task->inspect_loop == policy_is_loop(task);
}

/* Returns when the inspection of the present wait as a long wait is due; UINT64_MAX: never. */
static uint64_t policy_long_due(const struct inspect_policy *p, const struct task *task)
{
	uint64_t since = task->st.last.ts, again_ns;

	if (task->inspect_since_ns == since)
		return UINT64_MAX;
	if (!policy_same_wait(task))
		return since + p->long_wait_ns;
	again_ns = MAX(since + INSPECT_POLICY_STUCK * p->long_wait_ns,
		       task->inspect_ns + INSPECT_POLICY_STUCK_AGAIN);
	again_ns = MIN(task->inspect_next_ns, again_ns);
	return MAX(since + p->long_wait_ns, again_ns);
}

/* As policy_long_due(), for a loop of waits. */
static uint64_t policy_loop_due(const struct task *task)
{
	uint64_t due_ns = task->loop_since_ns + INSPECT_POLICY_LOOP_NS;

	if (!policy_is_loop(task))
		return UINT64_MAX;
	if (task->inspect_loop)
		due_ns = MAX(due_ns, task->inspect_ns + INSPECT_POLICY_LOOP_AGAIN);
	return policy_same_wait(task) ? MAX(due_ns, task->inspect_next_ns) : due_ns;
}

static uint64_t policy_due(const struct inspect_policy *p, const struct task *task)
{
	return policy_counts(p, task) ? MIN(policy_long_due(p, task), policy_loop_due(task)) : UINT64_MAX;
}

/* Returns true if the task has yielded often since the last scan. Only an inspection shows the
 * stack of such a task: timer interrupts sample stacks, but on a busy machine they hardly ever hit
 * a task that gives its CPU away at once. */
static bool policy_spins(const struct inspect_policy *p, struct task *task)
{
	uint32_t yields = task->yields - task->yields_seen;

	task->yields_seen = task->yields;
	return yields >= INSPECT_POLICY_YIELDS && task->st.run != WINDOW_RUN_BLOCKED &&
	       !policy_is_own(p, task);
}

static void policy_mark(struct task *task, uint64_t now_ns)
{
	if (!policy_same_wait(task))
		task->inspect_level = 0;
	task->inspect_ns = now_ns;
	task->inspect_since_ns = task->st.last.ts;
	task->inspect_obj = task->st.last.obj;
	task->inspect_nr = task->st.last.nr;
	task->inspect_loop = policy_is_loop(task);
	task->inspect_lock = false;
	task->inspect_next_ns = now_ns + (INSPECT_POLICY_BACKOFF_BASE << task->inspect_level);
	if (task->inspect_level < INSPECT_POLICY_BACKOFF_MAX)
		task->inspect_level++;
}

void inspect_policy_scan(struct inspect_policy *p, struct tasks *tasks, uint64_t now_ns,
			 inspect_policy_fn inspect, void *arg)
{
	struct task *task;

	if (now_ns < p->next_scan_ns)
		return;
	p->next_scan_ns = now_ns + INSPECT_POLICY_SCAN_NS;
	policy_fill(p, now_ns);
	if (now_ns >= p->shares_ns + NSEC_PER_SEC) {
		p->shares = (struct inspect_policy_shares){ 0 };
		p->shares_ns = now_ns;
	}
	for (unsigned seen = 0; seen < INSPECT_POLICY_SCAN_MAX; seen++) {
		task = tasks_next_due(tasks, p->next_tid, now_ns);
		if (!task) {
			p->next_tid = 1;
			return;
		}
		if (policy_due(p, task) <= now_ns) {
			uint32_t *share = share_of(&p->shares, task);

			if (!p->tokens) {
				p->postponed++;
				return;
			}
			if (share && *share >= INSPECT_POLICY_PER_SEC / 2) {
				p->postponed++;
			} else if (inspect(arg, task)) {
				p->tokens--;
				policy_mark(task, now_ns);
				if (share)
					++*share;
			}
		}
		/* a spinning task is inspected only while more than half of the tokens are left;
		 * the rest is kept for waiting tasks */
		if (policy_spins(p, task) && p->tokens > INSPECT_POLICY_PER_SEC / 2 && inspect(arg, task))
			p->tokens--;
		task->due_ns = policy_due(p, task);
		p->next_tid = task->st.last.tid + 1;
	}
}

unsigned inspect_policy_all(struct inspect_policy *p, struct tasks *tasks, uint64_t now_ns, uint64_t since_ns,
			    unsigned max, inspect_policy_fn inspect, void *arg)
{
	struct inspect_policy_shares shares = { 0 };
	unsigned n = 0;

	for (struct task *t = tasks_next(tasks, 1); t && n < max; t = tasks_next(tasks, t->st.last.tid + 1)) {
		uint32_t *share;

		if (!policy_counts(p, t) || now_ns < t->st.last.ts + p->long_wait_ns)
			continue;
		if (t->inspect_since_ns == t->st.last.ts && t->inspect_ns >= since_ns && !t->inspect_lock)
			continue;
		share = share_of(&shares, t);
		if ((!share || *share <= max / 2) && inspect(arg, t)) {
			policy_mark(t, now_ns);
			n++;
			if (share)
				++*share;
		}
	}
	return n;
}
