/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_habit.h - what tasks of one name have shown, so that it outlives them.  A fixed table; a name that
 * finds no room replaces the one of its row that was not used for longest.
 */
#ifndef CTRACE_DETECT_DETECT_HABIT_H
#define CTRACE_DETECT_DETECT_HABIT_H

#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_HABITS 4096

struct detect_habit {
	char comm[CT_COMM_LEN];
	uint64_t used_ns;     /* 0: empty */
	uint32_t patient;     /* as in struct detect_task */
	uint32_t told;        /* how many of its hangs were reported */
	uint64_t max_away_ns; /* of tasks that were known well */
	uint64_t max_runq_ns, max_disk_ns;
};

struct detect_habits {
	struct detect_habit *v; /* DETECT_HABITS */
};

int detect_habits_init(struct detect_habits *h);
void detect_habits_done(struct detect_habits *h);
/* The one of that name, which is made if it is not there. */
struct detect_habit *detect_habit(struct detect_habits *h, const char comm[CT_COMM_LEN], uint64_t now_ns);

#endif
