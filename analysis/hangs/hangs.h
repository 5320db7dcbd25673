/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hangs.h - the worst waits and stalls of a window, found without being told
 * where to look.  Pure.
 */
#ifndef CTRACE_ANALYSIS_HANGS_HANGS_H
#define CTRACE_ANALYSIS_HANGS_HANGS_H

#include "analysis/diagnose/diagnose.h"

struct hang {
	uint32_t task;
	uint64_t from_ns, to_ns;
	bool alarm; /* false for what merely idles or works */
	struct diagnosis *diagnosis;
	size_t same_as; /* index of the first row that tells of the same: of one that it waits for, or that
			   waits for it, or for the same task; its own when that is the first */
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
	const char *cgroup, *container; /* as cgroup_name_matches() */
	bool worst; /* only the first row is wanted: of the others those are left out that need not be known
		       for it */
};

/* filter may be NULL: all tasks but the kernel's threads and ctrace's own. 0 or -ENOMEM. */
int hangs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, const struct hangs_filter *filter,
	       struct hangs **ret);
void hangs_free(struct hangs *h);

/*
 * When the hang of a task ended that was noticed at found_ns and had lasted since since_ns; the end of the
 * window when it had not.  looped: it had been used to return to what it waited in before since_ns, and the
 * hang ends when it does; else with the wait, or the run, that it was in.
 */
uint64_t hangs_end(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t found_ns, bool looped);

#endif
