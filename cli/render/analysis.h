/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.h - diagnoses and hangs as text. One thread. */
#ifndef CTRACE_CLI_RENDER_ANALYSIS_H
#define CTRACE_CLI_RENDER_ANALYSIS_H

#include <stdio.h>

#include "analysis/hangs/hangs.h"
#include "cli/sheet/sheet.h"

/* Prints to stdout. `sheet` has begun. */
void render_diagnosis(struct sheet *sheet, const struct graph *g, const struct diagnosis *d);
/* Which rows are shown, and in which order. */
struct hangs_shown {
	const uint32_t *order; /* of the rows (cli/tablearg.h); NULL: the order of their numbers */
	uint32_t limit;        /* of the number of rows; 0: none */
	bool all;              /* every row; otherwise the rows with a number (hang.number) */
};

/* The numbers are left out if the list is not complete. */
void render_hangs(FILE *f, const struct graph *g, const struct hangs *h, const struct hangs_shown *how);

#endif
