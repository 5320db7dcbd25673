/* SPDX-License-Identifier: GPL-2.0-or-later */
/* warnings.h - why a comparison may mean little: the runs are of different commands, or some runs failed.
 * Pure; any thread. */
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
/* Adds the warnings about both sides, and a warning if their commands differ. */
void warnings_compare(struct warnings *w, const struct baseline *old, const struct baseline *new);

#endif
