/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h - the only way out of the kernel: reserve, fill, submit; or
 * emit_loss().  Nobody is woken for a record: the daemon comes by itself, and is
 * woken only when a ring is half full.
 */
#ifndef CTRACE_BPF_EMIT_H
#define CTRACE_BPF_EMIT_H

#include "maps.h"
#include "config.h"

static __always_inline struct cpu *emit_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&ct_cpus, &cpu);
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

static __noinline __u64 emit_wake_flags(struct cpu *c)
{
	__u32 cpu = c->id;
	void *ring = bpf_map_lookup_elem(&ct_rings, &cpu);

	if (ring && bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > ct_ring_bytes / 2)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

/* Room for size bytes (a constant), or NULL, and the loss is counted. */
static __always_inline void *emit_reserve(struct cpu *c, __u64 size, __u64 now)
{
	__u32 cpu = c->id;
	void *ring = bpf_map_lookup_elem(&ct_rings, &cpu);
	void *p = ring ? bpf_ringbuf_reserve(ring, size, 0) : NULL;

	if (!p) {
		emit_loss(c, CT_LOSS_RING_FULL, now);
		return NULL;
	}
	/* Not atomic: an interrupt in between may make these a little too small.  Losses are exact. */
	c->stats.records++;
	c->stats.bytes += size;
	return p;
}

static __always_inline void emit_submit(struct cpu *c, void *p)
{
	__u64 flags = BPF_RB_NO_WAKEUP;

	if (!(++c->emitted & 63))
		flags = emit_wake_flags(c);
	bpf_ringbuf_submit(p, flags);
}

struct emit_rec2 {
	struct ct_rec r;
	__u64 x[2];
};

/* A record with everything after kind set to 0. */
static __always_inline void emit_init(struct ct_rec *r, __u8 kind, __u64 now)
{
	r->ts = now;
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
		emit_init(r, kind, now);
	return r;
}

/* A record with two more words, which the caller sets. */
static __always_inline struct emit_rec2 *emit_rec2(struct cpu *c, __u8 kind, __u64 now)
{
	struct emit_rec2 *r = emit_reserve(c, sizeof(*r), now);

	if (r)
		emit_init(&r->r, kind, now);
	return r;
}

/*
 * A record (or blob) that was made beside the ring, for programs that can be preempted: a task that loses the
 * CPU with a reservation open would hold up all that comes after it.  As such a program can be called in a
 * tight loop by anybody, the last quarter of the ring is left to what the kernel's own events have to say.
 */
static __always_inline void emit_output(struct cpu *c, void *data, __u64 size, __u64 now)
{
	__u32 cpu = c->id;
	void *ring = bpf_map_lookup_elem(&ct_rings, &cpu);
	__u64 flags = ++c->emitted & 63 ? BPF_RB_NO_WAKEUP : emit_wake_flags(c);

	if (!ring || bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > ct_ring_bytes / 4 * 3 ||
	    bpf_ringbuf_output(ring, data, size, flags)) {
		emit_loss(c, CT_LOSS_RING_FULL, now);
		return;
	}
	c->stats.records++;
	c->stats.bytes += size;
}

#endif
