/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_habit.h - a table of habits. A habit is something usual for a task, such as its longest
 * time in the queue for a CPU (detect.h). All tasks of one name share an entry, which stays when
 * they end. The entry of a new name may replace the least recently used entry. Only one thread at a
 * time.
 */
#ifndef CTRACE_DETECT_DETECT_HABIT_H
#define CTRACE_DETECT_DETECT_HABIT_H

#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_HABITS 4096

struct detect_habit {
	char comm[CT_COMM_LEN];
	uint64_t used_ns; /* boot time of the last use; 0: the entry is empty */
	/* bits 1 << CT_W_*: the kinds of waits in which a task of this name has waited for long
	 * (PATIENT_SHARE). LOOP does not report such waits. */
	uint32_t patient;
	uint32_t told;
	/* The longest time for which a task was away from its idle point. Only known tasks count.
	 * detect.h explains both terms. */
	uint64_t max_away_ns;
	uint64_t max_runq_ns, max_disk_ns;
};

struct detect_habits {
	struct detect_habit *v;
};

/* Returns 0 or -ENOMEM. The caller calls detect_habits_done() in both cases. */
int detect_habits_init(struct detect_habits *h);
void detect_habits_done(struct detect_habits *h);
/* Returns the entry of a name, or a new one; never NULL. now_ns: boot time. Valid until the next call. */
struct detect_habit *detect_habit(struct detect_habits *h, const char comm[CT_COMM_LEN], uint64_t now_ns);

#endif
