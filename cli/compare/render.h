/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render.h - a comparison of old and new runs as text and as JSON. One thread. */
#ifndef CTRACE_CLI_COMPARE_RENDER_H
#define CTRACE_CLI_COMPARE_RENDER_H

#include <stdio.h>

#include "analysis/delta/delta.h"
#include "cli/compare/baseline.h"
#include "cli/compare/warnings.h"

struct compare_view {
	const struct delta *delta;
	const struct baseline *old, *new;
	/* The text has at most this many rows of class ENVIRONMENT, and at most this many other rows. */
	size_t top;
	const uint32_t *order; /* of the rows, for text (cli/tablearg.h) */
};

void render_compare(FILE *f, const struct compare_view *v);
/* Prints ctrace.compare/1. Returns an exit code of ctrace. */
int render_compare_json(const struct compare_view *v);

#endif
