/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render.h - the output of ctrace crashes. Times in JSON are CLOCK_MONOTONIC nanoseconds. One
 * thread. */
#ifndef CTRACE_CLI_CRASHES_RENDER_H
#define CTRACE_CLI_CRASHES_RENDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/crashes/crashes.h"

/* all: also list the processes that ended with an exit status other than 0. */
void render_crashes(FILE *f, const struct crashes *cs, bool all);
/* NULL: out of memory. */
json_t *render_crashes_json(const struct crashes *cs);

#endif
