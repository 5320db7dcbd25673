/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait.h - the decoder: finds why a task blocks, and which object a waker acts on. It reads the registers
 * that the kernel saves when a task enters a system call.
 *
 * The decoder also names the objects, and emits CT_FUTEX and CT_WAITFD. The caller
 * emits the record of the wait.
 */
#ifndef CTRACE_BPF_WAIT_H
#define CTRACE_BPF_WAIT_H

#include "object_name.h"

#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED_TRACED  0xc
#define TASK_DEAD            0x80
#define TASK_NOLOAD          0x400
#define TASK_FROZEN          0x8000 /* since 6.1 */
#define JOBCTL_TRAP_FREEZE   (1U << 23)

#define PID_MAX_LIMIT 4194304

struct wait {
	__u64 obj;
	__u16 nr;
	__u8 kind;
	__u8 flags;
};

/*
 * The task that is decoded:
 * - WAIT_SELF: the current task, which blocks. The decoder reads the memory of the task.
 * - WAIT_WAKER: the current task, which wakes another one.
 * - WAIT_OTHER: any task that blocks. The decoder does not read the memory of the task.
 */
enum wait_view { WAIT_SELF, WAIT_WAKER, WAIT_OTHER };

struct wait_ctx {
	__u64 now;
	struct wait w;
	__u32 cls;
	__u32 pad;
};

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

static __always_inline __u64 wait_object(struct task_struct *t, __u32 fd, __u64 now, enum wait_view view)
{
	return view == WAIT_OTHER ? object_of_fd(t, fd, now) : ct_object_of_fd(fd, now);
}

/*
 * Sets CT_SF_TIMEOUT if the system call has a time limit, and CT_SF_ZEROWAIT if this limit is
 * known to be 0. The argument SYSCLASS_LIMIT() is a number of ms, or the address of a structure
 * of seconds and a fraction.
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

/* Returns the id of the child process `pid` as an object. pid is a number in the pid namespace of
 * the task. Only in the first namespace, the trace has the same number. In any other namespace, or
 * if pid names no single process, returns 0. */
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

/* Fills in x->w from the system call that t is in. The caller has set x->now. */
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
