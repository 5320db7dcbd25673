/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_owner.h - counts for the BPF programs (bpf/uprobe.bpf.c) the jobs that one process has in the common
 * table of jobs. It has no BPF helper, so that a unit test can call it.
 *
 * Such a count can become wrong: the table is an LRU map, which forgets entries without a word, many jobs
 * never start or end, and two CPUs may count the same job. So a job counts only in the period in which it was
 * noted, and in the next one. No error lasts longer.
 */
#ifndef CTRACE_JOB_OWNER_H
#define CTRACE_JOB_OWNER_H

#ifndef __bpf__
#include <stdbool.h>
#endif

#include "ctrace/abi.h"

/* jobs of one process in the common table */
#define JOB_OWN_MAX 4096
/* A process whose jobs never end fills the common table, and so pushes out jobs of other processes, only
 * after four periods. Too large: the error of a count lasts longer. */
#define JOB_OWN_NS 600000000000ULL

struct job_owner {
	ct_u64 born_ns; /* begin of the process; another one may have had the same pid */
	ct_u64 told_ns; /* when a new count of n_told began */
	ct_u32 n_told;
	ct_u32 many;     /* it may have jobs outside of the common table */
	ct_u32 period;   /* boot time / JOB_OWN_NS */
	ct_s32 n_now;    /* jobs noted in this period; below 0 after an error */
	ct_s32 n_before; /* in the one before */
	ct_u32 pad;
};
_Static_assert(sizeof(struct job_owner) == 40, "job_owner");

/* The clocks of two CPUs may differ: a period does not go back. */
static inline __attribute__((always_inline)) void job_owner_turn(struct job_owner *o, ct_u64 now_ns)
{
	ct_u32 period = (ct_u32)(now_ns / JOB_OWN_NS), since = o->period;

	if (period <= since || __sync_val_compare_and_swap(&o->period, since, period) != since)
		return;
	o->n_before = period - since == 1 ? o->n_now : 0;
	o->n_now = 0;
}

static inline __attribute__((always_inline)) bool job_owner_is_full(const struct job_owner *o)
{
	return o->n_now + o->n_before >= JOB_OWN_MAX;
}

/* Returns the period for job_owner_forget(). */
static inline __attribute__((always_inline)) ct_u32 job_owner_note(struct job_owner *o)
{
	__sync_fetch_and_add(&o->n_now, 1);
	return o->period;
}

static inline __attribute__((always_inline)) void job_owner_forget(struct job_owner *o, ct_u32 period)
{
	if (period == o->period)
		__sync_fetch_and_sub(&o->n_now, 1);
	else if (o->period - period == 1)
		__sync_fetch_and_sub(&o->n_before, 1);
}

#endif
