/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup_name.h - names of a task's control group: a container, or a unit of systemd. Pure; any
 * thread. */
#ifndef CTRACE_TRACE_WORDS_CGROUP_NAME_H
#define CTRACE_TRACE_WORDS_CGROUP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cgroup.h"
#include "trace/format/window.h"

struct cgroup_name {
	const char *cgroup;
	/* from the container runtime, or from cgroup_container(); "" if none */
	char container[CGROUP_NAME_MAX];
	char unit[CGROUP_NAME_MAX];
};

/* All members are "" if the control group is not known. */
struct cgroup_name cgroup_name_of(const struct window *w, uint32_t tid, uint64_t ts_ns);
struct cgroup_name cgroup_name_of_path(const char *cgroup);
/* Returns true if both have the same container or, if neither has a container, the same unit. */
bool cgroup_name_is_same(const struct cgroup_name *a, const struct cgroup_name *b);

/* Returns true if both filters match; NULL matches all. cgroup: a glob pattern for the path.
 * container: a glob pattern for the name, or the beginning of the container's id. */
bool cgroup_name_matches(const struct cgroup_name *p, const char *cgroup, const char *container);

/*
 * Writes words that follow the name of a task, such as " in container web" or " on the host".
 * - p: the control group of the task.
 * - before: the control group of the task named last in the text, or NULL.
 * - differ: the text is about several units.
 *
 * The first rule that fits decides:
 * - cgroup_name_is_same(p, before): "";
 * - p is in a container: its name;
 * - p is in a unit, and differ: the unit;
 * - before is in a container, and p has a path: " on the host";
 * - otherwise: "".
 *
 * The words are safe to print (lib/clean.h). Returns buf.
 */
#define CGROUP_NAME_WORDS_MAX (CGROUP_NAME_MAX + 16)
const char *cgroup_name_words(const struct cgroup_name *p, const struct cgroup_name *before, bool differ,
			      char buf[CGROUP_NAME_WORDS_MAX]);

#endif
