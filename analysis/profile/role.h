/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * role.h - private to analysis/: names of tasks, objects and functions that stay the same from run
 * to run. Pure; any thread. All text is safe to print, and cut to size. All functions return buf.
 */
#ifndef CTRACE_ANALYSIS_PROFILE_ROLE_H
#define CTRACE_ANALYSIS_PROFILE_ROLE_H

#include "graph/path/path.h"

#define ROLE_MAX 96

/* Writes the program of the task at ts_ns, and the name of the thread if the two names differ:
 * "make", "db/writer-#". Numbers that may change become '#'. */
const char *role_task(const struct graph *g, uint32_t task, uint64_t ts_ns, char buf[ROLE_MAX]);
/* Writes a path or another name, with '#' for numbers that may change. In a directory for temporary
 * files, a part of a name that looks random becomes '*'. */
const char *role_path(const char *path, char *buf, size_t size);
/* Writes the name of an object, or "" if it has no name that stays the same. Sets *ret_late to true
 * if only an inspection finds such a name. */
const char *role_object(const struct graph *g, uint64_t obj, char *buf, size_t size, bool *ret_late);
/* Writes the innermost function of the program on the stack: not one of the kernel, of libc or of
 * the vdso. "" if there is none. */
const char *role_function(const struct graph *g, uint64_t stack, char buf[ROLE_MAX]);

#endif
