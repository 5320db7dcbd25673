/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shedding.h - says which records of a part of a trace the daemon left out, to keep tracing within
 * the budget. One thread. */
#ifndef CTRACE_REPORT_SHEDDING_H
#define CTRACE_REPORT_SHEDDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/format/window.h"

/* Only this many capped tasks and groups are named: the first ones in the trace. */
#define SHEDDING_TASKS  16
#define SHEDDING_GROUPS 4

struct shedding_group {
	uint64_t id;
	bool cgroup;
	uint64_t ns;
};

struct shedding {
	enum ct_shed step;  /* the step that left out most */
	bool blind;         /* no inspections: no stacks of long waits, no polled variables */
	uint64_t paused_ns; /* of the pauses, in which nothing was recorded */
	uint64_t left_out;  /* records of all capped tasks and groups, named or not */
	uint32_t capped[SHEDDING_TASKS];
	unsigned n_capped;
	struct shedding_group groups[SHEDDING_GROUPS];
	unsigned n_groups;
};

/* Takes note of a CT_SHED, or of a CT_GAP that is a pause. */
void shedding_note(struct shedding *s, const struct window *w, const struct window_event *e);
/* Takes note of the records of a window that concern [from_ns, to_ns), in boot time. */
void shedding_look(struct shedding *s, const struct window *w, uint64_t from_ns, uint64_t to_ns);
bool shedding_any(const struct shedding *s);
void shedding_print(FILE *f, const char *label, const struct shedding *s);
/* Returns a new reference. NULL: nothing was left out, or out of memory. */
json_t *shedding_json(const struct shedding *s);

#endif
