/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * govern.h - applies the decisions of the governor (daemon/governor/), and measures the CPU time of the BPF
 * programs. Only every GOVERN_TIMED-th run reads the clock at its end, because this takes time. The kernel
 * could measure every run (kernel.bpf_stats_enabled), but this would add some 50 ns to every run.
 *
 * Call govern_ran() and govern_ran_light() only with the struct cpu of the CPU on which the program runs,
 * because these functions change its counters without a lock.
 */
#ifndef CTRACE_BPF_GOVERN_H
#define CTRACE_BPF_GOVERN_H

#include "maps.h"
#include "ctrace/govern_state.h"

/* ct_govern and ct_marks have a map each, so that no program writes to their cache lines. */
volatile struct govern ct_govern __weak SEC(".data.govern") = {};
volatile struct govern_marks ct_marks __weak SEC(".data.marks") = {};

static __always_inline bool govern_sheds(enum ct_shed step)
{
	return ct_govern.shed >= step;
}

/* Counts a run of a BPF program. began_ns: the clock at the start of the run. The counters are not
 * atomic: if an interrupt comes in between, a run of a program in this interrupt may not be
 * counted. */
static __always_inline void govern_ran(struct cpu *c, enum govern_kind kind, __u64 began_ns)
{
	struct govern_cost *k = &c->cost[kind];
	__u64 took;

	if (++k->runs < k->next)
		return;
	k->next = k->runs + GOVERN_TIMED;
	took = bpf_ktime_get_boot_ns() - began_ns;
	if (took > (kind == GOVERN_LIFE ? GOVERN_LIFE_MAX_NS : GOVERN_TOOK_MAX_NS))
		return;
	k->timed++;
	k->timed_ns += took;
}

static __always_inline void govern_ran_light(struct cpu *c)
{
	c->cost[GOVERN_LIGHT].runs++;
}

#endif
