// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/rowarg.h"
#include "cli/render/requests.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "lib/cleanup.h"

struct requests_options {
	const char *path;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	struct tablearg table;
	unsigned column;
	bool all, json, list;
};

#define FLAG(member) CLI_FLAG(struct requests_options, member)
static const struct cli_option requests_table[] = {
	SELECTORARG_OPTIONS(struct requests_options, who),
	WINDOWARG_OPTIONS(struct requests_options, window),
	ROWARG_HANG(struct requests_options, row),
	TABLEARG_OPTIONS(struct requests_options, table,
			 "total (the default: the most time first), count, p50, p95, p99, max or name",
			 "show the first N services (default: 8; JSON: all)"),
	{ FLAG(all), "all", NULL,
	  "show all services and reasons, and the three slowest requests of each service" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.requests/1)" },
	{ FLAG(list), "list", NULL, "print each request instead, as one line of JSON (ctrace.request/1)" },
	{ 0 },
};

static const char *const requests_columns[] = { "total", "count", "p50", "p95", "p99", "max", "name", NULL };

static const struct cli_instead requests_instead[] = {
	{ "request",
	  "this command lists the requests; 'ctrace diagnose FILE --request N' and 'ctrace path FILE --request N' say why request N took so long" },
	{ 0 },
};

static const struct cli_usage requests_usage = {
	.name = "requests",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE " [--hang N] " TABLEARG_USAGE
				  " [--all] [--json | --list] FILE",
	.about =
		"Shows the requests that programs on this machine served or sent: by service, how many, how long they\n"
		"took, where the time of the slowest goes compared with the usual ones, and whom the service asks itself.",
	.options = requests_table,
	.instead = requests_instead,
};

static struct tablearg_key key_of(const void *arg, size_t row, unsigned column)
{
	const struct service *x = &((const struct services *)arg)->v[row];

	switch (column) {
	case 1:
		return (struct tablearg_key){ .number = x->count };
	case 2:
		return (struct tablearg_key){ .number = x->latency.p50 };
	case 3:
		return (struct tablearg_key){ .number = x->latency.p95 };
	case 4:
		return (struct tablearg_key){ .number = x->latency.p99 };
	case 5:
		return (struct tablearg_key){ .number = x->latency.max };
	}
	return (struct tablearg_key){ .name = x->name };
}

static int show(struct requests_view *v, unsigned column)
{
	_cleanup_free_ uint32_t *order = NULL;
	struct sheet sheet;
	int r = tablearg_order(column, v->services->n, key_of, v->services, &order);

	if (r)
		return r;
	v->order = order;
	sheet_begin(&sheet, SHEET_TABLE);
	r = render_requests(stdout, v);
	sheet_end(&sheet);
	return r;
}

static int requests_print(struct analysis_input *in, const struct requests_options *o)
{
	struct requests_view v = { .g = in->graph, .limit = o->table.limit, .all = o->all };
	struct services_filter filter = { .touching = windowarg_touches(&o->window) };
	_cleanup_free_ bool *tasks = NULL;
	struct services *s = NULL;
	int r, exit_code = selectorarg_find_threads(in, &o->who, &tasks);

	if (exit_code)
		return exit_code;
	filter.tasks = tasks;
	r = services_find(in->graph, in->from_ns, in->to_ns, &filter, &s);
	if (r)
		return cli_error("%s: cannot find the requests: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	v.services = s;
	if (o->list)
		exit_code = render_requests_list(stdout, &v);
	else
		exit_code = o->json ? render_requests_json(&v) : show(&v, o->column);
	if (!exit_code && s->lacks & CT_LACK_MESSAGES)
		cli_warn(
			"the daemon left out messages at times, to keep its budget: the numbers of requests are lower bounds; 'ctrace budget' can raise the budget");
	services_free(s);
	return exit_code;
}

int cmd_requests(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&requests_usage, argc, argv);
	struct requests_options o = { 0 };
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
		return cli_usage_error(&requests_usage, "give either --json or --list");
	if (o.table.limit && o.list)
		return cli_usage_error(&requests_usage, "give either --limit or --list");
	if (tablearg_column(&requests_usage, &o.table, requests_columns, o.json || o.list, &o.column))
		return CLI_USAGE;
	r = rowarg_use(&o.row, o.path, &o.who, &o.window, &texts);
	if (!r)
		r = analysis_begin(&in, o.path, &o.window);
	if (!r)
		r = requests_print(&in, &o);
	analysis_close(&in);
	return r;
}
