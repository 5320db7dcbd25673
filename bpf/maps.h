/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps.h - the BPF maps that several programs share. */
#ifndef CTRACE_BPF_MAPS_H
#define CTRACE_BPF_MAPS_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "ctrace/abi.h"
#include "ctrace/cpu.h"

/* The rings: entry n belongs to CPU n. The loader sets max_entries and value_size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, CPU_ENTRY_BYTES(4096));
} ct_cpus __weak SEC(".maps");

/* The side ring: see emit_side(). ct_emit_place() also uses it, to wake the daemon. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, CPU_SIDE_BYTES);
} ct_side __weak SEC(".maps");

struct seen {
	/* State of the socket, or generation of the inode, when the object's name was last recorded. */
	__u32 sig;
	__u32 incomplete;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, struct seen);
} ct_objects __weak SEC(".maps");

/* ct_fork() or ct_iter_tasks() allocates the entry. A program at a switch must not allocate it: the
 * allocation may wake kswapd, and this wake-up takes a run-queue lock while the switch holds
 * one. */
struct task_state {
	__u64 poll_hash;
	__u64 poll_ns;
	__u64 run_nvcsw; /* voluntary switches when sample_ran() first saw this run */
	__u64 run_ns;    /* CPU time when sample_ran() first saw this run */
	__u32 n_polled;  /* descriptors in the last poll or select; not exact above CT_WAITFD_MAX */
	/* The first descriptors of the last poll or select. -1: not polled for input. */
	__s32 polled[CT_WAITFD_MAX];
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} ct_tasks __weak SEC(".maps");

/* The processes in which a strand has waited for a lock (CT_LOCK). ct_has_strands is 0 while there is none.
 * Only in these processes, a CT_RECV has its strand. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} ct_strands __weak SEC(".maps");
volatile __u64 ct_has_strands __weak SEC(".data.strands") = 0;

/* One bit for each task, set while the task is capped. The daemon maps this memory. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, GOVERN_WORDS);
	__type(key, __u32);
	__type(value, __u64);
} ct_capped __weak SEC(".maps");

/* One bit for each task: its fork has no record, but a later record has named it (caps_name()). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GOVERN_WORDS);
	__type(key, __u32);
	__type(value, __u64);
} ct_capped_named __weak SEC(".maps");

#endif
