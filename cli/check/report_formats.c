// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/report_counts.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/utf8.h"

/* The caller frees the text. If memory runs out, the text lacks its end, or is NULL. */
static char *text_of(const struct check_view *v)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f) {
		report_text(f, v);
		fclose(f);
	}
	return text ? text : strdup("");
}

static const char *command_of(const struct check_view *v)
{
	return v->new->command[0] ? v->new->command : "command";
}

/* n: how many bytes the character at s has; 0: s does not begin with UTF-8. Returns true if XML 1.0
 * allows this character. Exception: returns false for a carriage return, because readers of XML
 * change it. */
static bool is_xml(const char *s, size_t n)
{
	uint32_t c = n ? utf8_code(s, n) : 0;

	return c >= ' ' ? c != 0xfffe && c != 0xffff : c == '\n' || c == '\t';
}

static void put_xml(FILE *f, const char *s, bool attribute)
{
	for (size_t n; *s; s += n) {
		n = utf8_len(s);
		if (!is_xml(s, n)) {
			n = n ? n : 1;
			fputs("\xef\xbf\xbd", f);
		} else if (*s == '&' || *s == '<' || *s == '>' || *s == '"' || (attribute && *s == '\n')) {
			fprintf(f, "&#%d;", *s);
		} else {
			fwrite(s, 1, n, f);
		}
	}
}

/* What a run is, if it is not a command (struct baseline); "": a command. */
static const char *unit_of(const struct check_view *v)
{
	return v->new->unit;
}

static bool failed(const char *result)
{
	return !strcmp(result, "regression");
}

static bool open_result(const char *result)
{
	return !strcmp(result, "undecided");
}

static void put_junit_result(FILE *f, const char *result, const char *sentence)
{
	if (!failed(result) && !open_result(result))
		return;
	fputs(failed(result) ? "<failure type=\"regression\" message=\"" : "<skipped message=\"", f);
	put_xml(f, sentence, true);
	fputs(failed(result) ? "\"></failure>\n" : "\"></skipped>\n", f);
}

static void put_junit_counts(FILE *f, const struct check_view *v)
{
	fputs("<testcase classname=\"ctrace.check\" name=\"", f);
	put_xml(f, command_of(v), true);
	fputs(" (patterns)\" time=\"0\">\n", f);
	put_junit_result(f, counts_result_name(v), v->counts_sentence);
	fputs("</testcase>\n", f);
}

/* The format of the Apache Ant task <junit>, which CI servers read. */
static void put_junit(FILE *f, const struct check_view *v)
{
	const char *result = report_time_result(v), *counts = v->counts ? counts_result_name(v) : "ok";
	_cleanup_free_ char *text = text_of(v);
	double s = report_new_ns(v) / 1e9;

	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	fprintf(f,
		"<testsuite name=\"ctrace check\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.6f\">\n",
		v->counts ? 2 : 1, failed(result) + failed(counts), open_result(result) + open_result(counts),
		s);
	fputs("<testcase classname=\"ctrace.check\" name=\"", f);
	put_xml(f, command_of(v), true);
	fprintf(f, " (%s%s", metric_name(v->metric), unit_of(v)[0] ? " of " : "");
	put_xml(f, unit_of(v), true);
	fprintf(f, ")\" time=\"%.6f\">\n", s);
	put_junit_result(f, result, v->time_sentence);
	fputs("<system-out>", f);
	put_xml(f, text ? text : "", false);
	fputs("</system-out>\n</testcase>\n", f);
	if (v->counts)
		put_junit_counts(f, v);
	fputs("</testsuite>\n</testsuites>\n", f);
}

static void put_markdown(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '&' || *s == '<' || *s == '>')
			fprintf(f, "&#%d;", *s);
		else if (strchr("\\`*_{}[]()#|~!@", *s))
			fprintf(f, "\\%c", *s);
		else
			fputc(*s == '\n' ? ' ' : *s, f);
	}
}

