/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taskarg.h - finds the task that a command line names. The command line also names a moment, because at
 * another time, another task may have had the same id or name. Functions print their errors and return an
 * exit code. */
#ifndef CTRACE_CLI_INPUT_TASKARG_H
#define CTRACE_CLI_INPUT_TASKARG_H

#include "cli/input/analysis_input.h"

/* Finds the task with this tid that lived at at_ns. If tid is 0, finds the only task that had the
 * name comm at at_ns. */
int taskarg_find(const struct analysis_input *in, uint32_t tid, const char *comm, uint64_t at_ns,
		 uint32_t *ret_task);
/* at: a time, the argument of `option`. *ret_at_ns: this time as boot time. */
int taskarg_open(struct analysis_input *in, const char *path, const char *boot, const char *option,
		 const char *at, uint64_t *ret_at_ns);
/* As taskarg_open(), then loads the records around this time and builds the graph. in->from_ns and
 * in->to_ns become the loaded range. */
int taskarg_load(struct analysis_input *in, const char *path, const char *boot, const char *option,
		 const char *at, uint64_t *ret_at_ns);

#endif
