/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h - the table of tasks. For each task it says what the task does now, and since when.
 *
 * The table gets the records in the order in which the rings are emptied. The records of one CPU
 * are nearly in order of time. The records of several CPUs are not. So every change of a state
 * carries its time, and an older state never replaces a newer state.
 *
 * The table keeps at most a given number of tasks, and counts how often there was no room. Drain
 * thread only. Times are boot time.
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
	/* time of the latest wake-up; the switch with which the task blocked may be read later */
	uint64_t wake_ns;
	uint64_t futex_ns; /* time, object and owner of the latest CT_FUTEX */
	uint64_t futex_obj;
	uint32_t futex_owner;
	uint32_t tgid;
	/* since this time the task's records are left out (cap); 0: they are not left out */
	uint64_t capped_ns;
	/* end of the last cap; the record with which this cap began may be read later than this
	 * end */
	uint64_t uncapped_ns;
	uint64_t group; /* govern_group() of the task; it may be outdated */
	uint8_t flags;  /* TASK_* */
	/* For inspect_policy, about the last inspection. inspect_level: how often the time to the
	 * next inspection was doubled. inspect_nr: the system call of the wait. */
	uint8_t inspect_level;
	uint16_t inspect_nr;
	bool inspect_loop;   /* the last inspected wait was part of a loop of short waits */
	uint32_t generation; /* number of the last reading (tasks_found_begin()) that found the task */
	/* For inspect_policy, about the last inspection. inspect_since_ns: start of the wait.
	 * inspect_ns: time of the inspection. inspect_next_ns: the same wait may be inspected again
	 * from this time on. inspect_obj: object of the wait. */
	uint64_t inspect_since_ns, inspect_ns, inspect_next_ns, inspect_obj;
	/* For inspect_policy, about the present loop of short waits that only a timer ends.
	 * loop_since_ns: start of the loop. loop_ran_ns: how long the task has run in the loop.
	 * loop_waits: number of waits in the loop; 0: there is no loop. */
	uint64_t loop_since_ns, loop_ran_ns;
	uint32_t loop_waits;
	/* For inspect_policy. yields: how often the task gave its CPU away without blocking.
	 * yields_seen: the value of yields at the last scan. */
	uint32_t yields, yields_seen;
	/* For tasks_read(), about the last CT_FOUND of the task. told_what, told_switches and
	 * told_times are its contents. told_round: how often tasks_tell_all() had been called by
	 * then. All 0: there was no CT_FOUND. */
	uint64_t told_times;
	uint32_t told_switches, told_round;
	uint8_t told_what;
	/* For the leader of a process only: the exec_id (struct ct_iter_task) of the command line
	 * that the daemon has recorded for the process, or is going to read. 0: there is no such
	 * command line. */
	uint32_t exec_id;
	/* For the leader of a process only: when the descriptor table of the process was last asked
	 * for. */
	uint64_t files_ns;
};

#define TASK_USED    0x01
#define TASK_KTHREAD 0x02
/* the task has ended; its entry stays for a second, so that a late record does not revive the
 * task */
#define TASK_DEAD 0x04

struct tasks;

/* max: the largest number of tasks. Returns NULL if there is no memory. */
struct tasks *tasks_new(uint32_t max);
/* Accepts NULL. */
void tasks_free(struct tasks *t);

/* Takes a fixed record from the ring of a CPU. Ignores records of kinds that change no state. */
void tasks_record(struct tasks *t, uint16_t cpu, const struct ct_rec *rec);
/* Notes the end of a cap. From ts_ns on, the records of the task are complete again. */
void tasks_uncap(struct tasks *t, uint32_t tid, uint64_t ts_ns);
/* Notes that the task ended at ts_ns or before. There may be no record of its end. */
void tasks_ended(struct tasks *t, uint32_t tid, uint64_t ts_ns);
/* Takes the process and the group of a task from a blob, and whether the task is a kernel
 * thread. */
void tasks_identity(struct tasks *t, const struct ct_task_blob *blob);

/*
 * A reading of all tasks with the task iterator. The caller calls tasks_found_begin() first,
 * tasks_found() for each task, and tasks_found_end() last. now_ns: when the reading began. If a
 * state in the table is older than now_ns, the state that the iterator found replaces it. If the
 * iterator does not find a task, and no record of the task is as new as now_ns, the task is marked
 * as dead.
 */
void tasks_found_begin(struct tasks *t, uint64_t now_ns);
void tasks_found(struct tasks *t, const struct ct_iter_task *found);
void tasks_found_end(struct tasks *t);

/*
 * The caller calls this function with true when a coarse step begins, and with false when it ends.
 * In a coarse step (CT_SHED_COARSE, CT_SHED_PAUSES) no switches are recorded. So if a task is not
 * in a long wait, its state is WINDOW_RUN_FOLDED.
 */
void tasks_coarse(struct tasks *t, bool coarse);
/* In the next reading of all tasks, tasks_read() makes a CT_FOUND for each task, even if the task
 * has not changed. */
void tasks_tell_all(struct tasks *t);
/*
 * Does the same as tasks_found(), and finds out whether the task needs a new CT_FOUND: if it has
 * changed since its last CT_FOUND, or if tasks_tell_all() was called since then. Returns true if
 * so; then *ret and ret_words become the new CT_FOUND.
 */
bool tasks_read(struct tasks *t, const struct ct_iter_task *found, struct ct_rec *ret, uint64_t ret_words[2]);

/* Returns the entry of a task that has not ended, or NULL. The entry is valid until the next
 * tasks_purge(). */
struct task *tasks_get(struct tasks *t, uint32_t tid);
/* Returns the first task with tid >= from that has not ended, or NULL. To walk over all tasks in
 * order of tids, the caller passes first 1 as from, and then the tid of the last result + 1. */
struct task *tasks_next(struct tasks *t, uint32_t from);

/* *ret becomes an array with the states of all tasks that have not ended, sorted by tid. The array
 * belongs to t, and is valid until the next call. A capped task has the state WINDOW_RUN_CAPPED.
 * Returns 0, or -ENOMEM; then ret and ret_n are untouched. */
int tasks_states(struct tasks *t, const struct window_state **ret, size_t *ret_n);
/* Removes the tasks that have been dead for DEAD_KEPT_NS or longer, and calls gone() for each. */
void tasks_purge(struct tasks *t, uint64_t now_ns, void (*gone)(void *arg, uint32_t tid), void *arg);

/* Returns the number of tasks that have not ended. */
size_t tasks_count(const struct tasks *t);
/* Returns how often the table had no room for a task so far. */
uint64_t tasks_refused(const struct tasks *t);

#endif
