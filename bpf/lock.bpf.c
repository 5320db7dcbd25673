/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock.bpf.c - records file locks: requested, granted, refused, released. */
#include "caps.h"
#include "object_name.h"

#define FL_OFDLCK 1024

enum lock_how { LOCK_POSIX, LOCK_FLOCK, LOCK_OFD }; /* the values of `wait` in CT_FLOCK */

struct lock {
	__u32 flags, type;
	struct file *file;
};

static __always_inline void lock_read(struct file_lock *fl, struct lock *l)
{
	struct file_lock___old *old = (void *)fl;

	if (has_lock_core()) {
		l->flags = BPF_CORE_READ(fl, c.flc_flags);
		l->type = BPF_CORE_READ(fl, c.flc_type);
		l->file = BPF_CORE_READ(fl, c.flc_file);
	} else {
		l->flags = BPF_CORE_READ(old, fl_flags);
		l->type = BPF_CORE_READ(old, fl_type);
		l->file = BPF_CORE_READ(old, fl_file);
	}
}

/* ctx: the inode, the struct file_lock, and the result of the kernel's function. */
static __always_inline int lock_emit(__u64 *ctx, enum lock_how how)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct file_lock *fl = (void *)ctx[1];
	struct object o = { .tid = cur->pid };
	struct cpu *c = emit_cpu();
	struct emit_rec2 *r;
	struct lock l;
	__u64 now;

	if (!c || !fl || cur->tgid == ct_tracer_tgid || caps_leave_out(c, cur, NULL))
		return 0;
	now = bpf_ktime_get_boot_ns();
	lock_read(fl, &l);
	if (l.file) {
		o.file = l.file;
		ct_object_of_file(&o);
		ct_object_announce(&o, now);
	} else {
		o.id = object_hash_id(CT_OBJ_FILE, (void *)ctx[0]);
	}
	r = emit_rec2(c, CT_FLOCK, now);
	if (!r)
		return 0;
	r->r.tid = cur->pid;
	r->r.obj = o.id;
	r->r.state = l.type;
	r->r.wait = how == LOCK_POSIX && l.flags & FL_OFDLCK ? LOCK_OFD : how;
	r->r.peer = ctx[2];
	r->x[0] = fl->fl_start;
	r->x[1] = fl->fl_end;
	emit_submit(r, now);
	govern_ran(c, GOVERN_OTHER, now);
	return 0;
}

SEC("tp_btf/posix_lock_inode")
int ct_lock_posix(__u64 *ctx)
{
	return lock_emit(ctx, LOCK_POSIX);
}

SEC("tp_btf/flock_lock_inode")
int ct_lock_flock(__u64 *ctx)
{
	return lock_emit(ctx, LOCK_FLOCK);
}
