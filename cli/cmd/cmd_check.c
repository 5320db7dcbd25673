// SPDX-License-Identifier: GPL-2.0-or-later
/* ctrace check - runs a command again and again, and says whether it became slower, and why. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include "analysis/stats/interval.h"
#include "cli/ask/rulesarg.h"
#include "cli/check/machine.h"
#include "cli/check/report.h"
#include "cli/check/runner.h"
#include "cli/check/write.h"
#include "cli/cli.h"
#include "cli/client/client.h"
#include "cli/client/now.h"
#include "cli/cmd/commands.h"
#include "cli/compare/baseline_file.h"
#include "cli/input/timearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

#define REPORTS_MAX 16
#define MAX_PERCENT 1000.0

enum { OPT_RUNS = 256, OPT_MAX_RUNS, OPT_WARMUP, OPT_MAX_REGRESS, OPT_METRIC, OPT_TIMEOUT, OPT_REPORT };

struct report_to {
	const struct report_format *format;
	const char *path; /* NULL: standard output */
};

struct check_options {
	const char *baseline, *alternate, *with, *save, *keep, *rules;
	bool update, any_machine, redact, json;
	uint64_t runs, max_runs, warmup;
	enum delta_metric metric;
	struct report_to reports[REPORTS_MAX];
	size_t n_reports;
	struct check_plan plan;
	struct transaction_rules said; /* of the file `rules` */
	char recorded[PART_TEXT_MAX];  /* the command line of the new runs in their traces; "": no traces */
};

#define TEXT(member) CLI_TEXT(struct check_options, member)
#define FLAG(member) CLI_FLAG(struct check_options, member)
static const struct cli_option check_table[] = {
	{ TEXT(baseline), "baseline", "FILE",
	  "compare with the runs in FILE, which --save or --update wrote" },
	{ TEXT(alternate), "alternate", "CMD",
	  "compare with runs of the old command CMD, made in turn with the new ones" },
	{ TEXT(with), "with", "FILE", "judge the saved runs in FILE, and run nothing" },
	{ OPT_RUNS, "runs", "N", "run each command N times, then decide or go on (default: 10)" },
	{ OPT_MAX_RUNS, "max-runs", "N", "run each command at most N times (default: three times --runs)" },
	{ OPT_WARMUP, "warmup", "N", "first run each command N times without counting (default: 1)" },
	{ OPT_MAX_REGRESS, "max-regress", "P", "a regression is slower by more than P (default: 5%)" },
	{ OPT_METRIC, "metric", "M", "compare the p50, p95, p99, max or mean of the runs (default: p50)" },
	{ FLAG(plan.own), "own", NULL,
	  "compare the time of the command without what other programs took from it" },
	{ TEXT(plan.pick.type), "transaction", "NAME",
	  "compare the transactions NAME in each run: their time, added up" },
	{ TEXT(rules), "rules", "FILE", "with --transaction: say in a file what a transaction is" },
	{ FLAG(plan.patterns), "patterns", NULL,
	  "also compare how often each event happens in a run, such as a query" },
	{ TEXT(plan.frameworks), "frameworks", "LIST",
	  "record the jobs and calls of these frameworks, as 'ctrace record' does" },
	{ OPT_TIMEOUT, "timeout", "T", "kill a run after T: 30s, 2m (default: no limit)" },
	{ TEXT(save), "save", "FILE", "write the new runs to FILE (ctrace.baseline/1)" },
	{ FLAG(update), "update", NULL,
	  "write the new runs to the baseline, if the result is ok or improvement, or if there is no baseline yet" },
	{ FLAG(any_machine), "any-machine", NULL, "accept a baseline of another machine or kernel" },
	{ OPT_REPORT, "report", "REPORT",
	  "also write the result as junit=FILE, markdown=FILE, gitlab=FILE, openmetrics=FILE, github" },
	{ TEXT(keep), "keep", "DIR", "keep the trace and the output of each run in DIR" },
	{ FLAG(redact), "redact", NULL, "replace the names in the kept traces by hashes" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.check/1)" },
	{ 0 },
};

