/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - the interrupts that a CPU is in the middle of.  Entries and exits
 * nest; when one is missed (the kernel skips a program that interrupts itself)
 * the next exit of an outer one, or the next context switch, puts it right.
 */
#ifndef CTRACE_BPF_CONTEXT_H
#define CTRACE_BPF_CONTEXT_H

#include "emit.h"

#define CONTEXT_READY_NS 50000 /* how long a wake may come after the data that caused it */

/* An entry; the mask is for the verifier, which loses sight of the caller's check. */
static __always_inline struct cpu_context *context_at(struct cpu *c, __u32 i)
{
	barrier_var(i);
	i &= CPU_DEPTH - 1;
	barrier_var(i);
	return &c->ctx[i];
}

static __always_inline void context_enter(struct cpu *c, __u32 ctx, __u64 key, __u64 what)
{
	__u32 i = c->depth;
	struct cpu_context *in = context_at(c, i);

	if (i >= CPU_DEPTH)
		return;
	c->depth = i + 1; /* before the entry is filled in: an interrupt here takes the next one */
	barrier();
	in->key = key;
	in->what = what;
	in->ctx = ctx;
}

static __always_inline void context_exit(struct cpu *c, __u32 ctx, __u64 key)
{
	__u32 i = c->depth;

	for (int n = 0; n < CPU_DEPTH && i; n++) {
		struct cpu_context *in = context_at(c, --i);

		if (in->ctx != ctx || in->key != key)
			continue;
		c->depth = i;
		if (c->ready_depth > i)
			c->ready_obj = 0;
		return;
	}
}

/* Interrupts do not outlive a switch. */
static __always_inline void context_reset(struct cpu *c, __u64 now)
{
	c->depth = 0;
	c->ready_obj = 0;
	c->switch_ns = now;
}

static __always_inline struct cpu_context *context_now(struct cpu *c)
{
	return c->depth ? context_at(c, c->depth - 1) : NULL;
}

#endif
