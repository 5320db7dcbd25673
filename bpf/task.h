/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h - reads what the kernel keeps about a task: identity, counters, the time at which it left its
 * CPU. So no program has to note these at each switch. Any program may call the functions. */
#ifndef CTRACE_BPF_TASK_H
#define CTRACE_BPF_TASK_H

#include "compat.h"
#include "emit.h"

static __always_inline __u32 task_pidns(struct task_struct *t)
{
	struct pid *pid = t->thread_pid;
	struct upid *up;

	if (!pid)
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

/* The kernel's MAX_RT_PRIO. A task with a smaller priority number is a real-time task. */
#define FOUND_PRIO_FAIR 100

/* found_clock() computes the time with sched_off_ns. If this time differs from found_ticks() by
 * FOUND_LATE_NS or more, sched_off_ns is out of date, and found_clock() returns found_ticks(). */
#define FOUND_LATE_NS 100000000ULL

/*
 * Returns when the task last left its CPU, on the clock of the scheduler, or 0 if it
 * never ran. Exceptions:
 * - running task: when the kernel last updated the CPU time;
 * - real-time task: when it got its CPU. The kernel does not keep how long it has run since then.
 *
 * se.exec_start is only for kernels without CONFIG_SCHED_INFO: it is on a clock of one CPU, and after some
 * hours the clocks of two CPUs may be seconds apart.
 */
static __always_inline __u64 found_left(struct task_struct *t)
{
	__u64 ran = t->prio < FOUND_PRIO_FAIR ? 0 : t->se.sum_exec_runtime - t->se.prev_sum_exec_runtime;

	if (!bpf_core_field_exists(t->sched_info.last_arrival))
		return t->se.exec_start;
	return t->sched_info.last_arrival ? t->sched_info.last_arrival + ran : 0;
}

/* Returns the clock of the scheduler, late by up to a tick, and later if the kernel counts its ticks late. 0:
 * the daemon has not measured it yet. */
static __always_inline __u64 found_ticks(void)
{
	return ct_govern.sched_off_ns ? bpf_jiffies64() * ct_tick_ns - ct_govern.sched_tick_off_ns : 0;
}

/*
 * `now` is a boot time. Returns the same moment on the clock of the scheduler:
 * - Usually, this is `now` minus sched_off_ns, which the daemon measures.
 * - After a suspend, sched_off_ns is out of date for a while. Then found_ticks() gives the moment.
 * - Before the daemon has measured sched_off_ns, the result is too early: the time when the kernel last
 *   updated the CPU time of the current task (found_left()).
 */
static __always_inline __u64 found_clock(__u64 now)
{
	__u64 clock = now - ct_govern.sched_off_ns, ticks = found_ticks();

	if (!ticks)
		return found_left(bpf_get_current_task_btf());
	return clock - ticks < FOUND_LATE_NS || ticks - clock < FOUND_LATE_NS ? clock : ticks;
}

/* Converts `at` from the clock of the scheduler to boot time. Returns 0 if `at` is 0, or
 * if the result would be before the boot. clock: found_clock(now). */
static __always_inline __u64 found_boot(__u64 at, __u64 now, __u64 clock)
{
	__u64 ago = clock > at ? clock - at : 0;

	return at && ago < now ? now - ago : 0;
}

static __always_inline __u64 found_since(struct task_struct *t, __u64 now, __u64 clock)
{
	return found_boot(found_left(t), now, clock);
}

static __always_inline __u64 found_queued(struct task_struct *t, __u64 now, __u64 clock)
{
	return bpf_core_field_exists(t->sched_info.last_queued)
		       ? found_boot(t->sched_info.last_queued, now, clock)
		       : 0;
}

static __always_inline __u64 found_arrived(struct task_struct *t, __u64 now)
{
	__u64 at = 0;

	if (bpf_core_field_exists(t->sched_info.last_arrival) && ct_govern.sched_off_ns)
		at = found_boot(t->sched_info.last_arrival, now, found_clock(now));
	return at ? at : now;
}

static __always_inline __u32 found_switches(struct task_struct *t)
{
	return t->nvcsw + t->nivcsw;
}

static __always_inline __u64 found_times(struct task_struct *t)
{
	__u64 delay = bpf_core_field_exists(t->sched_info.run_delay) ? t->sched_info.run_delay : 0;

	return (t->se.sum_exec_runtime / CT_FOUND_UNIT_NS & 0xffffffff) | delay / CT_FOUND_UNIT_NS << 32;
}

/* Returns true if the kernel marks the task as waiting for memory (for PSI, pressure stalls), and
 * not as waiting for I/O. */
static __always_inline bool task_wants_memory(struct task_struct *t)
{
	return bpf_core_field_exists(t->in_memstall) && BPF_CORE_READ_BITFIELD(t, in_memstall) &&
	       !BPF_CORE_READ_BITFIELD(t, in_iowait);
}

/* Returns true if the control group of t, or a group above it, has used up its CPU quota. Since
 * 6.18, such a task still runs until it returns to user mode. */
static __always_inline bool task_is_throttled(struct task_struct *t)
{
	struct cfs_rq *q;

	if (!bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count))
		return false;
	q = task_plain(t)->se.cfs_rq;
	return q && RD(q, throttle_count) > 0;
}

#endif
