/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selectorarg.h - the options that choose tasks. Functions that return int return an exit code, and print
 * their errors themselves. */
#ifndef CTRACE_CLI_INPUT_SELECTORARG_H
#define CTRACE_CLI_INPUT_SELECTORARG_H

#include "cli/cli.h"
#include "cli/input/analysis_input.h"

/* Rows for an array of options. member: a struct selector in `type`. */
#define SELECTORARG_OPTIONS(type, member)                                                                    \
	{ CLI_NUMBER(type, member.tid), "tid", "TID", "only this task" },                                    \
		{ CLI_NUMBER(type, member.pid), "pid", "PID", "only tasks of this process" },                \
		{ CLI_TEXT(type, member.comm), "comm", "NAME", "only tasks with this name" },                \
		{ CLI_TEXT(type, member.cgroup), "cgroup", "GLOB",                                           \
		  "only tasks of control groups whose path matches GLOB" },                                  \
	{                                                                                                    \
		CLI_TEXT(type, member.container), "container", "NAME",                                       \
			"only tasks of this container: its name, a glob, or the beginning of its id"         \
	}
#define SELECTORARG_USAGE "[--tid TID] [--pid PID] [--comm NAME] [--cgroup GLOB] [--container NAME]"

/* Sets (*ret)[task] for each task that fits and lived in [in->from_ns, in->to_ns). Without options, sets
 * *ret to NULL. The caller frees *ret, also after an error. It is an error if no task fits. */
int selectorarg_find(const struct analysis_input *in, const struct selector *s, bool **ret);
/* As selectorarg_find(). Without the option --tid, also sets (*ret)[task] for all threads of a
 * process whose main thread fits. */
int selectorarg_find_threads(const struct analysis_input *in, const struct selector *s, bool **ret);
/* As selectorarg_find(). Difference: without options, sets (*ret)[task] for each task that lived in
 * the window. */
int selectorarg_find_or_all(const struct analysis_input *in, const struct selector *s, bool **ret);
/* Clears tasks[task] for kernel threads, which wait nearly all the time, and for tasks of ctrace. */
void selectorarg_leave_out(const struct graph *g, bool *tasks);

/* Writes the options as on a command line: "--pid 12 --comm web". Returns buf. */
#define SELECTORARG_MAX 256
const char *selectorarg_words(const struct selector *s, char buf[SELECTORARG_MAX]);
/* Prints the error that no task fits. */
int selectorarg_say_none(const struct analysis_input *in, const struct selector *s);
/* Writes the names of the tasks that ran and waited most often: "this window has tasks with the names web,
 * db". Returns buf. */
#define SELECTORARG_NAMES_MAX 1024
const char *selectorarg_names(const struct analysis_input *in, char buf[SELECTORARG_NAMES_MAX]);

#endif
