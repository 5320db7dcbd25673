/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait.h - finds why a task blocks, and which object a waker acts on. The header calls this
 * decoding. The decoder reads the registers that the kernel saves when a task enters a system call.
 *
 * The decoder also names the objects that it finds (object_name.h), and emits CT_FUTEX and
 * CT_WAITFD. The caller emits the record of the wait. sched.bpf.c decodes the current task, and in
 * waking_long() the wakee. iter.bpf.c decodes any task.
 */
#ifndef CTRACE_BPF_WAIT_H
#define CTRACE_BPF_WAIT_H

#include "object_name.h"

#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED_TRACED  0xc
#define TASK_DEAD            0x80
#define TASK_NOLOAD          0x400
#define TASK_FROZEN          0x8000     /* since 6.1 */
#define JOBCTL_TRAP_FREEZE   (1U << 23) /* the freezer of control groups, version 2 */

#define PID_MAX_LIMIT 4194304

struct wait {
	__u64 obj;
	__u16 nr;
	__u8 kind;
	__u8 flags; /* CT_SF_* */
};

/*
 * The task that is decoded:
 * - WAIT_SELF: the current task, which blocks. The decoder can read its memory.
 * - WAIT_WAKER: the current task, which wakes another one.
 * - WAIT_OTHER: a task that blocks, mostly another one than the current task. The decoder does not
 *   read its memory.
 */
enum wait_view { WAIT_SELF, WAIT_WAKER, WAIT_OTHER };

struct wait_ctx {
	__u64 now;
	struct wait w;
	__u32 cls;
	__u32 pad;
};

/* Returns true if the task is stopped, traced or frozen. Such a task goes on only when another
 * task continues it. */
static __always_inline bool wait_is_stopped(struct task_struct *t, __u32 state)
{
	return state & (TASK_STOPPED_TRACED | TASK_FROZEN) || t->jobctl & JOBCTL_TRAP_FREEZE;
}

static __always_inline __u16 wait_syscall(struct task_struct *t, struct pt_regs *regs)
{
	int nr = regs_syscall(regs);

	return nr < 0 || nr >= CT_NR_NONE ? CT_NR_NONE : nr;
}

static __always_inline __u16 wait_class(__u16 nr)
{
	__u64 i = nr;

	barrier_var(i); /* the verifier needs the check and the use in one register */
	return i < SYSCLASS_N ? ct_sysclass[i] : CT_W_OTHER;
}

/*
 * Returns the id of the object of a descriptor of t. For the current task, ct_object_of_fd() finds
 * the object. ct_object_of_fd() is global, so the verifier checks it only once.
 */
static __always_inline __u64 wait_object(struct task_struct *t, __u32 fd, __u64 now, enum wait_view view)
{
	return view == WAIT_OTHER ? object_of_fd(t, fd, now) : ct_object_of_fd(fd, now);
}

/*
 * Sets the flags for the time limit of a wait. In the class SYSCLASS_TIMED, every wait has a limit.
 * In the other classes, a wait has a limit only if SYSCLASS_LIMIT() names an argument of the system
 * call. This argument is a number of ms, or the address of a structure of seconds and a fraction.
 */
static __always_inline void wait_limit(struct wait_ctx *x, struct pt_regs *regs, enum wait_view view)
{
	__u32 arg = SYSCLASS_LIMIT(x->cls);
	__u64 v, ts[2] = {};

	if (SYSCLASS_HOW(x->cls) == SYSCLASS_TIMED)
		x->w.flags |= CT_SF_TIMEOUT;
	if (!arg)
		return;
	v = regs_arg(regs, arg - 1);
	if (SYSCLASS_MS(x->cls)) {
		if ((__s32)v >= 0)
			x->w.flags |= CT_SF_TIMEOUT;
		if ((__s32)v == 0)
			x->w.flags |= CT_SF_ZEROWAIT;
	} else if (v) {
		x->w.flags |= CT_SF_TIMEOUT;
		if (view == WAIT_SELF && SYSCLASS_WAIT(x->cls) != CT_W_FUTEX &&
		    !bpf_probe_read_user(ts, sizeof(ts), (void *)v) && !ts[0] && !ts[1])
			x->w.flags |= CT_SF_ZEROWAIT;
	}
}

