/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wake.h - finds three things for a wake-up: the waker, the context (task or kind of interrupt),
 * and the object that the waker acts on. Emits the CT_WAKE.
 *
 * From the step CT_SHED_HOOKS on, the hooks of interrupts are detached, except those of timers.
 * Then the kernel stack tells which interrupt makes the wake-up, for some of the wake-ups that end
 * a long wait (wake_mark()).
 *
 * This header is a part of sched.bpf.c, which includes it after the decoders of waits.
 */
#ifndef CTRACE_BPF_WAKE_H
#define CTRACE_BPF_WAKE_H

#include "caps.h"
#include "context.h"
#include "ctrace/softirq.h"
#include "task.h"

#define WAKE_STACK_MAX 65536 /* in bytes; no kernel stack of a task is larger */
/*
 * In ns. Each CPU takes at most one stack in this time, because one stack costs more than the hooks
 * of many interrupts.
 */
#define WAKE_MARK_NS 5000000

/*
 * Returns true if this program surely runs in an interrupt or softirq. It surely does if the stack
 * in use is not the kernel stack of the current task. The saved registers of a task are at the
 * upper end of its kernel stack. If the result is false, this program may still run in an
 * interrupt: see wake_without_call().
 *
 * This function is not inlined, so that its frame is small. Since 6.13, a large frame is in memory
 * of its own instead of on the stack in use (commit 5bd36da1e37e). Then r10 would not tell which
 * stack is in use.
 */
static __noinline int wake_in_interrupt(void)
{
	struct pt_regs *top = task_regs(bpf_get_current_task_btf());
	__s64 below;

	/* the difference of two pointers is a number for the verifier */
	asm volatile("%0 = r10\n\t%0 -= %1" : "=r"(below) : "r"(top));
	return below >= 0 || below < -WAKE_STACK_MAX;
}

/*
 * Sets the context of a wake. `in` is the interrupt in progress; NULL: no hook has seen one. From
 * the step CT_SHED_HOOKS on, the only attached hooks of interrupts are those of timers, so `in` is
 * NULL in any other interrupt. wake_in_interrupt() finds such an interrupt by the stack in use.
 */
static __always_inline void wake_context(struct ct_rec *w, const struct cpu_context *in)
{
	if (in) {
		w->state = in->ctx;
		if (in->ctx == CT_CTX_SOFTIRQ)
			w->wait = in->what;
	} else if (govern_sheds(CT_SHED_HOOKS) && wake_in_interrupt()) {
		w->state = CT_CTX_IRQ;
	}
}

/*
 * Returns true if, in this context, the system call of the current task may be the cause of the
 * wake. In an interrupt, the current task is mostly not the waker. The exception is a network
 * softirq that runs on top of the task's send or connect, as on loopback. CT_CTX_IRQ may be such a
 * softirq.
 */
static __always_inline bool wake_may_be_sent(const struct ct_rec *w)
{
	return w->state == CT_CTX_TASK || w->state == CT_CTX_IRQ ||
	       (w->state == CT_CTX_SOFTIRQ && w->wait == NET_RX_SOFTIRQ);
}

/* Adds the system call of the current task to a wake, if this call may be the cause. Does not
 * change the object of the wake. */
static __always_inline void wake_sender(struct ct_rec *w, struct task_struct *cur)
{
	__u16 nr = wake_may_be_sent(w) ? wait_syscall(cur, task_regs(cur)) : CT_NR_NONE;
	__u8 kind;

	if (nr == CT_NR_NONE)
		return;
	kind = SYSCLASS_WAIT(wait_class(nr));
	if (w->state != CT_CTX_TASK && kind != CT_W_WRITE && kind != CT_W_CONNECT)
		return;
	w->nr = nr;
	w->aux = kind;
}

