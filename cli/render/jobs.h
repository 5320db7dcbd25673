/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs.h - the queues of jobs of a trace, as text for people and as JSON for programs. One thread. */
#ifndef CTRACE_CLI_RENDER_JOBS_H
#define CTRACE_CLI_RENDER_JOBS_H

#include <stdio.h>

#include "analysis/jobs/queues.h"

/* Prints the queues. Returns an exit code. */
int render_jobs_json(const struct graph *g, const struct queues *q);
void render_jobs(FILE *f, const struct graph *g, const struct queues *q);

#endif
