/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched.bpf.c - records context switches and wake-ups, each with its reason. */
/* bpf_rdonly_cast makes reads of kernel memory fast, but only one file may use it (compat.h). It is this
 * file, because its programs read the most, and the kernel holds a lock of the scheduler meanwhile. */
#define COMPAT_RDONLY_CAST
#include "wait.h"
#include "caps.h"
#include "context.h"
#include "task.h"

char LICENSE[] SEC("license") = "GPL";

struct task_struct *task_plain(struct task_struct *t)
{
	return ct_has_rdonly_cast ? RD_CAST(t) : t;
}

/*
 * Returns 0 if the task stays runnable.
 *
 * Before 6.14, sched_switch gives a wrong state if a signal is pending (fixed by commit 8feb053d5319).
 * The right state is 0, and prev->__state has it. A wake-up cannot have set the 0: it needs the run-queue
 * lock, which the switch holds.
 */
static __always_inline __u32 switch_state(__u64 *ctx, struct task_struct *prev)
{
	__u32 own = prev->__state;

	if (ctx[0] || !own)
		return 0;
	return ct_switch_has_state ? ctx[3] : own;
}

static __always_inline __u8 switch_state_kind(struct task_struct *prev, __u32 state)
{
	if (state & TASK_DEAD)
		return CT_W_EXITED;
	if (wait_is_stopped(prev, state))
		return CT_W_STOPPED;
	return 0;
}

#include "wake.h"

static __always_inline void switch_reason(struct wait_ctx *x, struct task_struct *prev, __u32 state,
					  enum wait_view view)
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
	} else if (task_wants_memory(prev)) {
		x->w.kind = CT_W_MEMORY;
	} else {
		wait_decode(x, prev, view);
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
	if (task_is_throttled(prev))
		x->w.flags |= CT_SF_THROTTLED;
	x->w.nr = wait_syscall(prev, task_regs(prev));
	if (x->w.nr != CT_NR_NONE && SYSCLASS_HOW(wait_class(x->w.nr)) == SYSCLASS_YIELD && !preempt)
		x->w.kind = CT_W_YIELD;
}

static __always_inline void switch_fill(struct ct_rec *r, struct task_struct *t, struct wait_ctx *x,
					__u32 state)
{
	r->state = state & 0xff;
	if (state && !r->state)
		/* The task is frozen, or waits for a sleeping lock of PREEMPT_RT: these states
		 * have no bit among the lowest eight. */
		r->state = CT_ST_DISK;
	r->wait = x->w.kind;
	r->flags = x->w.flags;
	if (task_is_kernel(t))
		r->flags |= CT_SF_KTHREAD;
	if (state && BPF_CORE_READ_BITFIELD(t, in_iowait))
		r->flags |= CT_SF_IOWAIT;
	if (state & TASK_NOLOAD && state & TASK_UNINTERRUPTIBLE)
		r->flags |= CT_SF_IDLE;
	r->nr = x->w.nr;
	r->obj = x->w.obj;
}

static __noinline int coarse_wait(struct cpu *c, struct task_struct *p, __u64 now, __u64 since)
{
	__u32 state = p->__state;
	struct wait_ctx x = { .now = now };
	struct emit_rec2 *r;

	switch_reason(&x, p, state, WAIT_OTHER);
	r = emit_rec2(c, CT_FOUND, now);
	if (!r)
		return 0;
	r->r.tid = p->pid;
	r->r.peer = found_switches(p);
	switch_fill(&r->r, p, &x, state);
	r->r.aux = CT_FOUND_WAITED;
	r->x[0] = since;
	r->x[1] = found_times(p);
	emit_submit(r, now);
	return 0;
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
		context_reset(c);
		return 0;
	}
	x.now = bpf_ktime_get_boot_ns();
	context_reset(c);
	if (state)
		switch_reason(&x, prev, state, WAIT_SELF);
	else
		switch_runnable(&x, prev, ctx[0]);
	r = emit_rec(c, CT_SWITCH, x.now);
	if (!r)
		return 0;
	r->tid = prev->pid;
	r->peer = next->pid;
	switch_fill(r, prev, &x, state);
	r->aux = (prev->prio & 0xff) | (next->prio & 0xff) << 8;
	emit_submit(r, x.now);
	govern_ran(c, GOVERN_SWITCH, x.now);
	return 0;
}

/*
 * Returns true if no tick was counted since p left its CPU: then p waited for less than CT_COARSE_NS. Does
 * not read the clock. Does not judge a wait of some ticks, because the count may be late by some ticks: the
 * host of a virtual machine may stop the CPU that counts. If this CPU stops for CT_COARSE_NS or more, a long
 * wait may look short.
 */
static __always_inline bool waking_is_short(struct task_struct *p)
{
	return found_left(p) > found_ticks();
}

/* If p waited for CT_COARSE_NS or more, records the wait (CT_FOUND), even if there is no room for the record,
 * and returns the time. Otherwise, or if p is a task of the daemon, returns 0. */
static __always_inline __u64 waking_long(struct cpu *c, struct task_struct *p)
{
	__u64 now, since;

	if (!ct_govern.sched_off_ns || waking_is_short(p))
		return 0;
	now = bpf_ktime_get_boot_ns();
	since = found_since(p, now, found_clock(now));
	if (!since || now - since < CT_COARSE_NS || p->on_cpu || task_is_queued(p) ||
	    p->tgid == ct_tracer_tgid)
		return 0;
	coarse_wait(c, p, now, since);
	return now;
}

SEC("tp_btf/sched_waking")
int ct_waking(__u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0], *cur = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();
	__u64 now;

	if (!c || p->tgid == ct_tracer_tgid)
		return 0;
	now = caps_leave_out(c, p, cur) ? waking_long(c, p) : bpf_ktime_get_boot_ns();
	if (!now)
		return 0;
	wake_emit(ctx, c, p, cur, now);
	govern_ran(c, GOVERN_WAKE, now);
	return 0;
}

/* A coarse step attaches this program instead of ct_switch(), ct_waking() and ct_wake_new(). */
SEC("tp_btf/sched_waking")
int ct_waking_coarse(__u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	struct cpu *c = emit_cpu();
	__u64 now;

	if (!c)
		return 0;
	now = waking_long(c, p);
	if (now) {
		wake_emit(ctx, c, p, bpf_get_current_task_btf(), now);
		govern_ran(c, GOVERN_OTHER, now);
	} else {
		c->cost[GOVERN_SHORT].runs++;
	}
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