static void put_markdown_table(FILE *f, const struct check_view *v)
{
	const struct decision *d = &v->out->decision;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX], e[TEXT_NUMBER_MAX];

	fprintf(f, "| | runs | %s |\n|---|---:|---:|\n", metric_name(v->metric));
	fprintf(f, "| old | %zu | %s |\n| new | %zu | %s |\n", v->out->n_old,
		text_duration((uint64_t)d->old_ns, a), v->out->n_new, text_duration((uint64_t)d->new_ns, b));
	fprintf(f, "\nDifference: %s, 95 %% interval %s to %s, p = %.2g, limit %s.\n",
		report_signed(report_difference_ns(v), a), report_signed(d->low_ns, b),
		report_signed(d->high_ns, c), d->p, report_signed(d->limit_ns, e));
}

static void put_markdown_counts(FILE *f, const struct check_view *v)
{
	const struct counts_result *r = v->counts;
	char was[COUNT_RANGE_MAX], is[COUNT_RANGE_MAX];
	size_t n = MIN(r->changes.n, (size_t)CHECK_ROWS);

	if (n)
		fputs("\n| old count | new count | event in a run |\n|---:|---:|---|\n", f);
	for (size_t i = 0; i < n; i++) {
		const struct counts_change *c = &r->changes.v[i];

		fprintf(f, "| %s | %s | ", counts_range(c->old_min, c->old_max, was),
			counts_range(c->new_min, c->new_max, is));
		put_markdown(f, c->text);
		fputs(" |\n", f);
	}
	if (r->changes.n > n)
		fprintf(f, "| | | %zu other%s |\n", r->changes.n - n, text_s(r->changes.n - n));
}

static void put_markdown_parts(FILE *f, const struct check_view *v)
{
	int64_t recording = report_recording_ns(v);
	char change[TEXT_NUMBER_MAX];
	struct report_rows rows;

	if (!report_rows(v, &rows))
		return;
	fputs("\n| change | kind | part of the critical path |\n|---:|---|---|\n", f);
	for (size_t i = 0; i < rows.n; i++) {
		const struct delta_row *r = rows.v[i];

		fprintf(f, "| %s | %s | ", report_signed((double)r->difference_ns, change),
			part_class_name(r->class));
		put_markdown(f, r->text);
		fputs(r->class == PART_CLASS_ENVIRONMENT ? " \\(the machine's\\) |\n" : " |\n", f);
	}
	if (rows.n_others)
		fprintf(f, "| %s | | %zu other%s |\n", report_signed((double)rows.others_ns, change),
			rows.n_others, text_s(rows.n_others));
	if (recording)
		fprintf(f, "| %s | %s | %s |\n", report_signed((double)recording, change), REPORT_RECORDING_KIND,
			report_recording_text(recording));
}

static void put_markdown_outliers(FILE *f, const struct check_view *v)
{
	size_t n = MIN(v->outliers->v.n, (size_t)CHECK_OUTLIERS_SHOWN);

	if (n)
		fputs("\nOutliers, which count all the same:\n\n", f);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = report_outlier(&v->outliers->v.v[i]);

		fputs("- ", f);
		put_markdown(f, text ? text : "");
		fputc('\n', f);
	}
}

static void put_markdown_report(FILE *f, const struct check_view *v)
{
	fputs("### ctrace check: ", f);
	put_markdown(f, command_of(v));
	fputs("\n\n**", f);
	put_markdown(f, v->sentence);
	fputs("**\n\n", f);
	if (!v->out->decided)
		return;
	if (unit_of(v)[0]) {
		fputs("Here, a run is ", f);
		put_markdown(f, unit_of(v));
		fputs(".\n\n", f);
	}
	put_markdown_table(f, v);
	if (v->counts)
		put_markdown_counts(f, v);
	put_markdown_parts(f, v);
	put_markdown_outliers(f, v);
}

static void put_github_text(FILE *f, const char *s, bool property)
{
	for (; *s; s++) {
		if (*s == '%' || *s == '\r' || *s == '\n' || (property && (*s == ':' || *s == ',')))
			fprintf(f, "%%%02X", *s);
		else
			fputc(*s, f);
	}
}

