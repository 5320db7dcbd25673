/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.h - diagnoses and hangs as JSON (doc/json.md). Times in JSON are CLOCK_MONOTONIC nanoseconds. One
 * thread. */
#ifndef CTRACE_REPORT_ANALYSIS_H
#define CTRACE_REPORT_ANALYSIS_H

#include <jansson.h>

#include "analysis/hangs/hangs.h"

/* Returns NULL if out of memory. */
json_t *render_diagnosis_json(const struct graph *g, const struct diagnosis *d);
json_t *render_hangs_json(const struct graph *g, const struct hangs *h);
/* Returns true if an edge from a wait to a task is shown as "certain". A wait for a lock counts as
 * certain, even if its edge is weak. */
bool render_is_sure(enum edge_kind edge, enum edge_strength strength);

#endif
