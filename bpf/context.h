/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - keeps a stack of the interrupts in progress on each CPU. Call these functions only with
 * the struct cpu of the CPU on which the program runs.
 *
 * The kernel does not start a program that already runs on the CPU, so the programs can miss the
 * begin or the end of an interrupt. The next exit of an outer interrupt, or the next context
 * switch, repairs the stack.
 */
#ifndef CTRACE_BPF_CONTEXT_H
#define CTRACE_BPF_CONTEXT_H

#include "compat.h"
#include "emit.h"

/* The mask is for the verifier: callers never use an entry from CPU_DEPTH on. */
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
	c->depth = i + 1; /* before the entry is filled: an interrupt may come in between */
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
		return;
	}
}

static __always_inline void context_reset(struct cpu *c)
{
	c->depth = 0;
}

/* Returns the innermost interrupt, or NULL. In the step CT_SHED_HOOKS and the later steps, no hooks of
 * interrupts are attached except those of timers. Then an entry for another interrupt is from before
 * the step, and out of date. */
static __always_inline struct cpu_context *context_now(struct cpu *c)
{
	struct cpu_context *in = c->depth ? context_at(c, c->depth - 1) : NULL;

	return in && govern_sheds(CT_SHED_HOOKS) && in->ctx != CT_CTX_TIMER ? NULL : in;
}

#endif
