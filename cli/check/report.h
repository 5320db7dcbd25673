/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the result of a check as text, as JSON, and in the formats of other programs. All
 * texts of a view are safe to print, except the path of the baseline. One thread.
 */
#ifndef CTRACE_CLI_CHECK_REPORT_H
#define CTRACE_CLI_CHECK_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/delta/delta.h"
#include "analysis/patterns/counts.h"
#include "cli/check/session.h"
#include "cli/thresholds.h"

struct check_view {
	const struct check_plan *plan;
	const struct check_outcome *out;
	const struct baseline *old, *new;
	const struct delta *delta; /* NULL: a side has no traced runs */
	enum delta_metric metric;
	const char *baseline;               /* path of the baseline; NULL: none */
	const struct counts_result *counts; /* NULL: without --patterns, or without old runs */
	/* Set by report_say(). `sentence` gives the results of the times and of the counts. If
	 * `counts` is NULL, counts_sentence is NULL, and `sentence` is about the times alone. */
	char *sentence, *time_sentence, *counts_sentence;
};

/* Returns the result of the counts if it is not "ok", and the times are no regression. Otherwise
 * returns the result of the times. Only valid if there are old runs. */
enum decision_kind report_kind(const struct check_view *v);
/* Returns "ok", "regression", "improvement" or "undecided". Without old runs, returns
 * "measured". */
const char *report_result(const struct check_view *v);
/* Returns the result of the times alone, in the words of report_result(). */
const char *report_time_result(const struct check_view *v);
/* Sets the sentences of the view; the caller calls report_say_done(). Returns 0 or -ENOMEM. */
int report_say(struct check_view *v);
void report_say_done(struct check_view *v);
/* Returns the metric of the old runs; 0 if there are none. */
double report_old_ns(const struct check_view *v);
/* Returns the metric of the new runs. */
double report_new_ns(const struct check_view *v);
/* Returns the new metric less the old one; 0 if there are no old runs. */
double report_difference_ns(const struct check_view *v);
/* Writes a difference with its sign. Returns buf, which has TEXT_NUMBER_MAX bytes. */
const char *report_signed(double ns, char *buf);

/* The parts that text and Markdown show. */
struct report_rows {
	const struct delta_row *v[CHECK_ROWS];
	size_t n;
	size_t n_others;   /* parts beyond CHECK_ROWS, or with too small a change */
	int64_t others_ns; /* how much these n_others parts changed together */
};
/* Sets *ret to the parts to show. If the result of the times is "ok", shows none, because the
 * changes are noise. Returns false if there is nothing to show. */
bool report_rows(const struct check_view *v, struct report_rows *ret);

void report_text(FILE *f, const struct check_view *v);
/* Makes the JSON document ctrace.check/1 (doc/json.md). NULL: out of memory. */
json_t *report_json(const struct check_view *v);

/* A format of --report. */
struct report_format {
	const char *name;
	void (*put)(FILE *f, const struct check_view *v);
	bool to_stdout; /* if --report names no file, the report goes to standard output */
};
/* Returns the format, or NULL. */
const struct report_format *report_format_of(const char *name, size_t len);

#endif
