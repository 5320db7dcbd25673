/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched.bpf.c - records context switches and wake-ups, each with its reason. */
#define COMPAT_RDONLY_CAST /* this file reads the most objects, and does so under the run-queue lock */
#include "wait.h"
#include "caps.h"
#include "context.h"
#include "ctrace/softirq.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * The state of a task that leaves the CPU; 0: the task stays runnable.
 *
 * Before 6.14 sched_switch gives a wrong state for a task that was about to sleep and has a signal
 * pending: the state that the task asked for (fixed by commit 8feb053d5319). The state in the task
 * itself is the right one: the task runs on. No wake-up can have set it in the meantime, because a
 * wake-up takes the run-queue lock.
 */
static __always_inline __u32 switch_state(__u64 *ctx, struct task_struct *prev)
{
	__u32 own = prev->__state;

	if (ctx[0] || !own)
		return 0;
	return ct_switch_has_state ? ctx[3] : own;
}

/* The kind of a wait that shows in the state of the task alone; 0: there is no such kind for this state. */
static __always_inline __u8 switch_state_kind(struct task_struct *prev, __u32 state)
{
	if (state & TASK_DEAD)
		return CT_W_EXITED;
	if (wait_is_stopped(prev, state))
		return CT_W_STOPPED;
	return 0;
}

/* Two decoders of waits, global so that the verifier checks each of them once. */
__weak int ct_wait_self(struct wait_ctx *x)
{
	if (x)
		wait_decode(x, bpf_get_current_task_btf(), WAIT_SELF);
	return 0;
}

__weak int ct_wait_waker(struct wait_ctx *x)
{
	if (x)
		wait_decode(x, bpf_get_current_task_btf(), WAIT_WAKER);
	return 0;
}

static __always_inline void switch_reason(struct wait_ctx *x, struct task_struct *prev, __u32 state)
{
	x->w.kind = switch_state_kind(prev, state);
	x->w.nr = CT_NR_NONE;
	x->w.flags = 0;
	x->w.obj = 0;
	if (task_is_kernel(prev)) {
		if (!x->w.kind)
			x->w.kind = CT_W_KTHREAD;
	} else if (prev->tgid == ct_tracer_tgid) {
		if (!x->w.kind)
			x->w.kind = CT_W_OTHER;
	} else if (x->w.kind) {
		x->w.nr = wait_syscall(prev, task_regs(prev));
	} else {
		ct_wait_self(x); /* at this point prev is still the current task */
	}
}

static __always_inline void switch_runnable(struct wait_ctx *x, struct task_struct *prev, bool preempt)
{
	x->w.kind = CT_W_NONE;
	x->w.nr = CT_NR_NONE;
	x->w.flags = preempt ? CT_SF_PREEMPT : 0;
	x->w.obj = 0;
	if (!prev->pid || task_is_kernel(prev))
		return;
	x->w.nr = wait_syscall(prev, task_regs(prev));
	if (x->w.nr != CT_NR_NONE && SYSCLASS_HOW(wait_class(x->w.nr)) == SYSCLASS_YIELD && !preempt)
		x->w.kind = CT_W_YIELD;
}

SEC("tp_btf/sched_switch")
int ct_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct cpu *c = emit_cpu();
	struct wait_ctx x = {};
	__u32 state = switch_state(ctx, prev);
	struct ct_rec *r;

	if (!c)
		return 0;
	if (state & TASK_DEAD ? caps_death(c, prev, next) : caps_leave_out(c, prev, next)) {
		context_reset(c, 0);
		return 0;
	}
	x.now = bpf_ktime_get_boot_ns();
	context_reset(c, x.now);
	if (state)
		switch_reason(&x, prev, state);
	else
		switch_runnable(&x, prev, ctx[0]);
	r = emit_rec(c, CT_SWITCH, x.now);
	if (!r)
		return 0;
	r->tid = prev->pid;
	r->peer = next->pid;
	r->state = state & 0xff;
	if (state && !r->state)
		/* States above the low byte: frozen, or waiting for a sleeping lock of PREEMPT_RT. */
		r->state = CT_ST_DISK;
	r->wait = x.w.kind;
	r->flags = x.w.flags;
	if (task_is_kernel(prev))
		r->flags |= CT_SF_KTHREAD;
	if (state && BPF_CORE_READ_BITFIELD(prev, in_iowait))
		r->flags |= CT_SF_IOWAIT;
	if (state & TASK_NOLOAD && state & TASK_UNINTERRUPTIBLE)
		r->flags |= CT_SF_IDLE;
	r->nr = x.w.nr;
	r->aux = (prev->prio & 0xff) | (next->prio & 0xff) << 8;
	r->obj = x.w.obj;
	emit_submit(r, x.now);
	govern_ran(c, GOVERN_SWITCH, x.now);
	return 0;
}

