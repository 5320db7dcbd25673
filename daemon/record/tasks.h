/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h - the table of tasks: what each task does now, and since when. Drain thread only. Times
 * are boot time.
 *
 * Records of several CPUs come out of order. So each change of a state carries its time, and an
 * older state never replaces a newer one.
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
	/* For tasks_next_due(). The caller that got the task sets it to a later time. */
	uint64_t due_ns;
	/* time of the latest wake-up, which may be read before the switch that begins the wait */
	uint64_t wake_ns;
	uint64_t futex_ns;
	uint64_t futex_obj;
	uint32_t futex_owner;
	uint32_t tgid;
	/* begin of the present cap, which leaves out records of the task; 0: no cap */
	uint64_t capped_ns;
	/* end of the last cap; a CT_SHED from before this time begins no cap */
	uint64_t uncapped_ns;
	uint64_t group;
	uint8_t flags;
	/* inspect_*: for inspect_policy, about the last inspection */
	uint8_t inspect_level; /* how often the time to the next inspection was doubled */
	uint16_t inspect_nr;
	bool inspect_loop;
	bool inspect_lock; /* the inspection showed a lock (ct_visit_lock()) */
	uint32_t generation;
	/* inspect_since_ns: start of the inspected wait. inspect_next_ns: earliest time of its next
	 * inspection. */
	uint64_t inspect_since_ns, inspect_ns, inspect_next_ns, inspect_obj;
	/* For inspect_policy: a loop of waits, each of which a timer ends. loop_waits: number of
	 * waits; 0: no loop. */
	uint64_t loop_since_ns, loop_ran_ns;
	uint32_t loop_waits;
	/* For inspect_policy. yields: how often the task gave its CPU away without blocking.
	 * yields_seen: yields at the last scan. */
	uint32_t yields, yields_seen;
	/* For tasks_read(): what the last CT_FOUND of the task said. told_round: how often
	 * tasks_tell_all() had been called before this CT_FOUND. If all told_* are 0, the task has
	 * no CT_FOUND yet. */
	uint64_t told_times, told_since_ns;
	uint32_t told_switches, told_round;
	uint8_t told_what;
	/* For a process's leader: the exec_id whose command line is recorded or asked for; 0: none */
	uint32_t exec_id;
	/* For a process's leader: when its descriptor table was last asked for */
	uint64_t files_ns;
};

#define TASK_USED    0x01
#define TASK_KTHREAD 0x02
/* the task has ended; its entry stays for a second, so that a late record does not revive it */
#define TASK_DEAD 0x04
/* a task of the daemon or of its descendants; the recorder sets this flag */
#define TASK_OF_DAEMON 0x08

struct tasks;

struct tasks *tasks_new(uint32_t max);
void tasks_free(struct tasks *t);

void tasks_record(struct tasks *t, uint16_t cpu, const struct ct_rec *rec);
/* Call this at the end of a cap: from ts_ns on, the records of the task are complete again. */
void tasks_uncap(struct tasks *t, uint32_t tid, uint64_t ts_ns);
void tasks_ended(struct tasks *t, uint32_t tid, uint64_t ts_ns);
void tasks_identity(struct tasks *t, const struct ct_task_blob *blob);

/* For a reading of all tasks that begins at now_ns, call tasks_found_begin(), then tasks_found()
 * for each task, then tasks_found_end(). A found state replaces a state older than now_ns. A task
 * that is not found, and has no record since now_ns, is dead. */
void tasks_found_begin(struct tasks *t, uint64_t now_ns);
void tasks_found(struct tasks *t, const struct ct_iter_task *found);
void tasks_found_end(struct tasks *t);

/* Call this when a coarse step begins (true) or ends (false). A coarse step records neither runs
 * nor short waits. So at its begin, each task that is not blocked becomes WINDOW_RUN_FOLDED: from
 * then on, it is not known when the task runs and when it waits for a short time. */
void tasks_coarse(struct tasks *t, bool coarse);
/* In the next reading, tasks_read() makes a CT_FOUND for each task. */
void tasks_tell_all(struct tasks *t);
/* As tasks_found(). Returns true, with a new CT_FOUND, if the task has changed since its last
 * CT_FOUND, or if tasks_tell_all() was called. */
bool tasks_read(struct tasks *t, const struct ct_iter_task *found, struct ct_rec *ret, uint64_t ret_words[2]);
/* Returns found->sched_since, or an earlier time. The kernel sets it anew if a task in the queue of a CPU
 * moves to another CPU, or if its CPU quota is used up. But if the task has not run since its last CT_FOUND,
 * and waited for a CPU then, it still does. */
uint64_t tasks_since(struct tasks *t, const struct ct_iter_task *found);

/* Returns NULL if the task does not exist or has ended. Valid until the next tasks_purge(). */
struct task *tasks_get(struct tasks *t, uint32_t tid);
/* Returns the first living task with tid >= from, or NULL. For a walk: from is 1, then the last tid + 1. */
struct task *tasks_next(struct tasks *t, uint32_t from);
/* As tasks_next(), but returns only tasks that are due: those with due_ns <= now_ns, and each task that has
 * begun a wait or yielded since its due_ns was set. Reads no other tasks. */
struct task *tasks_next_due(struct tasks *t, uint32_t from, uint64_t now_ns);

/* Returns 0 with the states of all living tasks, sorted by tid, or -ENOMEM with ret and ret_n
 * untouched. *ret belongs to t until the next call. A capped task is WINDOW_RUN_CAPPED. */
int tasks_states(struct tasks *t, const struct window_state **ret, size_t *ret_n);
void tasks_purge(struct tasks *t, uint64_t now_ns, void (*gone)(void *arg, uint32_t tid), void *arg);

size_t tasks_count(const struct tasks *t);
uint64_t tasks_refused(const struct tasks *t);

#endif