static const struct cli_usage check_usage = {
	.name = "check",
	.args = "[--baseline FILE | --alternate CMD] [--save FILE] [OPTION...] [--] CMD [ARG...]",
	.about =
		"Runs CMD several times, decides whether it is slower than before, and if so, says which parts of its\n"
		"critical path grew. Exit status: 0 no regression, 1 regression, 2 wrong usage or another machine, 3 undecided,\n"
		"4 no result, for example because CMD failed. Without root, and without a ctraced that gives snapshots, it\n"
		"measures the time, but finds no cause.",
	.options = check_table,
	.stop_early = true,
};

static int read_count(const char *option, const char *arg, uint64_t least, uint64_t *ret)
{
	if (!cli_number(arg, STATS_RUNS_MAX, ret) && *ret >= least)
		return CLI_OK;
	return cli_usage_error(&check_usage, "--%s %s: write a number from %d to %d", option, arg, (int)least,
			       STATS_RUNS_MAX);
}

static int read_regress(const char *arg, double *ret)
{
	char *end;
	double p = strtod(arg, &end);

	if (end == arg || strcmp(end, "%") || !(p >= 0 && p <= MAX_PERCENT))
		return cli_usage_error(&check_usage,
				       "--max-regress %s: write per cents from 0%% to %g%%, such as 5%%", arg,
				       MAX_PERCENT);
	*ret = p / 100;
	return CLI_OK;
}

static int read_metric(const char *arg, enum delta_metric *ret)
{
	*ret = metric_of(arg);
	if (*ret != DELTA_METRICS && *ret != DELTA_TOTAL)
		return CLI_OK;
	return cli_usage_error(&check_usage, "--metric %s: write p50, p95, p99, max or mean", arg);
}

static int read_report(struct check_options *o, const char *arg)
{
	const char *equals = strchr(arg, '=');
	struct report_to to = { .format = report_format_of(arg,
							   equals ? (size_t)(equals - arg) : strlen(arg)) };

	if (!to.format)
		return cli_usage_error(
			&check_usage,
			"--report %s: the formats are junit, markdown, gitlab, openmetrics and github", arg);
	if (o->n_reports == REPORTS_MAX)
		return cli_usage_error(&check_usage, "--report: give it at most %d times", REPORTS_MAX);
	to.path = equals && equals[1] ? equals + 1 : NULL;
	if (!to.path && !to.format->to_stdout)
		return cli_usage_error(&check_usage, "--report %s: a file is missing: write %s=FILE", arg,
				       to.format->name);
	o->reports[o->n_reports++] = to;
	return CLI_OK;
}

static int check_option(struct check_options *o, int c, const char *arg)
{
	char err[TIMEARG_ERR_MAX];

	switch (c) {
	case OPT_RUNS:
		return read_count("runs", arg, 1, &o->runs);
	case OPT_MAX_RUNS:
		return read_count("max-runs", arg, 1, &o->max_runs);
	case OPT_WARMUP:
		return read_count("warmup", arg, 0, &o->warmup);
	case OPT_MAX_REGRESS:
		return read_regress(arg, &o->plan.max_regress);
	case OPT_METRIC:
		return read_metric(arg, &o->metric);
	case OPT_REPORT:
		return read_report(o, arg);
	default:
		if (timearg_duration(arg, &o->plan.timeout_ns, err))
			return cli_usage_error(&check_usage, "--timeout %s: %s", arg, err);
		if (!o->plan.timeout_ns)
			return cli_usage_error(&check_usage, "--timeout %s: the time must be longer than 0",
					       arg);
		return CLI_OK;
	}
}

