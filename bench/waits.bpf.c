/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits.bpf.c - notes the long waits of user tasks, from the switch to the wake-up. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "bench/waits.h"

#define PF_KTHREAD  0x00200000
#define TASK_NORMAL 0x3

char LICENSE[] SEC("license") = "GPL";

const volatile __u64 least_ns = 10000000;

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u64);
} asleep SEC(".maps"); /* tid -> begin of its wait (CLOCK_BOOTTIME, in ns) */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} waits SEC(".maps");

__u64 refused = 0;

SEC("tp_btf/sched_switch")
int waits_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1];
	__u64 now = bpf_ktime_get_boot_ns();
	__u32 tid = prev->pid;

	if (!ctx[0] && !(prev->flags & PF_KTHREAD) && prev->__state & TASK_NORMAL)
		bpf_map_update_elem(&asleep, &tid, &now, 0);
	return 0;
}

SEC("tp_btf/sched_waking")
int waits_waking(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 tid = task->pid;
	__u64 *since = bpf_map_lookup_elem(&asleep, &tid);
	struct long_wait w = { .to_ns = bpf_ktime_get_boot_ns(), .tid = tid };

	if (!since)
		return 0;
	w.from_ns = *since;
	bpf_map_delete_elem(&asleep, &tid);
	if (w.to_ns - w.from_ns >= least_ns && bpf_ringbuf_output(&waits, &w, sizeof(w), 0))
		__sync_fetch_and_add(&refused, 1);
	return 0;
}
