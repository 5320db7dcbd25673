/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * against.h - the result of comparing a wait with waits of another trace, the *good trace*
 * (against_find.h). Both traces are of the same program. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_AGAINST_H
#define CTRACE_ANALYSIS_COMPARE_AGAINST_H

#include "analysis/compare/missing_wake.h"

enum against_result {
	AGAINST_NOT_NEEDED, /* no wait of the chain was compared with the good trace */
	AGAINST_NO_TASK,    /* the good trace has no task in the role of the waiter */
	AGAINST_NO_WAIT,    /* the good trace has too few alike waits, or they end in several ways */
	AGAINST_AS_LONG,    /* the wait is not much longer than the alike waits of the good trace */
	AGAINST_GONE,       /* the examined trace has no task in the role of a waker */
	AGAINST_SEVERAL,    /* the examined trace has several tasks in the role of a waker */
	AGAINST_AS_USUAL,   /* no task stands out. Example: each task waits as in the good trace */
	AGAINST_NAMED,      /* one task is to blame: missing_wake_named() */
};
/* Returns the word of the JSON output (doc/json.md), such as "no-such-wait". */
const char *against_word(enum against_result result);

#define AGAINST_TASKS 8

struct against {
	const struct graph *good;
	const char *name; /* of the good trace; belongs to the caller of diagnose() */
	enum against_result result;
	/* For AGAINST_GONE. In the good trace, the waker was a thread of the waiter's process, and a timer
	 * woke this waker before it acted. */
	bool own_accord;
	uint32_t tasks[AGAINST_TASKS];
	uint32_t n_tasks; /* may be above AGAINST_TASKS: tasks[] has only the first ones */
	char *text;       /* without a full stop. NULL: AGAINST_NOT_NEEDED */
	char *brief;      /* one sentence for the diagnosis, or NULL */
};

void against_done(struct against *a);

#endif
