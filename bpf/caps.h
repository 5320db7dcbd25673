/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caps.h - decides whether a record is left out because its tasks are capped.
 *
 * A task is capped while its bit in ct_capped is set. The daemon decides which tasks and which
 * groups are capped. The daemon sets the bit of a task that makes too many records. In a capped
 * group, a BPF program sets the bit of a task when the program leaves out the first record of that
 * task. The program then also writes a CT_SHED about the task, unless the record is that of the
 * task's own fork (caps_unborn()). So a task of the group that sleeps all the time has no CT_SHED,
 * and the wait of this task stays known.
 *
 * A record is left out if each of its tasks is capped, is in a capped group, or is the idle task. A
 * record that is also about another task is kept, and so is a record about the idle task alone.
 * Exceptions:
 * - The end of a long wait is recorded in any case (waking_long()).
 * - The exec and the end of a task are left out only if the task is unborn (caps_unborn()).
 * - A fork is left out only if the parent is in a capped group.
 * - Requests to block devices, samples, jobs and accesses to watched variables are never left out.
 *
 * To save time, a program decides whether to leave out a record before it reads the clock.
 *
 * Programs on several CPUs change bits of one word at the same time, so each change is atomic.
 */
#ifndef CTRACE_BPF_CAPS_H
#define CTRACE_BPF_CAPS_H

#include "compat.h"
#include "emit.h"

enum caps_standing {
	CAPS_IDLE, /* the idle task, or no task */
	CAPS_CAPPED,
	CAPS_MEMBER, /* the task is in a capped group, and is not capped yet */
	CAPS_OTHER,
};

static __always_inline __u64 *caps_word(__u32 tid)
{
	__u32 i = tid / 64;

	return bpf_map_lookup_elem(&ct_capped, &i);
}

static __always_inline __u64 caps_bit(__u32 tid)
{
	return 1ULL << (tid & 63);
}

static __always_inline bool caps_has_bit(__u32 tid)
{
	__u64 *word = caps_word(tid);

	return word && *(volatile __u64 *)word & caps_bit(tid);
}

/* Sets the bit of a task. Returns true if the bit was clear before. */
static __always_inline bool caps_set_bit(__u32 tid)
{
	__u64 *word = caps_word(tid);

	return word && !(__sync_fetch_and_or(word, caps_bit(tid)) & caps_bit(tid));
}

static __always_inline void caps_clear_bit(__u32 tid)
{
	__u64 *word = caps_word(tid);

	if (word)
		__sync_fetch_and_and(word, ~caps_bit(tid));
}

/* Returns the group of a task (govern_group()), or 0 if no group is capped or the task is in no
 * group. */
static __always_inline __u64 caps_group(struct task_struct *t)
{
	if (!ct_govern.n_groups)
		return 0;
	t = task_plain(t);
	return govern_group(t->real_cred->uid.val, t->cgroups->dfl_cgrp->kn->id);
}

static __always_inline bool caps_group_is_capped(__u64 group)
{
	for (int i = 0; i < GOVERN_GROUPS; i++)
		if (i < ct_govern.n_groups && ct_govern.groups[i] == group)
			return true;
	return false;
}

static __always_inline enum caps_standing caps_standing(struct task_struct *t, __u64 group)
{
	if (!t || !t->pid)
		return CAPS_IDLE;
	if (caps_has_bit(t->pid))
		return CAPS_CAPPED;
	return caps_group_is_capped(group) ? CAPS_MEMBER : CAPS_OTHER;
}

static __always_inline __u64 *caps_named_word(__u32 tid)
{
	__u32 i = tid / 64;

	return bpf_map_lookup_elem(&ct_capped_named, &i);
}

/*
 * Returns true if the task is unborn: the daemon does not know the task. A task is unborn if it is
 * capped, the record of its fork was left out, and no later record has named it. The daemon learns
 * of an unborn task only when the cap ends. If a task has no entry in ct_tasks, the record of its
 * fork counts as left out.
 */
static __always_inline bool caps_unborn(struct task_struct *t)
{
	__u64 *named;

	if (!ct_govern.capping || !caps_has_bit(t->pid) || bpf_task_storage_get(&ct_tasks, t, 0, 0))
		return false;
	named = caps_named_word(t->pid);
	return named && !(*(volatile __u64 *)named & caps_bit(t->pid));
}

/* Writes the CT_SHED that says: from now on, records of the task are left out. */
static __always_inline void caps_tell(struct cpu *c, __u32 tid)
{
	__u64 now = bpf_ktime_get_boot_ns();
	struct emit_rec2 *r = emit_rec2(c, CT_SHED, now);

	if (!r)
		return; /* The ring is full. The CT_SHED at the end of the cap still shows the
			   earliest time at which the cap can have begun. */
	r->r.state = r->r.wait = ct_govern.shed;
	r->r.flags = CT_GV_CAP | CT_GV_GROUP;
	r->r.tid = tid;
	r->r.nr = CT_NR_NONE;
	r->x[0] = now;
	r->x[1] = 0;
	emit_submit(r, now);
}

