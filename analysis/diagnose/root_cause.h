/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root_cause.h - private to analysis/: what the last task of a chain was up to, and
 * whether the chain ends there: it goes on to who had the CPU or the disk, or
 * back to who polls, or stops where a message was lost.
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
	bool spins; /* the last task spins on something, or that before it on what it guesses to set */
	bool starved;
	bool circular;
	bool own_lock; /* a circle of one */
	bool on_disk;
	bool left_out;                /* what the last one waits for, to keep within the tracer's budget */
	struct missing_wake *missing; /* what a comparison found, NULL nothing */
	bool by_comparison;           /* and the chain goes on by it */
};

/* Completes f, of which g and chain are set. 0 or -ENOMEM. */
int root_cause_find(struct findings *f);
/* It does hardly anything but sleep for short whiles. */
bool root_cause_polls(const struct link *k);

#endif
