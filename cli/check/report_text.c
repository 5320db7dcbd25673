// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/report_counts.h"
#include "cli/cli.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/words.h"

enum decision_kind report_kind(const struct check_view *v)
{
	enum decision_kind time = v->out->decision.kind;

	if (!v->counts || v->counts->kind == COUNTS_OK || time == DECIDE_REGRESSION)
		return time;
	return v->counts->kind == COUNTS_GREW ? DECIDE_REGRESSION : DECIDE_UNDECIDED;
}

static const char *kind_name(const struct check_view *v, enum decision_kind kind)
{
	if (!v->out->decided)
		return "measured";
	switch (kind) {
	case DECIDE_OK:
		return "ok";
	case DECIDE_REGRESSION:
		return "regression";
	case DECIDE_IMPROVEMENT:
		return "improvement";
	case DECIDE_UNDECIDED:
		break;
	}
	return "undecided";
}

const char *report_result(const struct check_view *v)
{
	return kind_name(v, report_kind(v));
}

const char *report_time_result(const struct check_view *v)
{
	return kind_name(v, v->out->decision.kind);
}

double report_old_ns(const struct check_view *v)
{
	return v->out->decided ? v->out->decision.old_ns : 0;
}

double report_new_ns(const struct check_view *v)
{
	return v->out->decided ? v->out->decision.new_ns : v->out->new_ns;
}

double report_difference_ns(const struct check_view *v)
{
	return v->out->decided ? v->out->decision.new_ns - v->out->decision.old_ns : 0;
}

int64_t report_recording_ns(const struct check_view *v)
{
	int64_t ns = (int64_t)round(report_difference_ns(v));

	if (!v->out->decided || v->out->timing != CHECK_UNTRACED || !v->delta)
		return 0;
	for (size_t i = 0; i < v->delta->n_rows; i++)
		ns -= v->delta->rows[i].difference_ns;
	return ns;
}

const char *report_recording_text(int64_t ns)
{
	return ns < 0 ? "only in the recorded runs" : "not in the recorded runs";
}

const char *report_signed(double ns, char *buf)
{
	char number[TEXT_NUMBER_MAX];
	uint64_t whole = (uint64_t)fabs(round(ns));

	snprintf(buf, TEXT_NUMBER_MAX, "%s%.30s",
		 !whole   ? ""
		 : ns < 0 ? "-"
			  : "+",
		 text_duration(whole, number));
	return buf;
}

static double percent(const struct check_view *v, double ns)
{
	return v->out->decision.old_ns > 0 ? 100 * ns / v->out->decision.old_ns : 0;
}

static const char *untraced(const struct check_view *v)
{
	if (v->plan->own)
		return " own";
	return v->out->timing == CHECK_UNTRACED && v->out->traced ? " untraced" : "";
}

/* Example: "42.1 ms slower (+11.3 %, p50 of 10 and 10 runs)" */
static void say_difference(struct words *t, const struct check_view *v)
{
	double ns = report_difference_ns(v);
	uint64_t whole = (uint64_t)fabs(round(ns));

	if (whole)
		words_duration(t, whole);
	words_add(t, "%s (%+.1f %%, %s of %zu and %zu%s runs)",
		  !whole   ? "as long as before"
		  : ns > 0 ? " slower"
			   : " faster",
		  percent(v, ns), metric_name(v->metric), v->out->n_old, v->out->n_new, untraced(v));
}

/* Returns true if the check is undecided, but would be decided with --own. */
static bool own_decides(const struct check_view *v)
{
	return v->out->own_known && v->out->own.kind != DECIDE_UNDECIDED && v->out->own.old_ns > 0;
}

