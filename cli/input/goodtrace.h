/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goodtrace.h - opens the trace of --against: another trace of the same program. One thread. */
#ifndef CTRACE_CLI_INPUT_GOODTRACE_H
#define CTRACE_CLI_INPUT_GOODTRACE_H

#include "cli/input/analysis_input.h"

/* Loads the trace at path. If it has more than LOAD_WHOLE_RECORDS records, loads only its end.
 * `in` is the examined trace, which must be from the same kind of machine. Prints its errors and
 * returns an exit code. Call analysis_close(good) after failure too. */
int goodtrace_open(struct analysis_input *good, const char *path, const struct analysis_input *in);

#endif
