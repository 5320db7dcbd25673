/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root_cause.h - private to analysis/: finds what the last task of a chain did, and whether the
 * chain ends there. Pure; any thread.
 *
 * The chain may go on: to the task that had the CPU or the disk; to the task that writes the polled
 * variable; to the child for whose end the last task polls; or to a process that the last task,
 * before it polled, told to do something. The chain may also become shorter. It then ends at one of
 * these tasks: a task that polls; a task whose message was lost; a task that reads from its own
 * starter, which idles; or a client that waits for news.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_ROOT_CAUSE_H
#define CTRACE_ANALYSIS_DIAGNOSE_ROOT_CAUSE_H

#include "analysis/diagnose/chain.h"
#include "analysis/contention/contention.h"

struct findings {
	const struct graph *g;
	struct chain chain;
	struct contention cpu;  /* valid if `starved` is true */
	struct contention disk; /* set if the chain ends with END_LEAF on a disk */
	uint32_t pool;          /* number of workers of a busy pool; 0: none */
	bool spins; /* the last task spins; or the task before it spins, and the last task is a guess */
	bool starved;
	bool circular;
	bool own_lock; /* a cycle of one task: it waits for a lock that it owns itself */
	/* Not 0: the last task was forked from a process with this many threads, and waits on its
	 * own copy of a futex. The threads of that process wake only their own copy of the futex.
	 * So no task can wake the last task. */
	unsigned parent_threads;
	bool on_disk;
	bool left_out; /* ctraced left out the object for which the last task waits, to keep within
			  the budget */
	struct missing_wake *missing; /* the result of a comparison; NULL: none */
	bool by_comparison;           /* the comparison `missing` has continued the chain */
	uint64_t stall_least_ns;      /* a shorter stall of the victim is normal */
	bool chatty;                  /* many short waits of the victim add up to most of the
					 window */
};

/* Fills in f. The caller has set f->g, f->chain and f->stall_least_ns. Returns 0 or -ENOMEM. */
int root_cause_find(struct findings *f);
/* The state of k is LINK_FOLDED. Returns true if the task of k ran for more than half of the
 * time of k. */
bool root_cause_ran(const struct link *k);
/* Returns true if the task of k sleeps again and again for short times, and these sleeps together
 * take more than twice as long as its runs, other waits and unknown time together. */
bool root_cause_polls(const struct link *k);

#endif
