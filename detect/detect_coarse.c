// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * detect_coarse.c - the states of tasks in a coarse stretch: a time without CT_SWITCH records
 * (CT_LACK_SWITCHES). The CT_FOUND of a task gives its state. A folded task runs, or waits for
 * less than CT_COARSE_NS. The state of a folded task is DETECT_UNKNOWN: such a task is not judged.
 */
#include "detect/detect_private.h"
#include "lib/cleanup.h"

void detect_coarse_fold(struct detect_task *t, uint64_t ts)
{
	detect_set_awake(t, DETECT_UNKNOWN, ts);
	detect_forget(t, ts);
}

void detect_coarse_step(struct detect *d, bool begins, uint64_t ts)
{
	if (!begins)
		d->coarse_end_ns = ts;
	for (uint32_t i = 1; begins && i <= d->tasks.used; i++) {
		struct detect_task *t = detect_tasks_slot(&d->tasks, i);

		if (t && !(t->bits & DETECT_DEAD) && t->run != DETECT_BLOCKED)
			detect_coarse_fold(t, MAX(ts, t->since_ns));
	}
}

static void found_folded(struct detect *d, const struct ct_rec *rec)
{
	struct detect_task *t = detect_task_find(d, rec->tid);

	if (!t)
		return;
	/* the end of the wait is not known, so the wait counts as 0 ns long */
	if (t->run == DETECT_BLOCKED)
		detect_wait_ends(d, t, t->since_ns);
	if (t->run == DETECT_RUNNABLE)
		detect_queue_ends(d, t, rec->ts);
	detect_coarse_fold(t, rec->ts);
}

static void found_queued(struct detect *d, const struct ct_rec *rec, uint64_t since_ns)
{
	struct detect_task *t = detect_task_find(d, rec->tid);

	if (!t || (t->run == DETECT_RUNNABLE && since_ns <= t->since_ns + COARSE_SLACK_NS))
		return;
	found_folded(d, rec);
	t->run = DETECT_RUNNABLE;
	t->since_ns = MIN(since_ns, rec->ts);
}

static void found_blocked(struct detect *d, const struct ct_rec *rec, uint64_t since_ns)
{
	struct detect_task *t = rec->flags & CT_SF_KTHREAD ? NULL : detect_task_touch(d, rec->tid, rec->ts);

	if (!t || (t->run == DETECT_BLOCKED && since_ns <= t->since_ns + COARSE_SLACK_NS))
		return;
	found_folded(d, rec);
	t->run = DETECT_BLOCKED;
	t->since_ns = MIN(since_ns, rec->ts);
	t->wait = rec->wait;
	t->state = rec->state;
	t->flags = rec->flags;
	t->nr = rec->nr;
	t->obj = rec->obj;
	/* the CT_FUTEX of an inspection can come before the CT_FOUND of the wait */
	t->owner = rec->wait == CT_W_FUTEX && t->futex_ns >= t->since_ns ? t->futex_owner : 0;
	detect_wait_begins(d, t, t->since_ns, false);
	/* away_ns: when the task left its idle point, the place where it waits for its next work
	 * (detect.h). No record says when that was, so the begin of this wait is taken. */
	if (!(t->bits & DETECT_IDLE) && !t->away_ns) {
		detect_forget(t, t->since_ns);
		t->away_ns = t->since_ns;
		t->sleep_since_ns = t->wait == CT_W_SLEEP ? t->since_ns : 0;
	}
}

void detect_coarse_found(struct detect *d, const struct ct_rec *rec, uint64_t since_ns)
{
	const struct detect_task *t = detect_task_find(d, rec->tid);

	/* the record is too late to be of use */
	if ((t && rec->ts < t->since_ns) || (!detect_is_coarse(d) && (!t || t->since_ns >= d->coarse_end_ns)))
		return;
	switch (ct_found_what(rec)) {
	case CT_FOUND_FOLDED:
		found_folded(d, rec);
		break;
	case CT_FOUND_QUEUED:
		found_queued(d, rec, since_ns);
		break;
	case CT_FOUND_BLOCKED:
	case CT_FOUND_WAITED: /* the CT_WAKE that ended the wait comes next */
		found_blocked(d, rec, since_ns);
		break;
	}
}
