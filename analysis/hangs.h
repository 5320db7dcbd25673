/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hangs.h - the worst waits and stalls of a window, found without being told
 * where to look.  Pure.
 */
#ifndef CTRACE_ANALYSIS_HANGS_H
#define CTRACE_ANALYSIS_HANGS_H

#include "analysis/diagnose.h"

struct hang {
	uint32_t task;
	uint64_t from_ns, to_ns;
	bool alarm; /* false for what merely idles or works */
	struct diagnosis *diagnosis;
};

struct hangs {
	struct hang *v; /* alarms first, then what is not normal, then by length */
	size_t n;
	size_t refused; /* candidates beyond HANGS_MAX, not looked at */
};

#define HANGS_MAX        200
#define HANGS_WAIT_NS    1000000000ULL /* a wait of this length is looked at */
#define HANGS_STARVED_NS 500000000ULL
#define HANGS_RUN_NS     2000000000ULL

/* Only some tasks: 0 and NULL stand for any. */
struct hangs_filter {
	uint32_t tid, pid;
	const char *comm;
	bool worst; /* only the first row is wanted: of the others those are left out that need not be known
		       for it */
};

/* filter may be NULL: all tasks but the kernel's threads and ctrace's own. 0 or -ENOMEM. */
int hangs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, const struct hangs_filter *filter,
	       struct hangs **ret);
void hangs_free(struct hangs *h);

#endif