static const char *conflict(const struct check_options *o, bool has_command)
{
	if (o->with && (has_command || o->alternate || o->save || o->update || o->keep))
		return "--with runs no command and saves no runs: give it only with --baseline and options for the report";
	if (o->with && o->plan.pick.type)
		return "--with judges saved runs as they are: give --transaction when you make them";
	if (o->with && o->plan.frameworks)
		return "--with judges saved runs as they are: give --frameworks when you make them";
	if (o->with && !o->baseline)
		return "--with needs --baseline: the runs to compare with";
	if (!o->with && !has_command)
		return o->alternate
			       ? "the new command is missing: ctrace check --alternate 'OLD ARG...' -- NEW ARG..."
		       : o->save ? "the command is missing: ctrace check --save FILE -- CMD"
				 : "the command is missing: ctrace check --baseline FILE -- CMD";
	if (o->baseline && o->alternate)
		return "give either --baseline or --alternate";
	if (!o->baseline && !o->alternate && !o->save)
		return "there is nothing to compare with: give --baseline FILE or --alternate CMD, or make a baseline with --save FILE";
	if (o->update && !o->baseline)
		return "--update needs --baseline: the file to write";
	if (o->rules && !o->plan.pick.type)
		return "--rules goes with --transaction NAME";
	if (o->redact && !o->keep)
		return "--redact needs --keep: the report and baselines are not redacted";
	for (size_t i = 0; i < o->n_reports; i++)
		if (o->json && !o->reports[i].path)
			return "--json and --report github both print to standard output: write --report github=FILE";
	return NULL;
}

static int split_command(const char *command, wordexp_t *words)
{
	int r = wordexp(command, words, WRDE_NOCMD | WRDE_UNDEF);

	if (!r && words->we_wordc && !runner_sets_variable(words->we_wordv[0]))
		return CLI_OK;
	if (!r && words->we_wordc) {
		wordfree(words);
		return cli_usage_error(
			&check_usage,
			"--alternate %s: no shell runs this command; to set a variable, write --alternate 'env %s'",
			command, command);
	}
	if (!r)
		wordfree(words);
	return cli_usage_error(
		&check_usage,
		"--alternate %s: this is not one simple command; write --alternate \"sh -c '...'\", and sh -c '...' for the new command too",
		command);
}

static bool missing(const char *path)
{
	return access(path, F_OK) && errno == ENOENT;
}

/* Returns 0 or an exit code. */
static int read_baseline(const struct check_options *o, struct baseline *old_side)
{
	char file[CLI_WORD_MAX];

	if (!o->baseline || (o->update && missing(o->baseline)))
		return 0;
	if (missing(o->baseline)) {
		cli_error(
			"%s: there is no such baseline; make it with --update, or with 'ctrace check --save %s -- CMD'",
			o->baseline, cli_path_word(o->baseline, file));
		return CHECK_USAGE;
	}
	return baseline_file_add(old_side, o->baseline, NULL) ? CHECK_USAGE : 0;
}

/* Runs of different units cannot be compared (struct baseline). */
static int check_units(const struct check_options *o, const struct baseline *old_side,
		       const struct baseline *new_side)
{
	char unit[PART_TEXT_MAX] = "";

	if (!o->baseline || (!old_side->n_runs && !old_side->untraced.n))
		return 0;
	if (o->with)
		snprintf(unit, sizeof(unit), "%s", new_side->unit);
	else if (o->plan.pick.type)
		transaction_runs_unit(&o->plan.pick, unit);
	if (!strcmp(unit, old_side->unit))
		return 0;
	cli_error(
		"%s: a run in it is %s, and a new run is %s; make the file anew, with the same --transaction and --rules",
		o->baseline, baseline_unit_words(old_side->unit), baseline_unit_words(unit));
	return CHECK_USAGE;
}

/* Writes a list of frameworks without the directories, which may differ from machine to machine. */
static void name_frameworks(const char *list, char buf[PART_TEXT_MAX])
{
	char *to = buf;

	*to = '\0';
	for (const char *s = list ? list : ""; *s && to + 2 < buf + PART_TEXT_MAX;) {
		size_t n = strcspn(s, ", ");
		const char *base = memrchr(s, '/', n);
		size_t left = (size_t)(buf + PART_TEXT_MAX - to);
		const char *comma = to == buf ? "" : ",";

		base = base ? base + 1 : s;
		if (n)
			to += MIN(snprintf(to, left, "%s%.*s", comma, (int)(s + n - base), base),
				  (int)left - 1);
		s += n + (s[n] != '\0');
	}
}

