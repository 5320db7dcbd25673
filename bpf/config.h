/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - settings that the loader writes between open and load. The verifier takes them for
 * constants, and no program changes them.
 */
#ifndef CTRACE_BPF_CONFIG_H
#define CTRACE_BPF_CONFIG_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "ctrace/sysclass.h"

/*
 * The tgid of the tracer, which is the daemon. The programs do not record that a task of the tracer
 * is woken from a wait. They do not record the messages, file locks, samples and jobs of the
 * tracer's tasks either. When a task of the tracer blocks, or wakes another task, the programs do
 * not decode the system call of the tracer's task. The iterators treat the tracer's tasks like all
 * other tasks.
 */
const volatile __u32 ct_tracer_tgid __weak = 0;
/* true: the last argument of sched_switch is the state of the previous task (kernels since 5.18) */
const volatile bool ct_switch_has_state __weak = false;
const volatile bool ct_has_rdonly_cast __weak = false;
const volatile __u64 ct_tick_ns __weak = 10000000; /* the time between two ticks of the kernel */
const volatile __u32 ct_ring_bytes __weak = 0;
const volatile __u64 ct_sample_after_ns __weak = 20000000;
const volatile __u64 ct_sample_period_ns __weak = 50000000;
const volatile __u16 ct_sysclass[SYSCLASS_N] __weak = {};

#endif
