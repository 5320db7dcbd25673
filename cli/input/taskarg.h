/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskarg.h - a task at a moment, as people write it on a command line.
 *
 * Functions return an exit code; what went wrong has been said.
 */
#ifndef CTRACE_CLI_INPUT_TASKARG_H
#define CTRACE_CLI_INPUT_TASKARG_H

#include "cli/input/analysis_input.h"

/* The task with this tid, or (tid 0) the only one of that name, that lived at at_ns. */
int taskarg_find(const struct analysis_input *in, uint32_t tid, const char *comm, uint64_t at_ns,
		 uint32_t *ret_task);
/* Opens path, loads what is around the moment at (the argument of option), and builds the graph; in->from_ns
 * and in->to_ns are what was loaded. */
int taskarg_load(struct analysis_input *in, const char *path, const char *boot, const char *option,
		 const char *at, uint64_t *ret_at_ns);

#endif
