/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_samples.h - private to analysis/: finds the tasks that had the CPU for which the victim waited, in a
 * time without records of switches. Pure; any thread.
 *
 * The record of a sample does not tell its CPU. So a task is a candidate if two things are known about it:
 * - The task was on the victim's CPU once. A switch before the time without records shows this, or a timer of
 *   the victim: the timer runs on the CPU on which the victim ran last, and its wake-up names the task that
 *   was on that CPU then.
 * - The task ran while the victim was in the queue of that CPU. The samples of the task tell for how long,
 *   and so do the sums of its CPU time; the shorter time counts.
 * Kernel threads have no samples. The affinity of a task is not recorded. So the result is never certain.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_CPU_SAMPLES_H
#define CTRACE_ANALYSIS_CONTENTION_CPU_SAMPLES_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

struct cpu_share {
	uint32_t task, cpu; /* task: GRAPH_NONE if it is the idle task, or not known */
	uint32_t seen;      /* how often a timer of the victim, or a switch, showed the task on this CPU */
	uint64_t ns;        /* for how long the task ran while the victim was in the queue of this
			       CPU */
};

struct cpu_samples {
	uint64_t total_ns;            /* how long the victim was in the queues of CPUs */
	VEC(struct cpu_share) shares; /* the candidates; the largest share first */
};

/* Looks at the queues in which `task` was in [from_ns, to_ns). 0 or -ENOMEM. The caller calls
 * cpu_samples_done() in both cases. */
int cpu_samples_find(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		     struct cpu_samples *ret);
/* The candidate that is to blame: it ran for most of the time and no other candidate did, it was on the CPU
 * most often, and it belongs to another process. NULL: there is none. */
const struct cpu_share *cpu_samples_blamed(const struct graph *g, uint32_t task, const struct cpu_samples *c);
void cpu_samples_done(struct cpu_samples *c);

#endif
