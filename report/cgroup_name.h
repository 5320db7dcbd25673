/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup_name.h - the control group and the container of a task, as JSON and as text. Leaves out
 * what is not known. */
#ifndef CTRACE_REPORT_CGROUP_NAME_H
#define CTRACE_REPORT_CGROUP_NAME_H

#include <jansson.h>
#include <stdio.h>

#include "trace/words/cgroup_name.h"

/* Adds "cgroup" (a path) and "container" to `task`, which may be NULL. Returns `task`. */
json_t *render_cgroup_name(json_t *task, const struct cgroup_name *p);
/* Writes "cgroup" and "container", each after a comma. Another member must come before them. */
void render_put_cgroup_name(FILE *f, const struct cgroup_name *p);
/* Returns "@web" for a task in the container "web", or "" without a container. */
const char *render_at(const struct cgroup_name *p, char buf[CGROUP_NAME_MAX + 1]);

#endif
