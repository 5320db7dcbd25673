/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detect_task.h - the detector's table of tasks: what each is doing, and what it is used to. */
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
#define DETECT_DEAD   0x01 /* kept for a moment, so that late records do not bring it to life again */
#define DETECT_IDLE   0x02 /* it waits where it idles */
#define DETECT_SHARED 0x04 /* other threads idle at the same epoll: they take over */
#define DETECT_FORKED 0x08 /* it has made a process since it was last idle */
#define DETECT_FOUND  0x10 /* by detect_found(), since the last detect_resync() */

/* A lock has an owner who is known; it counts as a kind of wait of its own, in the place of CT_W_NONE. */
#define DETECT_W_LOCK CT_W_NONE

/* What most records need is in the first two cache lines. */
struct detect_task {
	uint32_t tid, next; /* next: of its chain */
	uint32_t owner;     /* of the futex that it waits for */
	uint32_t futex_owner;
	uint8_t run, bits, told; /* told: 1 << CT_HANG_* of what it is in and was reported for */
	uint8_t prio;
	/* the wait; of a task that does not wait: the system call */
	uint8_t wait, state, flags;
	/* its idle point, and votes for it */
	uint8_t idle_point_wait;
	uint16_t nr, idle_point_nr;
	uint16_t votes;
	uint16_t receives;
	uint64_t since_ns, obj;
	uint64_t wake_ns;  /* the latest wake-up, which may belong to a wait not yet seen */
	uint64_t futex_ns; /* of the CT_FUTEX with futex_owner, which comes before its CT_SWITCH */
	uint64_t idle_point;
	/* away from there: since when, or 0 when it is there or that is not known; when it last did what only
	 * those do who come round; since then on the CPU, and in the queue for one; the longest ever, without
	 * the time in the queue */
	uint64_t away_ns, progress_ns, ran_ns, queued_ns, max_away_ns;
	uint64_t sleep_since_ns; /* nothing but sleeps since then */
	uint64_t sent_obj;       /* the last socket on which it sent, since it was idle */

	uint32_t tgid;
	/* what it was seen at on the CPU since it last came round: how often, and in which system call */
	uint16_t looks, look_nr;
	uint32_t returns;     /* how often it came back to its idle point */
	uint32_t patient;     /* 1 << CT_W_*: the kinds of waits in which it has been for long */
	uint64_t first_ns;    /* when it came back first */
	uint64_t seen_ns;     /* when it was first heard of */
	uint64_t max_runq_ns; /* the longest wait for a CPU, of those that are looked at */
	uint64_t capped_ns;   /* its records were left out at that time */
	uint64_t named_ns;    /* when it was said who it is */
	uint64_t cgroup_id;
	char comm[CT_COMM_LEN];
};

struct detect_tasks {
	struct detect_task **chunks;
	uint32_t *heads;
	uint32_t max, n_chunks, used, n, unused; /* used: slots ever used; unused: the first free one */
	uint64_t refused;
};

/* 0 or -ENOMEM. */
int detect_tasks_init(struct detect_tasks *t, uint32_t max);
void detect_tasks_done(struct detect_tasks *t);

static inline struct detect_task *detect_tasks_at(const struct detect_tasks *t, uint32_t i)
{
	return &t->chunks[(i - 1) / DETECT_TASKS_CHUNK][(i - 1) % DETECT_TASKS_CHUNK];
}

/* Dead or alive, or NULL. */
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

/* NULL: no room. */
struct detect_task *detect_tasks_make(struct detect_tasks *t, uint32_t tid, uint64_t ts_ns);
/* As new: another task has the number, or the task runs another program. */
void detect_task_reset(struct detect_task *task, uint64_t ts_ns);
void detect_tasks_remove(struct detect_tasks *t, struct detect_task *task);
/* Makes walks shorter after there were many; last: the highest slot in use. */
void detect_tasks_trim(struct detect_tasks *t, uint32_t last);
/* For a walk: the i-th slot, from 1 to used; NULL when it is empty. */
static inline struct detect_task *detect_tasks_slot(const struct detect_tasks *t, uint32_t i)
{
	struct detect_task *task = detect_tasks_at(t, i);

	return task->tid ? task : NULL;
}

#endif
