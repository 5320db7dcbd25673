/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal.bpf.c - records signals that are sent and delivered, and marks the signals that kill. */
#include "compat.h"
#include "caps.h"
#include "context.h"
#include "wait.h"

#define SIGKILL         9
#define SIGNAL_BIT(sig) (1ULL << ((sig)-1))
/* two values of the kernel, in place of the address of a struct kernel_siginfo */
#define SEND_SIG_NOINFO        0 /* user space sent the signal */
#define SEND_SIG_PRIV          1 /* the kernel sent the signal */
#define SI_KERNEL              0x80
#define TRACE_SIGNAL_DELIVERED 0

/* By default, none of these kills: SIGURG, SIGCHLD, SIGCONT, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU. */
#define SIGNAL_NOT_FATAL                                                                                     \
	(SIGNAL_BIT(23) | SIGNAL_BIT(17) | SIGNAL_BIT(18) | SIGNAL_BIT(28) | SIGNAL_BIT(19) |                \
	 SIGNAL_BIT(20) | SIGNAL_BIT(21) | SIGNAL_BIT(22))

static __always_inline bool signal_kills(__u32 sig, __u64 handler)
{
	if (sig == SIGKILL)
		return true;
	return sig - 1 < 64 && !handler && !(SIGNAL_NOT_FATAL & SIGNAL_BIT(sig));
}

static __always_inline __u64 signal_handler(struct task_struct *t, __u32 sig)
{
	void *ka = (void *)RD_NUM(t, sighand) + bpf_core_field_offset(struct sighand_struct, action);

	ka += ((sig - 1) & 63) * bpf_core_type_size(struct k_sigaction);
	return RD_NUM((struct k_sigaction *)ka, sa.sa_handler);
}

SEC("tp_btf/signal_generate")
int ct_signal(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[2], *cur = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();
	__u32 sig = ctx[0];
	__u64 now, info = 0;
	struct ct_rec *r;
	__s32 code = 0;

	if (!c || caps_leave_out(c, cur, t))
		return 0;
	now = bpf_ktime_get_boot_ns();
	r = emit_rec(c, CT_SIGNAL, now);
	if (!r)
		return 0;
	/* Read as a number, because two values of info are no address. */
	bpf_probe_read_kernel(&info, sizeof(info), &ctx[1]);
	if (info == SEND_SIG_PRIV)
		code = SI_KERNEL;
	else if (info != SEND_SIG_NOINFO)
		code = BPF_CORE_READ((struct kernel_siginfo *)info, si_code);
	r->tid = cur->pid;
	r->peer = t->pid;
	r->state = sig;
	r->obj = t->tgid;
	r->aux = code;
	r->nr = CT_NR_NONE;
	if (signal_kills(sig, signal_handler(t, sig)))
		r->flags |= CT_GF_FATAL;
	if (ctx[4] != TRACE_SIGNAL_DELIVERED)
		r->flags |= CT_GF_IGNORED;
	if (ctx[3])
		r->flags |= CT_GF_GROUP;
	if (code > 0 || context_now(c) || task_is_kernel(cur))
		r->flags |= CT_GF_KERNEL;
	else
		r->nr = wait_syscall(cur, task_regs(cur));
	emit_submit(r, now);
	govern_ran(c, GOVERN_OTHER, now);
	return 0;
}

SEC("tp_btf/signal_deliver")
int ct_signal_deliver(__u64 *ctx)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct k_sigaction *ka = (void *)ctx[2];
	struct cpu *c = emit_cpu();
	__u32 sig = ctx[0];
	struct ct_rec *r;
	__u64 now;

	if (!c || caps_leave_out(c, cur, NULL))
		return 0;
	now = bpf_ktime_get_boot_ns();
	r = emit_rec(c, CT_SIGDELIVER, now);
	if (!r)
		return 0;
	r->tid = cur->pid;
	r->state = sig;
	if (signal_kills(sig, (__u64)BPF_CORE_READ(ka, sa.sa_handler)))
		r->flags = CT_GF_FATAL;
	emit_submit(r, now);
	return 0;
}
