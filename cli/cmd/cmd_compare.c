// SPDX-License-Identifier: GPL-2.0-or-later
/* ctrace compare - says by how much new runs of a command are slower than old ones, and which parts grew. */
#include <errno.h>
#include <string.h>

#include "cli/ask/rulesarg.h"
#include "cli/cli.h"
#include "cli/client/outfile.h"
#include "cli/cmd/commands.h"
#include "cli/compare/baseline_file.h"
#include "cli/compare/by.h"
#include "cli/compare/render.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

struct compare_options {
	const char *metric, *save, *by, *transaction, *rules;
	struct tablearg table;
	unsigned column;
	bool json;
	int n_new;                     /* the number of arguments after "--" */
	struct transaction_rules said; /* of the file `rules` */
};

#define TEXT(member) CLI_TEXT(struct compare_options, member)
#define FLAG(member) CLI_FLAG(struct compare_options, member)
static const struct cli_option compare_table[] = {
	{ TEXT(metric), "metric", "M",
	  "compare the mean, p50, p95, p99, max or total of the runs (default: p50)" },
	TABLEARG_OPTIONS(struct compare_options, table,
			 "change (the default: the largest first), old, new or part",
			 "show the first N parts (default: 10)"),
	{ TEXT(save), "save", "FILE", "write the runs to FILE (ctrace.baseline/1) instead of comparing" },
	{ TEXT(by), "by", "KEYS", "group the runs by settings: cpus, governor, cgroup, kernel" },
	{ TEXT(transaction), "transaction", "NAME",
	  "compare the transactions of this kind ('ctrace transactions' lists the kinds)" },
	{ TEXT(rules), "rules", "FILE", "with --transaction: say in a file what a transaction is" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.compare/1; with --by: ctrace.study/1)" },
	{ 0 },
};

static const char *const compare_columns[] = { "change", "old", "new", "part", NULL };

static const struct cli_instead compare_instead[] = {
	{ "tid pid comm cgroup container at from to last boot hang request",
	  "the whole runs are compared; for a part of them, use 'ctrace patterns --compare OLD NEW', 'ctrace jobs NEW --compare OLD', or 'ctrace path' with each run" },
	{ 0 },
};

static const struct cli_usage compare_usage = {
	.name = "compare",
	.args = "[--metric M] [--transaction NAME [--rules FILE]] " TABLEARG_USAGE
		" [--json] OLD NEW | OLD... -- NEW... | --by KEYS RUN... | --save FILE RUN...",
	.about =
		"Says by how much the new runs of a command are slower than the old ones, and which parts of the\n"
		"critical path grew. The parts add up to the difference exactly. A run is a trace that\n"
		"'ctrace record -o FILE -- CMD' has written. A file that --save has written stands for all its runs.\n"
		"With --by, one table shows the runs under each combination of settings, such as --by cpus,cgroup.\n"
		"With --transaction, a run is not a command, but each transaction of this kind in any trace.",
	.options = compare_table,
	.instead = compare_instead,
};

/* Call this before cli_next(), which moves the "--". */
static int count_new(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - 1 - i;
	return 0;
}

static int add_files(const struct compare_options *o, struct baseline *b, char **files, int n)
{
	const struct transaction_pick pick = { .type = o->transaction,
					       .rules = &o->said,
					       .most = MAX(BASELINE_RUNS_MAX / (size_t)n, 1) };
	int r = CLI_OK;

	for (int i = 0; i < n && !r; i++) {
		if (n > 1)
			cli_progress_count("Reading", (size_t)i, (size_t)n);
		r = baseline_file_add(b, files[i], o->transaction ? &pick : NULL);
	}
	if (n > 1)
		cli_progress_count("Reading", (size_t)n, (size_t)n);
	return r;
}

static int save(const struct baseline *b, const char *path, const char *transaction)
{
	char name[CLI_WORD_MAX];
	_cleanup_(outfile_done) struct outfile out = OUTFILE_NONE;
	struct warnings w = { .n = 0 };
	FILE *f;
	int fd, r;

	if (outfile_open(path, &out))
		return CLI_FAILED;
	fd = dup(out.fd);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return cli_error("%s: cannot be written: %s", path, strerror(errno));
	r = baseline_write(b, f);
	if (fclose(f) && !r)
		r = -errno;
	if (r)
		return cli_error("%s: cannot be written: %s", path, strerror(-r));
	r = outfile_commit(&out);
	warnings_side(&w, b, "");
	for (size_t i = 0; i < w.n; i++)
		cli_warn("%s", w.v[i]);
	if (b->mixed)
		cli_warn(
			"the runs come from several machines or settings, but the file has only those of the first run; save each group in a file of its own");
	if (!r)
		cli_say("wrote %s: %zu run%s; next: ctrace compare %s%s%s%s NEW", path, b->n_runs,
			b->n_runs == 1 ? "" : "s", transaction ? "--transaction " : "",
			transaction ? cli_path_word(transaction, name) : "", transaction ? " " : "", path);
	return r;
}

