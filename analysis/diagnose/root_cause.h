/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root_cause.h - private to analysis/: finds what the last task of a chain did. Then the chain may
 * go on, for example to the task that had the CPU, or become shorter, for example if a message was
 * lost. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_ROOT_CAUSE_H
#define CTRACE_ANALYSIS_DIAGNOSE_ROOT_CAUSE_H

#include "analysis/diagnose/chain.h"
#include "analysis/contention/contention.h"
#include "analysis/contention/disk_use.h"

struct findings {
	const struct graph *g;
	struct chain chain;
	struct contention cpu;
	struct disk_use disk;     /* on_disk: who had the disk */
	uint32_t pool, pool_task; /* not 0: pool_task is one of `pool` workers, and all of them were busy */
	/* The last task of the chain spins: it polls a variable and does not sleep in between. Or the
	 * task before it spins. Then the last task writes the variable, or is guessed to write it. */
	bool spins;
	bool starved;
	/* The last task that wanted a CPU waited for it for longer than it ran, but no record shows which of
	 * the two is the cause: its own work, or the wait for the CPU. */
	bool work_or_cpu;
	bool circular;
	bool own_lock; /* the last task waits for a lock that it owns itself */
	/* Not 0: the last task was forked from a process with this many threads, and waits on its
	 * own copy of a futex. No task can wake it. */
	unsigned parent_threads;
	bool on_disk;
	bool left_out;
	struct writer writer;
	/* prompted_end(): the chain only waits for children, and its last task should end, but waits. Or
	 * GRAPH_NONE */
	uint32_t told_to_end;
	bool guessed_idle; /* a rule of thumb says that the last task idles */
	struct missing_wake *missing;
	bool by_comparison;
	struct against *against; /* NULL: no other trace was given */
	uint64_t stall_least_ns; /* see DIAGNOSE_STALL_NS */
	bool chatty;
};

/* The caller has set f->g, f->chain and f->stall_least_ns. Returns 0 or -ENOMEM. */
int root_cause_find(struct findings *f);
/* The last task of the chain idles, as far as records show, and the victim's wait lasts: perhaps other tasks
 * still work on what the victim has sent (analysis/contention/onward.h), or on what the producer at the other
 * end of a pipe has asked for. If there is one such process, continues the chain with it. Does so only if a
 * person asks about the victim. Returns 0 or -ENOMEM. */
int root_cause_onward(struct findings *f);
/* Returns true if the wait for a CPU is the cause, and not perhaps the work of the task. */
bool root_cause_starved(const struct findings *f);
/* For LINK_FOLDED: returns true if the task ran for more than half of the time. */
bool root_cause_ran(const struct link *k);
/* Returns true if the task sleeps again and again for short times, and the time between its sleeps
 * is less than half of its time asleep. */
bool root_cause_polls(const struct link *k);
/* As root_cause_polls(), and between its sleeps, the task sends and receives nothing, wakes and starts no
 * other task, and asks no disk: it only looks for something. */
bool root_cause_only_polls(const struct graph *g, const struct link *k);

#endif
