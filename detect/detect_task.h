/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_task.h - the detector's table of tasks: the state and the habits of each task. detect.c
 * fills the table from records. Only one thread at a time may call the functions. Times are boot
 * time.
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

/* Bits of detect_task.bits. */
#define DETECT_DEAD   0x01 /* the task has ended; the entry stays for DEAD_KEPT_NS, for late records */
#define DETECT_IDLE   0x02 /* the task idles: it waits at its idle point, or in an event loop */
#define DETECT_SHARED 0x04 /* other threads idle at the same epoll, and take over the work of this task */
#define DETECT_FORKED 0x08 /* the task has forked a process since it was last idle */
#define DETECT_FOUND  0x10 /* detect_found() was called for the task since the last detect_resync() */

/*
 * A kind of wait that only the detector knows: a wait for a lock whose owner is known.
 * DETECT_W_LOCK has the number of CT_W_NONE, because no wait is of the kind CT_W_NONE.
 */
#define DETECT_W_LOCK CT_W_NONE

/* To handle most records, the detector needs only the first two cache lines of this structure. */
struct detect_task {
	uint32_t tid, next; /* next: slot of the next task in the same hash chain */
	uint32_t owner;     /* owner of the futex that the task waits for */
	uint32_t futex_owner;
	/* told: bits 1 << CT_HANG_*: the present hangs of the task that were reported, or that need
	 * no report */
	uint8_t run, bits, told;
	uint8_t prio;
	/* The present wait. nr is its system call; if the task does not wait, nr is the system call
	 * in which it is. */
	uint8_t wait, state, flags;
	/* The idle point of the task, and how many votes it has. */
	uint8_t idle_point_wait;
	uint16_t nr, idle_point_nr;
	uint16_t votes;
	uint16_t receives; /* messages that the task has received (CT_RECV); at most UINT16_MAX */
	uint64_t since_ns, obj;
	uint64_t wake_ns;  /* latest wake-up; the record of the wait that this wake-up ends may come later */
	uint64_t futex_ns; /* time of the CT_FUTEX with futex_owner; the wait begins after it */
	uint64_t idle_point;
	/*
	 * Times away from the idle point:
	 * - away_ns: the task is away since this time; 0: it is not away, or that is not known
	 * - progress_ns: the last time at which a record showed that the task goes round its loop
	 * - ran_ns: time on the CPU since progress_ns
	 * - queued_ns: time in the queue for a CPU since progress_ns
	 * - max_away_ns: the longest time away ever, without the time in the queue
	 */
	uint64_t away_ns, progress_ns, ran_ns, queued_ns, max_away_ns;
	/* since this time, all waits of the task are sleeps; 0: the last wait is no sleep */
	uint64_t sleep_since_ns;
	uint64_t sent_obj; /* the last socket on which the task sent since it was idle */

	uint32_t tgid;
	/* Samples since progress_ns that found the task on the CPU: how many, and in which system call. */
	uint16_t looks, look_nr;
	uint32_t returns; /* how often the task came back to its idle point */
	/* bits 1 << CT_W_*: the kinds of waits in which the task has waited for long (see
	 * PATIENT_SHARE) */
	uint32_t patient;
	uint64_t first_ns; /* when the task first came back to its idle point */
	uint64_t seen_ns;  /* time of the task's first record */
	/* the longest time in the queue of a CPU; times shorter than patient_ns of struct detect do
	 * not count */
	uint64_t max_runq_ns;
	uint64_t capped_ns; /* time of the last record about a cap of this task or of its group */
	uint64_t named_ns;  /* time of the last blob with the task's name */
	uint64_t cgroup_id;
	char comm[CT_COMM_LEN];
};

struct detect_tasks {
	struct detect_task **chunks;
	uint32_t *heads;
	/*
	 * - used: only the slots 1 to used can have tasks
	 * - n: the number of tasks
	 * - unused: the first slot of the list of empty slots; 0: the list is empty
	 */
	uint32_t max, n_chunks, used, n, unused;
	uint64_t refused;
};

/* Returns 0 or -ENOMEM. The caller calls detect_tasks_done() in both cases. max: the largest number
 * of tasks. */
int detect_tasks_init(struct detect_tasks *t, uint32_t max);
void detect_tasks_done(struct detect_tasks *t);

static inline struct detect_task *detect_tasks_at(const struct detect_tasks *t, uint32_t i)
{
	return &t->chunks[(i - 1) / DETECT_TASKS_CHUNK][(i - 1) % DETECT_TASKS_CHUNK];
}

/* Finds a task, dead or alive. NULL: it is not in the table. */
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

/* Makes the entry of a task. NULL: there is no room; this is counted in refused. */
struct detect_task *detect_tasks_make(struct detect_tasks *t, uint32_t tid, uint64_t ts_ns);
/*
 * Forgets everything about a task except its tid. The caller calls it if another task has the tid
 * now, or if the task runs another program.
 */
void detect_task_reset(struct detect_task *task, uint64_t ts_ns);
/* Removes a task. Its entry is not valid any more. */
void detect_tasks_remove(struct detect_tasks *t, struct detect_task *task);
/* Sets used to last, the highest slot that has a task. After many tasks have ended, this makes the
 * walk over the slots shorter. */
void detect_tasks_trim(struct detect_tasks *t, uint32_t last);
/* Returns the task in slot i, for a walk over the slots 1 to used. NULL: the slot is empty. */
static inline struct detect_task *detect_tasks_slot(const struct detect_tasks *t, uint32_t i)
{
	struct detect_task *task = detect_tasks_at(t, i);

	return task->tid ? task : NULL;
}

#endif
