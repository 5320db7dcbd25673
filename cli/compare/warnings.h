/* SPDX-License-Identifier: GPL-2.0-or-later */
/* warnings.h - why a comparison of runs may mean little: runs of different commands, and runs
 * that failed. Pure; any thread. */
#ifndef CTRACE_CLI_COMPARE_WARNINGS_H
#define CTRACE_CLI_COMPARE_WARNINGS_H

#include "cli/compare/baseline.h"

#define WARNINGS_MAX      5
#define WARNINGS_TEXT_MAX (2 * PART_TEXT_MAX + 256)

struct warnings {
	char v[WARNINGS_MAX][WARNINGS_TEXT_MAX]; /* sentences; safe to print */
	size_t n;
};

/* Adds the warnings about the runs of one side. which: "old " or "new ", or "". */
void warnings_side(struct warnings *w, const struct baseline *b, const char *which);
/* Adds the warnings about each side, and a warning if the commands of the sides differ. */
void warnings_compare(struct warnings *w, const struct baseline *old, const struct baseline *new);

#endif
