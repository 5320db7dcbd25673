/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat.h - hides the differences between kernels: moved members, newer helpers, register layouts. A type
 * such as request___old is a variant for other kernels. No program looks at the kernel's version. */
#ifndef CTRACE_BPF_COMPAT_H
#define CTRACE_BPF_COMPAT_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "config.h"

/*
 * RD(p, member) reads a member through a pointer whose type the verifier does not know. The member
 * is no array. bpf_rdonly_cast (since 6.2) is one load of about 1 ns, and gives 0 for a bad address.
 * bpf_probe_read_kernel takes 45 ns.
 *
 * Only one object file may define COMPAT_RDONLY_CAST: the linker of libbpf 1.1 cannot merge two object
 * files that refer to the same kernel function.
 */
#ifdef COMPAT_RDONLY_CAST
extern void *bpf_rdonly_cast(void *obj, __u32 btf_id) __ksym __weak;

#define RD_CAST(p)    ((typeof(p))bpf_rdonly_cast((void *)(p), bpf_core_type_id_kernel(typeof(*(p)))))
#define RD(p, member) (ct_has_rdonly_cast ? RD_CAST(p)->member : BPF_CORE_READ(p, member))
#else
#define RD(p, member) BPF_CORE_READ(p, member)
#endif

/*
 * Returns t itself, as a plain pointer. Since 6.4, the verifier takes 2 ms for each read of a
 * pointer member of a tracepoint's argument. Do not give the result to a helper that wants a task.
 *
 * Hidden, so that the verifier treats this function as a static one: before 6.9, only a static
 * function can take a task as argument.
 */
struct task_struct *task_plain(struct task_struct *t) __hidden;

/* Reads the 64 bits at p as a number, because the verifier refuses to compute with a pointer that
 * RD() has read. RD() needs a member of a structure: rd_num() uses tv_sec, the first 64 bits of a
 * timespec64. */
static __always_inline __u64 rd_num(const void *p)
{
	return RD((struct timespec64 *)p, tv_sec);
}
#define RD_NUM(p, member) rd_num((void *)(p) + bpf_core_field_offset(typeof(*(p)), member))

/* Returns the address p as a number: the verifier takes a pointer that is negated twice for a number. A
 * program may compute with it, and give it to a global function. Reading the address from memory would take
 * 45 ns more. */
static __always_inline __u64 address_of(const void *p)
{
	__u64 address = (__u64)p;

	asm volatile("%0 = -%0\n\t%0 = -%0" : "+r"(address));
	return address;
}

/* Before 6.9, struct file_lock had these members itself (commit a69ce85ec9af). */
struct file_lock___old {
	unsigned int fl_flags;
	unsigned char fl_type;
	struct file *fl_file;
} __attribute__((preserve_access_index));

static __always_inline bool has_lock_core(void)
{
	return bpf_core_type_exists(struct file_lock_core);
}

/* Before 5.15, only a request has a pointer to its disk. Since 5.15, the queue of the request has such a
 * pointer too (commit d152c682f03c). In later kernels, only the queue has it. */
struct request___old {
	struct gendisk *rq_disk;
} __attribute__((preserve_access_index));

/* FUSE may be a module. While the module is not loaded, the kernel's BTF lacks these types. */
struct fuse_conn___module {
	__u32 dev;
} __attribute__((preserve_access_index));
struct fuse_dev___module {
	struct fuse_conn___module *fc;
} __attribute__((preserve_access_index));

/* Since 6.12 a task that sleeps may stay on its run queue for a while (commit 152e11f6df29). */
struct sched_entity___delayed {
	unsigned char sched_delayed;
} __attribute__((preserve_access_index));

static __always_inline bool task_is_queued(struct task_struct *t)
{
	struct sched_entity___delayed *se = (void *)&t->se;

	if (!t->on_rq)
		return false;
	return !bpf_core_field_exists(se->sched_delayed) || !BPF_CORE_READ(se, sched_delayed);
}

#define PF_EXITING   0x00000004
#define PF_IO_WORKER 0x00000010
#define PF_KTHREAD   0x00200000

/* Returns true for a task whose saved registers do not tell its system call. */
static __always_inline bool task_is_kernel(struct task_struct *t)
{
	return t->flags & (PF_KTHREAD | PF_IO_WORKER);
}

#if defined(__TARGET_ARCH_x86)
/* The size cannot change: struct pt_regs is an ABI of user space. */
#define REGS_BYTES (21 * 8)
#define TS_COMPAT  0x0002
/* Negative in an interrupt or exception from user mode: then there is no system call. */
static __always_inline int regs_syscall(struct pt_regs *regs)
{
	return regs->orig_ax;
}

static __always_inline u64 regs_sp(struct pt_regs *regs)
{
	return regs->sp;
}

/* Returns the strand that runs (CT_LOCK): Go keeps the address of the goroutine in this register. */
static __always_inline u64 regs_strand(struct pt_regs *regs)
{
	return regs->r14;
}

static __always_inline bool task_is_compat(struct task_struct *t)
{
	return t->thread_info.status & TS_COMPAT;
}

static __always_inline u64 regs_arg(struct pt_regs *regs, u32 i)
{
	switch (i) {
	case 0:
		return regs->di;
	case 1:
		return regs->si;
	case 2:
		return regs->dx;
	case 3:
		return regs->r10;
	case 4:
		return regs->r8;
	default:
		return regs->r9;
	}
}
#elif defined(__TARGET_ARCH_arm64)
#define REGS_BYTES (33 * 8)
#define TIF_32BIT  22
static __always_inline int regs_syscall(struct pt_regs *regs)
{
	return regs->syscallno;
}

static __always_inline u64 regs_sp(struct pt_regs *regs)
{
	return regs->sp;
}

static __always_inline bool task_is_compat(struct task_struct *t)
{
	return t->thread_info.flags & (1UL << TIF_32BIT);
}

static __always_inline u64 regs_arg(struct pt_regs *regs, u32 i)
{
	switch (i) {
	case 0:
		return regs->orig_x0;
	case 1:
		return regs->regs[1];
	case 2:
		return regs->regs[2];
	case 3:
		return regs->regs[3];
	case 4:
		return regs->regs[4];
	default:
		return regs->regs[5];
	}
}

/* Returns the strand that runs (CT_LOCK): Go keeps the address of the goroutine in this register. */
static __always_inline u64 regs_strand(struct pt_regs *regs)
{
	return regs->regs[28];
}
#else
#error "no register layout for this machine: add it here"
#endif

static __always_inline struct pt_regs *task_regs(struct task_struct *t)
{
	return (struct pt_regs *)bpf_task_pt_regs(t);
}

#endif
