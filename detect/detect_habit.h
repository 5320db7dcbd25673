/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_habit.h - a table of habits: for each name, the habits of the tasks with this name. The
 * habits outlive the tasks. detect.c learns the habits, and detect_judge.c uses them.
 *
 * The table has a fixed size. The hash of a name chooses a row of the table. If the row of a new
 * name is full, the new name replaces the name in this row that was not used for the longest time.
 * Only one thread at a time may call the functions.
 */
#ifndef CTRACE_DETECT_DETECT_HABIT_H
#define CTRACE_DETECT_DETECT_HABIT_H

#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_HABITS 4096

struct detect_habit {
	char comm[CT_COMM_LEN];
	uint64_t used_ns; /* boot time of the last use; 0: the entry is empty */
	/* bits 1 << CT_W_*: the kinds of waits in which tasks of this name have waited for long */
	uint32_t patient;
	uint32_t told; /* how many hangs of tasks of this name were reported */
	/* The longest times of tasks of this name:
	 * - max_away_ns: away from the idle point; only known tasks count (detect.h)
	 * - max_runq_ns: in the queue for a CPU
	 * - max_disk_ns: in a wait for a disk */
	uint64_t max_away_ns;
	uint64_t max_runq_ns, max_disk_ns;
};

struct detect_habits {
	struct detect_habit *v; /* DETECT_HABITS entries */
};

/* Returns 0 or -ENOMEM. The caller calls detect_habits_done() in both cases. */
int detect_habits_init(struct detect_habits *h);
void detect_habits_done(struct detect_habits *h);
/* Returns the entry of a name, never NULL. If the name has no entry, makes one without habits.
 * now_ns: the present boot time, for used_ns. The entry is valid until the next call. */
struct detect_habit *detect_habit(struct detect_habits *h, const char comm[CT_COMM_LEN], uint64_t now_ns);

#endif
