/* SPDX-License-Identifier: GPL-2.0-or-later */
/* without.h - describes what a what-if question takes away. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_WHATIF_WITHOUT_H
#define CTRACE_ANALYSIS_WHATIF_WITHOUT_H

#include <stdint.h>

#include "graph/wake/blame.h"

enum whatif_kind {
	WHATIF_WAIT,  /* interval: this wait */
	WHATIF_WAITS, /* interval: this wait, and all other waits of its task for the same object and task */
	WHATIF_RESOURCE, /* time: all waits of this kind, of all tasks (not TIME_RUNNING and TIME_UNKNOWN) */
	WHATIF_TASK,     /* task */
	WHATIF_PROCESS,  /* task: any task of the process */
	WHATIF_OBJECT,   /* obj: all waits for it, of all tasks; if it is a block device, also those for its
			    files */
};
/* "wait", "waits", ... */
const char *whatif_kind_name(enum whatif_kind kind);

/* One thing that a question takes away. */
struct whatif_without {
	uint64_t obj;
	uint32_t interval, task;
	enum whatif_kind kind;
	enum time_kind time;
};

/* The largest number of tasks in a row of which each waits for the next. In a longer row, the last
 * wait counts as if it saved nothing. */
#define WHATIF_MAX_DEPTH 2048

#endif
