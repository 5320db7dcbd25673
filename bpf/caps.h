/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caps.h - decides whether a record is left out because its tasks are capped. A task is capped if it makes
 * too many records.
 *
 * A bit in ct_capped marks a capped task. The daemon sets the bits of tasks. It also lists capped groups
 * (govern_group()). When a program first leaves out a record of a task of a capped group, it sets the
 * task's bit and writes a CT_SHED.
 *
 * A record is about one or two tasks. It is left out if each of them is capped, in a capped group, or the
 * idle task of a CPU. These records are written in any case:
 * - a record about the idle task alone;
 * - the end of a long wait (waking_long());
 * - the exec and the end of a task, if the trace already has a record about this task (caps_unborn());
 * - a fork, unless the parent is in a capped group;
 * - requests to block devices, samples, jobs, marks, and accesses to watched variables.
 */
#ifndef CTRACE_BPF_CAPS_H
#define CTRACE_BPF_CAPS_H

#include "compat.h"
#include "emit.h"

enum caps_standing {
	CAPS_IDLE,
	CAPS_CAPPED,
	CAPS_MEMBER, /* in a capped group, and not capped yet */
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

/* Returns 0 if no group is capped, or if the task is in no group. */
static __always_inline __u64 caps_group(struct task_struct *t)
{
	if (!ct_govern.n_groups)
		return 0;
	t = task_plain(t);
	return govern_group(t->real_cred->uid.val, t->cgroups->dfl_cgrp->kn->id);
}

__weak int ct_caps_has_group(__u64 group)
{
	for (int i = 0; i < GOVERN_GROUPS; i++)
		if (i < ct_govern.n_groups && ct_govern.groups[i] == group)
			return true;
	return false;
}

static __always_inline bool caps_group_is_capped(__u64 group)
{
	return ct_govern.n_groups && ct_caps_has_group(group);
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

/* Returns true if the task is unborn: it is capped, its fork was left out, and no later record was about it.
 * So the daemon does not know the task. Returns false if the task has an entry in ct_tasks: then its fork was
 * not left out, or an iterator has told the daemon of the task. */
static __always_inline bool caps_unborn(struct task_struct *t)
{
	__u64 *named;

	if (!ct_govern.capping || !caps_has_bit(t->pid) || bpf_task_storage_get(&ct_tasks, t, 0, 0))
		return false;
	named = caps_named_word(t->pid);
	return named && !(*(volatile __u64 *)named & caps_bit(t->pid));
}

static __always_inline void caps_tell(struct cpu *c, __u32 tid)
{
	__u64 now = bpf_ktime_get_boot_ns();
	struct emit_rec2 *r = emit_rec2(c, CT_SHED, now);

	if (!r)
		return; /* the CT_SHED at the end of the cap also has the begin of the cap */
	r->r.state = r->r.wait = ct_govern.shed;
	r->r.flags = CT_GV_CAP | CT_GV_GROUP;
	r->r.tid = tid;
	r->r.nr = CT_NR_NONE;
	r->x[0] = now;
	r->x[1] = 0;
	emit_submit(r, now);
}

/* ct_caps_begin() and ct_caps_name() are global, so that the verifier checks each of them once. A global
 * function that gets a struct cpu as argument has no access to its ring. */
__weak int ct_caps_begin(__u32 tid)
{
	struct cpu *c = emit_cpu();

	if (c && caps_set_bit(tid))
		caps_tell(c, tid);
	return 0;
}

/* Call this before a record that is about another task and the unborn task tid (for example, a
 * switch between the two). The daemon does not know the task tid, because its fork was left out. So
 * this function writes a CT_SHED, which says that records of tid are missing. */
__weak int ct_caps_name(__u32 tid)
{
	__u64 *word = caps_named_word(tid);
	struct cpu *c = emit_cpu();

	if (c && word && !(__sync_fetch_and_or(word, caps_bit(tid)) & caps_bit(tid)))
		caps_tell(c, tid);
	return 0;
}

static __always_inline void caps_count(struct cpu *c, struct task_struct *t, enum caps_standing standing)
{
	if (standing == CAPS_IDLE)
		return;
	if (standing == CAPS_MEMBER)
		ct_caps_begin(t->pid);
	c->left_out[GOVERN_SLOT(t->pid)]++;
}

/* Not inlined, because its variables would take stack in the callers. Callers such as ct_switch()
 * also use the decoder of waits (wait.h). Before Linux 6.2, the stack of 512 bytes has no room for
 * the variables of this function and those of the decoder together. */
static __noinline int caps_left_out(struct cpu *c, struct task_struct *a, struct task_struct *b)
{
	enum caps_standing first, second;
	__u64 group, other;

	if (!c)
		return false;
	/* before the branches, so that the verifier checks these long calls once */
	group = caps_group(a);
	other = b ? caps_group(b) : 0;
	first = caps_standing(a, group);
	second = caps_standing(b, other);
	if (first == CAPS_OTHER || second == CAPS_OTHER) {
		if (first == CAPS_CAPPED && caps_unborn(a))
			ct_caps_name(a->pid);
		if (second == CAPS_CAPPED && caps_unborn(b))
			ct_caps_name(b->pid);
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

/* b: NULL if the record is about `a` alone. If the record is left out, counts it and returns true. */
static __always_inline bool caps_leave_out(struct cpu *c, struct task_struct *a, struct task_struct *b)
{
	return ct_govern.capping && caps_left_out(c, a, b);
}

/* For a program that writes no record: counts its run if the current (or interrupted) task is capped. */
static __always_inline void caps_passed(struct cpu *c)
{
	if (ct_govern.capping && caps_has_bit(bpf_get_current_task_btf()->pid))
		c->n_passed++;
}

static __always_inline void caps_ran_light(struct cpu *c)
{
	caps_passed(c);
	govern_ran_light(c);
}

/* A child of a task in a capped group starts capped. Returns true if the record of the fork is left out. */
static __always_inline bool caps_fork(struct cpu *c, struct task_struct *parent, struct task_struct *child)
{
	__u64 *named;

	if (!ct_govern.capping)
		return false;
	if (!caps_group_is_capped(caps_group(parent))) {
		caps_clear_bit(child->pid);
		return false;
	}
	ct_caps_begin(parent->pid);
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
		ct_caps_name(next->pid);
	caps_clear_bit(prev->pid);
	return out;
}

/* Call this at the last switch of a task that ends: from prev to next. Ends the cap of prev. Returns true if
 * the record of this switch is left out. */
static __always_inline bool caps_death(struct cpu *c, struct task_struct *prev, struct task_struct *next)
{
	return ct_govern.capping && caps_died(c, prev, next);
}

#endif