static int compare_save(const struct compare_options *o, char **files, int n)
{
	_cleanup_(baseline_done) struct baseline b = { 0 };
	int r;

	if (o->metric || o->table.limit || o->table.sort || o->json || o->n_new || o->by)
		return cli_usage_error(&compare_usage,
				       "--save takes only runs: ctrace compare --save FILE RUN...");
	if (!n)
		return cli_usage_error(&compare_usage, "no run is given: name the traces to save");
	r = add_files(o, &b, files, n);
	return r ? r : save(&b, o->save, o->transaction);
}

static struct tablearg_key key_of(const void *arg, size_t row, unsigned column)
{
	const struct delta_row *x = &((const struct delta *)arg)->rows[row];

	switch (column) {
	case 1:
		return (struct tablearg_key){ .number = x->old_ns };
	case 2:
		return (struct tablearg_key){ .number = x->new_ns };
	}
	return (struct tablearg_key){ .name = x->text };
}

static int print(const struct compare_options *o, const struct baseline *old, const struct baseline *new,
		 enum delta_metric metric)
{
	_cleanup_free_ uint32_t *order = NULL;
	struct sheet sheet;
	struct delta *d;
	int r = delta_new((const struct profile *const *)old->runs, old->n_runs,
			  (const struct profile *const *)new->runs, new->n_runs, metric, &d);
	struct compare_view v = { .old = old,
				  .new = new,
				  .top = o->table.limit ? o->table.limit : COMPARE_ROWS };

	if (r)
		return cli_error("cannot compare: %s", strerror(-r));
	v.delta = d;
	r = tablearg_order(o->column, d->n_rows, key_of, d, &order);
	v.order = order;
	if (!r && o->json) {
		r = render_compare_json(&v);
	} else if (!r) {
		sheet_begin(&sheet, SHEET_TABLE);
		render_compare(stdout, &v);
		sheet_end(&sheet);
	}
	delta_free(d);
	return r;
}

static int read_metric(const struct compare_options *o, enum delta_metric *ret_metric)
{
	*ret_metric = o->metric ? metric_of(o->metric) : DELTA_P50;
	if (*ret_metric == DELTA_METRICS)
		return cli_usage_error(&compare_usage, "--metric %s: write mean, p50, p95, p99, max or total",
				       o->metric);
	return CLI_OK;
}

static int compare(const struct compare_options *o, char **files, int n)
{
	_cleanup_(baseline_done) struct baseline old = { 0 };
	_cleanup_(baseline_done) struct baseline new = { 0 };
	int n_new = n == 2 ? 1 : o->n_new, r;
	enum delta_metric metric;

	if (n < 2 || !n_new || n_new >= n)
		return cli_usage_error(
			&compare_usage,
			n < 2 ? "old and new runs are missing: write OLD NEW, or OLD... -- NEW..."
			      : "it is not clear which runs are new: write OLD... -- NEW...");
	r = read_metric(o, &metric);
	r = r ? r : add_files(o, &old, files, n - n_new);
	r = r ? r : add_files(o, &new, files + n - n_new, n_new);
	if (!r && (!old.n_runs || !new.n_runs))
		return cli_error(
			"the %s runs were not recorded, so they have no parts; compare their times with 'ctrace check --baseline OLD --with NEW'",
			old.n_runs ? "new" : "old");
	if (!r && strcmp(old.unit, new.unit))
		return cli_error("an old run is %s, and a new run is %s; compare runs of one kind",
				 baseline_unit_words(old.unit), baseline_unit_words(new.unit));
	return r ? r : print(o, &old, &new, metric);
}

static int compare_by(const struct compare_options *o, char **files, int n)
{
	enum delta_metric metric;
	struct by by;
	int r = read_metric(o, &metric);

	if (r)
		return r;
	if (by_parse(o->by, &by))
		return cli_usage_error(
			&compare_usage,
			"--by %s: write one or more of cpus, governor, cgroup and kernel, with commas between them",
			o->by);
	if (o->table.limit || o->table.sort || o->n_new || o->transaction)
		return cli_usage_error(
			&compare_usage,
			"--by takes all runs in one list, and neither --sort, --limit nor --transaction: ctrace compare --by KEYS RUN...");
	if (!n)
		return cli_usage_error(&compare_usage, "no run is given: name the traces to compare");
	return by_files(files, n, &by, metric, o->json);
}

static int run(const struct compare_options *o, char **files, int n)
{
	if (o->save)
		return compare_save(o, files, n);
	return o->by ? compare_by(o, files, n) : compare(o, files, n);
}

int cmd_compare(int argc, char **argv)
{
	struct compare_options o = { .n_new = count_new(argc, argv) };
	struct cli_parse p = cli_parse(&compare_usage, argc, argv);
	int r = CLI_OK;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	if (tablearg_column(&compare_usage, &o.table, compare_columns, o.json, &o.column))
		return CLI_USAGE;
	if (o.rules && !o.transaction)
		r = cli_usage_error(&compare_usage, "--rules goes with --transaction NAME");
	if (!r && o.rules)
		r = rulesarg_read(o.rules, &o.said);
	if (!r)
		r = run(&o, argv + p.first, argc - p.first);
	transaction_rules_done(&o.said);
	return r;
}