/* Returns true if a task can receive or accept on the socket at once. */
static __always_inline bool wake_has_input(struct sock *sk)
{
	return RD(sk, sk_receive_queue.qlen) ||
	       (RD(sk, __sk_common.skc_state) == TCP_LISTEN && RD(sk, sk_ack_backlog));
}

/* Names the socket of a file that the task tid uses, and returns the id of the socket. Returns 0 if the
 * file is no socket, or the socket has no input. */
static __noinline __u64 wake_input(__u64 file, __u32 tid, __u64 now)
{
	struct object o = { .file = (void *)file, .tid = tid };

	ct_object_of_file(&o);
	if (!o.sk || !wake_has_input(o.sk))
		return 0;
	object_see(&o, now);
	return o.id;
}

/*
 * Returns the file of the member of an epoll set that became ready last, or NULL if it is not known. The
 * kernel appends this member to a list, and then wakes a task that waits for the set. While another task
 * takes members from the list, the kernel puts new members at the front of another list, ovflist. At other
 * times, ovflist is -1.
 */
static __always_inline struct file *wake_epoll_file(struct file *epoll)
{
	struct eventpoll *ep = (void *)RD_NUM(epoll, private_data);
	struct epitem *item = (void *)RD_NUM(ep, ovflist);
	__u64 list = (__u64)ep + bpf_core_field_offset(struct eventpoll, rdllist);
	__u64 last;

	if (!item || item == (void *)-1) {
		last = RD_NUM((struct list_head *)list, prev);
		if (!last || last == list)
			return NULL;
		item = (void *)last - bpf_core_field_offset(struct epitem, rdllink);
	}
	return (void *)rd_num((void *)item + bpf_core_field_offset(struct epitem, ffd.file));
}

/*
 * Returns the only socket with input among the descriptors that the wakee p polls for input. Returns 0 if
 * none of them has input, if several have, or if the set is not known or too large.
 */
static __always_inline __u64 wake_polled(struct task_struct *p, __u64 now)
{
	struct task_state *ts = bpf_task_storage_get(&ct_tasks, p, 0, 0);
	__u64 found = 0, obj;

	if (!ts || ts->n_polled > CT_WAITFD_MAX)
		return 0;
	for (__u32 i = 0; i < CT_WAITFD_MAX && i < ts->n_polled; i++) {
		struct file *f = object_fd_file(p, ts->polled[i]);

		obj = f ? wake_input((__u64)f, p->pid, now) : 0;
		if (obj && found)
			return 0;
		if (obj)
			found = obj;
	}
	return found;
}

/* Returns the socket that has input for the wakee p and for which p waits, or 0 if it is not known. */
static __noinline __u64 wake_ready(struct task_struct *p, __u64 now)
{
	struct pt_regs *regs = task_regs(p);
	__u16 nr = wait_syscall(p, regs);
	struct file *f;
	__u32 cls, fd;

	if (nr == CT_NR_NONE || task_is_kernel(p) || task_is_compat(p))
		return 0;
	cls = wait_class(nr);
	if (SYSCLASS_HOW(cls) == SYSCLASS_POLL || SYSCLASS_HOW(cls) == SYSCLASS_SELECT)
		return wake_polled(p, now);
	fd = SYSCLASS_FD(cls);
	if (!fd || SYSCLASS_WAIT(cls) == CT_W_WRITE || SYSCLASS_WAIT(cls) == CT_W_CONNECT)
		return 0;
	f = object_fd_file(p, regs_arg(regs, fd - 1));
	if (f && SYSCLASS_WAIT(cls) == CT_W_EPOLL)
		f = wake_epoll_file(f);
	return f ? wake_input((__u64)f, p->pid, now) : 0;
}

/*
 * Returns true if input for a socket may be the cause of the wake, and no system call of the
 * current task can tell the socket. This is so in a network softirq. If the current task is the
 * idle task or a task of the kernel, this is also so in an interrupt of unknown kind, and in the
 * current task itself.
 */
