/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_wake.h - the result of comparing one wait with similar waits: earlier ones, or those of
 * another trace. The result names the wake-up that is missing or late, and the task that should
 * have sent it (missing_wake_find.h, against_find.h).
 *
 * - The *examined wait* is the wait in question.
 * - The *waiter* is the task of the examined wait.
 * - The *reference* is the similar wait that is compared in detail.
 * - A *step* is a task that should have woken another task. The task of the first step should have
 *   woken the waiter.
 * - The *named task* is the task of the last step. The result blames this task.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_H

#include "graph/wake/blame.h"

#define MISSING_STEPS 8

/* What the named task does instead of sending the wake-up. In the reference, this task, or a task
 * of the same role, sent the wake-up. The *trigger* is the last wait of the sender before this
 * wake-up (missing_wake_steps.h). */
enum missing_wake_how {
	MISSING_ENDED,
	MISSING_SILENT,    /* the task is woken as in the reference, but then sends no wake-up */
	MISSING_ELSEWHERE, /* the task waits at another place than the trigger, or there is no trigger */
	MISSING_ASLEEP,    /* the task waits at the place of the trigger, but for longer */
	MISSING_BUSY,
};

struct missing_wake_step {
	uint32_t task;
	uint32_t wait; /* the wait that `task` should have ended */
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t obj; /* the object of the wait that `wait` is compared with */
	enum edge_kind edge;
	uint32_t count; /* the number of earlier waits at the same place that `task` ended */
	bool more;
	uint64_t last_ns; /* when `task` last ended one of these `count` waits; 0: never */
};

struct missing_wake {
	/* If the reference is in another trace, this is the graph of that trace. Then steps[].obj are
	 * objects of that trace, too. NULL: the reference is in the graph of the examined wait. */
	const struct graph *good;
	uint32_t wait; /* the examined wait; if it timed out and was repeated, the first part */
	uint64_t wait_from_ns;
	uint64_t wait_to_ns;
	uint32_t reference;
	/* The time at which the reference began. Several wake-ups may have led to the end of the reference,
	 * for example: a task woke a second task, which then ended the reference. If the first of these
	 * wake-ups came before the reference began, this is the time of that wake-up. */
	uint64_t ref_from_ns;
	float similarity;
	uint32_t occurrences;
	uint32_t others;
	uint32_t refused;
	uint64_t usual_ns;
	bool late;
	bool regular;
	bool own_accord;
	/* steps[0].task should have woken the waiter. The task of each later step should have woken the
	 * task of the step before. */
	struct missing_wake_step steps[MISSING_STEPS];
	uint32_t n_steps;
	enum missing_wake_how how;
	uint32_t instead; /* the named task is in this interval; GRAPH_NONE: it has ended */
	/* Since when the named task has done what `how` says:
	 * - MISSING_ENDED: since the exit of this task.
	 * - MISSING_SILENT: since last_ns of the last step. If `good` is set: since from_ns of the
	 *   last step.
	 * - Otherwise: since the begin of `instead`. */
	uint64_t since_ns;
	uint64_t instead_ns;
	uint32_t triggers;
	char *text;
};

void missing_wake_free(struct missing_wake *m);
bool missing_wake_is_good(const struct missing_wake *m);
bool missing_wake_is_sure(const struct missing_wake *m);
const struct missing_wake_step *missing_wake_named(const struct missing_wake *m);

#endif