/* With other frameworks, a run has other events and transactions, and recording it has another cost. */
static int check_frameworks(const struct check_options *o, const struct baseline *old_side,
			    const struct baseline *new_side)
{
	char now[PART_TEXT_MAX];

	if (!o->baseline || !old_side->n_runs)
		return 0;
	if (o->with)
		snprintf(now, sizeof(now), "%s", new_side->frameworks);
	else
		name_frameworks(o->plan.frameworks, now);
	if (!strcmp(now, old_side->frameworks))
		return 0;
	cli_error(
		"%s: its runs were recorded with the frameworks '%s', and the new runs with '%s'; make the file anew, with the same --frameworks",
		o->baseline, old_side->frameworks[0] ? old_side->frameworks : "no", now[0] ? now : "no");
	return CHECK_USAGE;
}

static int check_machine(const struct check_options *o, const struct baseline *old_side,
			 const struct baseline_machine *m)
{
	char differ[4 * BASELINE_MACHINE_MAX];

	baseline_differ(&old_side->machine, m, differ, sizeof(differ));
	if (o->any_machine || (!differ[0] && !old_side->mixed))
		return 0;
	if (differ[0])
		cli_error(
			"%s: this baseline is from another machine (%s), so a difference may come from it; make it anew, or accept it with --any-machine",
			o->baseline, differ);
	else
		cli_error(
			"%s: the runs in this baseline are from several machines; accept it with --any-machine",
			o->baseline);
	return CHECK_USAGE;
}

static int put_report(FILE *f, const void *arg)
{
	const struct check_view *v = ((const void *const *)arg)[0];
	const struct report_to *to = ((const void *const *)arg)[1];

	to->format->put(f, v);
	return 0;
}

static int put_baseline(FILE *f, const void *arg)
{
	return baseline_write(arg, f);
}

static int write_reports(const struct check_options *o, const struct check_view *v)
{
	int r = CLI_OK;

	for (size_t i = 0; i < o->n_reports; i++) {
		const void *const arg[] = { v, &o->reports[i] };

		if (!o->reports[i].path)
			o->reports[i].format->put(stdout, v);
		else if (write_file(o->reports[i].path, put_report, arg))
			r = CLI_FAILED;
	}
	return r;
}

static bool is_other_command(const struct check_options *o, const struct check_view *v)
{
	if (!o->update || !v->old->command[0] || !strcmp(v->old->command, v->new->command) ||
	    !strcmp(v->old->command, o->recorded))
		return false;
	cli_warn(
		"%s was not renewed: it has runs of '%s', and these are runs of '%s'; write them to another file with --save",
		o->baseline, v->old->command, v->new->command);
	return true;
}

static int test_files(const struct check_options *o)
{
	int r = CLI_OK;

	for (size_t i = 0; i < o->n_reports; i++)
		if (o->reports[i].path)
			r |= write_test(o->reports[i].path);
	if (o->save)
		r |= write_test(o->save);
	if (o->update)
		r |= write_test(o->baseline);
	return r ? CHECK_NO_RESULT : 0;
}

static int save_runs(const struct check_options *o, const struct check_view *v)
{
	enum decision_kind kind = report_kind(v);
	bool better = !v->out->decided || kind == DECIDE_OK || kind == DECIDE_IMPROVEMENT;
	int r = CLI_OK;

	if (o->save && write_file(o->save, put_baseline, v->new))
		r = CLI_FAILED;
	else if (o->save)
		cli_say("wrote %s; next: ctrace check --baseline %s -- CMD", o->save, o->save);
	better = better && !is_other_command(o, v);
	if (o->update && better && write_file(o->baseline, put_baseline, v->new))
		r = CLI_FAILED;
	else if (o->update && better)
		cli_say("wrote the new runs to the baseline %s", o->baseline);
	return r;
}