/* Caps a task of a capped group. The caller is about to leave out the first record of this task. */
static __noinline int caps_begin(struct cpu *c, __u32 tid)
{
	if (c && caps_set_bit(tid))
		caps_tell(c, tid);
	return 0;
}

/*
 * Writes a CT_SHED for the unborn task tid. The caller is about to write a record that is about
 * another task and names tid. The CT_SHED tells readers of that record that records of tid are
 * missing. From now on tid counts as born, so its end is recorded too.
 */
static __noinline int caps_name(struct cpu *c, __u32 tid)
{
	__u64 *word = caps_named_word(tid);

	if (c && word && !(__sync_fetch_and_or(word, caps_bit(tid)) & caps_bit(tid)))
		caps_tell(c, tid);
	return 0;
}

static __always_inline void caps_count(struct cpu *c, struct task_struct *t, enum caps_standing standing)
{
	if (standing == CAPS_IDLE)
		return;
	if (standing == CAPS_MEMBER)
		caps_begin(c, t->pid);
	c->left_out[GOVERN_SLOT(t->pid)]++;
}

/*
 * Does the work of caps_leave_out() if a task or group is capped. On kernels before 6.2, the
 * decoders of waits leave little stack to other functions. So this function and caps_died() are not
 * inlined: then their callers need less stack.
 */
static __noinline int caps_left_out(struct cpu *c, struct task_struct *a, struct task_struct *b)
{
	enum caps_standing first, second;
	__u64 group, other;

	if (!c)
		return false;
	/* caps_group() follows many pointers. The calls are here, before the branches, so that
	 * the verifier checks them once and not on each path. */
	group = caps_group(a);
	other = b ? caps_group(b) : 0;
	first = caps_standing(a, group);
	second = caps_standing(b, other);
	if (first == CAPS_OTHER || second == CAPS_OTHER) {
		if (first == CAPS_CAPPED && caps_unborn(a))
			caps_name(c, a->pid);
		if (second == CAPS_CAPPED && caps_unborn(b))
			caps_name(c, b->pid);
		return false;
	}
	if (first == CAPS_IDLE && second == CAPS_IDLE)
		return false;
	caps_count(c, a, first);
	caps_count(c, b, second);
	c->n_left_out++;
	c->n_passed++;
	govern_ran_light(c);
	return true;
}

/* Decides whether the record about the tasks a and b is left out. If b is NULL, the record is about
 * a alone. If the record is left out, counts it and returns true. */
static __always_inline bool caps_leave_out(struct cpu *c, struct task_struct *a, struct task_struct *b)
{
	return ct_govern.capping && caps_left_out(c, a, b);
}

/* For a program that writes no record: adds 1 to n_passed if the current task is capped. In an
 * interrupt, the current task is the task that the interrupt stopped. */
static __always_inline void caps_passed(struct cpu *c)
{
	if (ct_govern.capping && caps_has_bit(bpf_get_current_task_btf()->pid))
		c->n_passed++;
}

/* Counts a run of a program that only keeps the context of interrupts. */
static __always_inline void caps_ran_light(struct cpu *c)
{
	caps_passed(c);
	govern_ran_light(c);
}

/*
 * Decides whether a new task starts capped: a child of a task in a capped group does, and any other
 * child does not. Returns true if the record of the fork is left out.
 */
static __always_inline bool caps_fork(struct cpu *c, struct task_struct *parent, struct task_struct *child)
{
	__u64 *named;

	if (!ct_govern.capping)
		return false;
	if (!caps_group_is_capped(caps_group(parent))) {
		caps_clear_bit(child->pid);
		return false;
	}
	caps_begin(c, parent->pid);
	caps_set_bit(child->pid);
	named = caps_named_word(child->pid);
	if (named)
		__sync_fetch_and_and(named, ~caps_bit(child->pid));
	c->n_left_out++;
	c->n_passed++;
	govern_ran_light(c);
	return true;
}

static __noinline int caps_died(struct cpu *c, struct task_struct *prev, struct task_struct *next)
{
	bool out = caps_unborn(prev) && caps_left_out(c, prev, next);

	if (!out && caps_unborn(next))
		caps_name(c, next->pid);
	caps_clear_bit(prev->pid);
	return out;
}

/*
 * Called when prev dies and next gets the CPU. The record of this switch is left out if prev is
 * unborn, and next is no reason to keep the record (caps_left_out()). Returns true if the record is
 * left out. In any case, prev is no longer capped.
 */
static __always_inline bool caps_death(struct cpu *c, struct task_struct *prev, struct task_struct *next)
{
	return ct_govern.capping && caps_died(c, prev, next);
}

#endif
