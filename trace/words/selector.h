/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selector.h - chooses tasks by their ids, names and control groups. Pure; any thread. */
#ifndef CTRACE_TRACE_WORDS_SELECTOR_H
#define CTRACE_TRACE_WORDS_SELECTOR_H

#include "trace/words/cgroup_name.h"

/* A task has to fit all members that are not 0. */
struct selector {
	uint32_t tid, pid;
	const char *comm, *cgroup, *container; /* cgroup, container: see cgroup_name_matches() */
};

bool selector_is_set(const struct selector *s);
bool selector_fits(const struct selector *s, const struct window *w, uint32_t tid, uint64_t ts_ns);

#endif
