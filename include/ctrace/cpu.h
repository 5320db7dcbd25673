/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.h - what belongs to a CPU: its state, and the ring of its records behind
 * that.  One entry of the map ct_cpus, which the daemon maps: it reads the ring and
 * sets id and tail.
 *
 * How the ring works: emit.h and daemon/kernel/percpu_ring.c.
 */
#ifndef CTRACE_CPU_H
#define CTRACE_CPU_H

#include "ctrace/abi.h"
#include "ctrace/govern_state.h"

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
	/* What every record touches: one cache line. */
	ct_u64 head;  /* bytes ever given to records */
	ct_u32 id;    /* the loader sets it: the index of this entry */
	ct_u32 depth; /* interrupts in progress, innermost last */
	ct_u32 ready_depth;
	ct_u32 emitted;   /* paces the look at how full the side ring is */
	ct_u64 ready_obj; /* a socket became readable at this depth, in this system call and at this time */
	ct_u64 ready_call;
	ct_u64 ready_ns;
	ct_u64 switch_ns; /* the last context switch */
	ct_u64 sample_ns; /* the last sample */

	/* The daemon's: bytes ever read. */
	ct_u64 tail __attribute__((aligned(64)));

	struct ct_cpu_stats stats __attribute__((aligned(64)));
	ct_u64 poked; /* the daemon was woken because of a ring that was read up to here */
	struct cpu_context ctx[CPU_DEPTH];
	/* Objects lately met that need no naming, by a hash: id ^ sig << 40.  In front of the map ct_objects.
	 */
	ct_u64 named[CPU_NAMED];
	struct govern_cost cost[GOVERN_KINDS] __attribute__((aligned(64)));
	ct_u64 left_out[GOVERN_CAPS]; /* records of capped tasks, by slot */
	ct_u64 n_left_out;            /* records, each once */
	ct_u64 n_passed;              /* runs that recorded nothing, on top of a capped task */
} __attribute__((aligned(64)));

/*
 * An entry: struct cpu, the ring's bytes (a power of two), and room for what the last record of a
 * lap has beyond the end, so that every record lies in one piece.
 */
#define CPU_RING_AT    4096
#define CPU_RING_SLACK 4096
_Static_assert(sizeof(struct cpu) <= CPU_RING_AT, "struct cpu");
#define CPU_ENTRY_BYTES(ring_bytes) (CPU_RING_AT + (ring_bytes) + CPU_RING_SLACK)

/* What a record takes up in the ring: known by its kind. */
#define CPU_OBJECT_NAME (CT_OBJ_NAME_MAX + 48) /* its writer needs more than there may be */
static inline ct_u32 cpu_room(ct_u8 kind)
{
	switch (kind) {
	case CT_TASK:
		return sizeof(struct ct_task_blob);
	case CT_OBJECT:
		return sizeof(struct ct_object_blob) + CPU_OBJECT_NAME;
	case CT_RAWSTACK:
		return sizeof(struct ct_rawstack_blob) + CT_RAWSTACK_MAX * 8;
	case CT_RAWACCESS:
		return sizeof(struct ct_rawaccess_blob) + CT_RAWSTACK_MAX * 8;
	default:
		return sizeof(struct ct_rec) + CT_KIND_WORDS(kind) * 8;
	}
}

#define CPU_SIDE_BYTES 1048576
/* In front of a record in the side ring (ct_side); alone it only wakes the daemon. */
struct cpu_side {
	ct_u32 cpu;
	ct_u32 pad;
};

#endif
