/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.h - diagnoses and hangs as text and as JSON (doc/json.md). Times in JSON are
 * CLOCK_MONOTONIC nanoseconds. One thread. */
#ifndef CTRACE_CLI_RENDER_ANALYSIS_H
#define CTRACE_CLI_RENDER_ANALYSIS_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/hangs/hangs.h"
#include "cli/sheet/sheet.h"

json_t *render_diagnosis_json(const struct graph *g, const struct diagnosis *d);
json_t *render_hangs_json(const struct graph *g, const struct hangs *h);
/* Returns true if an edge from a wait to a task is shown as "certain". A wait for a lock counts as
 * certain, even if its edge is weak. */
bool render_is_sure(enum edge_kind edge, enum edge_strength strength);

/* Prints to stdout. `sheet` has begun. */
void render_diagnosis(struct sheet *sheet, const struct graph *g, const struct diagnosis *d);
/* all: show every row of h. Otherwise, show alarms only, with one row for each hang. */
void render_hangs(FILE *f, const struct graph *g, const struct hangs *h, bool all);

#endif
