/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h - the table of tasks: what each is doing now, and since when.
 *
 * It is fed with records in the order in which the rings are drained: those of
 * one CPU are in order, those of several CPUs are not, so every change of a
 * state carries its time and an older one never overrides a newer one.
 *
 * Keeps at most a given number of tasks; refusals are counted.  One thread (the
 * drain thread).
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
	uint64_t wake_ns;  /* the latest wake-up seen, which may belong to a switch not yet seen */
	uint64_t futex_ns; /* time of the latest CT_FUTEX, what it was about, and the owner that it named */
	uint64_t futex_obj;
	uint32_t futex_owner;
	uint32_t tgid;
	uint64_t capped_ns;    /* since when its records are left out; 0: they are not */
	uint64_t uncapped_ns;  /* until when they were; a program may tell of the beginning after that */
	uint64_t group;        /* govern_group() of it, as far as the daemon was told */
	uint8_t flags;         /* TASK_* */
	uint8_t inspect_level; /* inspect_policy: how often the same wait was inspected in a row */
	uint16_t inspect_nr;
	bool inspect_loop;   /* it was one of a loop of short waits */
	uint32_t generation; /* of the latest tasks_found() round that saw it */
	/* inspect_policy: the wait inspected last, and when the same wait may be inspected again */
	uint64_t inspect_since_ns, inspect_ns, inspect_next_ns, inspect_obj;
	/* inspect_policy: a loop of short waits that a timer ended: since when, and time on the CPU in it */
	uint64_t loop_since_ns, loop_ran_ns;
	uint32_t loop_waits;
	/* inspect_policy: how often it gave its CPU away and went on, and how often that was at the last scan
	 */
	uint32_t yields, yields_seen;
	uint64_t files_ns; /* leader only: when the descriptor table of the process was written last */
};

#define TASK_USED    0x01
#define TASK_KTHREAD 0x02
#define TASK_DEAD    0x04 /* kept for a moment, so that late records do not bring it to life again */

struct tasks;

/* max: how many tasks; NULL: out of memory. */
struct tasks *tasks_new(uint32_t max);
void tasks_free(struct tasks *t);

/* Takes note of a fixed record.  Kinds that change no state are ignored. */
void tasks_record(struct tasks *t, uint16_t cpu, const struct ct_rec *rec);
/* Its records are complete again: what a CT_SHED with CT_GV_CAP began is over. */
void tasks_uncap(struct tasks *t, uint32_t tid, uint64_t ts_ns);
/* Takes note of who a task is. */
void tasks_identity(struct tasks *t, const struct ct_task_blob *blob);

/*
 * A round of what the task iterator finds: begin, each task, end.  States older than now_ns - that is all
 * that did not change while the iterator ran - become what was found; tasks that were not found and have not
 * been heard of since begin are marked as dead.
 */
void tasks_found_begin(struct tasks *t, uint64_t now_ns);
void tasks_found(struct tasks *t, const struct ct_iter_task *found);
void tasks_found_end(struct tasks *t);

/* The entry of a live task, or NULL.  Valid until the next tasks_record(). */
struct task *tasks_get(struct tasks *t, uint32_t tid);
/* The first live task with tid >= from (for a walk in order: from = tid + 1), or NULL. */
struct task *tasks_next(struct tasks *t, uint32_t from);

/* Writes the states of all live tasks, sorted by tid; the array is the table's own, valid until the next
 * call.  Of those whose records are left out nothing is known.  0 or -ENOMEM (then nothing is set). */
int tasks_states(struct tasks *t, const struct window_state **ret, size_t *ret_n);
/* Releases the entries of tasks dead for longer than a second; calls gone() for each. */
void tasks_purge(struct tasks *t, uint64_t now_ns, void (*gone)(void *arg, uint32_t tid), void *arg);

size_t tasks_count(const struct tasks *t);
uint64_t tasks_refused(const struct tasks *t);

#endif
