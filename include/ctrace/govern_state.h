/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * govern_state.h - the memory that the governor and the BPF programs share: decisions of the
 * governor, and the cost of the programs. Only the daemon writes struct govern and struct
 * govern_marks. A program writes only the struct govern_cost of its CPU, and bits of ct_capped. Any
 * thread may call govern_group().
 */
#ifndef CTRACE_GOVERN_STATE_H
#define CTRACE_GOVERN_STATE_H

#include "ctrace/abi.h"

#define GOVERN_CAPS      64 /* slots; in each slot, at most one task has a cap of its own */
#define GOVERN_SLOT(tid) ((tid) & (GOVERN_CAPS - 1))
#define GOVERN_GROUPS    8

/*
 * The map ct_capped has a bit for each task: set while the records of the task are left out.
 * Every tid is below PID_MAX_LIMIT of the kernel, which is GOVERN_TIDS.
 */
#define GOVERN_TIDS  (1u << 22)
#define GOVERN_WORDS (GOVERN_TIDS / 64)

/*
 * Returns the group of a task:
 * - a task of a user other than root: the uid
 * - a task of root in a control group: GOVERN_CGROUP | id of the control group
 * - a task of root outside of all control groups: 0 (no group)
 *
 * Root has a group for each control group, because the services of root have little to do with each
 * other.
 */
#define GOVERN_CGROUP (1ULL << 63)
static inline ct_u64 govern_group(ct_u32 uid, ct_u64 cgroup_id)
{
	if (uid)
		return uid;
	return cgroup_id > 1 ? GOVERN_CGROUP | cgroup_id : 0; /* 1 is the root of the hierarchy */
}

struct govern {
	ct_u32 paused; /* nothing is recorded */
	ct_u32 shed;
	ct_u32 capping; /* some task or group is capped */
	ct_u32 n_groups;
	ct_u64 groups[GOVERN_GROUPS];
	ct_u64 sched_off_ns; /* boot time minus the scheduler's clock; 0: not measured */
	/* (ticks so far) * (length of a tick) - (scheduler's clock). Measured just after a tick,
	 * when this difference is largest. */
	ct_u64 sched_tick_off_ns;
};

/* Here, a mark is a kernel function. If it is in the stack of a wake-up, it shows which interrupt
 * woke the task. */
#define GOVERN_MARKS             32
#define GOVERN_MARK(ctx, vector) ((ctx) | (vector) << 8)
#define GOVERN_MARK_CTX(what)    ((what)&0xff)
#define GOVERN_MARK_VECTOR(what) ((what) >> 8 & 0xff)
/* Set for irq_exit() and irq_exit_rcu(), which run softirqs at the end of an interrupt. These softirqs do
 * not belong to the system call of the task on the CPU. */
#define GOVERN_MARK_CUT_IN 0x10000
struct govern_mark {
	ct_u64 from;
	ct_u32 bytes;
	ct_u32 what;
};

/* The daemon writes this once. */
struct govern_marks {
	ct_u32 n; /* written last */
	ct_u32 pad;
	struct govern_mark v[GOVERN_MARKS];
};

/* Kinds of runs of BPF programs. The runs of one kind cost about the same. */
enum govern_kind {
	GOVERN_SWITCH,
	GOVERN_WAKE,
	GOVERN_TIMER,
	GOVERN_MESSAGE,
	GOVERN_LIFE,
	GOVERN_OTHER,
	GOVERN_SHORT,
	/* Runs that make no record: they note an interrupt, or return at once because of a
	 * pause. These runs are counted, not timed. */
	GOVERN_LIGHT,
	GOVERN_KINDS,
};

/* Of the runs of one kind on a CPU, each 61st is timed. 61 is a prime, because two programs of the
 * kind may run in turn. With an even number, all timed runs would then be of the same program. */
#define GOVERN_TIMED 61
/* The time of a longer run does not count: an interrupt or another task came in between. */
#define GOVERN_TOOK_MAX_NS 20000
#define GOVERN_LIFE_MAX_NS 500000 /* for GOVERN_LIFE: ct_fork() allocates task storage */

struct govern_cost {
	ct_u64 runs;
	ct_u64 next;
	ct_u64 timed;
	ct_u64 timed_ns;
};

#endif