/* unit: as in struct baseline; "" for the counts, which are always those of the command */
static void put_github_one(FILE *f, const struct check_view *v, const char *unit, const char *result,
			   const char *sentence)
{
	fprintf(f, "::%s title=", failed(result) ? "error" : open_result(result) ? "warning" : "notice");
	put_github_text(f, "ctrace check: ", true);
	put_github_text(f, command_of(v), true);
	if (unit[0]) {
		put_github_text(f, ", ", true);
		put_github_text(f, unit, true);
	}
	fputs("::", f);
	put_github_text(f, sentence, false);
	fputc('\n', f);
}

static void put_github(FILE *f, const struct check_view *v)
{
	put_github_one(f, v, unit_of(v), report_time_result(v), v->time_sentence);
	if (v->counts)
		put_github_one(f, v, "", counts_result_name(v), v->counts_sentence);
}

static bool put_gitlab_one(FILE *f, const struct check_view *v, const char *unit, const char *result,
			   const char *what, const char *sentence)
{
	uint64_t print = hash_text(hash_text(HASH_START, command_of(v)), what);
	_cleanup_free_ char *description = NULL;

	if (!failed(result) && !open_result(result))
		return false;
	if (unit[0]) {
		print = hash_text(print, unit);
		if (asprintf(&description, "%s (a run is %s)", sentence, unit) < 0)
			description = NULL;
	}
	fputs("{\"description\":", f);
	text_put_json(f, description ? description : sentence);
	fprintf(f,
		",\"check_name\":\"ctrace check\",\"fingerprint\":\"%016" PRIx64
		"\",\"severity\":\"%s\",\"location\":{\"path\":",
		print, failed(result) ? "major" : "info");
	text_put_json(f, v->baseline ? v->baseline : ".");
	fputs(",\"lines\":{\"begin\":1}}}", f);
	return true;
}

/* GitLab Code Quality: an array with at most one violation for the times, and one for the counts. */
static void put_gitlab(FILE *f, const struct check_view *v)
{
	const char *counts = v->counts ? counts_result_name(v) : "ok";

	fputc('[', f);
	if (put_gitlab_one(f, v, unit_of(v), report_time_result(v), metric_name(v->metric),
			   v->time_sentence) &&
	    (failed(counts) || open_result(counts)))
		fputc(',', f);
	put_gitlab_one(f, v, "", counts, "patterns", v->counts_sentence);
	fputs("]\n", f);
}

static void put_label(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' || *s == '"')
			fprintf(f, "\\%c", *s);
		else if (*s == '\n')
			fputs("\\n", f);
		else
			fputc(*s, f);
	}
}

/* Begins the labels of a sample. */
static void put_command(FILE *f, const char *name, const struct check_view *v)
{
	fprintf(f, "ctrace_check_%s{command=\"", name);
	put_label(f, command_of(v));
	fputc('"', f);
}

/* The label says what a run is. The counts do not have it: they are always those of the command. */
static void put_unit(FILE *f, const struct check_view *v)
{
	if (!unit_of(v)[0])
		return;
	fputs(",unit=\"", f);
	put_label(f, unit_of(v));
	fputc('"', f);
}

static void put_family(FILE *f, const char *name, const char *help)
{
	fprintf(f,
		"# TYPE ctrace_check_%s_seconds gauge\n# UNIT ctrace_check_%s_seconds seconds\n# HELP ctrace_check_%s_seconds %s\n",
		name, name, name, help);
}

static void put_sample(FILE *f, const char *name, const struct check_view *v, const char *label,
		       const char *value, double ns)
{
	char family[32];

	snprintf(family, sizeof(family), "%s_seconds", name);
	put_command(f, family, v);
	put_unit(f, v);
	fprintf(f, ",metric=\"%s\"", metric_name(v->metric));
	if (label) {
		fprintf(f, ",%s=\"", label);
		put_label(f, value);
		fputc('"', f);
	}
	fprintf(f, "} %.9f\n", ns / 1e9);
}

