/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.h - the state of one CPU, and the layout of the ring of its records.
 *
 * The map ct_cpus has one entry for each CPU: struct cpu, then the ring. The daemon maps the
 * entries. The daemon reads the rings, clears the records that it has read, and sets id and tail.
 * The BPF programs that run on a CPU write the other members of its entry. But the daemon resets
 * depth at the end of a pause, and stats.lost_first_ns when it reads the number of losses.
 * bpf/emit.h and daemon/kernel/percpu_ring.c say how the ring works; this header only lays out the
 * memory.
 *
 * Any thread may call cpu_room(): it has no state.
 */
#ifndef CTRACE_CPU_H
#define CTRACE_CPU_H

#include "ctrace/abi.h"
#include "ctrace/govern_state.h"

#define CPU_DEPTH  8
#define CPU_NAMED  2048
#define CPU_FRAMES 32
/* An interrupt in progress. */
struct cpu_context {
	ct_u64 key;  /* CT_CTX_TIMER: the address of the timer */
	ct_u64 what; /* CT_CTX_TIMER: its function; CT_CTX_SOFTIRQ: the vector */
	ct_u32 ctx;  /* CT_CTX_* */
	ct_u32 pad;
};

struct cpu {
	/* The members that every record touches are in one cache line. */
	ct_u64 head;    /* bytes that were reserved for records since the start */
	ct_u32 id;      /* index of this entry */
	ct_u32 depth;   /* how many interrupts are in progress; ctx[depth - 1] is the innermost */
	ct_u32 emitted; /* records put into the side ring (struct cpu_side); after each 64th, a program looks
			   how full the side ring is */
	ct_u64 sample_ns; /* time of the last sample */

	/* Bytes that the daemon has read since the start; only the daemon writes it. */
	ct_u64 tail __attribute__((aligned(64)));

	struct ct_cpu_stats stats __attribute__((aligned(64)));
	/* tail + 1 when a program last woke the daemon because this ring was more than half full; 0: never */
	ct_u64 poked;
	struct cpu_context ctx[CPU_DEPTH];
	ct_u64 marked_ns;          /* time of the last wake whose stack was taken */
	ct_u64 frames[CPU_FRAMES]; /* the kernel stack of that wake */
	struct govern_cost cost[GOVERN_KINDS] __attribute__((aligned(64)));
	ct_u64 left_out[GOVERN_CAPS]; /* records that caps left out, by GOVERN_SLOT() of the task; a
					 record about two capped tasks counts for both */
	/* records that caps left out; a record about two capped tasks counts once */
	ct_u64 n_left_out;
	/* runs of BPF programs that left out a record, or that only noted an interrupt or a readable socket
	 * while the task on the CPU was capped */
	ct_u64 n_passed;
	/*
	 * Objects that were seen lately and have a name already. An entry is id ^ sig << 40 (struct
	 * object in bpf/object.h), and its index is a hash of this number. This is a cache in front of
	 * the map ct_objects. A server with many connections needs a large cache: an object that is
	 * not in the cache costs 300 ns.
	 */
	ct_u64 named[CPU_NAMED];
} __attribute__((aligned(64)));

/*
 * An entry is struct cpu, the bytes of the ring (a power of two), and slack. If a record begins in
 * the ring and reaches beyond the end of the ring, the slack takes the rest of the record. So every
 * record lies in one piece.
 */
#define CPU_RING_AT    20480
#define CPU_RING_SLACK 4096
_Static_assert(sizeof(struct cpu) <= CPU_RING_AT, "struct cpu");
#define CPU_ENTRY_BYTES(ring_bytes) (CPU_RING_AT + (ring_bytes) + CPU_RING_SLACK)

/* Bytes for the name in a CT_OBJECT. The program that writes a path needs more room than
 * CT_OBJ_NAME_MAX, for one more component of the path. */
#define CPU_OBJECT_NAME (CT_OBJ_NAME_MAX + 48)
/* Returns how many bytes of the ring are reserved for a record of this kind. The record itself may
 * be shorter. */
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
	case CT_RAWCMDLINE:
		return sizeof(struct ct_rawcmdline_blob);
	default:
		return sizeof(struct ct_rec) + CT_KIND_WORDS(kind) * 8;
	}
}

#define CPU_SIDE_BYTES 1048576
/*
 * Precedes every record in the side ring. The side ring is the BPF ring buffer ct_side, for programs that
 * can be preempted (uprobes). A struct cpu_side without a record behind it only wakes the daemon.
 */
struct cpu_side {
	ct_u32 cpu;
	ct_u32 pad;
};

#endif
