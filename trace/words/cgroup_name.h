/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_name.h - the control group of a task, and its name for people: a container, or a unit of
 * systemd. Pure; any thread.
 */
#ifndef CTRACE_TRACE_WORDS_CGROUP_NAME_H
#define CTRACE_TRACE_WORDS_CGROUP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cgroup.h"
#include "trace/format/window.h"

struct cgroup_name {
	const char *cgroup;              /* the path, or "" if it is not known; owned by the window
					    or by the caller of cgroup_name_of_path() */
	char container[CGROUP_NAME_MAX]; /* the name from the container runtime if the trace has it,
					    or else from cgroup_container(); "" if there is no
					    container */
	char unit[CGROUP_NAME_MAX];      /* "" if there is no unit */
};

/* Returns the control group in which a task was at ts_ns. If it is not known, all fields are "". */
struct cgroup_name cgroup_name_of(const struct window *w, uint32_t tid, uint64_t ts_ns);
/* Returns the control group with this path. The result points to the path, which the caller
 * keeps. */
struct cgroup_name cgroup_name_of_path(const char *cgroup);
/* Returns true if a and b have the same container name; and, if this name is "", also the same
 * unit, or both no unit. */
bool cgroup_name_is_same(const struct cgroup_name *a, const struct cgroup_name *b);

/* Returns true if the control group p matches both filters. The filter `cgroup` is a glob pattern
 * for the path of p. The filter `container` is a glob pattern for the name of the container of p,
 * or the beginning of the id of this container. A filter that is NULL matches every control
 * group. */
bool cgroup_name_matches(const struct cgroup_name *p, const char *cgroup, const char *container);

/*
 * Writes the words that stand behind the name of a task and say where it runs: " in container web",
 * " in nginx.service", " on the host", or "". p is the control group of this task. `before` is the
 * control group of the task that the text named last, or NULL if the text has named no task yet.
 * The first of these rules that fits decides:
 * - if cgroup_name_is_same() is true for p and `before`: "";
 * - if p is in a container: the words name the container;
 * - if p is in a unit, and `differ` is true because the text is about tasks of several units: the
 *   words name the unit;
 * - if `before` is in a container, and the path of p is known: " on the host";
 * - otherwise: "".
 *
 * The words are safe to print (lib/clean.h). Returns buf.
 */
#define CGROUP_NAME_WORDS_MAX (CGROUP_NAME_MAX + 16)
const char *cgroup_name_words(const struct cgroup_name *p, const struct cgroup_name *before, bool differ,
			      char buf[CGROUP_NAME_WORDS_MAX]);

#endif
