/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_task.h - the detector's table of tasks: the state and the habits of each. It stores;
 * detect.c fills it from records. One thread at a time.
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

/* bits of struct detect_task */
#define DETECT_DEAD   0x01 /* it has ended; kept for a moment, so that late records do not bring it back */
#define DETECT_IDLE   0x02 /* it waits at its idle point */
#define DETECT_SHARED 0x04 /* other threads idle at the same epoll, and take over its work */
#define DETECT_FORKED 0x08 /* it has forked a process since it was last idle */
#define DETECT_FOUND  0x10 /* detect_found() was called for it since the last detect_resync() */

/*
 * The kind of a wait for a lock whose owner is known. It has the number of CT_W_NONE, which is no
 * wait.
 */
#define DETECT_W_LOCK CT_W_NONE

/* Most records need only the first two cache lines. */
struct detect_task {
	uint32_t tid, next; /* next: in its hash chain */
	uint32_t owner;     /* owner of the futex that it waits for */
	uint32_t futex_owner;
	uint8_t run, bits, told; /* told: 1 << CT_HANG_* of its present hangs that were reported */
	uint8_t prio;
	/* the wait; if it does not wait, nr is the system call */
	uint8_t wait, state, flags;
	/* its idle point, and votes for it */
	uint8_t idle_point_wait;
	uint16_t nr, idle_point_nr;
	uint16_t votes;
	uint16_t receives;
	uint64_t since_ns, obj;
	uint64_t wake_ns;  /* the latest wake-up, which may belong to a wait whose record has not come yet */
	uint64_t futex_ns; /* time of the CT_FUTEX with futex_owner, which precedes its CT_SWITCH */
	uint64_t idle_point;
	/*
	 * Times away from its idle point:
	 *   away_ns      since when it is away; 0: it is there, or this is not known
	 *   progress_ns  its last sign that it goes round its loop
	 *   ran_ns       time on the CPU since progress_ns
	 *   queued_ns    time in the queue for a CPU since progress_ns
	 *   max_away_ns  the longest time away ever, without the time in the queue
	 */
	uint64_t away_ns, progress_ns, ran_ns, queued_ns, max_away_ns;
	uint64_t sleep_since_ns; /* since then it has done nothing but sleep */
	uint64_t sent_obj;       /* the last socket on which it sent since it was idle */

	uint32_t tgid;
	/* samples on the CPU since progress_ns: how many, and in which system call */
	uint16_t looks, look_nr;
	uint32_t returns;     /* how often it came back to its idle point */
	uint32_t patient;     /* 1 << CT_W_*: the kinds of waits in which it has ever been for long */
	uint64_t first_ns;    /* when it came back to its idle point first */
	uint64_t seen_ns;     /* time of its first record */
	uint64_t max_runq_ns; /* the longest wait for a CPU, of waits of patient_ns or more */
	uint64_t capped_ns;   /* a record about a cap of this task, or of its group, came then */
	uint64_t named_ns;    /* time of the last blob with its name */
	uint64_t cgroup_id;
	char comm[CT_COMM_LEN];
};

struct detect_tasks {
	struct detect_task **chunks;
	uint32_t *heads;
	uint32_t max, n_chunks, used, n, unused; /* used: slots ever used; unused: first freed slot */
	uint64_t refused;
};

/* 0 or -ENOMEM. */
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

/* Makes the entry of a task. NULL: there is no room, which is counted. */
struct detect_task *detect_tasks_make(struct detect_tasks *t, uint32_t tid, uint64_t ts_ns);
/*
 * Forgets all of a task but its number: another task has that number now, or the task runs another
 * program.
 */
void detect_task_reset(struct detect_task *task, uint64_t ts_ns);
void detect_tasks_remove(struct detect_tasks *t, struct detect_task *task);
/* Makes walks shorter after a time of many tasks. last: the highest slot in use. */
void detect_tasks_trim(struct detect_tasks *t, uint32_t last);
/* For a walk: the task in slot i, from 1 to used. NULL: the slot is empty. */
static inline struct detect_task *detect_tasks_slot(const struct detect_tasks *t, uint32_t i)
{
	struct detect_task *task = detect_tasks_at(t, i);

	return task->tid ? task : NULL;
}

#endif
