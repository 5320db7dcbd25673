/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h - the table of hooks: the BPF programs of each hook, in order of preference, and what the trace
 * lacks without the hook. Data only; probe.c decides which programs are used.
 */
#ifndef CTRACE_DAEMON_KERNEL_HOOKS_H
#define CTRACE_DAEMON_KERNEL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "ctrace/abi.h"

struct hook_def {
	const char *family; /* a word for several hooks, by which the setting `hooks` switches them off */
	const char *name;
	const char *without; /* what the trace lacks without this hook */
	bool essential;      /* without this hook, tracing does not start */
	/* The steps of the governor in which the hook is attached: from `from` on, and before `until`.
	 * CT_SHED_NONE as `until`: in every step from `from` on. */
	enum ct_shed from, until;
};

/* One program of a hook. The daemon uses the programs of the lowest rank that this kernel accepts. A hook is
 * live if one of its programs is attached. */
struct hook_prog {
	const char *hook;
	const char *prog;   /* name in the skeleton */
	const char *how;    /* "tp_btf", "fentry", "fexit", "breakpoint", "iter", "uprobe" */
	const char *target; /* the tracepoint or function in the kernel; "": nothing to check */
	int rank;
};

extern const struct hook_def hooks_defs[];
extern const size_t hooks_n_defs;
extern const struct hook_prog hooks_progs[];
extern const size_t hooks_n_progs;

#endif