#include "wait_futex.h"
#include "wait_fds.h"

#define F_SETLKW       7
#define F_OFD_SETLKW   38
#define CLONE_VFORK    0x4000
#define WAITID_P_PID   1
#define WAITID_P_PIDFD 3

/*
 * Returns the id of the child for which t calls wait4 or waitid with the argument pid. Returns 0 if
 * the call is for any child, or if the child is not known. The child is not known if t is in a pid
 * namespace other than the first, because then pid is a number in that namespace.
 */
static __always_inline __u64 wait_child(struct task_struct *t, __s32 pid)
{
	if (pid <= 0 || task_plain(t)->thread_pid->level)
		return 0;
	return CT_OBJ_ID(CT_OBJ_TASK, pid);
}

static __always_inline bool wait_is_vfork(struct wait_ctx *x, struct pt_regs *regs, enum wait_view view)
{
	__u64 flags = regs_arg(regs, 0);

	if (SYSCLASS_HOW(x->cls) == SYSCLASS_CLONE)
		return flags & CLONE_VFORK;
	if (view != WAIT_SELF || bpf_probe_read_user(&flags, sizeof(flags), (void *)flags))
		return false;
	return flags & CLONE_VFORK;
}

/* Decodes the system calls whose class alone does not tell the reason of the wait. */
static __always_inline void wait_special(struct wait_ctx *x, struct task_struct *t, struct pt_regs *regs,
					 enum wait_view view)
{
	switch (SYSCLASS_HOW(x->cls)) {
	case SYSCLASS_POLL:
	case SYSCLASS_SELECT:
		if (view == WAIT_SELF)
			wait_fds(x, regs);
		else
			wait_polled(x, t, regs);
		break;
	case SYSCLASS_WAIT4:
		x->w.obj = wait_child(t, regs_arg(regs, 0));
		break;
	case SYSCLASS_WAITID:
		if (regs_arg(regs, 0) == WAITID_P_PID)
			x->w.obj = wait_child(t, regs_arg(regs, 1));
		else if (regs_arg(regs, 0) == WAITID_P_PIDFD)
			x->w.obj = wait_object(t, regs_arg(regs, 1), x->now, view);
		break;
	case SYSCLASS_CLONE:
	case SYSCLASS_CLONE3:
		if (wait_is_vfork(x, regs, view))
			x->w.kind = CT_W_VFORK;
		break;
	case SYSCLASS_FCNTL:
		if (regs_arg(regs, 1) == F_SETLKW || regs_arg(regs, 1) == F_OFD_SETLKW)
			x->w.kind = CT_W_FLOCK;
		break;
	}
}

/*
 * Fills in x->w from the system call that t is in. The caller has set x->now. If t is in no system
 * call, w.nr is CT_NR_NONE and w.kind is CT_W_FAULT. If t is in a 32-bit system call, w.nr is
 * CT_NR_NONE, w.kind is CT_W_OTHER and w.flags is CT_SF_COMPAT.
 */
static __always_inline void wait_decode(struct wait_ctx *x, struct task_struct *t, enum wait_view view)
{
	struct pt_regs *regs = task_regs(t);
	__u32 how, fd;

	x->w.obj = 0;
	x->w.flags = 0;
	x->w.kind = CT_W_FAULT;
	x->w.nr = wait_syscall(t, regs);
	if (x->w.nr == CT_NR_NONE)
		return;
	if (task_is_compat(t)) {
		x->w.kind = CT_W_OTHER;
		x->w.flags = CT_SF_COMPAT;
		x->w.nr = CT_NR_NONE;
		return;
	}
	x->cls = wait_class(x->w.nr);
	x->w.kind = SYSCLASS_WAIT(x->cls);
	if (view != WAIT_WAKER)
		wait_limit(x, regs, view);
	fd = SYSCLASS_FD(x->cls);
	if (fd)
		x->w.obj = wait_object(t, regs_arg(regs, fd - 1), x->now, view);
	how = SYSCLASS_HOW(x->cls);
	if (how >= SYSCLASS_FUTEX && how <= SYSCLASS_FUTEX_WAITV)
		wait_futex(x, t, regs, view);
	else if (how > SYSCLASS_FUTEX_WAITV && view != WAIT_WAKER)
		wait_special(x, t, regs, view);
}

#endif
