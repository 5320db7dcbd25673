// SPDX-License-Identifier: GPL-2.0-or-later
/* ctrace transactions - shows the transactions of a trace: how many, how slow, and why. */
#include <errno.h>
#include <string.h>

#include "cli/ask/rulesarg.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/rowarg.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "cli/transactions/transactions.h"
#include "lib/cleanup.h"

struct transactions_options {
	const char *rules, *path;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	struct tablearg table;
	unsigned column;
	bool all, json, list;
};

#define TEXT(member) CLI_TEXT(struct transactions_options, member)
#define FLAG(member) CLI_FLAG(struct transactions_options, member)
static const struct cli_option transactions_table[] = {
	{ TEXT(rules), "rules", "FILE",
	  "say in a file what a transaction is (default: the marks, or else the recorded command)" },
	SELECTORARG_OPTIONS(struct transactions_options, who),
	WINDOWARG_OPTIONS(struct transactions_options, window),
	ROWARG_OPTIONS(struct transactions_options, row),
	TABLEARG_OPTIONS(struct transactions_options, table,
			 "total (the default: the most time first), count, p50, p95, p99, max, mean or name",
			 "show the first N kinds of transactions (default: 8; JSON: all)"),
	{ FLAG(all), "all", NULL, "show all transactions, reasons and paths" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.transactions/1)" },
	{ FLAG(list), "list", NULL,
	  "print each transaction instead, as one line of JSON (ctrace.transaction/1)" },
	{ 0 },
};

static const char *const transactions_columns[] = { "total", "count", "p50",  "p95", "p99",
						    "max",   "mean",  "name", NULL };

static const struct cli_usage transactions_usage = {
	.name = "transactions",
	.args = "[--rules FILE] " SELECTORARG_USAGE " " WINDOWARG_USAGE " " ROWARG_USAGE " " TABLEARG_USAGE
		" [--all] [--json | --list] FILE",
	.about =
		"Shows the transactions of a trace, such as orders or steps of a build: how many, how long they took, where\n"
		"the time of the slowest went compared with the usual ones, which part makes them vary, and their critical\n"
		"paths. Scripts mark transactions with 'ctrace mark', and programs with ctrace-marks.h.",
	.options = transactions_table,
};

static struct tablearg_key key_of(const void *arg, size_t row, unsigned column)
{
	const struct transaction_type *x = &((const struct transactions *)arg)->types[row];

	switch (column) {
	case 1:
		return (struct tablearg_key){ .number = x->all.count };
	case 2:
		return (struct tablearg_key){ .number = x->all.latency.p50 };
	case 3:
		return (struct tablearg_key){ .number = x->all.latency.p95 };
	case 4:
		return (struct tablearg_key){ .number = x->all.latency.p99 };
	case 5:
		return (struct tablearg_key){ .number = x->all.latency.max };
	case 6:
		return (struct tablearg_key){ .number = (uint64_t)x->all.mean_ns };
	}
	return (struct tablearg_key){ .name = x->name };
}

static int print(const struct analysis_input *in, const struct transactions_options *o,
		 const struct transactions *t)
{
	struct transactions_view v = { .t = t, .path = in->path, .limit = o->table.limit, .all = o->all };
	_cleanup_free_ uint32_t *order = NULL;
	struct sheet sheet;
	int exit_code = tablearg_order(o->column, t->n_types, key_of, t, &order);

	if (exit_code)
		return exit_code;
	v.order = order;
	if (o->json && !o->list) {
		exit_code = render_transactions_json(&v);
	} else {
		sheet_begin(&sheet, SHEET_TABLE);
		exit_code = o->list ? render_transactions_list(stdout, &v) : render_transactions(stdout, &v);
		sheet_end(&sheet);
	}
	if (!exit_code && t->services && t->services->lacks & CT_LACK_MESSAGES)
		cli_warn(
			"the daemon left out messages at times, to keep its budget: the numbers of requests are lower bounds; 'ctrace budget' can raise the budget");
	if (!exit_code && !t->n_types && !o->rules && !selector_is_set(&o->who))
		cli_warn(
			"the trace has no marks and no recorded command; mark transactions with 'ctrace mark', or give --rules: see ctrace-transactions(1)");
	return exit_code;
}

static int run(struct analysis_input *in, const struct transactions_options *o)
{
	_cleanup_(transaction_rules_done) struct transaction_rules rules = { 0 };
	struct transactions_filter filter = { .touching = windowarg_touches(&o->window) };
	_cleanup_free_ bool *tasks = NULL;
	struct transactions *t = NULL;
	int r, exit_code;

	if (o->rules && rulesarg_read(o->rules, &rules))
		return CLI_FAILED;
	exit_code = analysis_begin(in, o->path, &o->window);
	if (!exit_code)
		exit_code = selectorarg_find(in, &o->who, &tasks);
	if (exit_code)
		return exit_code;
	filter.tasks = tasks;
	r = o->rules ? 0 : transaction_rules_default(in->graph, &rules);
	if (!r)
		r = transactions_find(in->graph, in->from_ns, in->to_ns, &rules, &filter, &t);
	if (r)
		return cli_error(
			"%s: cannot find the transactions: %s; narrow the window with --from and --to",
			in->path, strerror(-r));
	exit_code = print(in, o, t);
	transactions_free(t);
	return exit_code;
}

int cmd_transactions(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&transactions_usage, argc, argv);
	struct transactions_options o = { 0 };
	struct analysis_input in = { 0 };
	struct rowarg_texts texts;
	int r;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	o.path = cli_trace_arg(&p);
	if (!o.path)
		return CLI_USAGE;
	if (o.json && o.list)
		return cli_usage_error(&transactions_usage, "give either --json or --list");
	if (o.table.limit && o.list)
		return cli_usage_error(&transactions_usage, "give either --limit or --list");
	if (rowarg_check(&transactions_usage, &o.row) ||
	    tablearg_column(&transactions_usage, &o.table, transactions_columns, o.json || o.list, &o.column))
		return CLI_USAGE;
	r = rowarg_use_process(&o.row, o.path, &o.who, &o.window, &texts);
	if (!r)
		r = run(&in, &o);
	analysis_close(&in);
	return r;
}