/*
 * Adds the system call of the current task to a wake whose object is known already. In an
 * interrupt, the current task is mostly not the waker. The exception is a network softirq that runs
 * on top of the task's send or connect, as on loopback.
 */
static __always_inline void waking_sender(struct ct_rec *w, struct task_struct *cur, struct cpu_context *in)
{
	__u16 nr;
	__u8 kind;

	if (in && (in->ctx != CT_CTX_SOFTIRQ || in->what != NET_RX_SOFTIRQ))
		return;
	nr = wait_syscall(cur, task_regs(cur));
	if (nr == CT_NR_NONE)
		return;
	kind = SYSCLASS_WAIT(wait_class(nr));
	if (in && kind != CT_W_WRITE && kind != CT_W_CONNECT)
		return;
	w->nr = nr;
	w->aux = kind;
}

/* Sets the object of a wake, and the system call of the waker: see CT_WAKE. */
static __always_inline void waking_reason(struct cpu *c, struct wait_ctx *x, struct ct_rec *w,
					  struct task_struct *cur, struct cpu_context *in)
{
	__u64 ready = context_ready_obj(c, cur, x->now);

	if (ready) {
		w->flags |= CT_WF_READY;
		w->obj = ready;
	}
	if (in && in->ctx == CT_CTX_TIMER)
		w->obj = in->what;
	if (task_is_kernel(cur) || cur->tgid == ct_tracer_tgid || govern_sheds(CT_SHED_WAKES))
		return;
	if (in || w->flags & CT_WF_READY) {
		waking_sender(w, cur, in);
		return;
	}
	ct_wait_waker(x);
	w->nr = x->w.nr;
	if (w->nr != CT_NR_NONE) {
		w->aux = x->w.kind;
		w->obj = x->w.obj;
	}
}

SEC("tp_btf/sched_waking")
int ct_waking(__u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0], *cur = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();
	struct wait_ctx x = {};
	struct cpu_context *in;
	struct ct_rec w = { .nr = CT_NR_NONE }, *r;

	if (!c || p->tgid == ct_tracer_tgid || caps_leave_out(c, p, cur))
		return 0;
	x.now = bpf_ktime_get_boot_ns();
	in = context_now(c);
	if (in) {
		w.state = in->ctx;
		if (in->ctx == CT_CTX_SOFTIRQ)
			w.wait = in->what;
	}
	if (p == cur)
		w.flags |= CT_WF_SELF;
	if (!cur->pid)
		w.flags |= CT_WF_IDLE;
	else if (task_is_kernel(cur))
		w.flags |= CT_WF_KTHREAD;
	if (cur->flags & PF_EXITING)
		w.flags |= CT_WF_EXITING;
	if (p->__state & TASK_FROZEN)
		w.flags |= CT_WF_FROZEN;
	waking_reason(c, &x, &w, cur, in);
	r = emit_reserve(c, sizeof(*r), x.now);
	if (!r)
		return 0;
	/*
	 * Writes each field separately. To copy the whole record would read words that were stored
	 * as bytes before, which is slow.
	 */
	r->kind = CT_WAKE;
	r->state = w.state;
	r->wait = w.wait;
	r->flags = w.flags;
	r->tid = p->pid;
	r->peer = cur->pid;
	r->nr = w.nr;
	r->aux = w.aux;
	r->obj = w.obj;
	emit_submit(r, x.now);
	govern_ran(c, GOVERN_WAKE, x.now);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int ct_wake_new(__u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0], *cur = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();
	struct ct_rec *r;
	__u64 now;

	if (!c || caps_leave_out(c, p, cur))
		return 0;
	now = bpf_ktime_get_boot_ns();
	r = emit_rec(c, CT_WAKE_NEW, now);
	if (!r)
		return 0;
	r->tid = p->pid;
	r->peer = cur->pid;
	emit_submit(r, now);
	return 0;
}