static void put_result(FILE *f, const struct check_view *v)
{
	static const char *const results[] = { "ok", "regression", "improvement", "undecided", "measured" };

	fputs("# TYPE ctrace_check_result stateset\n# HELP ctrace_check_result How the check ended.\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		put_command(f, "result", v);
		put_unit(f, v);
		fprintf(f, ",metric=\"%s\",ctrace_check_result=\"%s\"} %d\n", metric_name(v->metric),
			results[i], !strcmp(results[i], report_result(v)));
	}
}

/* OpenMetrics 1.0 allows one sample for each set of labels, so parts with the same text are added
 * up. */
static void put_metric_parts(FILE *f, const struct check_view *v)
{
	int64_t recording = report_recording_ns(v);

	put_family(f, "part", "Change of the parts of the critical path.");
	for (size_t i = 0; i < v->delta->n_rows; i++) {
		const struct delta_row *r = &v->delta->rows[i];
		double ns = 0;
		bool told = false;

		for (size_t j = 0; j < v->delta->n_rows; j++) {
			if (strcmp(v->delta->rows[j].text, r->text))
				continue;
			told |= j < i;
			ns += (double)v->delta->rows[j].difference_ns;
		}
		if (!told)
			put_sample(f, "part", v, "part", r->text, ns);
	}
	if (recording)
		put_sample(f, "part", v, "part", report_recording_text(recording), (double)recording);
}

static void put_count(FILE *f, const struct check_view *v, const char *text, const char *side,
		      const char *end, uint64_t n)
{
	put_command(f, "count", v);
	fputs(",event=\"", f);
	put_label(f, text);
	fprintf(f, "\",side=\"%s\",end=\"%s\"} %" PRIu64 "\n", side, end, n);
}

static void put_metric_counts(FILE *f, const struct check_view *v)
{
	static const char *const results[] = { "ok", "regression", "undecided" };

	fputs("# TYPE ctrace_check_count gauge\n# HELP ctrace_check_count Smallest and largest count in a run, of events whose count changed.\n",
	      f);
	for (size_t i = 0; i < v->counts->changes.n; i++) {
		const struct counts_change *c = &v->counts->changes.v[i];

		put_count(f, v, c->text, "old", "low", c->old_min);
		put_count(f, v, c->text, "old", "high", c->old_max);
		put_count(f, v, c->text, "new", "low", c->new_min);
		put_count(f, v, c->text, "new", "high", c->new_max);
	}
	fputs("# TYPE ctrace_check_patterns stateset\n# HELP ctrace_check_patterns How the check of the counts ended.\n",
	      f);
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		put_command(f, "patterns", v);
		fprintf(f, ",ctrace_check_patterns=\"%s\"} %d\n", results[i],
			!strcmp(results[i], counts_result_name(v)));
	}
}

static void put_openmetrics(FILE *f, const struct check_view *v)
{
	const struct decision *d = &v->out->decision;

	put_family(f, "time", "Time of a run.");
	if (v->out->decided)
		put_sample(f, "time", v, "side", "old", report_old_ns(v));
	put_sample(f, "time", v, "side", "new", report_new_ns(v));
	if (v->out->decided) {
		put_family(f, "difference", "New time less old time.");
		put_sample(f, "difference", v, NULL, NULL, report_difference_ns(v));
		put_family(f, "interval", "Ends of the 95 % interval of the difference.");
		put_sample(f, "interval", v, "end", "low", d->low_ns);
		put_sample(f, "interval", v, "end", "high", d->high_ns);
	}
	if (v->out->decided && v->delta)
		put_metric_parts(f, v);
	if (v->counts)
		put_metric_counts(f, v);
	put_result(f, v);
	fputs("# EOF\n", f);
}

const struct report_format *report_format_of(const char *name, size_t len)
{
	static const struct report_format formats[] = {
		{ "junit", put_junit, false },
		{ "markdown", put_markdown_report, false },
		{ "github", put_github, true },
		{ "gitlab", put_gitlab, false },
		{ "openmetrics", put_openmetrics, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (strlen(formats[i].name) == len && !strncmp(formats[i].name, name, len))
			return &formats[i];
	return NULL;
}
