/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_futex.h - a part of wait.h: finds the futex that a task waits on or signals. For a wait of the
 * current task (except futex_waitv), also looks for the owner of the futex in user memory. */
#ifndef CTRACE_BPF_WAIT_FUTEX_H
#define CTRACE_BPF_WAIT_FUTEX_H

#include "ctrace/glibc.h"

/* From linux/futex.h, which does not compile for BPF. */
#define FUTEX_CMD_MASK    0x7f
#define FUTEX_PRIVATE     0x80
#define FUTEX_LOCK_PI     6
#define FUTEX_LOCK_PI2    13
#define FUTEX_WAIT        0
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAITERS     0x80000000U
#define FUTEX_TID_MASK    0x3fffffffU

static __always_inline bool futex_is_tid(__u32 v)
{
	return v > 0 && v < PID_MAX_LIMIT;
}

static __always_inline __u32 futex_read(__u64 uaddr)
{
	__u32 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)uaddr);
	return v;
}

/*
 * The futex has the value of a mutex of glibc that is locked, and for which a task waits. robust: the value
 * is that of a robust mutex. Other locks have the same values, such as those inside of malloc() and of musl.
 * So looks at the other members of the mutex too: `nusers` is not 0 while a task has locked it. Returns the
 * owner, or 0. Global, so that the verifier checks it once.
 */
__weak __u32 ct_futex_mutex_owner(__u64 uaddr, __u32 robust)
{
	struct glibc_mutex m = {};

	if (bpf_probe_read_user(&m, sizeof(m), (void *)uaddr) || !m.nusers || m.kind & ~GLIBC_MUTEX_KIND_BITS)
		return 0;
	if (robust)
		return m.kind & GLIBC_MUTEX_ROBUST ? m.lock & FUTEX_TID_MASK : 0;
	return m.owner;
}

/* As ct_futex_mutex_owner(), for a read-write lock of glibc, which a task has locked to write. */
__weak __u32 ct_futex_rwlock_owner(__u64 uaddr)
{
	struct glibc_rwlock l = {};
	__u64 at = uaddr - __builtin_offsetof(struct glibc_rwlock, writers_futex);

	if (!bpf_probe_read_user(&l, sizeof(l), (void *)at) &&
	    (l.readers & GLIBC_RWLOCK_WRITING) == GLIBC_RWLOCK_WRITING && futex_is_tid(l.cur_writer))
		return l.cur_writer;
	at = uaddr - __builtin_offsetof(struct glibc_rwlock, wrphase_futex);
	if (!bpf_probe_read_user(&l, sizeof(l), (void *)at) &&
	    (l.readers & GLIBC_RWLOCK_WRITING) == GLIBC_RWLOCK_WRITING)
		return l.cur_writer;
	return 0;
}

/*
 * Returns the tid of the owner of a futex, or 0 if it is not known. word: the value of the futex. val: the
 * value that the waiting task expects. The place of the tid:
 * - PI mutex (a convention of the kernel), or robust mutex of glibc: in the word itself. The word of a mutex
 * of musl may look alike, and have EBUSY in the place of the tid.
 * - Mutex of glibc: near the word (ctrace/glibc.h). A mutex of Rust has the same values in its word, but
 *   no tid. Only Rust waits for a mutex with FUTEX_WAIT_BITSET and without a time limit.
 * - Read-write lock of glibc: near the word. The lock has two words to wait on, each with its
 *   own distance to the tid.
 * - Join of glibc (without FUTEX_PRIVATE): in the word itself, until the joined thread ends.
 */