static int exit_code(const struct check_view *v)
{
	if (!v->out->decided)
		return CHECK_OK;
	if (report_kind(v) == DECIDE_REGRESSION)
		return CHECK_REGRESSION;
	return report_kind(v) == DECIDE_UNDECIDED ? CHECK_UNDECIDED : CHECK_OK;
}

static int tell(const struct check_options *o, struct check_view *v)
{
	int r = CLI_OK;

	if (report_say(v)) {
		report_say_done(v);
		cli_error("out of memory");
		return CHECK_NO_RESULT;
	}
	if (o->json)
		r = text_print_json(report_json(v));
	else
		report_text(stdout, v);
	r |= write_reports(o, v);
	r |= save_runs(o, v);
	report_say_done(v);
	return r ? CHECK_NO_RESULT : exit_code(v);
}

static int compare(const struct baseline *old_side, const struct baseline *new_side, enum delta_metric metric,
		   struct delta **ret)
{
	return delta_new((const struct profile *const *)old_side->runs, old_side->n_runs,
			 (const struct profile *const *)new_side->runs, new_side->n_runs, metric, ret);
}

static int tell_cause(const struct check_options *o, const struct check_outcome *out,
		      const struct baseline *old_side, const struct baseline *new_side)
{
	_cleanup_(outliers_done) struct outliers outliers = { 0 };
	struct check_view v = { .plan = &o->plan,
				.out = out,
				.old = old_side,
				.new = new_side,
				.metric = o->metric,
				.baseline = o->baseline,
				.outliers = &outliers };
	_cleanup_(baseline_done) struct baseline own_old = { 0 };
	_cleanup_(baseline_done) struct baseline own_new = { 0 };
	_cleanup_(counts_result_done) struct counts_result counts = { 0 };
	struct delta *delta = NULL;
	struct own_queue queue;
	int r = 0;

	if (o->plan.own)
		r = own_sides(old_side, new_side, o->plan.old_argv, out->looks, &own_old, &own_new, &queue);
	if (!r && old_side->n_runs && new_side->n_runs)
		r = o->plan.own ? compare(&own_old, &own_new, o->metric, &delta)
				: compare(old_side, new_side, o->metric, &delta);
	if (!r && out->timing == CHECK_TRACED) {
		r = outliers_find(o->plan.own ? &own_old : old_side, false, o->plan.max_regress, &outliers);
		r = r ? r
		      : outliers_find(o->plan.own ? &own_new : new_side, true, o->plan.max_regress,
				      &outliers);
	}
	if (!r && o->plan.patterns && out->decided) {
		r = counts_compare(&old_side->counts, &new_side->counts, out->looks, &counts);
		v.counts = &counts;
	}
	if (r) {
		cli_error("cannot compare the runs: %s", strerror(-r));
		return CHECK_NO_RESULT;
	}
	v.delta = delta;
	r = tell(o, &v);
	delta_free(delta);
	return r;
}

/* Names the command as the user wrote it. The command line in a trace is that of the last exec, which lacks
 * the variables of `env`. */
