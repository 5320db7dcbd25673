/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.h - what the loader sets between open and load; constants for the verifier. */
#ifndef CTRACE_BPF_CONFIG_H
#define CTRACE_BPF_CONFIG_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "ctrace/sysclass.h"

/* The tracer's own process: its waits, wakes and messages are not looked into. */
const volatile __u32 ct_tracer_tgid __weak = 0;
/* sched_switch has the state of the previous task as its last argument (since 5.18). */
const volatile bool ct_switch_has_state __weak = false;
const volatile bool ct_has_rdonly_cast __weak = false;
const volatile __u32 ct_ring_bytes __weak = 0;
const volatile __u64 ct_sample_after_ns __weak = 20000000;
const volatile __u64 ct_sample_period_ns __weak = 50000000;
const volatile __u16 ct_sysclass[SYSCLASS_N] __weak = {};

#endif
