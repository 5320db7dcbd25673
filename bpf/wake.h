/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wake.h - a part of sched.bpf.c. Finds the waker of a wake-up, the context (task or kind of interrupt),
 * and the object that the waker acts on. Emits the CT_WAKE. The __weak functions are global, so that the
 * verifier checks each of them once. Before 6.9, a global function takes no pointer to a task, so some get
 * its address.
 *
 * From the step CT_SHED_HOOKS on, no hooks of interrupts are attached except those of timers. Then the
 * kernel stack tells the interrupt for some wake-ups that end a long wait (wake_mark()).
 */
#ifndef CTRACE_BPF_WAKE_H
#define CTRACE_BPF_WAKE_H

#include "caps.h"
#include "context.h"
#include "ctrace/softirq.h"
#include "task.h"

#define WAKE_STACK_MAX 65536
/* Each CPU takes at most one stack in this time, because a stack is expensive. */
#define WAKE_MARK_NS 5000000

/*
 * Returns true if the program does not run on the kernel stack of the current task: then an interrupt is
 * in progress. False does not exclude an interrupt: see wake_without_call().
 *
 * Not inlined, so that the frame is small. Since 6.13, a large frame has memory of its own (commit
 * 5bd36da1e37e). Then r10 would not point into the stack.
 */
static __noinline int wake_in_interrupt(void)
{
	struct pt_regs *top = task_regs(bpf_get_current_task_btf());
	__s64 below;

	/* for the verifier, the difference of two pointers is a number */
	asm volatile("%0 = r10\n\t%0 -= %1" : "=r"(below) : "r"(top));
	return below >= 0 || below < -WAKE_STACK_MAX;
}

/* in: an interrupt that a hook has seen, or NULL. */
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

/* Returns true if the current task may have caused the wake-up. A wake-up in an interrupt mostly has nothing
 * to do with the current task. Exception: if the task sends or connects on loopback, the network softirq runs
 * within this system call. A CT_CTX_IRQ is an interrupt of unknown kind, so it may be this softirq. */
static __always_inline bool wake_may_be_sent(const struct ct_rec *w)
{
	return w->state == CT_CTX_TASK || w->state == CT_CTX_IRQ ||
	       (w->state == CT_CTX_SOFTIRQ && w->wait == NET_RX_SOFTIRQ);
}

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

static __always_inline bool wake_has_input(struct sock *sk)
{
	return RD(sk, sk_receive_queue.qlen) ||
	       (RD(sk, __sk_common.skc_state) == TCP_LISTEN && RD(sk, sk_ack_backlog));
}

static __always_inline __u64 wake_input(struct file *f, __u32 tid, __u64 now)
{
	struct object o = { .file = f, .tid = tid };

	ct_object_of_file(&o);
	if (!o.sk || !wake_has_input(o.sk))
		return 0;
	object_see(&o, now);
	return o.id;
}

/*
 * Returns the file of the epoll member that became ready last, or NULL. The kernel appends a member to
 * rdllist before it wakes a task. While a task takes members from rdllist, new ones go to the front of
 * ovflist. At other times, ovflist is -1.
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

/* Returns the id of the descriptor fd if it has input. For an epoll set, looks at the member that became
 * ready last. Otherwise returns 0. task: the address of the task. */
__weak __u64 ct_wake_fd(__u64 task, __u32 fd, __u32 tid, __u32 is_epoll, __u64 now)
{
	struct file *f = object_fd_file((void *)task, fd);

	if (f && is_epoll)
		f = wake_epoll_file(f);
	return f ? wake_input(f, tid, now) : 0;
}

/* Returns the id of the only descriptor in ts that has input. If there is none, or more than one, returns 0.
 */
__weak __u64 ct_wake_polled(struct task_state *ts, __u64 task, __u32 tid, __u64 now)
{
	__u64 found = 0, obj;

	if (!ts || ts->n_polled > CT_WAITFD_MAX)
		return 0;
	for (__u32 i = 0; i < CT_WAITFD_MAX && i < ts->n_polled; i++) {
		obj = ct_wake_fd(task, ts->polled[i], tid, false, now);
		if (obj && found)
			return 0;
		if (obj)
			found = obj;
	}
	return found;
}

static __noinline __u64 wake_ready(struct task_struct *p, __u64 now)
{
	struct pt_regs *regs = task_regs(p);
	__u16 nr = wait_syscall(p, regs);
	__u32 cls, fd;

	if (nr == CT_NR_NONE || task_is_kernel(p) || task_is_compat(p))
		return 0;
	cls = wait_class(nr);
	if (SYSCLASS_HOW(cls) == SYSCLASS_POLL || SYSCLASS_HOW(cls) == SYSCLASS_SELECT) {
		struct task_state *ts = bpf_task_storage_get(&ct_tasks, p, 0, 0);

		return ts ? ct_wake_polled(ts, address_of(p), p->pid, now) : 0;
	}
	fd = SYSCLASS_FD(cls);
	if (!fd || SYSCLASS_WAIT(cls) == CT_W_WRITE || SYSCLASS_WAIT(cls) == CT_W_CONNECT)
		return 0;
	return ct_wake_fd(address_of(p), regs_arg(regs, fd - 1), p->pid, SYSCLASS_WAIT(cls) == CT_W_EPOLL,
			  now);
}

static __always_inline bool wake_may_be_input(const struct ct_rec *w, struct task_struct *cur)
{
	if (w->state == CT_CTX_SOFTIRQ)
		return w->wait == NET_RX_SOFTIRQ;
	return !cur->pid || task_is_kernel(cur) ? wake_may_be_sent(w) : false;
}

