/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contention.h - private to analysis/: who had what the victim wanted, where no
 * wake-up tells: the CPU, the disk, the workers of a pool, a shared flag.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_CONTENTION_H
#define CTRACE_ANALYSIS_DIAGNOSE_CONTENTION_H

#include "graph/path/path.h"

struct contention {
	uint32_t task;     /* GRAPH_NONE: nobody */
	uint64_t ns;       /* it had the resource while the victim wanted it */
	uint64_t idle_ns;  /* nobody had it */
	uint64_t lost_ns;  /* who had it is not known, since records are missing */
	uint64_t total_ns; /* the victim wanted it */
	uint64_t obj;      /* disk: the file of its longest wait */
	uint64_t own_ns;   /* threads of the victim's own process had it */
};

/* Who ran on the CPU that task waited for in [from, to). */
int contention_cpu(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		   struct contention *ret);
/* The other task that kept the device of obj busy longest in [from, to). */
int contention_disk(const struct graph *g, uint32_t task, uint64_t obj, uint64_t from_ns, uint64_t to_ns,
		    struct contention *ret);
/*
 * How many workers the pool of task has, when all of them were busy throughout
 * [from, to); 0 when it is in no pool, or one of them was idle.  A pool: threads of
 * one process that idle on the same futex, or processes that share a listening socket.
 */
uint32_t contention_pool(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* task spun in [from, to): the thread of its process whose last doing before to fits best as what it spun
 * for. */
uint32_t contention_flag(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* How often task yielded the CPU in [from, to), and how many of its samples were in such a call. */
uint32_t contention_yields(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			   uint32_t *ret_sampled, uint32_t *ret_samples);

#endif
