/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * govern_state.h - what the governor tells the programs, and what they tell it
 * of their own cost.  Also read by the loader.
 */
#ifndef CTRACE_BPF_GOVERN_STATE_H
#define CTRACE_BPF_GOVERN_STATE_H

#include "ctrace/abi.h"

#define GOVERN_CAPS      64 /* tasks whose records can be left out at a time, each at the slot of its tid */
#define GOVERN_SLOT(tid) ((tid) & (GOVERN_CAPS - 1))

/* One for all CPUs; only the loader writes. */
struct govern {
	ct_u32 paused;   /* nothing is recorded */
	ct_u32 shed;     /* enum ct_shed: the step in force */
	ct_u32 n_capped; /* in capped */
	ct_u32 pad;
	ct_u32 capped[GOVERN_CAPS]; /* tids; 0: free */
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
