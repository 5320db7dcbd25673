/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render.h - the output of ctrace crashes. Times in JSON are CLOCK_MONOTONIC nanoseconds. One
 * thread. */
#ifndef CTRACE_CLI_CRASHES_RENDER_H
#define CTRACE_CLI_CRASHES_RENDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/crashes/crashes.h"

struct crashes_shown {
	const uint32_t *order; /* as tablearg_row() */
	size_t limit;          /* of each list; 0: no limit */
	bool all;              /* also list the processes that ended with an exit status other than 0 */
};

void render_crashes(FILE *f, const struct crashes *cs, const struct crashes_shown *shown);
/* limit: of rows; 0: no limit. NULL: out of memory. */
json_t *render_crashes_json(const struct crashes *cs, size_t limit);

#endif
