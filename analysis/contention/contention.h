/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contention.h - private to analysis/: finds the task that had the resource which the victim
 * wanted: the CPU, the disk, the workers of a pool, a variable in memory. For these resources, no
 * wake-up names that task. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_CONTENTION_H
#define CTRACE_ANALYSIS_CONTENTION_CONTENTION_H

#include "graph/path/path.h"

struct contention {
	/* the other task that had the resource longest; GRAPH_NONE: there is none. contention_cpu()
	 * looks only at tasks of other processes. For contention_disk(), a task has the disk while
	 * it waits for the disk. */
	uint32_t task;
	uint64_t total_ns;     /* how long the victim wanted the resource */
	uint64_t ns;           /* the part of total_ns in which `task` had the resource */
	uint64_t own_ns;       /* contention_cpu(): the time in which threads of the victim's own process had
				  the CPU */
	uint64_t idle_ns;      /* contention_cpu(): the time in which no task had the CPU */
	uint64_t lost_ns;      /* contention_cpu(): the time for which records are missing */
	uint64_t throttled_ns; /* contention_cpu(): the time of the waits that began while the CPU
				  quota of the victim's control group was used up */
	bool sampled;          /* samples showed that `task` had the CPU: cpu_samples.h */
	uint64_t obj;          /* contention_disk(): the file for which `task` waited longest */
};

/* Finds the task of another process that ran longest on the CPU for which `task` waited in
 * [from, to). Returns 0 or -ENOMEM. */
int contention_cpu(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		   struct contention *ret);
/* For a result of contention_cpu(): returns true if throttled_ns is more than half of total_ns. */
bool contention_is_throttled(const struct contention *c);
/* Finds the other task that waited longest for the device of obj in [from, to). Returns 0 or
 * -ENOMEM. */
int contention_disk(const struct graph *g, uint32_t task, uint64_t obj, uint64_t from_ns, uint64_t to_ns,
		    struct contention *ret);
/*
 * Returns the number of workers in the pool of `task`, if each of them was busy for at least
 * POOL_BUSY_TENTHS tenths of [from, to) ("busy throughout"). Returns 0 if one of them was not, or
 * if `task` is the only worker. A pool is one of these:
 * - Threads of one process, without its main thread, that idle on the same futex. If `task` or
 *   another thread was never seen idle, the other thread is in the pool if it has the name of
 *   `task` and was busy throughout.
 * - Sibling processes that have the same name and share a listening socket.
 */
uint32_t contention_pool(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Guesses which task changed the variable on which `task` spun in [from, to): the other thread of
 * its process that ran last before to_ns. Returns GRAPH_NONE if no other thread ran in this
 * time. */
uint32_t contention_flag(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Returns how many times in [from, to) `task` gave up the CPU without blocking: in sched_yield, or
 * in a poll with a time limit of zero. Sets *ret_samples to the number of samples of `task` in
 * [from, to), and *ret_sampled to the number of these samples that were in a system call that
 * yields or looks for events. */
uint32_t contention_yields(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			   uint32_t *ret_sampled, uint32_t *ret_samples);

#endif
