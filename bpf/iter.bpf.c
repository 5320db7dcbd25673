/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iter.bpf.c - what is there already: tasks with their waits, descriptors, and
 * members of epoll sets.  Run by a read of the iterator's descriptor.
 */
#include "wait.h"
#include "task.h"

/* Where the kernel cannot be asked for one task: 0 is all. */
volatile __u32 ct_iter_tid = 0;

static __always_inline __u64 iter_since(struct task_struct *t, __u64 now)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	__u64 ran = t->se.exec_start, clock = cur->se.exec_start;

	/* Both are readings of the run queue's clock; the running task's is at most a tick old. */
	return ran && clock > ran && clock - ran < now ? now - (clock - ran) : 0;
}

static __always_inline void iter_reason(struct wait_ctx *x, struct task_struct *t, __u32 state,
					struct ct_rec *r)
{
	wait_decode(x, t);
	r->nr = x->w.nr;
	if (!state)
		return;
	r->flags = x->w.flags;
	if (state & TASK_STOPPED_TRACED)
		r->wait = CT_W_STOPPED;
	else if (state & TASK_DEAD)
		r->wait = CT_W_EXITED;
	else {
		r->wait = x->w.kind;
		r->obj = x->w.obj;
	}
	if (BPF_CORE_READ_BITFIELD(t, in_iowait))
		r->flags |= CT_SF_IOWAIT;
	if (state & TASK_NOLOAD && state & TASK_UNINTERRUPTIBLE)
		r->flags |= CT_SF_IDLE;
}

/* The wait, as CT_SWITCH would have it.  Here and below a function for each piece: the stack of a BPF program
 * is small. */
static __noinline int iter_wait(struct seq_file *seq, struct task_struct *t, __u64 now)
{
	struct wait_ctx x = { .c = emit_cpu(), .now = now, .view = WAIT_OTHER };
	__u32 state = t->on_cpu ? 0 : t->__state;
	struct ct_rec r;

	if (!x.c)
		return 0;
	emit_init(&r, CT_SWITCH, now);
	r.tid = t->pid;
	r.nr = CT_NR_NONE;
	r.state = state & 0xff;
	r.aux = t->prio & 0xff;
	if (!task_is_kernel(t)) {
		iter_reason(&x, t, state, &r);
	} else {
		r.flags = CT_SF_KTHREAD;
		r.wait = state ? CT_W_KTHREAD : CT_W_NONE;
	}
	return bpf_seq_write(seq, &r, sizeof(r));
}

static __noinline int iter_who(struct seq_file *seq, struct task_struct *t, __u64 now)
{
	struct ct_task_blob b = {};

	task_fill(&b, t, CT_TF_FOUND, now);
	return bpf_seq_write(seq, &b, sizeof(b));
}

/* args and regs of struct ct_iter_task. */
static __noinline int iter_regs(struct seq_file *seq, struct task_struct *t)
{
	struct pt_regs *regs = task_regs(t);
	__u64 v[6 + 34] = {};

	if (!task_is_kernel(t)) {
		for (int i = 0; i < 6; i++)
			v[i] = regs_arg(regs, i);
		bpf_probe_read_kernel(&v[6], REGS_BYTES, regs);
	}
	return bpf_seq_write(seq, v, sizeof(v));
}

static __noinline int iter_stack(struct seq_file *seq, struct task_struct *t)
{
	__u64 ip[CT_ITER_KSTACK] = {};

	bpf_get_task_stack(t, ip, sizeof(ip), 0);
	return bpf_seq_write(seq, ip, sizeof(ip));
}

SEC("iter/task")
int ct_iter_tasks(struct bpf_iter__task *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct task_struct *t = ctx->task;
	/* The members of struct ct_iter_task from futex_owner to sched_since; user space counts the frames.
	 */
	struct {
		__u32 futex_owner, n_kstack;
		__u64 sched_since;
	} head = {};
	__u64 now = bpf_ktime_get_boot_ns();

	if (!t || (ct_iter_tid && t->pid != ct_iter_tid))
		return 0;
	bpf_task_storage_get(&ct_tasks, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	iter_who(seq, t, now);
	iter_wait(seq, t, now);
	head.sched_since = iter_since(t, now);
	bpf_seq_write(seq, &head, sizeof(head));
	iter_regs(seq, t);
	iter_stack(seq, t);
	return 0;
}
