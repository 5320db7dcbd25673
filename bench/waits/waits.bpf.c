/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits.bpf.c - notes the long waits of user tasks, from the switch to the wake-up: at the switch, the system
 * call in which the task waits; at the wake-up, the waker. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "bench/waits/waits.h"

#define PF_IO_WORKER         0x00000010
#define PF_KTHREAD           0x00200000
#define TASK_INTERRUPTIBLE   0x1
#define TASK_UNINTERRUPTIBLE 0x2

#if defined(__TARGET_ARCH_x86)
#define CALL(regs) ((int)(regs)->orig_ax)
#define ARG0(regs) ((regs)->di)
#define ARG1(regs) ((regs)->si)
#else
#define CALL(regs) ((regs)->syscallno)
#define ARG0(regs) ((regs)->orig_x0)
#define ARG1(regs) ((regs)->regs[1])
#endif

char LICENSE[] SEC("license") = "GPL";

const volatile __u64 least_ns = 10000000;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} interrupts SEC(".maps"); /* how many interrupts and softirqs are in progress on the CPU */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct long_wait);
} asleep SEC(".maps"); /* key: tid */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 21);
} waits SEC(".maps");

__u64 refused = 0;

static __always_inline __u32 *depth(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&interrupts, &key);
}

static __always_inline bool in_progress(void)
{
	__u32 *n = depth();

	return n && *n;
}

/* The program for the end comes first, because the programs are attached in this order: an end without a
 * begin is ignored, but a begin without an end would count for ever. */
#define INTERRUPT(begin, end)                                                                                \
	SEC("tp_btf/" #end) int waits_##end(__u64 *ctx)                                                      \
	{                                                                                                    \
		__u32 *n = depth();                                                                          \
		if (n && *n)                                                                                 \
			--*n;                                                                                \
		return 0;                                                                                    \
	}                                                                                                    \
	SEC("tp_btf/" #begin) int waits_##begin(__u64 *ctx)                                                  \
	{                                                                                                    \
		__u32 *n = depth();                                                                          \
		if (n)                                                                                       \
			++*n;                                                                                \
		return 0;                                                                                    \
	}

INTERRUPT(softirq_entry, softirq_exit)
INTERRUPT(irq_handler_entry, irq_handler_exit)
#if defined(__TARGET_ARCH_x86)
INTERRUPT(local_timer_entry, local_timer_exit)
INTERRUPT(irq_work_entry, irq_work_exit)
INTERRUPT(reschedule_entry, reschedule_exit)
INTERRUPT(call_function_entry, call_function_exit)
INTERRUPT(call_function_single_entry, call_function_single_exit)
#else
INTERRUPT(ipi_entry, ipi_exit)
#endif

static __always_inline void note_file(struct long_wait *w, struct task_struct *t)
{
	struct fdtable *table = BPF_CORE_READ(t, files, fdt);
	__u32 fd = w->args[0];
	struct file *f = NULL;

	if (fd < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&f, sizeof(f), BPF_CORE_READ(table, fd) + fd);
	w->inode = BPF_CORE_READ(f, f_inode, i_ino);
	w->fs = BPF_CORE_READ(f, f_inode, i_sb, s_magic);
}

static __always_inline void note_call(struct long_wait *w, struct task_struct *t)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(t);

	if (t->flags & PF_IO_WORKER || t->__state & TASK_UNINTERRUPTIBLE)
		return;
	w->call = CALL(regs);
	w->args[0] = ARG0(regs);
	w->args[1] = ARG1(regs);
	note_file(w, t);
}

SEC("tp_btf/sched_switch")
int waits_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct long_wait w = { .from_ns = bpf_ktime_get_boot_ns(), .tid = prev->pid, .call = -1 };
	__u32 runs = next->pid;

	/* A wake-up may come before its task has left the CPU. Then it finds no entry, and the switch makes
	 * one for a wait that is already over. */
	bpf_map_delete_elem(&asleep, &runs);
	if (ctx[0] || prev->flags & PF_KTHREAD ||
	    !(prev->__state & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)))
		return 0;
	note_call(&w, prev);
	bpf_map_update_elem(&asleep, &w.tid, &w, 0);
	return 0;
}

SEC("tp_btf/sched_waking")
int waits_waking(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 tid = task->pid;
	struct long_wait *asleep_since = bpf_map_lookup_elem(&asleep, &tid), w;

	if (!asleep_since)
		return 0;
	w = *asleep_since;
	bpf_map_delete_elem(&asleep, &tid);
	w.to_ns = bpf_ktime_get_boot_ns();
	w.waker = bpf_get_current_pid_tgid();
	w.interrupt = !w.waker || in_progress();
	if (w.to_ns - w.from_ns >= least_ns && bpf_ringbuf_output(&waits, &w, sizeof(w), 0))
		__sync_fetch_and_add(&refused, 1);
	return 0;
}
