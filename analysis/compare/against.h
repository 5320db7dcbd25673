/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * against.h - the result of comparing a wait with similar waits of another trace, the *good trace*, in
 * which the same program worked (against_find.h).
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_AGAINST_H
#define CTRACE_ANALYSIS_COMPARE_AGAINST_H

#include "analysis/compare/missing_wake.h"

enum against_result {
	AGAINST_NOT_NEEDED, /* no wait of the chain lacks an owner, or the trace itself shows it */
	AGAINST_NO_TASK,    /* the good trace has no task in the role of the waiter */
	AGAINST_NO_WAIT,    /* the good trace has no such wait, or such waits end in several ways */
	AGAINST_AS_LONG,    /* some such waits of the good trace are about as long */
	AGAINST_GONE,       /* the examined trace has no task in the role of a waker */
	AGAINST_SEVERAL,    /* the examined trace has several such tasks */
	AGAINST_AS_USUAL,   /* ctrace names no task, because all wait as in the good trace, for example */
	AGAINST_NAMED,
};
/* Returns the word of the JSON output (doc/json.md), such as "no-such-wait". */
const char *against_word(enum against_result result);

#define AGAINST_TASKS 8

struct against {
	const struct graph *good;
	const char *name; /* of the good trace; belongs to the caller of diagnose() */
	enum against_result result;
	bool own_accord; /* AGAINST_GONE: the waker's own timer drove it, many times */
	uint32_t tasks[AGAINST_TASKS];
	uint32_t n_tasks; /* AGAINST_SEVERAL: also those beyond AGAINST_TASKS */
	char *text;       /* without a full stop. NULL: AGAINST_NOT_NEEDED */
	char *brief;      /* one sentence for the diagnosis, or NULL */
};

void against_done(struct against *a);

#endif
