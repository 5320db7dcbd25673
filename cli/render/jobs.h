/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs.h - the queues of jobs of a trace, as text and as JSON. One thread. */
#ifndef CTRACE_CLI_RENDER_JOBS_H
#define CTRACE_CLI_RENDER_JOBS_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/diagnose/diagnosis.h"
#include "analysis/jobs/match.h"

/* before: the queues of an earlier trace to compare with, or NULL. order: of the queues of `now`
 * (cli/tablearg.h). limit: of the number of these queues; 0: none. Both return an exit code. */
int render_jobs_json(const struct queues_of *now, const struct queues_of *before, uint32_t limit);
int render_jobs(FILE *f, const struct queues_of *now, const struct queues_of *before, const uint32_t *order,
		uint32_t limit);

/* Prints the queues that are behind the wait of a diagnosis (analysis/jobs/behind.h). Without such a queue,
 * prints nothing. If the queues cannot be examined, says so. */
void render_jobs_behind(FILE *f, const struct graph *g, const struct diagnosis *d);

#endif
