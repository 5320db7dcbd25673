/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contention.h - private to analysis/: finds tasks that held up the victim, although no wake-up
 * shows it. Pure; any thread.
 *
 * - the task that had the CPU that the victim wanted;
 * - the task that changed a variable for the victim.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_CONTENTION_H
#define CTRACE_ANALYSIS_CONTENTION_CONTENTION_H

#include "graph/path/path.h"

struct contention {
	/* the task of another process that had the CPU longest, or GRAPH_NONE */
	uint32_t task;
	uint64_t total_ns;
	uint64_t ns;
	uint64_t own_ns; /* how long threads of the victim's own process had the CPU */
	uint64_t idle_ns;
	uint64_t lost_ns;
	uint64_t throttled_ns; /* waits while the quota of the control group was used up */
	uint64_t moved_ns; /* waits that began in the queue of one CPU, and ended in that of another one */
	bool sampled;
};

/* Finds the task that had the CPU for which `task` waited. waits: when it waited for a CPU, in order of time.
 * Returns 0 or -ENOMEM. */
int contention_cpu(const struct graph *g, uint32_t task, const struct path_piece *waits, size_t n,
		   struct contention *ret);
/* After contention_cpu(): returns true if the quota explains more than half of total_ns. */
bool contention_is_throttled(const struct contention *c);
/* After contention_cpu(): returns how long tasks other than c->task had the CPU. 0 if only samples tell who
 * had it. */
uint64_t contention_others_ns(const struct contention *c);
/* Finds the part of [from_ns, to_ns) in which the task most lacked a CPU: it waited for one for more than
 * STARVED_RATIO times as long as it ran. Returns how long it waited for a CPU in this part; 0: there is no
 * such part. Example: tasks with higher priority keep the task from the CPU, end, and the task then runs
 * alone. */
uint64_t contention_starved_ns(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Guesses which task changed the variable on which `task` spun. Of the other threads of the process,
 * takes the one that ran last before to_ns. GRAPH_NONE: none ran. */
uint32_t contention_flag(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Returns how often `task` gave up the CPU without blocking: in sched_yield, or in a poll with a
 * time limit of zero. *ret_samples: the samples of `task`. *ret_sampled: those in a system call
 * that yields or polls. */
uint32_t contention_yields(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			   uint32_t *ret_sampled, uint32_t *ret_samples);

#endif
