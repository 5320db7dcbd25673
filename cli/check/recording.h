/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording.h - runs a command, records it, and loads the recording as a trace. One thread. */
#ifndef CTRACE_CLI_CHECK_RECORDING_H
#define CTRACE_CLI_CHECK_RECORDING_H

#include <stdbool.h>

#include "cli/input/analysis_input.h"

struct recording {
	uint32_t pid;
	int status; /* of the command, as from waitpid(2) */
};

/* Runs the command as `ctrace check` does (runner.h), with its output on stdout, or on stderr if
 * as_errors is set. frameworks: as in ctraced.conf(5); NULL: none. Sets in->path, and loads the recording.
 * Returns an exit code, and prints its errors. Call analysis_close() after failure too. A command that fails
 * is no failure of the recording. */
int recording_begin(struct analysis_input *in, char *const *argv, const char *frameworks, bool as_errors,
		    struct recording *ret);
/* Prints how the command ended if it failed. Returns CLI_OK or CLI_FAILED. */
int recording_end(const struct recording *r, const char *name);

#endif
