/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - the BPF maps that several programs share. If only one file uses a map, the map is in
 * that file.
 */
#ifndef CTRACE_BPF_MAPS_H
#define CTRACE_BPF_MAPS_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "ctrace/abi.h"
#include "ctrace/cpu.h"

/* The rings: the entry with index n belongs to CPU n. max_entries and value_size below are
 * placeholders: the loader sets the real values. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, CPU_ENTRY_BYTES(4096));
} ct_cpus __weak SEC(".maps");

/* The side ring: see emit_side(). ct_emit_place() also uses this ring, to wake the daemon. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, CPU_SIDE_BYTES);
} ct_side __weak SEC(".maps");

/* The state that an object had when it was last named. */
struct seen {
	__u32 sig;        /* object.sig when the object was last named */
	__u32 incomplete; /* 1 if a part of the name was missing */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, struct seen);
} ct_objects __weak SEC(".maps");

/*
 * What the programs remember about a task. ct_fork() allocates the entry. ct_iter_tasks() allocates
 * the entry of a task whose fork was not recorded, for example because the daemon did not run yet. No
 * program allocates an entry at a switch: an allocation under a run-queue lock may wake kswapd, and a
 * wake-up takes a run-queue lock too.
 */
struct task_state {
	__u64 poll_hash; /* hash of the set of descriptors (CT_WAITFD) last written */
	__u64 poll_ns;   /* when the set of poll_hash was written */
	__u64 run_nvcsw; /* number of voluntary switches when sample_ran() first saw the present run */
	__u64 run_ns;    /* CPU time of the task when sample_ran() first saw the present run */
	/* The set of descriptors that the task polled when it last blocked in poll or select.
	 * n_polled is the size of this set. If n_polled is above CT_WAITFD_MAX, `polled` has only a
	 * part of the set. A descriptor that the task did not poll for input stands in `polled` as
	 * -1. */
	__u32 n_polled;
	__s32 polled[CT_WAITFD_MAX];
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} ct_tasks __weak SEC(".maps");

/* One bit for each task. The bit is set while the task is capped: see GOVERN_WORDS. The daemon
 * maps this memory. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, GOVERN_WORDS);
	__type(key, __u32);
	__type(value, __u64);
} ct_capped __weak SEC(".maps");

/* One bit for each task. The bit is set if the record of the task's fork was left out, but a
 * later record about another task has named the task. See caps_name(). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GOVERN_WORDS);
	__type(key, __u32);
	__type(value, __u64);
} ct_capped_named __weak SEC(".maps");

#endif