static __always_inline __u32 futex_owner(__u64 uaddr, __u32 op, __u32 val, __u32 word, bool limited)
{
	__u32 cmd = op & FUTEX_CMD_MASK;

	if (cmd == FUTEX_LOCK_PI || cmd == FUTEX_LOCK_PI2)
		return word & FUTEX_TID_MASK;
	if (cmd != FUTEX_WAIT && cmd != FUTEX_WAIT_BITSET)
		return 0;
	if (val & FUTEX_WAITERS)
		return ct_futex_mutex_owner(uaddr, true);
	if (val == GLIBC_MUTEX_CONTENDED)
		return cmd == FUTEX_WAIT || limited ? ct_futex_mutex_owner(uaddr, false) : 0;
	if (val == GLIBC_RWLOCK_CONTENDED)
		return ct_futex_rwlock_owner(uaddr);
	return op & FUTEX_PRIVATE || word != val || val < 100 ? 0 : val;
}

/* Returns the tid of the thread whose thread_node is at `at`. Returns 0 if the thread's number
 * in its pid namespace is not `owner`. Global, so that the verifier checks it once. */
__weak __u32 ct_futex_thread_in_ns(__u64 at, __u32 owner)
{
	struct task_struct *th = (void *)at - bpf_core_field_offset(struct task_struct, thread_node);
	struct pid *pid = (void *)RD_NUM(th, thread_pid);
	struct upid *up = (void *)pid + bpf_core_field_offset(struct pid, numbers);

	up += RD(pid, level) & 31;
	return BPF_CORE_READ(up, nr) == owner ? RD(th, pid) : 0;
}

/* Finds the thread of the current process whose number in its pid namespace is `owner`. Looks at 64 threads
 * at most. Returns the tid of the thread, or 0. */
__weak __u32 ct_futex_owner_in_ns(__u32 owner)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 head = RD_NUM(t, signal) + bpf_core_field_offset(struct signal_struct, thread_head);
	__u64 at = rd_num((void *)head);
	__u32 tid = 0;

	for (int i = 0; i < 64 && !tid && at && at != head; i++) {
		tid = ct_futex_thread_in_ns(at, owner);
		at = rd_num((void *)at);
	}
	return tid;
}

static __always_inline void futex_emit(struct wait_ctx *x, struct task_struct *t, __u64 uaddr, __u32 op,
				       __u32 val, bool limited)
{
	__u32 word = futex_read(uaddr), owner = futex_owner(uaddr, op, val, word, limited);
	struct cpu *c = emit_cpu();
	struct emit_rec2 *r;

	if (owner && futex_is_tid(owner) && task_plain(t)->thread_pid->level)
		owner = ct_futex_owner_in_ns(owner);
	if (!c || !futex_is_tid(owner))
		return;
	r = emit_rec2(c, CT_FUTEX, x->now);
	if (!r)
		return;
	r->r.tid = t->pid;
	r->r.peer = owner;
	r->r.obj = x->w.obj;
	r->x[0] = uaddr;
	r->x[1] = op | (__u64)word << 32;
	emit_submit(r, x->now);
}

static __always_inline void wait_futex(struct wait_ctx *x, struct task_struct *t, struct pt_regs *regs,
				       enum wait_view view)
{
	__u32 how = SYSCLASS_HOW(x->cls), op = regs_arg(regs, 1), val = regs_arg(regs, 2);
	__u64 uaddr = regs_arg(regs, 0);

	if (how == SYSCLASS_FUTEX_WAITV) {
		/* The array has struct futex_waitv: val, uaddr, flags. Only the first futex is recorded. */
		if (view == WAIT_OTHER || bpf_probe_read_user(&uaddr, 8, (void *)(uaddr + 8)))
			return;
	} else if (how == SYSCLASS_FUTEX2) {
		op = FUTEX_WAIT | FUTEX_PRIVATE;
		val = regs_arg(regs, 1);
	}
	x->w.obj = CT_OBJ_FUTEX_ID(t->tgid, uaddr);
	if (view == WAIT_SELF && how != SYSCLASS_FUTEX_WAITV)
		futex_emit(x, t, uaddr, op, val, regs_arg(regs, 3) != 0);
}

#endif