static __always_inline bool wake_may_be_input(const struct ct_rec *w, struct task_struct *cur)
{
	if (w->state == CT_CTX_SOFTIRQ)
		return w->wait == NET_RX_SOFTIRQ;
	return !cur->pid || task_is_kernel(cur) ? wake_may_be_sent(w) : false;
}

/* Sets the object of a wake to the socket that has input for the wakee p. Returns false if there is none. */
static __always_inline bool wake_by_input(struct ct_rec *w, struct task_struct *p, __u64 now)
{
	__u64 ready = wake_ready(p, now);

	if (!ready)
		return false;
	w->flags |= CT_WF_READY;
	w->obj = ready;
	return true;
}

/* Sets the object of a wake, and the system call of the waker: see CT_WAKE. p is the wakee. */
static __always_inline void wake_reason(struct ct_rec *w, struct task_struct *p, struct task_struct *cur,
					const struct cpu_context *in, __u64 now)
{
	struct wait_ctx x = { .now = now };
	bool ready = wake_may_be_input(w, cur) && wake_by_input(w, p, now), sends;

	if (in && in->ctx == CT_CTX_TIMER)
		w->obj = in->what;
	if (task_is_kernel(cur) || cur->tgid == ct_tracer_tgid)
		return;
	if (in || ready || (w->state == CT_CTX_IRQ && !cur->pid)) {
		wake_sender(w, cur);
		return;
	}
	wait_decode(&x, cur, WAIT_WAKER);
	sends = x.w.kind == CT_W_WRITE || x.w.kind == CT_W_CONNECT;
	if (w->state == CT_CTX_IRQ && !sends) {
		wake_by_input(w, p, now);
		return;
	}
	if (x.w.nr == CT_NR_NONE)
		return;
	w->nr = x.w.nr;
	w->aux = x.w.kind;
	/* a message on a unix socket: the wake is for the socket at the other end */
	if (w->state == CT_CTX_TASK && sends && CT_OBJ_KIND(x.w.obj) == CT_OBJ_SOCK &&
	    wake_by_input(w, p, now))
		return;
	w->obj = x.w.obj;
}

/*
 * Looks up addr, a return address, in ct_marks. Returns the member `what` of the function that
 * contains addr, or 0 if ct_marks does not have this function. ct_wake_mark() and ct_wake_find()
 * are global, so that the verifier checks each of them only once.
 */
__weak int ct_wake_mark(__u64 addr)
{
	for (__u32 i = 0; i < GOVERN_MARKS; i++)
		if (addr - 1 - ct_marks.v[i].from < ct_marks.v[i].bytes)
			return ct_marks.v[i].what;
	return 0;
}

/*
 * Finds the innermost of the first n frames whose function is in ct_marks. Returns the
 * GOVERN_MARK() of this function, or 0 if there is no such frame. If a frame further out is in
 * irq_exit(), adds GOVERN_MARK_CUT_IN: then the function runs at the end of an interrupt, which has
 * interrupted the current task. If irq_exit() itself is the innermost such function, returns 0.
 */
__weak int ct_wake_find(struct cpu *c, __u32 n)
{
	__u32 found = 0;

	if (!c)
		return 0;
	for (__u32 i = 0; i < CPU_FRAMES && i < n; i++) {
		__u32 m = ct_wake_mark(c->frames[i]);

		if (m == GOVERN_MARK_CUT_IN)
			return found ? found | m : 0;
		if (!found)
			found = m;
	}
	return found;
}

/* Returns true if the wakee p waited for CT_COARSE_NS or more, and this CPU took no stack in the
 * last WAKE_MARK_NS. Returns false if ct_marks is empty, or if the time of the wait is not
 * known. */
static __always_inline bool wake_mark_is_due(struct cpu *c, struct task_struct *p, __u64 now)
{
	__u64 since;

	if (!ct_marks.n || !ct_govern.sched_off_ns || now - c->marked_ns < WAKE_MARK_NS)
		return false;
	since = found_since(p, now, found_clock(now));
	return since && now - since >= CT_COARSE_NS;
}

