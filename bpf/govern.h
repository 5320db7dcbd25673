/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * govern.h - carries out what the governor decides, as early in a program as possible, and measures
 * the cost of programs.
 *
 * This header decides nothing: daemon/governor/ decides. kernel.bpf_stats does not serve as the
 * measure. Its two readings of the clock for each run cost as much as the run, and the daemon does not keep
 * the privilege for it. Most programs read the clock at their start anyway. One run in GOVERN_TIMED reads the
 * clock at its end as well.
 *
 * Only programs on the CPU of c may call these functions.
 */
#ifndef CTRACE_BPF_GOVERN_H
#define CTRACE_BPF_GOVERN_H

#include "maps.h"
#include "ctrace/govern_state.h"

/* Each has a map of its own, so that no program writes to its cache lines. */
volatile struct govern ct_govern __weak SEC(".data.govern") = {};
volatile struct govern_marks ct_marks __weak SEC(".data.marks") = {};

/* True: the step is in force. */
static __always_inline bool govern_sheds(enum ct_shed step)
{
	return ct_govern.shed >= step;
}

/*
 * Counts a run that ends now. began_ns: the clock at its start. The count is not atomic: if an
 * interrupt comes in between, one run of many is not counted.
 */
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
