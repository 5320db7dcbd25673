/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.bpf.c - samples tasks that run for long without blocking, in the timer interrupts of a busy CPU.
 * Also notes the begin of each timer interrupt, so that its wake-ups can be told from others (context.h). */
#include "context.h"
#include "task.h"
#include "wait.h"

#define SAMPLE_KERNEL 24

static __always_inline __u8 sample_frames(void *ctx, struct ct_rawstack_blob *b, __u32 at, __u32 room,
					  __u64 flags)
{
	long got = bpf_get_stack(ctx, &b->ip[at], room * 8, flags);

	return got > 0 ? (__u64)got >> 3 : 0;
}

/*
 * Returns the CPU time of the run of t in ns. A run lasts until the task blocks, even if the task is
 * preempted in between. The result may be too small:
 * - The kernel may update the CPU time only once a tick.
 * - If t was preempted in this run, the CPU time before the first call of sample_ran() in this run is left
 *   out.
 */
static __always_inline __u64 sample_ran(struct task_struct *t, __u64 now)
{
	struct task_state *ts = bpf_task_storage_get(&ct_tasks, t, 0, 0);
	__u64 unswitched = now - found_arrived(t, now), used = t->se.sum_exec_runtime;

	if (!ts)
		return unswitched;
	if (ts->run_nvcsw != t->nvcsw || !ts->run_ns) {
		ts->run_nvcsw = t->nvcsw;
		ts->run_ns = used;
	}
	used -= ts->run_ns;
	return used > unswitched ? used : unswitched;
}

static __noinline int sample(__u64 *ctx, struct cpu *c, __u64 now)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct sample_buf {
		struct ct_rawstack_blob b;
		__u64 ip[CT_RAWSTACK_MAX];
	} * s;
	__u32 n = 0;
	__u64 ran;

	if (!t->pid || task_is_kernel(t) || t->tgid == ct_tracer_tgid)
		return 0;
	ran = sample_ran(t, now);
	if (ran < ct_sample_after_ns || now - c->sample_ns < ct_sample_period_ns)
		return 0;
	c->sample_ns = now;
	s = emit_reserve(c, sizeof(*s), now);
	if (!s)
		return 0;
	s->b.h.kind = CT_RAWSTACK;
	s->b.h.flags = 0;
	s->b.h.tid = t->pid;
	s->b.ran_ns = ran;
	s->b.tgid = t->tgid;
	s->b.nr = wait_syscall(t, task_regs(t));
	/* Outside of a system call, the kernel frames are those of this interrupt. */
	if (s->b.nr != CT_NR_NONE)
		n = sample_frames(ctx, &s->b, 0, SAMPLE_KERNEL, 0);
	if (n > SAMPLE_KERNEL)
		n = SAMPLE_KERNEL;
	s->b.n_kernel = n;
	s->b.n_user = sample_frames(ctx, &s->b, n, CT_RAWSTACK_MAX - SAMPLE_KERNEL, BPF_F_USER_STACK);
	s->b.h.size = sizeof(s->b) + (n + s->b.n_user) * 8;
	emit_submit(s, now);
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int ct_hrtimer_entry(__u64 *ctx)
{
	struct hrtimer *timer = (void *)ctx[0];
	__u64 now = bpf_ktime_get_boot_ns();
	struct cpu *c = emit_cpu();

	if (!c)
		return 0;
	context_enter(c, CT_CTX_TIMER, (__u64)timer, (__u64)timer->function);
	sample(ctx, c, now);
	govern_ran(c, GOVERN_TIMER, now);
	return 0;
}
