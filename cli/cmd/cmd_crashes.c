// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "analysis/crashes/crashes.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/crashes/render.h"
#include "cli/input/selectorarg.h"
#include "report/shedding.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

struct crashes_request {
	struct selector who;
	struct windowarg window;
	struct tablearg table;
	unsigned column;
	bool all, json;
};

#define FLAG(member) CLI_FLAG(struct crashes_request, member)
static const struct cli_option crashes_options[] = {
	SELECTORARG_OPTIONS(struct crashes_request, who),
	WINDOWARG_OPTIONS(struct crashes_request, window),
	TABLEARG_OPTIONS(struct crashes_request, table,
			 "time (the default: the first one first), signal or task",
			 "show the first N of each list; JSON: the first N rows (default: all)"),
	{ FLAG(all), "all", NULL, "also list the processes that ended with an exit status other than 0" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.crashes/1)" },
	{ 0 },
};

static const struct cli_instead crashes_instead[] = {
	{ "hang request", "a crash has no number; choose it with --pid, --comm or --at" },
	{ 0 },
};

static const char *const crashes_columns[] = { "time", "signal", "task", NULL };
static const struct cli_usage crashes_usage = {
	.name = "crashes",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE " " TABLEARG_USAGE " [--all] [--json] FILE",
	.about =
		"Lists the processes that crashed, with the stack at the crash, and with the path that led to it: from\n"
		"the request, the input or the timer that began the work. 'ctrace hangs' without FILE lists the crashes\n"
		"that the daemon noticed.",
	.options = crashes_options,
	.instead = crashes_instead,
};

static struct tablearg_key key_of(const void *arg, size_t row, unsigned column)
{
	const struct crashes *cs = arg;
	const struct crash *c = &cs->v[row];
	const char *signal = describe_signal(c->signal);

	if (column == 1)
		return (struct tablearg_key){ .name = signal ? signal : "" };
	return (struct tablearg_key){ .name = graph_comm(cs->g, c->task, c->at_ns - 1) };
}

static int show(const struct analysis_input *in, const struct crashes *cs, const struct crashes_request *rq)
{
	struct shedding shed = { 0 };
	_cleanup_free_ uint32_t *order = NULL;
	struct sheet sheet;
	int r = tablearg_order(rq->column, cs->n, key_of, cs, &order);

	if (r)
		return r;
	sheet_begin(&sheet, SHEET_FULL);
	render_crashes(stdout, cs,
		       &(struct crashes_shown){ .order = order, .limit = rq->table.limit, .all = rq->all });
	shedding_look(&shed, in->window, in->from_ns, in->to_ns);
	shedding_print(stdout, "\nLeft out:", &shed);
	sheet_end(&sheet);
	return CLI_OK;
}

static int crashes_print(const struct analysis_input *in, const struct crashes_request *rq)
{
	_cleanup_free_ bool *tasks = NULL;
	struct crashes *cs;
	int r = selectorarg_find_threads(in, &rq->who, &tasks);

	if (r)
		return r;
	r = crashes_find(in->graph, in->from_ns, in->to_ns, &cs);
	if (r)
		return cli_error("%s: cannot look for crashes: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	if (tasks)
		crashes_keep(cs, tasks);
	r = rq->json ? text_print_json(render_crashes_json(cs, rq->table.limit)) : show(in, cs, rq);
	crashes_free(cs);
	return r;
}

int cmd_crashes(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&crashes_usage, argc, argv);
	struct crashes_request rq = { 0 };
	struct analysis_input in = { 0 };
	const char *path;
	int r;

	p.into = &rq;
	if (cli_next(&p) < 0)
		return p.exit_code;
	path = cli_trace_arg(&p);
	if (!path || tablearg_column(&crashes_usage, &rq.table, crashes_columns, rq.json, &rq.column))
		return CLI_USAGE;
	r = analysis_begin(&in, path, &rq.window);
	if (!r)
		r = crashes_print(&in, &rq);
	analysis_close(&in);
	return r;
}
