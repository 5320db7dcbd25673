/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h - hands records to the daemon. A program reserves a place, fills it, and submits it. If
 * there is no room, emit_loss() counts the loss.
 *
 * Every CPU has a ring of its own, in memory that the daemon maps. A program gets a place for its
 * record by moving head on with a compare-and-exchange. So programs that interrupt each other, to
 * any depth, have places of their own.
 *
 * The first word of a record is its time. The program writes the time last. Free memory is all
 * zeroes, because the daemon clears the records that it has read, and only then moves tail on. So a
 * record is whole if its time is not 0. The daemon stops at a record that is not whole.
 *
 * A record does not wake the daemon. The daemon polls. A program wakes the daemon only if a ring is
 * more than half full.
 *
 * A program that can be preempted, and that any task can call in a tight loop, must use
 * emit_side(). Exception: the programs that msg.bpf.c has for kernels before 6.3. Any other program
 * may use the ring of its own CPU.
 */
#ifndef CTRACE_BPF_EMIT_H
#define CTRACE_BPF_EMIT_H

#include "maps.h"
#include "config.h"
#include "govern.h"

/*
 * The most tries of ct_emit_place() to move head. A try fails if an interrupt moves head after
 * ct_emit_place() has read it.
 */
#define EMIT_TRIES 8
#define EMIT_FULL  (~0ULL)

/*
 * Returns the struct cpu of this CPU. Returns NULL in a pause, or if the CPU has no entry. Then the
 * caller must record nothing. A run in a pause has a cost, so the run is counted.
 */
static __always_inline struct cpu *emit_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu *c = bpf_map_lookup_elem(&ct_cpus, &cpu);

	if (c && ct_govern.paused) {
		govern_ran_light(c);
		return NULL;
	}
	return c;
}

static __noinline void emit_loss(struct cpu *c, __u32 cause, __u64 now)
{
	if (cause >= CT_LOSS_CAUSES)
		return;
	__sync_fetch_and_add(&c->stats.lost[cause], 1);
	if (!c->stats.lost_first_ns[cause])
		c->stats.lost_first_ns[cause] = now;
	c->stats.lost_last_ns[cause] = now;
}

/*
 * The rare part of emit_reserve(): the ring is more than half full, or an interrupt has moved head
 * in the meantime. If the ring is more than half full, wakes the daemon, but not again before the
 * daemon has read the ring. Returns the place. If there is no room, or if each try failed, counts a
 * loss and returns EMIT_FULL. The function is global, so that the verifier checks the loop once in
 * each program, and not once for each path to each record.
 */
__weak __u64 ct_emit_place(struct cpu *c, __u64 size, __u64 now)
{
	struct cpu_side nothing = {};

	if (!c)
		return EMIT_FULL;
	for (int i = 0; i < EMIT_TRIES; i++) {
		__u64 tail = *(volatile ct_u64 *)&c->tail, at = *(volatile ct_u64 *)&c->head;

		if (at + size - tail > ct_ring_bytes / 2 && c->poked != tail + 1) {
			c->poked = tail + 1; /* tail can be 0, and a poked of 0 means never */
			bpf_ringbuf_output(&ct_side, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
		}
		if (at + size - tail > ct_ring_bytes)
			break;
		if (__sync_val_compare_and_swap(&c->head, at, at + size) == at)
			return at;
	}
	emit_loss(c, CT_LOSS_RING_FULL, now);
	return EMIT_FULL;
}

/*
 * Reserves a place of `size` bytes in the ring of the CPU. size is a compile-time constant:
 * cpu_room() of the record. Returns NULL if there is no room; then the loss is counted.
 */
static __always_inline void *emit_reserve(struct cpu *c, __u64 size, __u64 now)
{
	/* tail is read before head, so the value of tail is never larger than that of head */
	__u64 tail = *(volatile ct_u64 *)&c->tail, at = *(volatile ct_u64 *)&c->head;

	if (at + size - tail > ct_ring_bytes / 2 ||
	    __sync_val_compare_and_swap(&c->head, at, at + size) != at) {
		at = ct_emit_place(c, size, now);
		if (at == EMIT_FULL)
			return NULL;
	}
	/* head only grows, so the place in the ring is head modulo the size of the ring, a power of two. The
	 * mask ends in - 8 instead of - 1, so that the verifier knows that `at` is a multiple of 8. */
	at &= ct_ring_bytes - 8;
	return (void *)c + CPU_RING_AT + at;
}

/* Gives the record at p to the daemon. The caller has set all fields of the record except the
 * time. now is the time, and is never 0. */
static __always_inline void emit_submit(void *p, __u64 now)
{
#if defined(__TARGET_ARCH_x86)
	/* On x86, other CPUs see the stores of a CPU in order. So only the compiler must be kept
	 * from writing the time before the other fields. */
	barrier();
	*(volatile ct_u64 *)p = now;
#else
	/* Includes a full barrier, so that other CPUs see the time after the other fields. */
	__sync_lock_test_and_set((ct_u64 *)p, now);
#endif
}

struct emit_rec2 {
	struct ct_rec r;
	__u64 x[2];
};

/* Sets kind, and sets the fields after kind to 0. Does not set the time: emit_submit() does. */
static __always_inline void emit_init(struct ct_rec *r, __u8 kind)
{
	r->kind = kind;
	r->state = 0;
	r->wait = 0;
	r->flags = 0;
	r->tid = 0;
	r->peer = 0;
	r->nr = 0;
	r->aux = 0;
	r->obj = 0;
}

static __always_inline struct ct_rec *emit_rec(struct cpu *c, __u8 kind, __u64 now)
{
	struct ct_rec *r = emit_reserve(c, sizeof(*r), now);

	if (r)
		emit_init(r, kind);
	return r;
}

/* Reserves a record with two extra words, which the caller sets. Returns NULL if there is no
 * room. */
static __always_inline struct emit_rec2 *emit_rec2(struct cpu *c, __u8 kind, __u64 now)
{
	struct emit_rec2 *r = emit_reserve(c, sizeof(*r), now);

	if (r)
		emit_init(&r->r, kind);
	return r;
}

/*
 * Writes a record into the side ring, for a program that can be preempted, and that any task can
 * call in a tight loop. Such a program must not use the ring of its CPU. If its task lost the CPU
 * while the program has a place in that ring, all later records of the CPU would have to wait. In a
 * tight loop this would happen often.
 *
 * data is a struct cpu_side, with the record behind it. size is the size of both in bytes. If the
 * side ring is full, the loss is counted.
 */
static __always_inline void emit_side(struct cpu *c, struct cpu_side *data, __u64 size, __u64 now)
{
	__u64 flags = BPF_RB_NO_WAKEUP;

	data->cpu = c->id;
	if (!(++c->emitted & 63) && bpf_ringbuf_query(&ct_side, BPF_RB_AVAIL_DATA) > CPU_SIDE_BYTES / 2)
		flags = BPF_RB_FORCE_WAKEUP;
	if (bpf_ringbuf_output(&ct_side, data, size, flags))
		emit_loss(c, CT_LOSS_RING_FULL, now);
}

#endif
