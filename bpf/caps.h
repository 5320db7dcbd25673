/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caps.h - whose records are left out.  A task is capped when its bit in ct_capped is set.  The daemon
 * sets it for a task that makes too many records.  The programs set it for a task of a capped group, at the
 * first record of the task that is left out: a CT_SHED says so then.  A task of the group that sleeps all
 * the time keeps its history.
 *
 * A record is left out when it is about capped tasks alone, the idle task aside: what it says of others must
 * not be missing.  The clock is not read for it.
 */
#ifndef CTRACE_BPF_CAPS_H
#define CTRACE_BPF_CAPS_H

#include "emit.h"

enum caps_standing {
	CAPS_IDLE, /* the idle task, or none */
	CAPS_CAPPED,
	CAPS_MEMBER, /* of a capped group, and not capped yet */
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

/* True: it was not set before. */
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

static __always_inline bool caps_in_group(struct task_struct *t)
{
	__u64 group;

	if (!ct_govern.n_groups)
		return false;
	group = govern_group(t->real_cred->uid.val, t->cgroups->dfl_cgrp->kn->id);
	for (int i = 0; i < GOVERN_GROUPS; i++)
		if (i < ct_govern.n_groups && ct_govern.groups[i] == group)
			return true;
	return false;
}

static __always_inline enum caps_standing caps_standing(struct task_struct *t)
{
	if (!t || !t->pid)
		return CAPS_IDLE;
	if (caps_has_bit(t->pid))
		return CAPS_CAPPED;
	return caps_in_group(t) ? CAPS_MEMBER : CAPS_OTHER;
}

static __always_inline __u64 *caps_named_word(__u32 tid)
{
	__u32 i = tid / 64;

	return bpf_map_lookup_elem(&ct_capped_named, &i);
}

/* A capped task whose beginning was left out as well, and that no record has named: the daemon knows it when
 * the cap has ended. */
static __always_inline bool caps_unborn(struct task_struct *t)
{
	__u64 *named;

	if (!ct_govern.capping || !caps_has_bit(t->pid) || bpf_task_storage_get(&ct_tasks, t, 0, 0))
		return false;
	named = caps_named_word(t->pid);
	return named && !(*(volatile __u64 *)named & caps_bit(t->pid));
}

/* From here on records of the task are left out. */
static __always_inline void caps_tell(struct cpu *c, __u32 tid)
{
	__u64 now = bpf_ktime_get_boot_ns();
	struct emit_rec2 *r = emit_rec2(c, CT_SHED, now);

	if (!r)
		return; /* the end of the cap tells, too */
	r->r.state = r->r.wait = ct_govern.shed;
	r->r.flags = CT_GV_CAP | CT_GV_GROUP;
	r->r.tid = tid;
	r->r.nr = CT_NR_NONE;
	r->x[0] = now;
	r->x[1] = 0;
	emit_submit(r, now);
}

/* The first record of a member that is left out. */
static __noinline int caps_begin(struct cpu *c, __u32 tid)
{
	if (c && caps_set_bit(tid))
		caps_tell(c, tid);
	return 0;
}

/* A record about others is to name the task, which was born capped: who reads that record must know, and of
 * its end, too. */
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

/* As caps_leave_out(), when anybody is capped.  A function of its own, as caps_died(): the stack that the
 * caller of the decoders of waits has left is small before 6.2. */
static __noinline int caps_left_out(struct cpu *c, struct task_struct *a, struct task_struct *b)
{
	enum caps_standing first, second;

	if (!c)
		return false;
	first = caps_standing(a);
	second = caps_standing(b);
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

/* A record about a and b (NULL: a alone) is left out, and counted as such. */
static __always_inline bool caps_leave_out(struct cpu *c, struct task_struct *a, struct task_struct *b)
{
	return ct_govern.capping && caps_left_out(c, a, b);
}

/* A program that only keeps the context has run, on top of the current task. */
static __always_inline void caps_ran_light(struct cpu *c)
{
	if (ct_govern.capping && caps_has_bit(bpf_get_current_task_btf()->pid))
		c->n_passed++;
	govern_ran_light(c);
}

/* A child takes over from its parent in a capped group, and from nobody else.  True: its birth is left out.
 */
static __always_inline bool caps_fork(struct cpu *c, struct task_struct *parent, struct task_struct *child)
{
	__u64 *named;

	if (!ct_govern.capping)
		return false;
	if (!caps_in_group(parent)) {
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

/* The death of a task is recorded, unless its birth was not.  True: it is left out. */
static __always_inline bool caps_death(struct cpu *c, struct task_struct *prev, struct task_struct *next)
{
	return ct_govern.capping && caps_died(c, prev, next);
}

#endif