static void say_more(struct words *t, const struct check_view *v)
{
	const struct decision *d = &v->out->decision;
	bool fixed = !v->plan->old_argv;

	if (d->runs_needed && fixed)
		words_add(t, "; about %zu new runs would decide: --max-runs %zu", d->runs_needed,
			  d->runs_needed);
	else if (d->runs_needed)
		words_add(t, "; about %zu runs of each side would decide: --max-runs %zu", d->runs_needed,
			  d->runs_needed);
	else if (own_decides(v))
		words_add(t, "; --own decides: it leaves out the time that other programs took");
	else if (fixed)
		words_add(
			t,
			"; more new runs alone do not decide: make the baseline with more --runs, or use --alternate");
	else
		words_add(
			t,
			"; the difference is too near to the limit for any number of runs: choose another --max-regress");
}

static char *time_sentence(const struct check_view *v)
{
	const struct decision *d = &v->out->decision;
	bool differs = v->out->decided && (d->kind == DECIDE_REGRESSION || d->kind == DECIDE_IMPROVEMENT);
	struct words t = { 0 };

	if (!v->out->decided) {
		words_add(&t, "Measured: ");
		words_duration(&t, (uint64_t)report_new_ns(v));
		words_add(&t, " (%s of %zu%s run%s)", metric_name(v->metric), v->out->n_new, untraced(v),
			  text_s(v->out->n_new));
		return words_take(&t);
	}
	words_add(&t, "%s: ",
		  d->kind == DECIDE_REGRESSION    ? "Regression"
		  : d->kind == DECIDE_IMPROVEMENT ? "Improvement"
		  : d->kind == DECIDE_OK          ? "No regression"
						  : "Undecided");
	if (differs && v->delta && v->out->timing == CHECK_TRACED) {
		words_add(&t, "%s", v->delta->sentence);
		return words_take(&t);
	}
	say_difference(&t, v);
	if (differs && v->delta)
		words_add(&t, "; the traced runs are %s", v->delta->sentence);
	if (d->kind == DECIDE_UNDECIDED)
		say_more(&t, v);
	return words_take(&t);
}

/* The worse result comes first: it is the result of the check. */
static char *both_sentences(const struct check_view *v)
{
	bool counts_first = report_kind(v) != v->out->decision.kind;
	const char *first = counts_first ? v->counts_sentence : v->time_sentence,
		   *then = counts_first ? v->time_sentence : v->counts_sentence;
	struct words t = { 0 };

	words_add(&t, "%s. %s: %c%s", first, counts_first ? "Time" : "Counts", tolower(then[0]), then + 1);
	return words_take(&t);
}

int report_say(struct check_view *v)
{
	v->time_sentence = time_sentence(v);
	v->counts_sentence = v->counts ? counts_sentence(v) : NULL;
	if (v->time_sentence && v->counts_sentence)
		v->sentence = both_sentences(v);
	else if (v->time_sentence && !v->counts)
		v->sentence = strdup(v->time_sentence);
	return v->sentence ? 0 : -ENOMEM;
}

void report_say_done(struct check_view *v)
{
	free(v->sentence);
	free(v->time_sentence);
	free(v->counts_sentence);
}

static void put_side(FILE *f, const char *word, double ns, size_t n, const struct check_view *v)
{
	char value[TEXT_NUMBER_MAX];

	fprintf(f, "  %-11s %s (%s of %zu%s run%s)\n", word, text_duration((uint64_t)ns, value),
		metric_name(v->metric), n, untraced(v), n == 1 ? "" : "s");
}

static void put_decision(FILE *f, const struct check_view *v)
{
	const struct decision *d = &v->out->decision;
	double ns = report_difference_ns(v);
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX];

	put_side(f, "old", d->old_ns, v->out->n_old, v);
	put_side(f, "new", d->new_ns, v->out->n_new, v);
	fprintf(f, "  %-11s %s (%+.1f %%), p = %.2g\n", "difference", report_signed(ns, a), percent(v, ns),
		d->p);
	fprintf(f, "  %-11s %s to %s (%+.1f to %+.1f %%), with 95 %% confidence\n", "interval",
		report_signed(d->low_ns, b), report_signed(d->high_ns, c), percent(v, d->low_ns),
		percent(v, d->high_ns));
	fprintf(f, "  %-11s %s (%.4g %%)\n", "limit", report_signed(d->limit_ns, a),
		100 * v->plan->max_regress);
	fprintf(f, "  %-11s a regression of %s (%.1f %%) is found in four of five checks with so many runs\n",
		"detectable", text_duration((uint64_t)d->detectable_ns, a), percent(v, d->detectable_ns));
}

