/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * govern_state.h - what the governor tells the programs, and what they tell it
 * of their own cost.  Also read by the loader.
 */
#ifndef CTRACE_GOVERN_STATE_H
#define CTRACE_GOVERN_STATE_H

#include "ctrace/abi.h"

#define GOVERN_CAPS      64 /* tasks with a cap of their own at a time, each at the slot of its tid */
#define GOVERN_SLOT(tid) ((tid) & (GOVERN_CAPS - 1))
#define GOVERN_GROUPS    8 /* capped at a time */

/* The map ct_capped: a bit for each task whose records are left out, up to PID_MAX_LIMIT of the kernel. */
#define GOVERN_TIDS  (1u << 22)
#define GOVERN_WORDS (GOVERN_TIDS / 64)

/*
 * A group is all tasks of one user; of root's, whose services have little to do with each other, all tasks of
 * one control group.  0: root's tasks outside of all control groups, which are never capped as a group.
 */
#define GOVERN_CGROUP (1ULL << 63)
static inline ct_u64 govern_group(ct_u32 uid, ct_u64 cgroup_id)
{
	if (uid)
		return uid;
	return cgroup_id > 1 ? GOVERN_CGROUP | cgroup_id : 0; /* 1: the root of the hierarchy */
}

/* One for all CPUs; only the loader writes. */
struct govern {
	ct_u32 paused;   /* nothing is recorded */
	ct_u32 shed;     /* enum ct_shed: the step in force */
	ct_u32 capping;  /* ct_capped may have bits, or groups has entries */
	ct_u32 n_groups; /* of groups */
	ct_u64 groups[GOVERN_GROUPS];
};

/* Programs that cost alike. */
enum govern_kind {
	GOVERN_SWITCH,
	GOVERN_WAKE,
	GOVERN_TIMER,
	GOVERN_MESSAGE,
	GOVERN_LIFE,
	GOVERN_OTHER,
	GOVERN_LIGHT, /* those that keep the context of interrupts, which are not timed */
	GOVERN_KINDS,
};

#define GOVERN_TIMED       61     /* one run in so many is timed; a prime: programs of a kind take turns */
#define GOVERN_TOOK_MAX_NS 20000  /* it was interrupted, or the CPU was away: not what the program costs */
#define GOVERN_LIFE_MAX_NS 500000 /* the same, of GOVERN_LIFE: to make storage of a task takes long */

/* What the programs of a kind have cost on a CPU. */
struct govern_cost {
	ct_u64 runs;
	ct_u64 next;  /* the run that is to be timed next */
	ct_u64 timed; /* runs that were timed, and how long those took */
	ct_u64 timed_ns;
};

#endif
