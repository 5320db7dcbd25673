/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hooks.h - the table of hooks, and of their BPF programs in order of preference. Data only. */
#ifndef CTRACE_DAEMON_KERNEL_HOOKS_H
#define CTRACE_DAEMON_KERNEL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "ctrace/abi.h"

struct hook_def {
	/* The setting `hooks` can switch off any family except sched and life. */
	const char *family;
	const char *name;
	const char *without;
	bool essential; /* without this hook, tracing does not start */
	/* The hook is in use in the governor's steps with from <= step < until. If until is
	 * CT_SHED_NONE, the hook is in use in all steps >= from. */
	enum ct_shed from, until;
};

/* One program of a hook. The daemon uses the program of lowest rank that this kernel accepts. */
struct hook_prog {
	const char *hook;
	const char *prog;
	const char *how;    /* "tp_btf", "fentry", "fexit", "breakpoint", "iter", "uprobe" */
	const char *target; /* a tracepoint or function that the kernel must have; "": none */
	int rank;
};

extern const struct hook_def hooks_defs[];
extern const size_t hooks_n_defs;
extern const struct hook_prog hooks_progs[];
extern const size_t hooks_n_progs;

#endif
