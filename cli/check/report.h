/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the result of a check as text, as JSON, and in the formats of other programs. All
 * texts in a struct check_view (below) are safe to print, except `baseline`, which is a path. One
 * thread.
 */
#ifndef CTRACE_CLI_CHECK_REPORT_H
#define CTRACE_CLI_CHECK_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/delta/delta.h"
#include "analysis/patterns/counts.h"
#include "cli/check/outliers.h"
#include "cli/check/session.h"
#include "cli/thresholds.h"

struct check_view {
	const struct check_plan *plan;
	const struct check_outcome *out;
	const struct baseline *old, *new;
	const struct delta *delta; /* NULL: a side has no traced runs */
	enum delta_metric metric;
	const char *baseline;               /* path; NULL: none */
	const struct outliers *outliers;    /* of the compared runs, if these were recorded */
	const struct counts_result *counts; /* NULL: without --patterns, or without old runs */
	/* Set by report_say(). counts_sentence is NULL if `counts` is NULL. `sentence` joins
	 * the other two sentences. */
	char *sentence, *time_sentence, *counts_sentence;
};

/* Returns the result of the check. This is the result of the counts if v->counts is set, the counts
 * are not "ok", and the times are no regression. Otherwise, it is the result of the times. Only
 * valid if there are old runs. */
enum decision_kind report_kind(const struct check_view *v);
/* Returns "ok", "regression", "improvement" or "undecided"; without old runs, "measured". */
const char *report_result(const struct check_view *v);
/* As report_result(), but takes only the times into account. */
const char *report_time_result(const struct check_view *v);
/* Sets the three sentences of *v; the caller calls report_say_done(). Returns 0 or -ENOMEM. */
int report_say(struct check_view *v);
void report_say_done(struct check_view *v);
/* The metric of the old runs; 0: none. */
double report_old_ns(const struct check_view *v);
double report_new_ns(const struct check_view *v);
/* The new metric less the old one; 0: no old runs. */
double report_difference_ns(const struct check_view *v);
/* Recording a run changes its time. If the times are those of untraced runs: their difference less the sum of
 * the parts, which are those of the recorded runs. Otherwise 0. */
int64_t report_recording_ns(const struct check_view *v);
/* What the reports call this remainder of ns, and its kind. */
#define REPORT_RECORDING_KIND "recording"
const char *report_recording_text(int64_t ns);
/* Writes a difference with its sign. Returns buf, which has TEXT_NUMBER_MAX bytes. */
const char *report_signed(double ns, char *buf);

struct report_rows {
	const struct delta_row *v[CHECK_ROWS];
	size_t n;
	size_t n_others;   /* parts beyond CHECK_ROWS, or with too small a change */
	int64_t others_ns; /* the sum of the changes of these parts */
};
/* If the times are "ok", shows no parts: their changes are noise. Returns false if
 * there is nothing to show. */
bool report_rows(const struct check_view *v, struct report_rows *ret);

/* Returns a sentence about an outlier: how long the run took, and why. The caller frees it. NULL: out of
 * memory. */
char *report_outlier(const struct outlier *o);

void report_text(FILE *f, const struct check_view *v);
/* ctrace.check/1 (doc/json.md). NULL: out of memory. */
json_t *report_json(const struct check_view *v);

struct report_format {
	const char *name;
	void (*put)(FILE *f, const struct check_view *v);
	bool to_stdout; /* without a file, the report goes to standard output */
};
const struct report_format *report_format_of(const char *name, size_t len);

#endif
