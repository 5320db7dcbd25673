/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hangs.h - the worst waits and stalls of a window, found without a hint where to look.  Pure.
 */
#ifndef CTRACE_ANALYSIS_HANGS_HANGS_H
#define CTRACE_ANALYSIS_HANGS_HANGS_H

#include "analysis/diagnose/diagnose.h"

struct hang {
	uint32_t task;
	uint64_t from_ns, to_ns;
	bool alarm; /* false: the task merely idles or works */
	struct diagnosis *diagnosis;
	size_t first_row; /* index of the first row about the same hang: one of the two tasks waits for the
			     other, or both wait for the same task; the row's own index if it is the first */
};

struct hangs {
	struct hang *v; /* alarms first, then what is not normal, then by length */
	size_t n;
	size_t refused; /* candidates beyond HANGS_MAX, not looked at */
};

#define HANGS_MAX 200

/* Only some tasks: 0 and NULL stand for any. */
struct hangs_filter {
	uint32_t tid, pid;
	const char *comm;
	const char *cgroup, *container; /* as place_matches() */
	bool worst;                     /* the caller wants the first row alone: others may be left out */
};

/* filter may be NULL: all tasks but the kernel's threads and ctrace's own. 0 or -ENOMEM. */
int hangs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, const struct hangs_filter *filter,
	       struct hangs **ret);
void hangs_free(struct hangs *h);

/*
 * The end of a hang that began at since_ns and was noticed at found_ns; the end of the window if it lasts.
 * looped: the task is an event loop, and the hang ends when the task is back in the wait that it was in
 * before since_ns.  Else the hang ends with the wait, or the run, at found_ns.
 */
uint64_t hangs_end(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t found_ns, bool looped);

#endif
