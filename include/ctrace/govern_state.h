/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * govern_state.h - the memory that the governor and the BPF programs share: the governor's
 * decisions, and the measured cost of the programs.
 *
 * Only the daemon writes struct govern and struct govern_marks. A program writes only the struct
 * govern_cost of the CPU on which it runs. Any thread may call govern_group(): it has no state.
 */
#ifndef CTRACE_GOVERN_STATE_H
#define CTRACE_GOVERN_STATE_H

#include "ctrace/abi.h"

#define GOVERN_CAPS      64 /* slots, each for at most one task that is capped on its own */
#define GOVERN_SLOT(tid) ((tid) & (GOVERN_CAPS - 1))
#define GOVERN_GROUPS    8 /* the most groups that are capped at a time */

/*
 * The map ct_capped has a bit for each task, up to PID_MAX_LIMIT of the kernel. The bit is set
 * while the records of the task are left out.
 */
#define GOVERN_TIDS  (1u << 22)
#define GOVERN_WORDS (GOVERN_TIDS / 64)

/*
 * The group to which a task belongs. All tasks of a user other than root are one group: the result is the
 * uid. The services of root have little to do with each other, so the tasks of root in one control group are
 * one group: the result is GOVERN_CGROUP | id of the control group. 0: a task of root outside of all control
 * groups is in no group, so no cap of a group includes it.
 */
#define GOVERN_CGROUP (1ULL << 63)
static inline ct_u64 govern_group(ct_u32 uid, ct_u64 cgroup_id)
{
	if (uid)
		return uid;
	return cgroup_id > 1 ? GOVERN_CGROUP | cgroup_id : 0; /* 1 is the root of the hierarchy */
}

/* One structure for all CPUs. Only the daemon writes this structure. */
struct govern {
	ct_u32 paused;   /* true: nothing is recorded */
	ct_u32 shed;     /* enum ct_shed: the step in force */
	ct_u32 capping;  /* true: ct_capped may have bits that are set, or groups has entries */
	ct_u32 n_groups; /* entries of groups */
	ct_u64 groups[GOVERN_GROUPS];
	ct_u64 sched_off_ns; /* boot time minus the clock of the scheduler; 0: not measured */
	/* In ns: the number of ticks so far times the length of a tick, minus the clock of the scheduler. The
	 * difference is measured just after a tick, where it is largest. */
	ct_u64 sched_tick_off_ns;
};

/*
 * Functions of the kernel that tell which interrupt is in progress. In the stack of a wake, such a
 * function says what woke the task.
 */
#define GOVERN_MARKS             32
#define GOVERN_MARK(ctx, vector) ((ctx) | (vector) << 8) /* ctx: CT_CTX_*; vector: of a softirq */
#define GOVERN_MARK_CTX(what)    ((what)&0xff)
#define GOVERN_MARK_VECTOR(what) ((what) >> 8 & 0xff)
/* GOVERN_MARK_CUT_IN: the function runs at the end of an interrupt. The interrupt stopped the task
 * on the CPU, so the softirqs that the function runs are not a part of the task's system call. */
#define GOVERN_MARK_CUT_IN 0x10000
struct govern_mark {
	ct_u64 from;
	ct_u32 bytes; /* 0: the entry is not in use */
	ct_u32 what;  /* GOVERN_MARK() or GOVERN_MARK_CUT_IN */
};

/* The marks of this machine. Only the daemon writes this structure, once. */
struct govern_marks {
	ct_u32 n; /* entries in use; written last */
	ct_u32 pad;
	struct govern_mark v[GOVERN_MARKS];
};

/* The kinds of runs of BPF programs. All runs of one kind cost about the same. */
enum govern_kind {
	GOVERN_SWITCH,
	GOVERN_WAKE,
	GOVERN_TIMER,
	GOVERN_MESSAGE,
	GOVERN_LIFE,
	GOVERN_OTHER,
	GOVERN_SHORT, /* the end of a wait that is too short to be recorded in a coarse step */
	/* Runs that only keep the context of interrupts, that leave out a record, or that end at once
	 * because of a pause. These runs are counted, not timed. */
	GOVERN_LIGHT,
	GOVERN_KINDS,
};

/* one run in 61 is timed; 61 is a prime, so that each program of a kind is timed now and then */
#define GOVERN_TIMED 61
/* In a longer run, an interrupt or another task came in between. The time of such a run is not
 * used. */
#define GOVERN_TOOK_MAX_NS 20000
#define GOVERN_LIFE_MAX_NS 500000 /* the same limit for GOVERN_LIFE, whose programs allocate task storage */

/* The cost of the runs of one kind on one CPU. */
struct govern_cost {
	ct_u64 runs;
	ct_u64 next;     /* the number of the next run that is timed */
	ct_u64 timed;    /* number of timed runs */
	ct_u64 timed_ns; /* sum of their times */
};

#endif
