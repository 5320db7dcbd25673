/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render.h - what a process repeats in its transactions, as text and as JSON. Times in JSON are
 * CLOCK_MONOTONIC nanoseconds. Each function returns an exit code. One thread. */
#ifndef CTRACE_CLI_PATTERNS_RENDER_H
#define CTRACE_CLI_PATTERNS_RENDER_H

#include <stdio.h>

#include "analysis/patterns/collect.h"
#include "analysis/patterns/patterns.h"

struct patterns_view {
	const struct graph *g;
	uint32_t task;
	const struct collected *collected;
	const struct patterns *patterns;
	uint64_t from_ns, to_ns;
	const uint32_t *order; /* of the patterns, for text (cli/tablearg.h) */
};

/* The four functions below show at most `top` patterns. */
int render_patterns(FILE *f, const struct patterns_view *v, size_t top);
int render_patterns_json(const struct patterns_view *v, size_t top);
/* changes: from patterns_compare(). */
int render_patterns_changes(FILE *f, const struct patterns_view *before, const struct patterns_view *now,
			    const struct pattern_change *changes, size_t n, size_t top);
int render_patterns_changes_json(const struct patterns_view *before, const struct patterns_view *now,
				 const struct pattern_change *changes, size_t n, size_t top);

#endif
