/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h - the only way out of the kernel: reserve, fill, submit; or
 * emit_loss().
 *
 * Every CPU has a ring of its own, in memory that the daemon maps.  A record is
 * given its place by moving head on with a compare-and-exchange, so that programs
 * that interrupt each other, to any depth, have places of their own.  Its first
 * word, the time, is written last: free memory is all zeroes (the daemon clears
 * what it has read before it gives it back by moving tail on), so a time that is
 * not 0 says that the record is whole.  The daemon stops at one that is not.
 *
 * Nobody is woken for a record: the daemon comes by itself, and is woken only when
 * a ring is half full.
 */
#ifndef CTRACE_BPF_EMIT_H
#define CTRACE_BPF_EMIT_H

#include "maps.h"
#include "config.h"
#include "govern.h"

/* How often a place is asked for again, when an interrupt came between the look at head and its change. */
#define EMIT_TRIES 8
#define EMIT_FULL  (~0ULL)

/* NULL: nothing is to be recorded.  To find that out costs something too, while a pause begins or ends. */
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
 * What is rare about a place: the ring is more than half full, so that the daemon is woken, once for each
 * time that it has read; or an interrupt came between the look at head and its change.  The place, or
 * EMIT_FULL, and the loss is counted.
 */
static __noinline __u64 emit_place(struct cpu *c, __u64 size, __u64 now)
{
	struct cpu_side nothing = {};

	for (int i = 0; i < EMIT_TRIES; i++) {
		__u64 tail = *(volatile ct_u64 *)&c->tail, at = *(volatile ct_u64 *)&c->head;

		if (at + size - tail > ct_ring_bytes / 2 && c->poked != tail + 1) {
			c->poked = tail + 1; /* not 0, which is how it begins */
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

/* Room for size bytes (a constant: cpu_room() of what will be written), or NULL, and the loss is counted. */
static __always_inline void *emit_reserve(struct cpu *c, __u64 size, __u64 now)
{
	/* tail first: it never passes head */
	__u64 tail = *(volatile ct_u64 *)&c->tail, at = *(volatile ct_u64 *)&c->head;

	if (at + size - tail > ct_ring_bytes / 2 ||
	    __sync_val_compare_and_swap(&c->head, at, at + size) != at) {
		at = emit_place(c, size, now);
		if (at == EMIT_FULL)
			return NULL;
	}
	at &= ct_ring_bytes - 8; /* a multiple of 8, as the verifier is to know */
	return (void *)c + CPU_RING_AT + at;
}

/* Lets the daemon have what has been written at p: all but the time.  now: not 0. */
static __always_inline void emit_submit(void *p, __u64 now)
{
#if defined(__TARGET_ARCH_x86)
	barrier(); /* stores of one CPU are seen in their order */
	*(volatile ct_u64 *)p = now;
#else
	__sync_lock_test_and_set((ct_u64 *)p, now); /* a full barrier */
#endif
}

struct emit_rec2 {
	struct ct_rec r;
	__u64 x[2];
};

/* A record with everything after kind set to 0, and without its time. */
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

/* A record with two more words, which the caller sets. */
static __always_inline struct emit_rec2 *emit_rec2(struct cpu *c, __u8 kind, __u64 now)
{
	struct emit_rec2 *r = emit_reserve(c, sizeof(*r), now);

	if (r)
		emit_init(&r->r, kind);
	return r;
}

/*
 * The way out for programs that can be preempted and be called in a tight loop by anybody: a
 * task that loses the CPU with a place in its ring would hold up all that comes after it.
 * data: a struct cpu_side, then the record.
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