bool report_rows(const struct check_view *v, struct report_rows *ret)
{
	const struct delta *d = v->delta;
	uint64_t least;

	*ret = (struct report_rows){ .n = 0 };
	if (!v->out->decided || !d || !d->n_rows || v->out->decision.kind == DECIDE_OK)
		return false;
	least = MAX(d->old.value_ns, d->new.value_ns) / CHECK_ROW_SHARE;
	for (size_t i = 0; i < d->n_rows; i++) {
		const struct delta_row *r = &d->rows[i];

		if (ret->n < CHECK_ROWS && (uint64_t)llabs(r->difference_ns) > least) {
			ret->v[ret->n++] = r;
			continue;
		}
		ret->n_others++;
		ret->others_ns += r->difference_ns;
	}
	return true;
}

static void put_parts(FILE *f, const struct check_view *v)
{
	int64_t recording = report_recording_ns(v);
	char change[TEXT_NUMBER_MAX];
	struct report_rows rows;

	if (!report_rows(v, &rows))
		return;
	fprintf(f, "\nParts of the critical path that changed (%zu and %zu traced runs):\n",
		v->delta->old.runs, v->delta->new.runs);
	for (size_t i = 0; i < rows.n; i++) {
		const struct delta_row *r = rows.v[i];
		bool machine = r->class == PART_CLASS_ENVIRONMENT;

		fprintf(f, "  %10s  %-11s  %s%s\n", report_signed((double)r->difference_ns, change),
			part_class_name(r->class), r->text,
			machine ? " (the machine's, not the command's)" : "");
	}
	if (rows.n_others)
		fprintf(f, "  %10s  %-11s  %zu other%s\n", report_signed((double)rows.others_ns, change), "",
			rows.n_others, text_s(rows.n_others));
	if (recording)
		fprintf(f, "  %10s  %-11s  %s\n", report_signed((double)recording, change),
			REPORT_RECORDING_KIND, report_recording_text(recording));
}

char *report_outlier(const struct outlier *o)
{
	const struct delta_row *cause = outlier_cause(o);
	char took[TEXT_NUMBER_MAX], more[TEXT_NUMBER_MAX], part[TEXT_NUMBER_MAX];
	struct words t = { 0 };

	words_add(&t, "The %s run %zu took %s, %s more than usual", o->is_new ? "new" : "old", o->run,
		  text_duration(o->delta->new.value_ns, took),
		  text_duration((uint64_t)llabs(o->delta->difference_ns), more));
	if (cause)
		words_add(&t, ", mostly: %s %s", report_signed((double)cause->difference_ns, part),
			  cause->text);
	return words_take(&t);
}

static void put_outliers(FILE *f, const struct check_view *v)
{
	size_t n = MIN(v->outliers->v.n, (size_t)CHECK_OUTLIERS_SHOWN);
	char file[CLI_WORD_MAX];

	if (n)
		fputs("\nOutliers, which count all the same:\n", f);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = report_outlier(&v->outliers->v.v[i]);

		fprintf(f, "  %s\n", text ? text : "(out of memory)");
	}
	if (v->outliers->v.n > n)
		fprintf(f, "  %zu other%s\n", v->outliers->v.n - n, text_s(v->outliers->v.n - n));
	if (v->out->longest_trace)
		fprintf(f, "\nThe trace of the longest recorded new run: %s\n",
			cli_path_word(v->out->longest_trace, file));
}