/* Takes the kernel stack in use, and returns the result of ct_wake_find() for it. Returns 0 if the
 * stack cannot be taken. */
static __noinline __u32 wake_mark_take(void *ctx, struct cpu *c, __u64 now)
{
	long got = bpf_get_stack(ctx, c->frames, sizeof(c->frames), 0);

	c->marked_ns = now;
	return got > 0 ? ct_wake_find(c, (__u64)got >> 3) : 0;
}

/*
 * If the hooks of interrupts are detached, and the current task is a user task in no system call,
 * sets the context of the wake to CT_CTX_IRQ. A user task that is in no system call wakes another
 * task only while it exits. So if it does not exit, an interrupt makes the wake. An interrupt that
 * stops user mode runs on the kernel stack of the task, so wake_in_interrupt() has not seen this
 * interrupt. The tasks of ctraced do not count: w does not have their system calls.
 */
static __always_inline void wake_without_call(struct ct_rec *w, struct task_struct *cur)
{
	if (govern_sheds(CT_SHED_HOOKS) && w->state == CT_CTX_TASK && w->nr == CT_NR_NONE &&
	    !(cur->flags & PF_EXITING) && !task_is_kernel(cur) && cur->tgid != ct_tracer_tgid)
		w->state = CT_CTX_IRQ;
}

/*
 * If the hooks of interrupts are detached, and wake_mark_is_due() returns true: finds in the kernel
 * stack which interrupt makes the wake, and sets the context of the wake. If the system call of the
 * current task cannot be the cause of the wake, removes the system call and the object from the
 * wake. A socket that has input stays the object if the interrupt may be of the network.
 *
 * Does nothing if the context is CT_CTX_TASK and a system call is known, because then the task is
 * the waker. Without a system call, a wake with the context CT_CTX_TASK may also come from a
 * softirq, because ksoftirqd is a task, and runs softirqs on its own stack.
 */
static __always_inline void wake_mark(void *ctx, struct cpu *c, struct ct_rec *w, struct task_struct *p,
				      __u64 now)
{
	__u32 what;

	if (!govern_sheds(CT_SHED_HOOKS) || (w->state != CT_CTX_IRQ && w->nr != CT_NR_NONE) ||
	    !wake_mark_is_due(c, p, now))
		return;
	what = wake_mark_take(ctx, c, now);
	if (!what)
		return;
	w->state = GOVERN_MARK_CTX(what);
	w->wait = GOVERN_MARK_VECTOR(what);
	if (what & GOVERN_MARK_CUT_IN || !wake_may_be_sent(w)) {
		w->nr = CT_NR_NONE;
		w->aux = 0;
		if (!(w->flags & CT_WF_READY) || !wake_may_be_sent(w)) {
			w->flags &= ~CT_WF_READY;
			w->obj = 0;
		}
	}
}

/* Emits the CT_WAKE for p. The waker is the current task, or an interrupt on top of it. The
 * function is not inlined, because before 6.2 waking_long() needs the stack. */
static __noinline void wake_emit(void *ctx, struct cpu *c, struct task_struct *p, struct task_struct *cur,
				 __u64 now)
{
	const struct cpu_context *in = context_now(c);
	struct ct_rec w = { .nr = CT_NR_NONE }, *r;

	wake_context(&w, in);
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
	wake_reason(&w, p, cur, in, now);
	if (!in) {
		wake_without_call(&w, cur);
		wake_mark(ctx, c, &w, p, now);
	}
	r = emit_reserve(c, sizeof(*r), now);
	if (!r)
		return;
	/*
	 * Writes each field separately, because a copy of the whole record would be slow. Such a
	 * copy would read words whose bytes were just stored one by one.
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
	emit_submit(r, now);
}

#endif
