/* SPDX-License-Identifier: GPL-2.0-or-later */
/* without.h - describes what a what-if question takes away. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_WHATIF_WITHOUT_H
#define CTRACE_ANALYSIS_WHATIF_WITHOUT_H

#include <stdint.h>

#include "graph/wake/blame.h"

enum whatif_kind {
	WHATIF_WAIT,     /* the wait `interval` */
	WHATIF_WAITS,    /* the wait `interval`, and all other waits of its task that have the same
			    object, task to blame and edge */
	WHATIF_RESOURCE, /* of all tasks, all waits that are of the kind `time`, which is one of
			    TIME_RUNNABLE to TIME_FAULT */
	WHATIF_TASK,     /* the task `task` */
	WHATIF_PROCESS,  /* the process of the task `task` */
	WHATIF_OBJECT,   /* all waits for `obj`, of all tasks; if it is a block device, also those for its
			    files */
};
/* Returns a word for the kind: "wait", "waits", ... */
const char *whatif_kind_name(enum whatif_kind kind);

/* One thing that a question takes away. enum whatif_kind says which member describes it. */
struct whatif_without {
	uint64_t obj;
	uint32_t interval, task;
	enum whatif_kind kind;
	enum time_kind time;
};

/* The most tasks in a row in which each task waits for the next one. If a row is longer, the
 * replay cuts the row at this length: it assumes that the next task does nothing earlier than in
 * the trace. */
#define WHATIF_MAX_DEPTH 2048

#endif
