/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - keeps two things for each CPU: the stack of the interrupts in progress, and the
 * socket that became readable last.
 *
 * Interrupts nest: the last one to begin ends first. The kernel does not start a program on a CPU
 * while the same program runs there. So the programs can miss the begin or the end of an interrupt.
 * The next exit of an outer interrupt, or the next context switch, repairs the stack.
 *
 * The programs in irq.bpf.c and sample.bpf.c fill the stack, and those in msg.bpf.c set the socket.
 * sched.bpf.c uses the stack and the socket, and signal.bpf.c uses the stack. Only programs on the
 * CPU of c may call these functions.
 */
#ifndef CTRACE_BPF_CONTEXT_H
#define CTRACE_BPF_CONTEXT_H

#include "compat.h"
#include "emit.h"
#include "object_name.h"

/* If a wake comes later than this after a socket became readable, the wake does not count as
 * made by the socket. The programs measure this time in ticks, because a tick counter costs less
 * to read than the clock. */
#define CONTEXT_READY_NS 100000000

/* Returns entry i of the stack. A caller never uses the entry if i is CPU_DEPTH or more, but the
 * verifier does not know this, so i is masked. */
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
	c->depth = i + 1; /* depth changes before the entry is filled. So an interrupt that comes
			     in between takes the next entry. */
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
			c->ready_sk = 0;
		return;
	}
}

/* Empties the stack: no interrupt outlives a context switch. */
static __always_inline void context_reset(struct cpu *c)
{
	c->depth = 0;
	c->ready_sk = 0;
}

/*
 * Returns the innermost interrupt in progress, or NULL if there is none. From the step
 * CT_SHED_HOOKS on, only timers are put on the stack. So an entry of another kind is a leftover
 * from before that step, and does not count.
 */
static __always_inline struct cpu_context *context_now(struct cpu *c)
{
	struct cpu_context *in = c->depth ? context_at(c, c->depth - 1) : NULL;

	return in && govern_sheds(CT_SHED_HOOKS) && in->ctx != CT_CTX_TIMER ? NULL : in;
}

/*
 * Returns a key for the current system call: its number and its first argument. If the key has
 * changed, another system call has begun on this CPU. The key is 0 in an interrupt, and for tasks
 * of the kernel.
 */
static __always_inline __u64 context_call(struct cpu *c)
{
	struct task_struct *cur;
	struct pt_regs *regs;

	if (c->depth)
		return 0;
	cur = bpf_get_current_task_btf();
	if (task_is_kernel(cur))
		return 0;
	regs = task_regs(cur);
	return (__u64)regs_syscall(regs) | regs_arg(regs, 0) << 32;
}

/*
 * Remembers that a socket became readable. The kernel then wakes the tasks that wait for this
 * socket, before the interrupt or system call ends that made the socket readable. Most messages
 * wake no task, so only context_ready_obj() computes the id of the socket. sk and socket are the
 * addresses of its struct sock and struct socket.
 */
static __always_inline void context_ready(struct cpu *c, __u64 sk, __u64 socket)
{
	c->ready_depth = c->depth;
	c->ready_call = context_call(c);
	c->ready_ticks = bpf_jiffies64();
	c->ready_socket = socket;
	c->ready_sk = sk;
}

/*
 * Names the socket that context_ready() remembered, and returns its id. Returns 0 if:
 * - no socket is remembered, or the step CT_SHED_HOOKS is in force, in which no socket is
 *   remembered;
 * - the socket became readable more than CONTEXT_READY_NS ago;
 * - the interrupt or system call that made the socket readable is not the current one;
 * - the struct sock now has another struct socket, because the socket was freed in the meantime.
 */
static __always_inline __u64 context_ready_obj(struct cpu *c, struct task_struct *cur, __u64 now)
{
	__u64 sk = c->ready_sk;

	if (!sk || govern_sheds(CT_SHED_HOOKS) || c->ready_depth != c->depth ||
	    (bpf_jiffies64() - c->ready_ticks) * ct_tick_ns > CONTEXT_READY_NS ||
	    c->ready_call != context_call(c) || RD_NUM((struct sock *)sk, sk_socket) != c->ready_socket)
		return 0;
	return ct_object_of_sk(sk, cur->pid, now);
}

#endif