static __always_inline bool wake_by_input(struct ct_rec *w, struct task_struct *p, __u64 now)
{
	__u64 ready = wake_ready(p, now);

	if (!ready)
		return false;
	w->flags |= CT_WF_READY;
	w->obj = ready;
	return true;
}

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
	if (w->state == CT_CTX_TASK && sends && CT_OBJ_KIND(x.w.obj) == CT_OBJ_SOCK &&
	    wake_by_input(w, p, now))
		return;
	w->obj = x.w.obj;
}

__weak int ct_wake_mark(__u64 addr)
{
	for (__u32 i = 0; i < GOVERN_MARKS; i++)
		if (addr - 1 - ct_marks.v[i].from < ct_marks.v[i].bytes)
			return ct_marks.v[i].what;
	return 0;
}

/*
 * Looks in the kernel stack for the functions that ct_marks lists.
 * - Returns the GOVERN_MARK() of the innermost such function, or 0 if there is none.
 * - If irq_exit() is in the stack further out than this function, the function runs in an
 *   interrupt. The result then also has GOVERN_MARK_CUT_IN.
 * - If irq_exit() is itself the innermost such function, returns 0.
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

static __always_inline bool wake_mark_is_due(struct cpu *c, struct task_struct *p, __u64 now)
{
	__u64 since;

	if (!ct_marks.n || !ct_govern.sched_off_ns || now - c->marked_ns < WAKE_MARK_NS)
		return false;
	since = found_since(p, now, found_clock(now));
	return since && now - since >= CT_COARSE_NS;
}

static __noinline __u32 wake_mark_take(void *ctx, struct cpu *c, __u64 now)
{
	long got = bpf_get_stack(ctx, c->frames, sizeof(c->frames), 0);

	c->marked_ns = now;
	return got > 0 ? ct_wake_find(c, (__u64)got >> 3) : 0;
}

/* A ksoftirqd runs the softirqs of its CPU if there are too many for the end of an interrupt. */
static __always_inline bool wake_by_ksoftirqd(const struct task_struct *cur)
{
	static const char name[8] = "ksoftirq";

	return rd_num(cur->comm) == *(const __u64 *)name;
}

/*
 * Outside of a system call, a user task rarely wakes another task itself. The waker is mostly an interrupt
 * that uses the kernel stack of the task, where wake_in_interrupt() cannot see it. So the wake-up counts as
 * made by an interrupt. Exceptions:
 * - A task that exits may wake other tasks itself.
 * - For a task of ctraced, w has no system call even if the task is in one.
 * Of the tasks of the kernel, this holds only for a ksoftirqd.
 */
static __always_inline void wake_without_call(struct ct_rec *w, struct task_struct *cur)
{
	if (!govern_sheds(CT_SHED_HOOKS) || w->state != CT_CTX_TASK || w->nr != CT_NR_NONE)
		return;
	if (task_is_kernel(cur) ? wake_by_ksoftirqd(cur)
				: !(cur->flags & PF_EXITING) && cur->tgid != ct_tracer_tgid)
		w->state = CT_CTX_IRQ;
}

/*
 * If the hooks of interrupts are detached, looks in the kernel stack for the interrupt that makes the wake.
 * If this interrupt does not work for the current task, removes the system call of the current task from w,
 * and sets w->obj to 0. Exception: w->obj stays if w has CT_WF_READY and the interrupt may be a network
 * softirq (wake_may_be_sent()). Then w->obj is the object for which the woken task waits.
 */
static __always_inline void wake_mark(void *ctx, struct cpu *c, struct ct_rec *w, struct task_struct *p,
				      __u64 now)
{
	__u32 what;

	/* If a task makes the wake in its system call, there is no interrupt to find. */
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

/* Called last: with each of these flags in an early branch, the verifier checks the code in between twice. */
static __always_inline __u8 wake_flags(struct task_struct *p, struct task_struct *cur)
{
	__u8 flags = p == cur ? CT_WF_SELF : 0;

	if (!cur->pid)
		flags |= CT_WF_IDLE;
	else if (task_is_kernel(cur))
		flags |= CT_WF_KTHREAD;
	if (cur->flags & PF_EXITING)
		flags |= CT_WF_EXITING;
	if (p->__state & TASK_FROZEN)
		flags |= CT_WF_FROZEN;
	return flags;
}

/* Not inlined. If it were inlined, its variables would be in the stack frame of ct_waking(), which also
 * calls coarse_wait(). Before Linux 6.2, this frame and that of coarse_wait() would together need more than
 * the 512 bytes of stack that a BPF program has. */
static __noinline void wake_emit(void *ctx, struct cpu *c, struct task_struct *p, struct task_struct *cur,
				 __u64 now)
{
	const struct cpu_context *in = context_now(c);
	struct ct_rec w = { .nr = CT_NR_NONE }, *r;

	wake_context(&w, in);
	wake_reason(&w, p, cur, in, now);
	if (!in) {
		wake_without_call(&w, cur);
		wake_mark(ctx, c, &w, p, now);
	}
	r = emit_reserve(c, sizeof(*r), now);
	if (!r)
		return;
	/* A copy of the whole record is slow: it reads words whose bytes were just stored one by one. */
	r->kind = CT_WAKE;
	r->state = w.state;
	r->wait = w.wait;
	r->flags = w.flags | wake_flags(p, cur);
	r->tid = p->pid;
	r->peer = cur->pid;
	r->nr = w.nr;
	r->aux = w.aux;
	r->obj = w.obj;
	emit_submit(r, now);
}

#endif
