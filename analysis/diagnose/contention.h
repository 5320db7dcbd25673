/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contention.h - private to analysis/: the task that had a resource which the victim wanted, where no wake-up
 * tells: the CPU, the disk, the workers of a pool, a variable in memory.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_CONTENTION_H
#define CTRACE_ANALYSIS_DIAGNOSE_CONTENTION_H

#include "graph/path/path.h"

struct contention {
	uint32_t task;     /* the other task that had the resource longest; GRAPH_NONE: none had it */
	uint64_t total_ns; /* how long the victim wanted the resource; the rest is of this time */
	uint64_t ns;       /* task had it */
	uint64_t own_ns;   /* threads of the victim's own process had it */
	uint64_t idle_ns;  /* no task had it */
	uint64_t lost_ns;  /* records are missing that would tell */
	uint64_t obj;      /* disk: the file of the longest wait of task */
};

/* The task that ran on the CPU for which task waited in [from, to).  0 or -ENOMEM. */
int contention_cpu(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		   struct contention *ret);
/* The other task that waited longest for the device of obj in [from, to).  0 or -ENOMEM. */
int contention_disk(const struct graph *g, uint32_t task, uint64_t obj, uint64_t from_ns, uint64_t to_ns,
		    struct contention *ret);
/*
 * The number of workers of the pool of task, if all of them were busy throughout [from, to); 0 if task is in
 * no pool or a worker was idle.  A pool is a set of threads of one process that idle on the same futex, or of
 * processes that share a listening socket.
 */
uint32_t contention_pool(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* A guess: the thread of the process of task that ran last before to, where task spun in [from, to).
 * GRAPH_NONE: there is no other thread. */
uint32_t contention_flag(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* How often task yielded the CPU in [from, to); of its samples there, how many were in a call that yields or
 * looks for events. */
uint32_t contention_yields(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			   uint32_t *ret_sampled, uint32_t *ret_samples);

#endif
