/* SPDX-License-Identifier: GPL-2.0-or-later */
/* without.h - describes what a what-if question takes away. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_WHATIF_WITHOUT_H
#define CTRACE_ANALYSIS_WHATIF_WITHOUT_H

#include <stdint.h>

#include "graph/wake/blame.h"

enum whatif_kind {
	WHATIF_WAIT,
	WHATIF_WAITS, /* waits like `interval`: the same task, object, owner, edge, kind */
	WHATIF_RESOURCE,
	WHATIF_TASK,
	WHATIF_PROCESS,
	WHATIF_OBJECT, /* all waits for `obj`; if `obj` is a block device, also for its files */
};
const char *whatif_kind_name(enum whatif_kind kind);

struct whatif_without {
	uint64_t obj;
	uint32_t interval, task;
	enum whatif_kind kind;
	enum time_kind time;
};

/* At one moment, task A waits for task B, B waits for C, and so on. The replay follows such a row to at most
 * this many tasks. The next task in the row gets the shift 0 (whatif.h): as if it did nothing earlier than in
 * the trace. */
#define WHATIF_MAX_DEPTH 2048

#endif
