/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_name.h - where tasks run, in JSON and behind their names where room is
 * scarce.  A cgroup that is not known, and a container where there is none, are left out.
 */
#ifndef CTRACE_CLI_RENDER_CGROUP_NAME_H
#define CTRACE_CLI_RENDER_CGROUP_NAME_H

#include <jansson.h>
#include <stdio.h>

#include "trace/words/cgroup_name.h"

/* Adds "cgroup" (a path) and "container" to the object of a task, which is handed back; accepts NULL. */
json_t *render_cgroup_name(json_t *task, const struct cgroup_name *p);
/* The same where an object is written as text, behind another member. */
void render_put_cgroup_name(FILE *f, const struct cgroup_name *p);
/* "@web" for what is in a container, else "". */
const char *render_at(const struct cgroup_name *p, char buf[CGROUP_NAME_MAX + 1]);

#endif
