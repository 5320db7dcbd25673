/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.h - the state of a CPU: counters, and what it is in the middle of.  Also
 * read by the loader, which maps it and sets id.
 */
#ifndef CTRACE_BPF_CPU_H
#define CTRACE_BPF_CPU_H

#include "ctrace/abi.h"

#define CPU_DEPTH 8
#define CPU_NAMED 64
/* An interrupt in progress. */
struct cpu_context {
	ct_u64 key;  /* CT_CTX_TIMER: the timer */
	ct_u64 what; /* CT_CTX_TIMER: its function; CT_CTX_SOFTIRQ: the vector */
	ct_u32 ctx;  /* CT_CTX_* */
	ct_u32 pad;
};

struct cpu {
	struct ct_cpu_stats stats;
	ct_u32 id;      /* the loader sets it: the index of this entry */
	ct_u32 emitted; /* paces the look at the ring's fill */
	ct_u32 depth;   /* interrupts in progress, innermost last */
	ct_u32 ready_depth;
	ct_u64 ready_obj; /* a socket became readable at this depth, in this system call and at this time */
	ct_u64 ready_call;
	ct_u64 ready_ns;
	ct_u64 switch_ns; /* the last context switch */
	ct_u64 sample_ns; /* the last sample */
	struct cpu_context ctx[CPU_DEPTH];
	/* Objects lately met that need no naming, by a hash: id ^ sig << 40.  In front of the map ct_objects.
	 */
	ct_u64 named[CPU_NAMED];
} __attribute__((aligned(64))); /* no two CPUs share a cache line */

#endif
