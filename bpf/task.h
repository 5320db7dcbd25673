/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task.h - reads what the kernel keeps about a task: its identity (struct ct_task_blob), when it
 * left its CPU, and its counters. So no program has to note these at each switch. The functions
 * here only read, and emit nothing, so any program may call them.
 */
#ifndef CTRACE_BPF_TASK_H
#define CTRACE_BPF_TASK_H

#include "compat.h"
#include "emit.h"

static __always_inline __u32 task_pidns(struct task_struct *t)
{
	struct pid *pid = t->thread_pid;
	struct upid *up;

	if (!pid) /* NULL after the task was reaped */
		return 0;
	up = (void *)pid + bpf_core_field_offset(struct pid, numbers);
	return BPF_CORE_READ(up + (pid->level & 31), ns, ns.inum);
}

static __always_inline void task_fill(struct ct_task_blob *b, struct task_struct *t, __u8 flags)
{
	struct task_struct *p = task_plain(t);

	b->h.kind = CT_TASK;
	b->h.flags = flags | (task_is_kernel(t) ? CT_TF_KTHREAD : 0);
	b->h.size = sizeof(*b);
	b->h.tid = t->pid;
	b->tgid = t->tgid;
	b->ppid = p->real_parent->tgid;
	b->cgroup_id = p->cgroups->dfl_cgrp->kn->id;
	b->start_ns = t->start_boottime;
	b->uid = p->real_cred->uid.val;
	b->pidns = task_pidns(p);
	bpf_probe_read_kernel_str(b->comm, sizeof(b->comm), t->comm);
}

/*
 * MAX_RT_PRIO of the kernel. A task with a smaller priority number is a real-time task. For such a
 * task, the kernel does not keep how long it has run since it came to its CPU.
 */
#define FOUND_PRIO_FAIR 100

/* found_clock() computes the clock of the scheduler in two ways. The results differ by less than
 * this, unless one is out of date. */
#define FOUND_LATE_NS 100000000ULL

/*
 * The time at which the task last left its CPU, on the clock of the scheduler. If the task runs now:
 * the time at which the kernel last updated its CPU time. 0: the task never ran.
 *
 * The result is the sum of two times that the kernel keeps: when the task came to the CPU, and how
 * long it has run since then. For a real-time task the kernel does not keep the second time, so the
 * result is only the first time.
 *
 * se.exec_start is a worse measure. It is on another clock, which leaves out the interrupts and the
 * stolen time of the CPU. After some hours, these clocks of two CPUs are seconds apart. So
 * exec_start is used only if the kernel keeps no times of arrival (without CONFIG_SCHED_INFO).
 */
static __always_inline __u64 found_left(struct task_struct *t)
{
	__u64 ran = t->prio < FOUND_PRIO_FAIR ? 0 : t->se.sum_exec_runtime - t->se.prev_sum_exec_runtime;

	if (!bpf_core_field_exists(t->sched_info.last_arrival))
		return t->se.exec_start;
	return t->sched_info.last_arrival ? t->sched_info.last_arrival + ran : 0;
}

/*
 * The clock of the scheduler, late by up to a tick. This function is cheap, because it computes the
 * clock from the number of ticks. 0: the daemon has not measured the clock yet.
 */
static __always_inline __u64 found_ticks(void)
{
	return ct_govern.sched_off_ns ? bpf_jiffies64() * ct_tick_ns - ct_govern.sched_tick_off_ns : 0;
}

/*
 * The clock of the scheduler at the boot time `now`:
 * - Mostly the result is now - sched_off_ns. The daemon measures this distance of the two clocks
 *   repeatedly.
 * - After a suspend, sched_off_ns is out of date for a while. Then the result is found_ticks(): the
 *   ticks and the clock of the scheduler both stand still during a suspend.
 * - Before the first measurement, the result is found_left() of the current task.
 */
static __always_inline __u64 found_clock(__u64 now)
{
	__u64 clock = now - ct_govern.sched_off_ns, ticks = found_ticks();

	if (!ticks)
		return found_left(bpf_get_current_task_btf());
	return clock - ticks < FOUND_LATE_NS || ticks - clock < FOUND_LATE_NS ? clock : ticks;
}

/* Converts `at` from the clock of the scheduler to boot time. 0: not known. now: the present boot time;
 * clock: found_clock(now). */
static __always_inline __u64 found_boot(__u64 at, __u64 now, __u64 clock)
{
	__u64 ago = clock > at ? clock - at : 0;

	return at && ago < now ? now - ago : 0;
}

/* The boot time at which the task left its CPU; 0: not known. */
static __always_inline __u64 found_since(struct task_struct *t, __u64 now, __u64 clock)
{
	return found_boot(found_left(t), now, clock);
}

/* The boot time since which the task is in the queue of a CPU. 0: the task is in no queue, or the
 * time is not known. */
static __always_inline __u64 found_queued(struct task_struct *t, __u64 now, __u64 clock)
{
	return bpf_core_field_exists(t->sched_info.last_queued)
		       ? found_boot(t->sched_info.last_queued, now, clock)
		       : 0;
}

/* The boot time at which the running task t came to its CPU. If it is not known: now. */
static __always_inline __u64 found_arrived(struct task_struct *t, __u64 now)
{
	__u64 at = 0;

	if (bpf_core_field_exists(t->sched_info.last_arrival) && ct_govern.sched_off_ns)
		at = found_boot(t->sched_info.last_arrival, now, found_clock(now));
	return at ? at : now;
}

/* The number of context switches of the task, as CT_FOUND.peer. */
static __always_inline __u32 found_switches(struct task_struct *t)
{
	return t->nvcsw + t->nivcsw;
}

/* The CPU time of the task and its time in the queues of CPUs, as x[1] of CT_FOUND. */
static __always_inline __u64 found_times(struct task_struct *t)
{
	__u64 delay = bpf_core_field_exists(t->sched_info.run_delay) ? t->sched_info.run_delay : 0;

	return (t->se.sum_exec_runtime / CT_FOUND_UNIT_NS & 0xffffffff) | delay / CT_FOUND_UNIT_NS << 32;
}

/* True: the waiting task t waits for memory (CT_W_MEMORY). The kernel keeps this mark for its pressure stall
 * information (PSI). */
static __always_inline bool task_wants_memory(struct task_struct *t)
{
	return bpf_core_field_exists(t->in_memstall) && BPF_CORE_READ_BITFIELD(t, in_memstall) &&
	       !BPF_CORE_READ_BITFIELD(t, in_iowait);
}

/* True: the CPU quota of the control group of t, or of a group above, is used up. For each control group and
 * CPU, the kernel has a queue of runnable tasks. The throttle_count of a queue is the number of groups whose
 * quota is used up, from the group of the queue upwards. Since 6.18, a task of such a group still runs until
 * it returns to user mode. */
static __always_inline bool task_is_throttled(struct task_struct *t)
{
	struct cfs_rq *q;

	if (!bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count))
		return false;
	q = t->se.cfs_rq;
	return q && RD(q, throttle_count) > 0;
}

#endif
