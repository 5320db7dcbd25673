/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h - the table of hooks. For each hook it has the BPF programs, in order of preference, and
 * a text about what the trace lacks without the hook. Data only. probe.c decides which programs are
 * used.
 */
#ifndef CTRACE_DAEMON_KERNEL_HOOKS_H
#define CTRACE_DAEMON_KERNEL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "ctrace/abi.h"

struct hook_def {
	/* a word for several hooks; the setting `hooks` switches them off by this word */
	const char *family;
	const char *name;
	const char *without; /* what the trace lacks without this hook */
	bool essential;      /* true: without this hook, tracing does not start */
	/* The hook is attached in the steps of the governor from `from` on and before `until`. If
	 * `until` is CT_SHED_NONE, the hook is attached in every step from `from` on. */
	enum ct_shed from, until;
};

/* One program of a hook. The daemon uses the programs of the lowest rank that this kernel accepts.
 * A hook is live if one of its programs is attached. */
struct hook_prog {
	const char *hook;
	const char *prog;   /* name in the skeleton */
	const char *how;    /* "tp_btf", "fentry", "fexit", "breakpoint", "iter", "uprobe" */
	const char *target; /* a tracepoint or function that the kernel must have; "": none */
	int rank;
};

extern const struct hook_def hooks_defs[];
extern const size_t hooks_n_defs;
extern const struct hook_prog hooks_progs[];
extern const size_t hooks_n_progs;

#endif
