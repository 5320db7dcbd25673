/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shedding.h - says which records of a part of a trace the daemon left out on purpose, to keep its
 * own cost within the budget. One thread.
 */
#ifndef CTRACE_CLI_RENDER_SHEDDING_H
#define CTRACE_CLI_RENDER_SHEDDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/format/window.h"

/* At most SHEDDING_TASKS capped tasks and SHEDDING_GROUPS capped groups are named. left_out counts
 * the records of all capped tasks and groups. */
#define SHEDDING_TASKS  16
#define SHEDDING_GROUPS 4

/* A user or a control group whose tasks were capped. */
struct shedding_group {
	uint64_t id;
	bool cgroup;
	uint64_t ns; /* how long the records of the group's tasks were left out */
};

/* The records that were left out. All members are 0 at the start. */
struct shedding {
	enum ct_shed step;  /* of the steps that were in force, the one that leaves out most */
	bool blind;         /* inspections were left out: stacks of long waits, polled variables */
	uint64_t paused_ns; /* the sum of the pauses, in which nothing was recorded */
	uint64_t left_out;  /* number of left-out records of capped tasks and groups */
	uint32_t capped[SHEDDING_TASKS];
	unsigned n_capped;
	struct shedding_group groups[SHEDDING_GROUPS];
	unsigned n_groups;
};

/* Takes note of one record: a CT_SHED, or a CT_GAP that is a pause. Other records are ignored. */
void shedding_note(struct shedding *s, const struct window *w, const struct window_event *e);
/* Takes note of all records of a window that concern [from_ns, to_ns). Both times are boot time. */
void shedding_look(struct shedding *s, const struct window *w, uint64_t from_ns, uint64_t to_ns);
bool shedding_any(const struct shedding *s);
/* Prints lines for people, each with `label` at its start. */
void shedding_print(FILE *f, const char *label, const struct shedding *s);
/* Returns a new reference. NULL: nothing was left out, or out of memory. */
json_t *shedding_json(const struct shedding *s);

#endif
