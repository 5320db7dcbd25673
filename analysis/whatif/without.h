/* SPDX-License-Identifier: GPL-2.0-or-later */
/* without.h - what a what-if question takes away.  Pure; any thread. */
#ifndef CTRACE_ANALYSIS_WHATIF_WITHOUT_H
#define CTRACE_ANALYSIS_WHATIF_WITHOUT_H

#include <stdint.h>

#include "graph/wake/blame.h"

enum whatif_kind {
	WHATIF_WAIT,     /* interval: this wait */
	WHATIF_WAITS,    /* interval: this wait and all others of the same task for the same */
	WHATIF_RESOURCE, /* time: all waits for it, of all tasks; running and unknown are none */
	WHATIF_TASK,     /* task */
	WHATIF_PROCESS,  /* task: any one of the process */
	WHATIF_OBJECT,   /* obj: all waits for it, of all tasks; a block device: also those for its files */
};
/* "wait", "waits", ... */
const char *whatif_kind_name(enum whatif_kind kind);

/* What is taken away. */
struct whatif_without {
	uint64_t obj;
	uint32_t interval, task;
	enum whatif_kind kind;
	enum time_kind time;
};

/* How many tasks may wait for each other in a row; where there are more, nothing is saved. */
#define WHATIF_MAX_DEPTH 2048

#endif
