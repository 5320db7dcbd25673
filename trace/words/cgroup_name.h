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
	const char *cgroup;              /* the path; "": not known; owned by the window, or by the caller of
					    cgroup_name_of_path() */
	char container[CGROUP_NAME_MAX]; /* the name that the container runtime has given, if the trace has
					    it; otherwise as cgroup_container() gives it; "": no container */
	char unit[CGROUP_NAME_MAX];      /* "": none */
};

/* The control group in which a task was at ts_ns. All fields are "" if it is not known. */
struct cgroup_name cgroup_name_of(const struct window *w, uint32_t tid, uint64_t ts_ns);
/* The control group with this path. The result points to the path, which the caller keeps. */
struct cgroup_name cgroup_name_of_path(const char *cgroup);
/* True: both are in the same container, or both are in no container and in the same unit. */
bool cgroup_name_is_same(const struct cgroup_name *a, const struct cgroup_name *b);

/* True: p matches both filters. cgroup: a glob pattern for the path of the control group. container:
 * a glob pattern for the name of the container, or the beginning of its id. A filter that is NULL
 * matches all. */
bool cgroup_name_matches(const struct cgroup_name *p, const char *cgroup, const char *container);

/*
 * Writes the words that stand behind the name of a task and say where it runs: " in container web",
 * " in nginx.service", " on the host", or "". before: the control group of the task that the text
 * named last; NULL: no task was named yet. The first of these rules that fits decides:
 * - cgroup_name_is_same() is true for p and before: "";
 * - p is in a container: the container is named;
 * - p is in a unit, and `differ` is true (the text is about tasks of several units): the unit is named;
 * - before is in a container, and the control group of p is known: " on the host";
 * - otherwise: "".
 *
 * The words are safe to print (lib/clean.h). Returns buf.
 */
#define CGROUP_NAME_WORDS_MAX (CGROUP_NAME_MAX + 16)
const char *cgroup_name_words(const struct cgroup_name *p, const struct cgroup_name *before, bool differ,
			      char buf[CGROUP_NAME_WORDS_MAX]);

#endif
