/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hangs_noticed.h - shows the hangs that the daemon noticed while it recorded a trace. */
#ifndef CTRACE_CLI_CMD_CMD_HANGS_NOTICED_H
#define CTRACE_CLI_CMD_CMD_HANGS_NOTICED_H

#include <jansson.h>

#include "cli/input/analysis_input.h"

/* Both leave out the hangs that began after the moment, or ended before it. at->to_ns 0: any moment. Prints
 * nothing if there are no hangs. */
void hangs_noticed_print(const struct analysis_input *in, const struct selector *who,
			 const struct timearg_moment *at);
json_t *hangs_noticed_json(const struct analysis_input *in, const struct selector *who,
			   const struct timearg_moment *at);

#endif
