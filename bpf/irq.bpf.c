/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq.bpf.c - keeps a stack of the interrupts in progress on each CPU (context.h). If an interrupt
 * wakes a task, the current task is mostly not the cause. The program for the begin of a timer interrupt
 * is in sample.bpf.c. */
#include "caps.h"
#include "context.h"

#define ENTER(ctx_, key_, what_)                                                                             \
	({                                                                                                   \
		struct cpu *c = emit_cpu();                                                                  \
		if (c)                                                                                       \
			context_enter(c, ctx_, key_, what_), caps_ran_light(c);                              \
		0;                                                                                           \
	})
#define EXIT(ctx_, key_)                                                                                     \
	({                                                                                                   \
		struct cpu *c = emit_cpu();                                                                  \
		if (c)                                                                                       \
			context_exit(c, ctx_, key_), caps_ran_light(c);                                      \
		0;                                                                                           \
	})

SEC("tp_btf/softirq_entry")
int ct_softirq_entry(__u64 *ctx)
{
	return ENTER(CT_CTX_SOFTIRQ, ctx[0], ctx[0]);
}

SEC("tp_btf/softirq_exit")
int ct_softirq_exit(__u64 *ctx)
{
	return EXIT(CT_CTX_SOFTIRQ, ctx[0]);
}

SEC("tp_btf/irq_handler_entry")
int ct_irq_entry(__u64 *ctx)
{
	return ENTER(CT_CTX_HARDIRQ, ctx[1], 0);
}

SEC("tp_btf/irq_handler_exit")
int ct_irq_exit(__u64 *ctx)
{
	return EXIT(CT_CTX_HARDIRQ, ctx[1]);
}

SEC("tp_btf/hrtimer_expire_exit")
int ct_hrtimer_exit(__u64 *ctx)
{
	return EXIT(CT_CTX_TIMER, ctx[0]);
}

/* Interrupts between CPUs. Only x86 has these tracepoints. */
#define IPI(name)                                                                                            \
	SEC("tp_btf/" #name "_entry") int ct_##name##_entry(__u64 *ctx)                                      \
	{                                                                                                    \
		return ENTER(CT_CTX_IPI, ctx[0], 0);                                                         \
	}                                                                                                    \
	SEC("tp_btf/" #name "_exit") int ct_##name##_exit(__u64 *ctx)                                        \
	{                                                                                                    \
		return EXIT(CT_CTX_IPI, ctx[0]);                                                             \
	}

IPI(irq_work)
IPI(reschedule)
IPI(call_function)
IPI(call_function_single)