static void name_command(struct baseline *b, char *const *argv)
{
	char line[PART_TEXT_MAX] = "";

	for (size_t i = 0; argv[i]; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s", i ? " " : "", argv[i]);
	describe_clean(line, b->command, sizeof(b->command));
}

static int need_counts(const struct check_options *o, const struct baseline *old_side,
		       const struct baseline *new_side)
{
	bool has_old = old_side->n_runs || old_side->untraced.n;
	const char *without = has_old && !old_side->counts.n_runs   ? o->baseline
			      : o->with && !new_side->counts.n_runs ? o->with
								    : NULL;

	if (!o->plan.patterns)
		return 0;
	if (without)
		cli_error(
			"%s: it has no counts for --patterns, which needs recorded runs; make the file anew, as root",
			without);
	else if (!o->with && !session_records(&o->plan))
		cli_error(
			"--patterns counts the events of recorded runs, and recording needs root, or a running ctraced that gives you snapshots; run the check as root, or without --patterns");
	else
		return 0;
	return CHECK_USAGE;
}

static int check(struct check_options *o)
{
	_cleanup_(baseline_done) struct baseline old_side = { 0 };
	_cleanup_(baseline_done) struct baseline new_side = { 0 };
	struct baseline_machine machine = machine_now();
	_cleanup_(check_outcome_done) struct check_outcome out = { 0 };
	int r = read_baseline(o, &old_side);

	if (!r && o->with)
		r = baseline_file_add(&new_side, o->with, NULL) ? CHECK_USAGE : 0;
	r = r ? r : check_units(o, &old_side, &new_side);
	r = r ? r : check_frameworks(o, &old_side, &new_side);
	r = r ? r : need_counts(o, &old_side, &new_side);
	r = r ? r : check_machine(o, &old_side, o->with ? &new_side.machine : &machine);
	if (!r && o->keep && mkdir(o->keep, 0777) && errno != EEXIST) {
		cli_error("%s: cannot make this directory: %s; choose another one for --keep", o->keep,
			  strerror(errno));
		r = CHECK_USAGE;
	}
	r = r ? r : test_files(o);
	r = r ? r : session_run(&o->plan, &old_side, &new_side, &out);
	if (r)
		return r;
	if (!o->with) {
		new_side.machine = machine;
		memcpy(o->recorded, new_side.command, sizeof(o->recorded));
		name_command(&new_side, o->plan.new_argv);
		name_frameworks(new_side.n_runs ? o->plan.frameworks : NULL, new_side.frameworks);
	}
	if (o->alternate)
		old_side.machine = machine;
	return tell_cause(o, &out, &old_side, &new_side);
}

static int plan_and_check(struct check_options *o, char **command)
{
	wordexp_t words = { 0 };
	int r;

	if (o->max_runs && o->max_runs < o->runs)
		return cli_usage_error(&check_usage, "--max-runs must not be smaller than --runs");
	if (o->alternate && split_command(o->alternate, &words))
		return CLI_USAGE;
	o->plan.old_argv = o->alternate ? words.we_wordv : NULL;
	o->plan.new_argv = o->with ? NULL : command;
	/* The frameworks of a running ctraced are those of its configuration. */
	if (geteuid() && !o->with && !o->plan.frameworks && now_may(client_socket()))
		o->plan.daemon = client_socket();
	o->plan.runs = o->runs;
	o->plan.max_runs =
		o->max_runs ? o->max_runs : MIN(o->runs * CHECK_MAX_RUNS_TIMES, (uint64_t)STATS_RUNS_MAX);
	o->plan.warmup = o->warmup;
	o->plan.metric = o->metric;
	o->plan.keep = o->keep;
	o->plan.redact = o->redact;
	o->plan.show_as_errors = o->json;
	r = check(o);
	if (o->alternate)
		wordfree(&words);
	return r;
}

int cmd_check(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&check_usage, argc, argv);
	struct check_options o = { .runs = 10, .warmup = 1, .metric = DELTA_P50, .plan.max_regress = 0.05 };
	const char *wrong;
	int c, r;

	p.into = &o;
	while ((c = cli_next(&p)) > 0) {
		r = check_option(&o, c, p.arg);
		if (r)
			return r;
	}
	if (c < 0)
		return p.exit_code;
	wrong = conflict(&o, p.first < argc);
	if (wrong)
		return cli_usage_error(&check_usage, "%s", wrong);
	o.plan.pick.rules = &o.said;
	r = o.rules && rulesarg_read(o.rules, &o.said) ? CHECK_USAGE : 0;
	r = r ? r : plan_and_check(&o, argv + p.first);
	transaction_rules_done(&o.said);
	return r;
}
