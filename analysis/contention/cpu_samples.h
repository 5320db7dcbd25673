/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_samples.h - private to analysis/: finds the tasks that had the CPU for which the victim
 * waited, in a time without records of switches. A sample does not tell its CPU, so a task is a
 * candidate if two things are known:
 *
 * - The task was once seen on the victim's CPU: in a recorded run, or when a timer woke the victim.
 * - The task ran while the victim was in the queue of that CPU.
 *
 * The result is never certain. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_CPU_SAMPLES_H
#define CTRACE_ANALYSIS_CONTENTION_CPU_SAMPLES_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

struct cpu_share {
	uint32_t task, cpu;
	uint32_t seen;
	uint64_t ns;
};

struct cpu_samples {
	uint64_t total_ns;
	VEC(struct cpu_share) shares; /* the largest share first */
};

/* Returns 0 or -ENOMEM. The caller calls cpu_samples_done() in both cases. */
int cpu_samples_find(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		     struct cpu_samples *ret);
/* Returns the only candidate with a share of at least 1/CPU_SAMPLED_SHARE of total_ns, or NULL.
 * Also returns NULL if the candidate is of the process of `task`, or if other tasks were seen on the CPU
 * too often. */
const struct cpu_share *cpu_samples_blamed(const struct graph *g, uint32_t task, const struct cpu_samples *c);
void cpu_samples_done(struct cpu_samples *c);

#endif
