/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root_cause.h - private to analysis/: what the last task of a chain did, and whether the chain ends there.
 *
 * The chain may go on to the task that had the CPU or the disk, go back to a task that polls, or end earlier,
 * where a message was lost.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_ROOT_CAUSE_H
#define CTRACE_ANALYSIS_DIAGNOSE_ROOT_CAUSE_H

#include "analysis/diagnose/chain.h"
#include "analysis/diagnose/contention.h"

struct findings {
	const struct graph *g;
	struct chain chain;
	struct contention cpu;  /* END_RUNNABLE */
	struct contention disk; /* END_LEAF on a disk */
	uint32_t pool;          /* workers of a busy pool, 0: none */
	bool spins; /* the last task spins; or the one before it does, and the last one is a guess */
	bool starved;
	bool circular;
	bool own_lock; /* a circle of one */
	bool on_disk;
	bool left_out; /* the tracer left out what the last task waits for, to keep within its budget */
	struct missing_wake *missing; /* the result of a comparison; NULL: none */
	bool by_comparison;           /* the chain goes on by that comparison */
};

/* Fills in f, after its g and chain are set.  0 or -ENOMEM. */
int root_cause_find(struct findings *f);
/* The task of k sleeps again and again for short times, and does hardly anything else. */
bool root_cause_polls(const struct link *k);

#endif
