/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_counts.h - private to cli/check: the counts of events in a report (--patterns). One thread. */
#ifndef CTRACE_CLI_CHECK_REPORT_COUNTS_H
#define CTRACE_CLI_CHECK_REPORT_COUNTS_H

#include "cli/check/report.h"

#define COUNT_RANGE_MAX 48
/* Writes a text such as "0..3", or "4" if min is max. Returns buf. */
const char *counts_range(uint64_t min, uint64_t max, char buf[COUNT_RANGE_MAX]);
/* Returns "ok", "regression" or "undecided". v->counts must be set. */
const char *counts_result_name(const struct check_view *v);
/* Returns a sentence that begins with the result. The caller frees it. NULL: out of memory. */
char *counts_sentence(const struct check_view *v);
/* Writes as text at most CHECK_ROWS changed counts, and how many runs lack events, if any. */
void counts_text(FILE *f, const struct check_view *v);
json_t *counts_json(const struct check_view *v);

#endif
