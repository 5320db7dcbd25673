/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task.h - reads what the kernel keeps about a task: its identity (struct ct_task_blob), the time
 * at which it left its CPU, and its counters. So no program has to note these at each switch. Any
 * program may call these functions, because they only read, and emit nothing.
 */
#ifndef CTRACE_BPF_TASK_H
#define CTRACE_BPF_TASK_H

#include "compat.h"
#include "emit.h"

static __always_inline __u32 task_pidns(struct task_struct *t)
{
	struct pid *pid = t->thread_pid;
	struct upid *up;

	if (!pid) /* pid is NULL after the task was reaped */
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
 * MAX_RT_PRIO of the kernel. A task with a smaller priority number is a real-time task. The kernel
 * does not keep how long a real-time task has run since it came to its CPU.
 */
#define FOUND_PRIO_FAIR 100

/* found_clock() computes the clock of the scheduler in two ways. If neither result is out of
 * date, they differ by less than this. */
#define FOUND_LATE_NS 100000000ULL

/*
 * Returns the time at which the task last left its CPU, on the clock of the scheduler. If the task
 * runs now, returns the time at which the kernel last updated its CPU time. Returns 0 if the task
 * never ran.
 *
 * The result is the sum of two numbers that the kernel keeps: the time at which the task came to
 * the CPU, and how long the task has run since then. For a real-time task the kernel does not keep
 * the second number, so the result is only the first one.
 *
 * se.exec_start is a worse measure. It is on another clock, which leaves out the interrupts and the
 * stolen time of the CPU. Each CPU has such a clock, and after some hours the clocks of two CPUs
 * may be seconds apart. So exec_start is used only if the kernel keeps no times of arrival (without
 * CONFIG_SCHED_INFO).
 */
static __always_inline __u64 found_left(struct task_struct *t)
{
	__u64 ran = t->prio < FOUND_PRIO_FAIR ? 0 : t->se.sum_exec_runtime - t->se.prev_sum_exec_runtime;

	if (!bpf_core_field_exists(t->sched_info.last_arrival))
		return t->se.exec_start;
	return t->sched_info.last_arrival ? t->sched_info.last_arrival + ran : 0;
}

/*
 * Returns the clock of the scheduler, late by up to a tick. This function is cheap, because it
 * computes the clock from the number of ticks. Returns 0 if the daemon has not measured the clock
 * yet.
 */
static __always_inline __u64 found_ticks(void)
{
	return ct_govern.sched_off_ns ? bpf_jiffies64() * ct_tick_ns - ct_govern.sched_tick_off_ns : 0;
}

/*
 * Returns the clock of the scheduler at the boot time `now`:
 * - Mostly the result is now - sched_off_ns. sched_off_ns is the distance of the two clocks, and
 *   the daemon measures it repeatedly.
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

/* Converts the time `at` from the clock of the scheduler to boot time. now is the present boot
 * time, and clock is found_clock(now). Returns 0 if the boot time is not known. */
static __always_inline __u64 found_boot(__u64 at, __u64 now, __u64 clock)
{
	__u64 ago = clock > at ? clock - at : 0;

	return at && ago < now ? now - ago : 0;
}

/* Returns the boot time at which the task left its CPU, or 0 if it is not known. */
static __always_inline __u64 found_since(struct task_struct *t, __u64 now, __u64 clock)
{
	return found_boot(found_left(t), now, clock);
}

/* Returns the boot time since which the task is in the queue of a CPU. Returns 0 if the task is
 * in no queue, or if the time is not known. */
static __always_inline __u64 found_queued(struct task_struct *t, __u64 now, __u64 clock)
{
	return bpf_core_field_exists(t->sched_info.last_queued)
		       ? found_boot(t->sched_info.last_queued, now, clock)
		       : 0;
}

/* Returns the boot time at which the running task t came to its CPU, or `now` if it is not
 * known. */
static __always_inline __u64 found_arrived(struct task_struct *t, __u64 now)
{
	__u64 at = 0;

	if (bpf_core_field_exists(t->sched_info.last_arrival) && ct_govern.sched_off_ns)
		at = found_boot(t->sched_info.last_arrival, now, found_clock(now));
	return at ? at : now;
}

/* The number of context switches of the task, as in CT_FOUND.peer. */
static __always_inline __u32 found_switches(struct task_struct *t)
{
	return t->nvcsw + t->nivcsw;
}

/* The CPU time of the task and its time in the queues of CPUs, as in x[1] of CT_FOUND. */
static __always_inline __u64 found_times(struct task_struct *t)
{
	__u64 delay = bpf_core_field_exists(t->sched_info.run_delay) ? t->sched_info.run_delay : 0;

	return (t->se.sum_exec_runtime / CT_FOUND_UNIT_NS & 0xffffffff) | delay / CT_FOUND_UNIT_NS << 32;
}

/* Returns true if the task t, which waits, waits for memory (CT_W_MEMORY). The kernel marks such
 * tasks for its pressure stall information (PSI). */
static __always_inline bool task_wants_memory(struct task_struct *t)
{
	return bpf_core_field_exists(t->in_memstall) && BPF_CORE_READ_BITFIELD(t, in_memstall) &&
	       !BPF_CORE_READ_BITFIELD(t, in_iowait);
}

/* Returns true if the CPU quota of the control group of t, or of a group above it, is used up.
 * The kernel has a queue of runnable tasks for each control group and CPU. The throttle_count of
 * a queue says how many groups have used up their quota: the group of the queue and the groups
 * above it count. Since 6.18, a task of such a group still runs until it returns to user mode. */
static __always_inline bool task_is_throttled(struct task_struct *t)
{
	struct cfs_rq *q;

	if (!bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count))
		return false;
	q = t->se.cfs_rq;
	return q && RD(q, throttle_count) > 0;
}

#endif