static void put_cost(FILE *f, const struct check_view *v)
{
	const struct tracer_cost *c = &v->out->cost;
	char ns[TEXT_NUMBER_MAX];

	if (!c->known)
		return;
	fprintf(f, "\n%s%s (%+.1f %%, medians of %zu traced and %zu untraced runs, p = %.2g).\n",
		c->unclear  ? "The runs differ too much to say what tracing costs: "
		: c->ns < 0 ? "Tracing costs too little to be measured: "
			    : "Tracing costs ",
		report_signed(c->ns, ns), 100 * c->share, c->n_traced, c->n_untraced, c->p);
	if (v->out->timing == CHECK_UNTRACED)
		fputs("So the times are those of untraced runs, and the parts are those of traced runs.\n",
		      f);
	else if (v->out->timing_forced && !v->plan->own && !v->new->unit[0])
		fputs("The times are those of traced runs all the same, because the baseline has no others: make it anew.\n",
		      f);
}

static void put_order(FILE *f, const char *side, double trend_p, int warm_up)
{
	if (warm_up == 1)
		fprintf(f, "The first %s run took longer than all others: use --warmup.\n", side);
	else if (warm_up)
		fprintf(f, "The first %d %s runs took longer than all others: use --warmup.\n", warm_up,
			side);
	else if (trend_p <= CHECK_TREND_P)
		fprintf(f,
			"The %s runs became steadily slower or faster (p = %.2g): the machine may not be steady.\n",
			side, trend_p);
}

static void put_queue(FILE *f, const struct check_view *v)
{
	const struct own_queue *q = &v->out->queue;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];

	if (!q->counted)
		return;
	fprintf(f,
		"The new command waits more often. So the waits for a CPU that follow count too, each with its mean length: %s in an old run, %s in a new run.\n",
		text_duration((uint64_t)q->old_ns, a), text_duration((uint64_t)q->new_ns, b));
}

static void put_own(FILE *f, const struct check_view *v)
{
	const struct decision *d = &v->out->own;
	char a[TEXT_NUMBER_MAX];

	if (!own_decides(v))
		return;
	fprintf(f,
		"Without the time that other programs took, it is decided: %s (%+.1f %%, interval %+.1f to %+.1f %%). See --own.\n",
		report_signed(d->new_ns - d->old_ns, a), 100 * (d->new_ns / d->old_ns - 1),
		100 * d->low_ns / d->old_ns, 100 * d->high_ns / d->old_ns);
	put_queue(f, v);
}

static void put_notes(FILE *f, const struct check_view *v)
{
	const struct decision *d = &v->out->decision;
	char differ[4 * BASELINE_MACHINE_MAX];

	if (v->new->unit[0])
		fprintf(f, "Here, a run is %s.\n", v->new->unit);
	if (v->plan->daemon && v->out->traced)
		fputs("The running ctraced recorded the runs. What this costs is in all times.\n", f);
	if (!v->out->decided)
		return;
	if (v->plan->own)
		fputs("The times are without those that other programs took (--own).\n", f);
	if (v->plan->own)
		put_queue(f, v);
	put_own(f, v);
	put_order(f, "old", d->old_trend_p, d->old_warm_up);
	put_order(f, "new", d->new_trend_p, d->new_warm_up);
	baseline_differ(&v->old->machine, &v->new->machine, differ, sizeof(differ));
	if (differ[0])
		fprintf(f, "The machines differ: %s. The difference may come from them.\n", differ);
	if (v->out->traced && !v->delta)
		fputs("The old runs were not traced, so the difference gets no cause.\n", f);
}

void report_text(FILE *f, const struct check_view *v)
{
	bool stdout_colour = f == stdout;

	fprintf(f, "%s%s%s\n\n", stdout_colour ? cli_sgr(f, "1") : "", v->sentence,
		stdout_colour ? cli_sgr(f, "0") : "");
	if (v->out->decided)
		put_decision(f, v);
	else
		put_side(f, "new", report_new_ns(v), v->out->n_new, v);
	put_parts(f, v);
	if (v->counts)
		counts_text(f, v);
	put_outliers(f, v);
	put_cost(f, v);
	put_notes(f, v);
}
