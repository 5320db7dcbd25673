/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taskarg.h - finds the one task that a command line chooses. Functions print their errors and return an
 * exit code. */
#ifndef CTRACE_CLI_INPUT_TASKARG_H
#define CTRACE_CLI_INPUT_TASKARG_H

#include "cli/input/selectorarg.h"

/* Finds the task that fits `s` and lived at at_ns. Several such tasks are an error. If `s` has neither a tid
 * nor a comm, looks at the main threads first, and at the other threads only if no main thread fits. */
int taskarg_at(const struct analysis_input *in, const struct selector *s, uint64_t at_ns, uint32_t *ret);
/* As taskarg_at(), for the task with this name, or with this tid. */
int taskarg_named(const struct analysis_input *in, char *name, uint64_t at_ns, uint32_t *ret);
/* Prints the error that no task fits at the given moment. */
int taskarg_say_none(const struct analysis_input *in, const struct selector *s);
/* As taskarg_at(), for the window [in->from_ns, in->to_ns). If `s` is not set, finds the main thread of the
 * recorded command. */
int taskarg_in_window(const struct analysis_input *in, const struct selector *s, uint32_t *ret);
/* As taskarg_in_window(), but several tasks may fit if all of them belong to one process. Then finds one of
 * them. */
int taskarg_process(const struct analysis_input *in, const struct selector *s, uint32_t *ret);

/* Opens path and reads the window. at: a time in this window, the argument of `option`. *ret_at_ns: this time
 * as boot time. */
int taskarg_open(struct analysis_input *in, const char *path, const struct windowarg *window,
		 const char *option, const char *at, uint64_t *ret_at_ns);

#endif
