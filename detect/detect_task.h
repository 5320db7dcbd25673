/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_task.h - the detector's table of tasks: their states and habits (detect.h). Only one
 * thread at a time. Times are boot time.
 */
#ifndef CTRACE_DETECT_DETECT_TASK_H
#define CTRACE_DETECT_DETECT_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_TASKS_HEADS 65536
#define DETECT_TASKS_CHUNK 1024

enum detect_run { DETECT_UNKNOWN, DETECT_BLOCKED, DETECT_RUNNABLE, DETECT_RUNNING };

#define DETECT_DEAD   0x01 /* ended; the entry stays for late records (DEAD_KEPT_NS) */
#define DETECT_IDLE   0x02 /* waits at its idle point, or as an event loop does (wait_is_loop()) */
#define DETECT_SHARED 0x04 /* other threads idle at the same epoll, and take over its work */
#define DETECT_FORKED 0x08 /* has forked a process since it was last idle */
#define DETECT_FOUND  0x10 /* seen by detect_found() since the last detect_resync() */

/* The number of a bit in detect_task.patient and detect_habit.patient: waits for a lock with a known
 * owner. CT_W_NONE is free for this, because no wait has the kind CT_W_NONE. */
#define DETECT_W_LOCK CT_W_NONE

/* Most records need only the first 128 bytes of this structure. */
struct detect_task {
	uint32_t tid, next;
	uint32_t owner;
	uint32_t futex_owner;
	/* bits: DETECT_DEAD and so on. told: bits 1 << CT_HANG_*, for each rule whose present hang
	 * was reported or needs no report. */
	uint8_t run, bits, told;
	uint8_t prio;
	/* of the present wait, as in a CT_SWITCH */
	uint8_t wait, state, flags;
	uint8_t idle_point_wait;
	/* nr: the system call at the last switch or reading; CT_NR_NONE: none, or not known */
	uint16_t nr, idle_point_nr;
	uint16_t votes;
	uint16_t receives;
	uint64_t since_ns, obj;
	uint64_t wake_ns;
	uint64_t futex_ns;
	uint64_t idle_point;
	/*
	 * - away_ns: away from the idle point since this time; 0: not away, or not known
	 * - progress_ns: last sign that the task goes round its loop
	 * - ran_ns: time on the CPU since progress_ns
	 * - queued_ns: time in the queue for a CPU since progress_ns
	 * - max_away_ns: longest time away, without the time in the queue
	 */
	uint64_t away_ns, progress_ns, ran_ns, queued_ns, max_away_ns;
	/* since this time, all waits are sleeps; 0: the last wait is no sleep */
	uint64_t sleep_since_ns;
	uint64_t sent_obj;

	uint32_t tgid;
	/* looks: how many samples, or switches without a wait, showed the task on the CPU since
	 * progress_ns. look_nr: the last system call that they showed, or CT_NR_NONE. */
	uint16_t looks, look_nr;
	uint32_t returns; /* how often the task came back to its idle point */
	/* Bits 1 << CT_W_*, or 1 << DETECT_W_LOCK: the task has had a long wait of this kind. LOOP does
	 * not report further waits of this kind (PATIENT_SHARE). */
	uint32_t patient;
	uint64_t first_ns; /* time of the first return; 0: none */
	uint64_t seen_ns;  /* time of the first record of the task */
	/* longest time in the queue for a CPU; times below detect.patient_ns do not count */
	uint64_t max_runq_ns;
	uint64_t capped_ns;
	uint64_t named_ns;
	uint64_t cgroup_id;
	uint32_t uid;
	char comm[CT_COMM_LEN];
};

struct detect_tasks {
	struct detect_task **chunks;
	uint32_t *heads;
	/*
	 * used: the highest slot that can have a task; the lowest slot is 1
	 * unused: first slot of the list of empty slots; 0: none
	 */
	uint32_t max, n_chunks, used, n, unused;
	uint64_t refused;
};

/* Returns 0 or -ENOMEM. The caller calls detect_tasks_done() in both cases. */
int detect_tasks_init(struct detect_tasks *t, uint32_t max);
void detect_tasks_done(struct detect_tasks *t);

static inline struct detect_task *detect_tasks_at(const struct detect_tasks *t, uint32_t i)
{
	return &t->chunks[(i - 1) / DETECT_TASKS_CHUNK][(i - 1) % DETECT_TASKS_CHUNK];
}

/* Also finds a task that has ended. NULL: not in the table. */
static inline struct detect_task *detect_tasks_find(const struct detect_tasks *t, uint32_t tid)
{
	uint32_t i = t->heads[tid % DETECT_TASKS_HEADS];

	while (i) {
		struct detect_task *task = detect_tasks_at(t, i);

		if (task->tid == tid)
			return task;
		i = task->next;
	}
	return NULL;
}

struct detect_task *detect_tasks_make(struct detect_tasks *t, uint32_t tid, uint64_t ts_ns);
/* Keeps only the tid: another task has it now, or the task runs another program. */
void detect_task_reset(struct detect_task *task, uint64_t ts_ns);
void detect_tasks_remove(struct detect_tasks *t, struct detect_task *task);
/* last: the highest slot with a task. Shortens a walk over the slots. */
void detect_tasks_trim(struct detect_tasks *t, uint32_t last);
static inline struct detect_task *detect_tasks_slot(const struct detect_tasks *t, uint32_t i)
{
	struct detect_task *task = detect_tasks_at(t, i);

	return task->tid ? task : NULL;
}

#endif
