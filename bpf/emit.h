/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h - hands records to the daemon. A program reserves a place, fills it, and submits it.
 *
 * The daemon maps the ring of every CPU, and polls. Programs may interrupt each other: each gets its place
 * by a compare-and-exchange of head. The time of a record is written last, and free memory is all zeroes.
 * So a record is whole if its time is not 0.
 *
 * A program that can be preempted, and that any task can call in a tight loop, must use emit_side()
 * (exception: msg.bpf.c on kernels before 6.3).
 */
#ifndef CTRACE_BPF_EMIT_H
#define CTRACE_BPF_EMIT_H

#include "maps.h"
#include "config.h"
#include "govern.h"

/* A try of ct_emit_place() fails if an interrupt moves head in the meantime. */
#define EMIT_TRIES 8
#define EMIT_FULL  (~0ULL)

/* Returns NULL in a pause, or if the CPU has no entry. Then the caller must record nothing. */
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
	if (cause >= CT_LOSS_COUNTED)
		return;
	__sync_fetch_and_add(&c->stats.lost[cause], 1);
	if (!c->stats.lost_first_ns[cause])
		c->stats.lost_first_ns[cause] = now;
	c->stats.lost_last_ns[cause] = now;
}

/*
 * The rare part of emit_reserve(). If the ring is more than half full, wakes the daemon once, and
 * again only after the daemon has read the ring. If there is no room, or EMIT_TRIES tries fail,
 * counts a loss and returns EMIT_FULL. Global, so that the verifier checks the loop once in each
 * program.
 */
__weak __u64 ct_emit_place(struct cpu *c, __u64 size, __u64 now)
{
	struct cpu_side nothing = {};
	__u64 tail, at;

	if (!c)
		return EMIT_FULL;
	tail = *(volatile ct_u64 *)&c->tail;
	at = *(volatile ct_u64 *)&c->head;
	if (at + size - tail > ct_ring_bytes / 2 && c->poked != tail + 1) {
		c->poked = tail + 1; /* 0 means never, and tail can be 0 */
		bpf_ringbuf_output(&ct_side, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
	}
	for (int i = 0; i < EMIT_TRIES; i++) {
		tail = *(volatile ct_u64 *)&c->tail;
		at = *(volatile ct_u64 *)&c->head;
		if (at + size - tail > ct_ring_bytes)
			break;
		if (__sync_val_compare_and_swap(&c->head, at, at + size) == at)
			return at;
	}
	emit_loss(c, CT_LOSS_RING_FULL, now);
	return EMIT_FULL;
}

/* size: cpu_room() of the record, a compile-time constant. If there is no room, counts
 * a loss and returns NULL. */
static __always_inline void *emit_reserve(struct cpu *c, __u64 size, __u64 now)
{
	/* reads tail before head, so that tail is never the larger one */
	__u64 tail = *(volatile ct_u64 *)&c->tail, at = *(volatile ct_u64 *)&c->head;

	if (at + size - tail > ct_ring_bytes / 2 ||
	    __sync_val_compare_and_swap(&c->head, at, at + size) != at) {
		at = ct_emit_place(c, size, now);
		if (at == EMIT_FULL)
			return NULL;
	}
	/* The ring's size is a power of two. With - 8 instead of - 1, the verifier knows `at`
	 * as a multiple of 8. */
	at &= ct_ring_bytes - 8;
	return (void *)c + CPU_RING_AT + at;
}

/* The caller has set all fields except the time, `now`, which is never 0. */
static __always_inline void emit_submit(void *p, __u64 now)
{
#if defined(__TARGET_ARCH_x86)
	/* x86 keeps stores in order, so only the compiler must be held back. */
	barrier();
	*(volatile ct_u64 *)p = now;
#else
	/* A full barrier: other CPUs see the time after the other fields. */
	__sync_lock_test_and_set((ct_u64 *)p, now);
#endif
}

struct emit_rec2 {
	struct ct_rec r;
	__u64 x[2];
};

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

/* The caller sets x. Returns NULL if there is no room. */
static __always_inline struct emit_rec2 *emit_rec2(struct cpu *c, __u8 kind, __u64 now)
{
	struct emit_rec2 *r = emit_reserve(c, sizeof(*r), now);

	if (r)
		emit_init(&r->r, kind);
	return r;
}

/* Returns the last record, if it may grow (struct cpu_recv), or NULL. */
static __always_inline struct ct_rec *emit_growing(struct cpu *c, __u64 now)
{
	__u64 end = c->recv.end, at = (end - sizeof(struct ct_rec)) & (ct_ring_bytes - 8);

	if (*(volatile ct_u64 *)&c->head != end || now - c->recv.ns > CPU_RECV_NS)
		return NULL;
	return (void *)c + CPU_RING_AT + at;
}

static __always_inline void emit_set_bytes(struct ct_rec *r, __u32 bytes)
{
#if defined(__TARGET_ARCH_x86)
	barrier(); /* as in emit_submit() */
	*(volatile ct_u32 *)&r->peer = bytes;
#else
	__sync_lock_test_and_set(&r->peer, bytes);
#endif
}

/* r: emit_growing(). Adds to its bytes, and sets its time. Returns false if the daemon has taken the record,
 * if it is no longer the last one, or if the sum would be too large. */
static __always_inline bool emit_grow(struct cpu *c, struct ct_rec *r, __u32 bytes, __u64 now)
{
	__u32 had = *(volatile ct_u32 *)&r->peer;

	if (!had || had + bytes >= CPU_RECV_BUSY ||
	    __sync_val_compare_and_swap(&r->peer, had, had | CPU_RECV_BUSY) != had)
		return false;
	if (*(volatile ct_u64 *)&c->head != c->recv.end) {
		emit_set_bytes(r, had);
		return false;
	}
	*(volatile ct_u64 *)&r->ts = now;
	emit_set_bytes(r, had + bytes);
	return true;
}

/* Call this after the submit of a CT_RECV. from: head before the record. If an interrupt has added a record
 * in between, head is not `end`. */
static __always_inline void emit_may_grow(struct cpu *c, __u64 from, __u64 now)
{
	c->recv.end = from + sizeof(struct ct_rec);
	c->recv.ns = now;
}

/*
 * For programs that can be preempted. In the ring of a CPU, their unfinished records would hold up
 * all later records.
 *
 * data: a struct cpu_side, followed by the record. size: the bytes of both together. If the side
 * ring is full, counts a loss and returns false.
 */
static __always_inline bool emit_side(struct cpu *c, struct cpu_side *data, __u64 size, __u64 now)
{
	__u64 flags = BPF_RB_NO_WAKEUP;

	data->cpu = c->id;
	c->recv.end = 0; /* the record in the side ring ends a run of receives, too */
	if (!(++c->emitted & 63) && bpf_ringbuf_query(&ct_side, BPF_RB_AVAIL_DATA) > CPU_SIDE_BYTES / 2)
		flags = BPF_RB_FORCE_WAKEUP;
	if (!bpf_ringbuf_output(&ct_side, data, size, flags))
		return true;
	emit_loss(c, CT_LOSS_SIDE, now);
	return false;
}

#endif
