/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - the maps that several programs share, and the memory of a task in them. Maps that one
 * file alone uses are in that file.
 */
#ifndef CTRACE_BPF_MAPS_H
#define CTRACE_BPF_MAPS_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "ctrace/abi.h"
#include "ctrace/cpu.h"

/* One entry for each CPU that is present. The loader sets the real size, CPU_ENTRY_BYTES(). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, CPU_ENTRY_BYTES(4096));
} ct_cpus __weak SEC(".maps");

/* The records of programs that can be preempted. A record here can also wake the daemon. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, CPU_SIDE_BYTES);
} ct_side __weak SEC(".maps");

/* The state in which an object was last named. */
struct seen {
	__u32 sig; /* object.sig at that time */
	__u32 incomplete;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, struct seen);
} ct_objects __weak SEC(".maps");

/*
 * The memory of a task. It is made at fork, and by the task iterator for tasks that exist already.
 * It is never made at a switch: an allocation under a run-queue lock may wake kswapd, which takes
 * that lock.
 */
struct task_state {
	__u64 poll_hash; /* hash of the set of descriptors last written */
	__u64 poll_ns;
	__u64 run_nvcsw; /* voluntary switches and CPU time at the start of the present run, as first seen */
	__u64 run_ns;
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} ct_tasks __weak SEC(".maps");

/* A bit for each capped task: see GOVERN_WORDS. The daemon maps it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, GOVERN_WORDS);
	__type(key, __u32);
	__type(value, __u64);
} ct_capped __weak SEC(".maps");

/* As ct_capped: a bit for each task whose fork was left out, and that a later record about another
 * task has named. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GOVERN_WORDS);
	__type(key, __u32);
	__type(value, __u64);
} ct_capped_named __weak SEC(".maps");

#endif
