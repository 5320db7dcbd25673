/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h - the table of hooks: which BPF programs make up each, in order of
 * preference, and what is missing without it.  Data only; probe.c decides.
 */
#ifndef CTRACE_DAEMON_KERNEL_HOOKS_H
#define CTRACE_DAEMON_KERNEL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

struct hook_def {
	const char *family; /* for switching off; NULL ends the table */
	const char *name;
	const char *without; /* what is missing without it */
	bool essential;      /* no tracing without it */
};

/* One program of a hook.  Those of the lowest rank that can be had are used; a hook is live with one of them.
 */
struct hook_prog {
	const char *hook;
	const char *prog;   /* in the skeleton */
	const char *how;    /* "tp_btf", "fentry", "fexit", "breakpoint", "iter" */
	const char *target; /* the tracepoint or function; "" needs no check */
	int rank;
};

extern const struct hook_def hooks_defs[];
extern const size_t hooks_n_defs;
extern const struct hook_prog hooks_progs[];
extern const size_t hooks_n_progs;

#endif
