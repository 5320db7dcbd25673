/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taskfilter.h - the options that choose which tasks a command shows. Functions that return int return
 * an exit code, and print their errors themselves. */
#ifndef CTRACE_CLI_INPUT_TASKFILTER_H
#define CTRACE_CLI_INPUT_TASKFILTER_H

#include "cli/cli.h"
#include "cli/input/analysis_input.h"

/* A task has to fit all members that are not 0. */
struct taskfilter {
	uint32_t tid, pid;
	const char *comm, *cgroup, *container; /* cgroup, container: see cgroup_name_matches() */
};

static inline bool taskfilter_is_set(const struct taskfilter *t)
{
	return t->tid || t->pid || t->comm || t->cgroup || t->container;
}

/* Sets (*ret)[task] for each task that fits and lived in [in->from_ns, in->to_ns). The caller frees
 * *ret, also after an error. It is an error if no task fits, unless the filter is empty. */
int taskfilter_find(const struct analysis_input *in, const struct taskfilter *t, bool **ret);

/* Clears tasks[task] for kernel threads, which wait nearly all the time, and for tasks of ctrace. */
void taskfilter_leave_out(const struct graph *g, bool *tasks);

/* Turns --last into --from: sets *from and *room to a new text. The caller frees *room. It is an error to
 * give --last together with --from or --to. */
int taskfilter_last(const struct cli_usage *usage, const char *last, const char **from, const char *to,
		    char **room);

#endif
