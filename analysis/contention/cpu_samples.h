/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_samples.h - private to analysis/: finds the tasks that had the CPU for which the victim
 * waited, in a time without records of switches. Pure; any thread.
 *
 * The record of a sample does not tell its CPU. So a task is a candidate if two things are known
 * about it:
 * - The task was on the victim's CPU once. A switch before the time without records shows this, or
 *   a timer that wakes the victim: the timer runs on the CPU on which the victim ran last, and the
 *   record of the wake-up names the task that was on that CPU then.
 * - The task ran while the victim was in the queue of that CPU. The samples of the task tell for
 *   how long, and so do the sums of its CPU time. The shorter of both times counts.
 *
 * Kernel threads have no samples, and the affinity of a task is not recorded. So the result is
 * never certain.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_CPU_SAMPLES_H
#define CTRACE_ANALYSIS_CONTENTION_CPU_SAMPLES_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

struct cpu_share {
	uint32_t task, cpu; /* task: GRAPH_NONE if it is the idle task, or not known */
	uint32_t seen;      /* how often a timer of the victim, or a switch, showed the task on this CPU */
	uint64_t ns;        /* how long the task ran while the victim was in the queue of this
			       CPU */
};

struct cpu_samples {
	uint64_t total_ns;            /* how long the victim was in the queues of CPUs */
	VEC(struct cpu_share) shares; /* the candidates; the largest share first */
};

/* Looks at the queues in which `task` was in [from_ns, to_ns). Returns 0 or -ENOMEM. The caller
 * calls cpu_samples_done() in both cases. */
int cpu_samples_find(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		     struct cpu_samples *ret);
/* Returns the candidate to blame; NULL if there is none. The candidate to blame fulfils all of
 * these conditions:
 * - Its share is at least 1/CPU_SAMPLED_SHARE of total_ns, and no other candidate has such a share.
 * - Of all records that show a task on the CPU of this candidate, at least 1/CPU_SAMPLED_SHARE show
 *   the candidate.
 * - It belongs to another process than `task`. */
const struct cpu_share *cpu_samples_blamed(const struct graph *g, uint32_t task, const struct cpu_samples *c);
void cpu_samples_done(struct cpu_samples *c);

#endif
