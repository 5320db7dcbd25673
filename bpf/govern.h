/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * govern.h - does what the governor says, as early in a program as it can be,
 * and measures.
 *
 * kernel.bpf_stats is not used for that: two readings of the clock for each run cost as much as the run, and
 * the daemon does not keep the privilege.  Most programs read the clock at their start anyway; one run in
 * GOVERN_TIMED reads it at its end as well.
 */
#ifndef CTRACE_BPF_GOVERN_H
#define CTRACE_BPF_GOVERN_H

#include "maps.h"
#include "ctrace/govern_state.h"

/* In a map of its own: its cache line is only read. */
volatile struct govern ct_govern __weak SEC(".data.govern") = {};

/* Whether a step is in force. */
static __always_inline bool govern_sheds(enum ct_shed step)
{
	return ct_govern.shed >= step;
}

/* The end of a program that looked at the clock when it began.  Not atomic: an interrupt in between may cost
 * a run, of which there are many. */
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
