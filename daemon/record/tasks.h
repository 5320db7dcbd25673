/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h - the table of tasks: what each task does now, and since when.
 *
 * The table gets the records in the order in which the rings are emptied. Records of one CPU are
 * nearly in order of time, records of several CPUs are not. So every change of a state carries its
 * time, and an older state never replaces a newer state.
 *
 * The table keeps at most a given number of tasks, and counts how often there was no room. Drain thread only.
 * Times are boot time.
 */
#ifndef CTRACE_DAEMON_RECORD_TASKS_H
#define CTRACE_DAEMON_RECORD_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/govern_state.h"
#include "ctrace/abi.h"
#include "trace/format/window.h"

#define TASKS_TID_MAX (1u << 22) /* PID_MAX_LIMIT of the kernel */

struct task {
	struct window_state st;
	uint64_t wake_ns;  /* latest wake-up; the switch that it belongs to may not have been read yet */
	uint64_t futex_ns; /* time, object and owner of the latest CT_FUTEX */
	uint64_t futex_obj;
	uint32_t futex_owner;
	uint32_t tgid;
	uint64_t capped_ns;   /* the task's records are left out since this time; 0: they are not */
	uint64_t uncapped_ns; /* end of the last cap; the record of the beginning of that cap may be read
			       * only after the end */
	uint64_t group;       /* govern_group() of the task, as far as the daemon knows */
	uint8_t flags;        /* TASK_* */
	/* for inspect_policy: how often the time to the next inspection of this wait was doubled */
	uint8_t inspect_level;
	uint16_t inspect_nr;
	bool inspect_loop;   /* the wait inspected last was part of a loop of short waits */
	uint32_t generation; /* the latest round of tasks_found() that found the task */
	/* For inspect_policy: start and object of the wait inspected last, time of the inspection, and the
	 * time from which the same wait may be inspected again. */
	uint64_t inspect_since_ns, inspect_ns, inspect_next_ns, inspect_obj;
	/* For inspect_policy, about the present loop of short waits that only a timer ends: its start,
	 * and how long the task has run in it. */
	uint64_t loop_since_ns, loop_ran_ns;
	uint32_t loop_waits;
	/* For inspect_policy. yields: how often the task gave its CPU away and went on. yields_seen: the
	 * value of yields at the last scan. */
	uint32_t yields, yields_seen;
	/* For tasks_read(), about the last CT_FOUND that it made for the task: what the CT_FOUND said
	 * (told_what, told_switches, told_times), and how often tasks_tell_all() had been called before it
	 * (told_round). All 0: there was no CT_FOUND. */
	uint64_t told_times;
	uint32_t told_switches, told_round;
	uint8_t told_what;
	/* For a leader only: the exec_id (struct ct_iter_task) of the command line that the daemon has
	 * recorded for the process, or is going to read. 0: there is no such command line. */
	uint32_t exec_id;
	uint64_t files_ns; /* for a leader only: when the descriptor table of the process was written last */
};

#define TASK_USED    0x01
#define TASK_KTHREAD 0x02
#define TASK_DEAD    0x04 /* kept for a second, so that a late record does not revive the task */

struct tasks;

/* max: the largest number of tasks. NULL: out of memory. */
struct tasks *tasks_new(uint32_t max);
/* Accepts NULL. */
void tasks_free(struct tasks *t);

/* Takes a fixed record. Records of kinds that change no state are ignored. */
void tasks_record(struct tasks *t, uint16_t cpu, const struct ct_rec *rec);
/* Notes the end of a cap: from ts_ns on, the records of the task are complete again. */
void tasks_uncap(struct tasks *t, uint32_t tid, uint64_t ts_ns);
/* Notes that the task ended at ts_ns or before. There may be no record of its end. */
void tasks_ended(struct tasks *t, uint32_t tid, uint64_t ts_ns);
/* Takes the name, process and kind of a task from a blob. */
void tasks_identity(struct tasks *t, const struct ct_task_blob *blob);

/*
 * The task iterator reads all tasks: tasks_found_begin() comes first, tasks_found() for each task, and
 * tasks_found_end() last. now_ns: when the reading began. A state in the table that is older than now_ns is
 * replaced by the state that was found. A task that was not found, and of which no record is as new as
 * now_ns, is marked as dead.
 */
void tasks_found_begin(struct tasks *t, uint64_t now_ns);
void tasks_found(struct tasks *t, const struct ct_iter_task *found);
void tasks_found_end(struct tasks *t);

/*
 * To be called with true when a coarse step begins, and with false when it ends. In a coarse step
 * (CT_SHED_COARSE, CT_SHED_PAUSES) no switches are recorded. So a task that is not in a long wait has the
 * state WINDOW_RUN_FOLDED.
 */
void tasks_coarse(struct tasks *t, bool coarse);
/* In the next reading of all tasks, tasks_read() makes a CT_FOUND for each task, changed or not. */
void tasks_tell_all(struct tasks *t);
/*
 * Does what tasks_found() does, and finds out whether the task has changed since its last CT_FOUND. True:
 * the task has changed, and *ret and ret_words become a new CT_FOUND.
 */
bool tasks_read(struct tasks *t, const struct ct_iter_task *found, struct ct_rec *ret, uint64_t ret_words[2]);

/* The entry of a task that has not ended, or NULL. Valid until the next tasks_purge(). */
struct task *tasks_get(struct tasks *t, uint32_t tid);
/* The first task with tid >= from that has not ended, or NULL. To walk in order of tids, pass the
 * last tid + 1 as from. */
struct task *tasks_next(struct tasks *t, uint32_t from);

/* *ret becomes the states of all tasks that have not ended, sorted by tid. The array belongs to t
 * and is valid until the next call. The state of a capped task is unknown (WINDOW_RUN_CAPPED).
 * Returns 0, or -ENOMEM; then ret and ret_n are untouched. */
int tasks_states(struct tasks *t, const struct window_state **ret, size_t *ret_n);
/* Removes the tasks that have been dead for a second or longer; calls gone() for each. */
void tasks_purge(struct tasks *t, uint64_t now_ns, void (*gone)(void *arg, uint32_t tid), void *arg);

/* The number of tasks that have not ended. */
size_t tasks_count(const struct tasks *t);
/* How often the table had no room for a task so far. */
uint64_t tasks_refused(const struct tasks *t);

#endif
