/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task.h - describes a task: fills a struct ct_task_blob, all but its time. It emits nothing, and
 * only reads, so any program may use it.
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

#endif
