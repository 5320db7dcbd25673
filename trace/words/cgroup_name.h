/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_name.h - where a task runs: its cgroup, and what people call that: a
 * container, or a unit of systemd.  Pure; any thread.
 */
#ifndef CTRACE_TRACE_WORDS_CGROUP_NAME_H
#define CTRACE_TRACE_WORDS_CGROUP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cgroup.h"
#include "trace/format/window.h"

struct cgroup_name {
	const char *cgroup;              /* its path; "": not known; owned by the window */
	char container[CGROUP_NAME_MAX]; /* "": none; as the runtime calls it, where that was known */
	char unit[CGROUP_NAME_MAX];      /* "": none */
};

/* That of a task as it was at ts_ns; all empty when nothing is known of it. */
struct cgroup_name cgroup_name_of(const struct window *w, uint32_t tid, uint64_t ts_ns);
/* That of a path, which stays the caller's. */
struct cgroup_name cgroup_name_of_path(const char *cgroup);
/* The same container; or no container, and the same unit. */
bool cgroup_name_is_same(const struct cgroup_name *a, const struct cgroup_name *b);

/* Whether it is one that is asked for: by a glob over the path of the cgroup, by a glob over the name of the
 * container or the beginning of its id; NULL: any. */
bool cgroup_name_matches(const struct cgroup_name *p, const char *cgroup, const char *container);

/*
 * What is to be said of it behind the name of a task: " in container web", " in nginx.service", " on the
 * host", or "".  before: that of the task that was named last, which need not be repeated; NULL: none
 * was. Containers are always told; differ: so are units, because tasks of several are spoken of.  The text
 * may hold any bytes but control characters.
 */
#define CGROUP_NAME_WORDS_MAX (CGROUP_NAME_MAX + 16)
const char *cgroup_name_words(const struct cgroup_name *p, const struct cgroup_name *before, bool differ,
			      char buf[CGROUP_NAME_WORDS_MAX]);

#endif
