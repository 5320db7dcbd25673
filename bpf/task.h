/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task.h - what the kernel keeps about a task: its identity (struct ct_task_blob), when it left its
 * CPU, and its counters. So no program has to note these at each switch. It emits nothing, and only
 * reads, so any program may use it.
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
	b->h.kind = CT_TASK;
	b->h.flags = flags | (task_is_kernel(t) ? CT_TF_KTHREAD : 0);
	b->h.size = sizeof(*b);
	b->h.tid = t->pid;
	b->tgid = t->tgid;
	b->ppid = t->real_parent->tgid;
	b->cgroup_id = t->cgroups->dfl_cgrp->kn->id;
	b->start_ns = t->start_boottime;
	b->uid = t->real_cred->uid.val;
	b->pidns = task_pidns(t);
	bpf_probe_read_kernel_str(b->comm, sizeof(b->comm), t->comm);
}

/*
 * MAX_RT_PRIO. For tasks with a priority number below it, the kernel does not keep how long they
 * have run since they came to the CPU.
 */
#define FOUND_PRIO_FAIR 100

/* The two ways to compute the clock of the scheduler differ by less than this, unless one is out of date. */
#define FOUND_LATE_NS 100000000ULL

/*
 * When the task last left its CPU, or when a tick last saw it run, on the clock of the scheduler:
 * the time at which it came to the CPU, plus the time that it ran since. 0: it never ran.
 *
 * se.exec_start is a worse measure. The clock of running tasks of each CPU leaves out the
 * interrupts and the stolen time of that CPU, so the clocks of two CPUs are seconds apart after
 * some hours. exec_start is used only if the kernel keeps no times of arrival (without
 * CONFIG_SCHED_INFO).
 */
static __always_inline __u64 found_left(struct task_struct *t)
{
	__u64 ran = t->prio < FOUND_PRIO_FAIR ? 0 : t->se.sum_exec_runtime - t->se.prev_sum_exec_runtime;

	if (!bpf_core_field_exists(t->sched_info.last_arrival))
		return t->se.exec_start;
	return t->sched_info.last_arrival ? t->sched_info.last_arrival + ran : 0;
}

/* The clock of the scheduler, late by up to a tick. It costs little: it is computed from the number of ticks.
 * 0: not measured yet. */
static __always_inline __u64 found_ticks(void)
{
	return ct_govern.sched_off_ns ? bpf_jiffies64() * ct_tick_ns - ct_govern.sched_tick_off_ns : 0;
}

/*
 * The clock of the scheduler at the boot time now. The daemon measures the distance between the two
 * clocks again and again. After a suspend the distance is out of date for a while; then the ticks
 * serve, which stand still during a suspend as the clock of the scheduler does. Before the first
 * measurement, the time at which the current task was last seen to run serves.
 */
static __always_inline __u64 found_clock(__u64 now)
{
	__u64 clock = now - ct_govern.sched_off_ns, ticks = found_ticks();

	if (!ticks)
		return found_left(bpf_get_current_task_btf());
	return clock - ticks < FOUND_LATE_NS || ticks - clock < FOUND_LATE_NS ? clock : ticks;
}

/* The boot time for a time on the clock of the scheduler; 0: not known. now: boot time; clock:
 * found_clock(now). */
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

/* The boot time since which the task is in the queue of a CPU; 0: it is in none, or not known. */
static __always_inline __u64 found_queued(struct task_struct *t, __u64 now, __u64 clock)
{
	return bpf_core_field_exists(t->sched_info.last_queued)
		       ? found_boot(t->sched_info.last_queued, now, clock)
		       : 0;
}

/* The boot time at which the running task came to its CPU; now: not known. */
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

#endif
