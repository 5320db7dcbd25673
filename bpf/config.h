/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - settings that the loader writes between open and load. The verifier takes them for
 * constants.
 */
#ifndef CTRACE_BPF_CONFIG_H
#define CTRACE_BPF_CONFIG_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "ctrace/sysclass.h"

/* The tgid of the daemon. For tasks of the daemon, the programs decode no system calls, and record
 * no messages, file locks, samples, jobs, marks or ends of waits. The iterators treat the daemon
 * like other processes. */
const volatile __u32 ct_tracer_tgid __weak = 0;
/* the last argument of sched_switch is prev_state (kernels since 5.18) */
const volatile bool ct_switch_has_state __weak = false;
const volatile bool ct_has_rdonly_cast __weak = false;
const volatile __u64 ct_tick_ns __weak = 10000000; /* between two ticks of the kernel */
const volatile __u32 ct_page_shift __weak = 12;
const volatile __u32 ct_ring_bytes __weak = 0;
const volatile __u64 ct_sample_after_ns __weak = 20000000;
const volatile __u64 ct_sample_period_ns __weak = 50000000;
const volatile __u16 ct_sysclass[SYSCLASS_N] __weak = {};

#endif
