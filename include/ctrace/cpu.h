/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.h - an entry of the map ct_cpus, which the daemon shares with the BPF programs on one CPU:
 * struct cpu, then the ring of records (bpf/emit.h). The daemon writes id and tail, clears records
 * that it has read, and sets stats.lost_first_ns (and depth, after a pause) to 0. The programs
 * write the rest.
 */
#ifndef CTRACE_CPU_H
#define CTRACE_CPU_H

#include "ctrace/abi.h"
#include "ctrace/govern_state.h"

#define CPU_DEPTH  8
#define CPU_NAMED  2048
#define CPU_FRAMES 32
struct cpu_context {
	ct_u64 key;  /* CT_CTX_TIMER: address of the timer */
	ct_u64 what; /* CT_CTX_TIMER: its function; CT_CTX_SOFTIRQ: the vector */
	ct_u32 ctx;
	ct_u32 pad;
};

/*
 * The last record of the ring, if it is a CT_RECV that may grow: while head is `end`, a program may
 * add bytes to it (bpf/msg.bpf.c), for CPU_RECV_NS. In the meantime, its bytes have the bit
 * CPU_RECV_BUSY. The daemon takes the bytes, and leaves 0. Then the record no longer grows.
 */
struct cpu_recv {
	ct_u64 end; /* position after the record; 0: none */
	ct_u64 ns;  /* time of the first receive */
};
#define CPU_RECV_BUSY 0x80000000

/* The longer, the later a request seems to begin. */
#define CPU_RECV_NS 50000

struct cpu {
	/* The members up to `recv` share one cache line. */
	ct_u64 head; /* bytes reserved so far */
	ct_u32 id;
	ct_u32 depth;   /* interrupts in progress; ctx[depth - 1] is the innermost */
	ct_u32 emitted; /* calls of emit_side() so far */
	ct_u64 sample_ns;
	struct cpu_recv recv;

	/* bytes that the daemon has read so far */
	ct_u64 tail __attribute__((aligned(64)));

	struct ct_cpu_stats stats __attribute__((aligned(64)));
	/* 1 + the value of tail at the moment when a program last woke the daemon; 0: none has */
	ct_u64 poked;
	struct cpu_context ctx[CPU_DEPTH];
	ct_u64 marked_ns; /* when a program last read the stack of a wake-up, into `frames` */
	ct_u64 frames[CPU_FRAMES];
	struct govern_cost cost[GOVERN_KINDS] __attribute__((aligned(64)));
	/* records that caps left out, except forks; by GOVERN_SLOT() of the task */
	ct_u64 left_out[GOVERN_CAPS];
	/* records that caps left out; a record about two capped tasks counts once */
	ct_u64 n_left_out;
	/* Runs of BPF programs in which a cap left out a record. For programs that write no
	 * records: runs while a capped task was on the CPU. */
	ct_u64 n_passed;
	/*
	 * Cache in front of the map ct_objects, whose look-ups take longer: objects that were seen
	 * lately and have a name. An entry is object_key() of the object.
	 */
	ct_u64 named[CPU_NAMED];
} __attribute__((aligned(64)));

/*
 * An entry of ct_cpus is struct cpu, the ring (a power of two), and slack. A record that reaches
 * beyond the end of the ring goes on in the slack, so every record lies in one piece.
 */
#define CPU_RING_AT    20480
#define CPU_RING_SLACK 4096
_Static_assert(sizeof(struct cpu) <= CPU_RING_AT, "struct cpu");
#define CPU_ENTRY_BYTES(ring_bytes) (CPU_RING_AT + (ring_bytes) + CPU_RING_SLACK)

/* Bytes for the name of an object. Before the BPF program adds a component to a path, it checks that the path
 * is shorter than CT_OBJ_NAME_MAX. So one component may reach beyond CT_OBJ_NAME_MAX. */
#define CPU_OBJECT_NAME (CT_OBJ_NAME_MAX + 128)
/* Returns the bytes to reserve. The record may be shorter. */
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
 * Precedes every record in ct_side, the BPF ring buffer for programs that can be preempted
 * (uprobes). A cpu_side without a record only wakes the daemon.
 */
struct cpu_side {
	ct_u32 cpu;
	ct_u32 pad;
};

#endif
