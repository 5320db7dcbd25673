/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_private.h - the state of a detector, shared by the files of this folder. No file outside
 * of detect/ includes this header. One thread at a time, as in detect.h.
 */
#ifndef CTRACE_DETECT_DETECT_PRIVATE_H
#define CTRACE_DETECT_DETECT_PRIVATE_H

#include "ctrace/fields.h"
#include "detect/detect.h"
#include "detect/detect_habit.h"
#include "detect/detect_socket.h"
#include "detect/detect_task.h"
#include "detect/thresholds.h"
#include "lib/map.h"

#define DETECT_REPORTS 32

/* A hang of the task tid that was reported at ns. root: the task at the end of the chain that
 * begins at tid, see judge_root(). */
struct detect_report {
	uint32_t tid, root;
	enum ct_hang rule;
	uint64_t ns;
};

struct detect {
	struct detect_options opt;
	struct detect_settings set;
	struct detect_tasks tasks;
	struct detect_habits habits;
	struct detect_sockets sockets;
	/* id of a control group -> bits 1 << i: set.overrides[i] matches the path of the group */
	struct map cgroups;
	uint64_t min_ns;     /* the shortest threshold that any task can have */
	uint64_t patient_ns; /* a wait of this time or more is long: see PATIENT_SHARE */
	uint64_t now_ns;     /* time of the latest tick, boot time */
	/* Before this time, records were lost, the machine slept, or the detector did not run yet.
	 * So no earlier time counts for the rules LOOP, BUSY, STARVED and SERVICE, or for the
	 * habits max_away_ns and max_runq_ns. */
	uint64_t floor_ns;
	/* the machine slept until this time, or no tick came for another reason */
	uint64_t slept_ns;
	/* records were lost until this time; 0: none since the last resync */
	uint64_t lost_ns;
	/* the kinds of records that the governor leaves out now: CT_LACK_* */
	uint32_t lacks;
	/* the end of the last coarse stretch (CT_LACK_SWITCHES); 0: there was none */
	uint64_t coarse_end_ns;
	struct detect_report reports[DETECT_REPORTS];
	unsigned n_reports;
	struct detect_stats stats;
};

/* Returns the latest of three times, or the longest of three durations. */
static inline uint64_t detect_max(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t m = a > b ? a : b;

	return m > c ? m : c;
}

/* Returns the task's time on the CPU since progress_ns. */
static inline uint64_t detect_ran_ns(const struct detect_task *t, uint64_t now_ns)
{
	uint64_t from_ns = detect_max(t->since_ns, t->progress_ns, 0);

	return t->ran_ns + (t->run == DETECT_RUNNING && now_ns > from_ns ? now_ns - from_ns : 0);
}

/* Sets *ret to the limits that hold for a task. */
void detect_limits_of(const struct detect *d, const struct detect_task *t, struct detect_limits *ret);
/* Computes min_ns and patient_ns from the settings. */
void detect_limits_init(struct detect *d);
/* Notes which overrides match a control group, from its blob. */
void detect_limits_cgroup(struct detect *d, const struct ct_object_blob *o);

/* Finds a task. NULL: the task is not in the table, or has ended. */
struct detect_task *detect_task_find(struct detect *d, uint32_t tid);
/* As detect_task_find(), but if the task has no entry, makes one. ts: the time of a record of the
 * task. If the known task ended before ts, a new task has its tid, and the entry is reset. NULL:
 * the task ended at ts or later, tid is 0, or there is no room. */
struct detect_task *detect_task_touch(struct detect *d, uint32_t tid, uint64_t ts);
/* Notes that the present wait of the task ends at ts. */
void detect_wait_ends(struct detect *d, struct detect_task *t, uint64_t ts);
/* Notes that the present time of the task in the queue for a CPU ends at ts. */
void detect_queue_ends(struct detect *d, struct detect_task *t, uint64_t ts);
/* Notes that the task has waited since ts. The caller has set the fields of t that describe the
 * wait. is_whole: all waits of the task are recorded now, so the place of this wait may
 * get votes as the idle point. */
void detect_wait_begins(struct detect *d, struct detect_task *t, uint64_t ts, bool is_whole);
/* Notes that from ts on the task does not block. run: DETECT_RUNNABLE or DETECT_UNKNOWN. */
void detect_set_awake(struct detect_task *t, enum detect_run run, uint64_t ts);
/* Forgets when the task left its idle point, because records about the task are missing. The
 * time of the task on the CPU, and its time in the queue for a CPU, are counted anew from ts on. */
void detect_forget(struct detect_task *t, uint64_t ts);

/* Notes that a coarse stretch (see detect_coarse.c) begins or ends at ts. */
void detect_coarse_step(struct detect *d, bool begins, uint64_t ts);
/* Handles a CT_FOUND. since_ns: the first word of the record, which says since when the task is in
 * this state. */
void detect_coarse_found(struct detect *d, const struct ct_rec *rec, uint64_t since_ns);
/* Sets the state of the task to DETECT_UNKNOWN from ts on. */
void detect_coarse_fold(struct detect_task *t, uint64_t ts);

static inline bool detect_is_coarse(const struct detect *d)
{
	return d->lacks & CT_LACK_SWITCHES;
}

/* Puts a task into the state that the kernel reported at ts_ns. */
void detect_adopt(struct detect *d, struct detect_task *t, const struct ct_iter_task *found, uint64_t ts_ns);
/* Judges all tasks and sockets, and reports the hangs. */
void detect_judge(struct detect *d, uint64_t now_ns);

#endif
