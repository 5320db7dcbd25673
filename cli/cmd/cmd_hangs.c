// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <unistd.h>

#include "analysis/hangs/hangs.h"
#include "cli/input/selectorarg.h"
#include "cli/cli.h"
#include "cli/hangs/hangs_caught.h"
#include "cli/hangs/hangs_noticed.h"
#include "cli/hangs/hangs_search.h"
#include "cli/hangs/rowarg.h"
#include "cli/cmd/commands.h"
#include "cli/client/client.h"
#include "cli/render/analysis.h"
#include "report/analysis.h"
#include "report/shedding.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "lib/cleanup.h"

struct hangs_request {
	const char *state_dir, *socket;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	struct tablearg table;
	unsigned column;
	bool all, json;
};

#define TEXT(member) CLI_TEXT(struct hangs_request, member)
#define FLAG(member) CLI_FLAG(struct hangs_request, member)
static const struct cli_option hangs_options[] = {
	SELECTORARG_OPTIONS(struct hangs_request, who),
	WINDOWARG_OPTIONS(struct hangs_request, window),
	ROWARG_REQUEST(struct hangs_request, row),
	TABLEARG_OPTIONS(struct hangs_request, table,
			 "number (the default: the worst first), time, length or task",
			 "show the first N rows (default: all)"),
	{ FLAG(all), "all", NULL, "also show tasks that only idle or work" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.hangs/1; without FILE ctrace.incidents/1)" },
	{ TEXT(state_dir), "state-dir", "DIR",
	  "without FILE: list the hangs of the daemon that keeps its trace in DIR" },
	{ TEXT(socket), "socket", "PATH",
	  "without FILE: ask the daemon at this socket (" CLIENT_SOCKET_DEFAULT ")" },
	{ 0 },
};

static const char *const hangs_columns[] = { "number", "time", "length", "task", NULL };

static const struct cli_instead hangs_instead[] = {
	{ "hang",
	  "this command lists the hangs; 'ctrace diagnose FILE --hang N' explains hang N of the list" },
	{ 0 },
};

static const struct cli_usage hangs_usage = {
	.name = "hangs",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE " [--request N] " TABLEARG_USAGE
				  " [--all] [--json] [--state-dir DIR] [--socket PATH] [FILE]",
	.about =
		"Lists the worst waits and stalls in a trace, alarms first. Without FILE it lists the hangs that\n"
		"the daemon noted, even if their snapshot is not ready or has failed.",
	.options = hangs_options,
	.instead = hangs_instead,
};

static json_t *hangs_json(const struct analysis_input *in, const struct hangs_request *rq,
			  const struct timearg_moment *at, const struct hangs *h)
{
	json_t *doc = render_hangs_json(in->graph, h);

	while (rq->table.limit && json_array_size(json_object_get(doc, "hangs")) > rq->table.limit)
		json_array_remove(json_object_get(doc, "hangs"), rq->table.limit);
	if (doc && json_object_set_new(doc, "noticed", hangs_noticed_json(in, &rq->who, at))) {
		json_decref(doc);
		doc = NULL;
	}
	return doc;
}

/* Prints the command that explains the first hang of the list. */
static void print_next(const struct analysis_input *in, const struct hangs_request *rq, const struct hangs *h)
{
	_cleanup_free_ char *command = NULL;
	struct words t = { 0 };

	if (h->missing || !hangs_numbered(h, 1))
		return;
	words_add(&t, "ctrace diagnose ");
	words_add_path(&t, in->path, "FILE");
	rowarg_add_tasks(&t, &rq->who);
	rowarg_add_window(&t, &rq->window);
	if (rq->window.boot)
		words_add(&t, " --boot %s", rq->window.boot);
	if (rq->row.request)
		words_add(&t, " --request %u", rq->row.request);
	else
		words_add(&t, " --hang 1");
	command = words_take(&t);
	if (command)
		printf("\nNext: %s\n", command);
}

struct rows {
	const struct graph *g;
	const struct hangs *h;
};

static struct tablearg_key key_of(const void *arg, size_t row, unsigned column)
{
	const struct rows *rows = arg;
	const struct hang *x = &rows->h->v[row];

	switch (column) {
	case 1:
		return (struct tablearg_key){ .number = UINT64_MAX - x->from_ns };
	case 2:
		return (struct tablearg_key){ .number = x->to_ns - x->from_ns };
	}
	return (struct tablearg_key){ .name = graph_comm(rows->g, x->task, x->to_ns - 1) };
}

static int print_text(const struct analysis_input *in, const struct hangs_request *rq,
		      const struct hangs_request *chosen, const struct timearg_moment *at,
		      const struct hangs *h)
{
	_cleanup_free_ uint32_t *order = NULL;
	struct shedding shed = { 0 };
	struct sheet sheet;
	int r = tablearg_order(rq->column, h->n, key_of, &(struct rows){ in->graph, h }, &order);

	if (r)
		return r;
	sheet_begin(&sheet, SHEET_TABLE);
	render_hangs(stdout, in->graph, h,
		     &(struct hangs_shown){ .order = order, .limit = rq->table.limit, .all = rq->all });
	hangs_noticed_print(in, &chosen->who, at);
	shedding_look(&shed, in->window, in->from_ns, in->to_ns);
	shedding_print(stdout, "Left out:", &shed);
	print_next(in, rq, h);
	sheet_end(&sheet);
	return CLI_OK;
}

/* Does not free the graph: after Ctrl-C, threads may still read it for a long time. */
static _Noreturn void end_interrupted(void)
{
	_exit(cli_output_end(CLI_FAILED));
}

/* chosen: rq after rowarg_use(). */
static int hangs_print(const struct analysis_input *in, const struct hangs_request *rq,
		       const struct hangs_request *chosen, const struct timearg_moment *at)
{
	const struct hangs_filter filter = { .who = chosen->who,
					     .at_from_ns = at->from_ns,
					     .at_to_ns = at->to_ns };
	_cleanup_free_ bool *tasks = NULL;
	struct hangs *h;
	int r = selectorarg_find(in, &chosen->who, &tasks);

	if (r)
		return r;
	r = hangs_search(in->graph, in->from_ns, in->to_ns, &filter, &h);
	if (r)
		return cli_error("%s: cannot look for hangs: %s", in->path, strerror(-r));
	r = rq->json ? text_print_json(hangs_json(in, chosen, at, h)) : print_text(in, rq, chosen, at, h);
	if (h->missing)
		end_interrupted();
	hangs_free(h);
	return r;
}

static int hangs_trace(const struct hangs_request *rq, const char *path)
{
	struct analysis_input in = { .lean = true, .fit = !rq->json };
	struct hangs_request chosen = *rq;
	struct rowarg_texts texts;
	struct timearg_moment at;
	int r = rowarg_use(&rq->row, path, &chosen.who, &chosen.window, &texts);

	if (!r)
		r = analysis_begin_moment(&in, path, &chosen.window, &at);
	if (!r)
		r = hangs_print(&in, rq, &chosen, &at);
	analysis_close(&in);
	return r;
}

/* Returns true if an option needs a FILE. */
static bool is_about_trace(const struct hangs_request *rq)
{
	return windowarg_is_set(&rq->window) || rq->window.at || rq->window.boot ||
	       selector_is_set(&rq->who) || rowarg_is_set(&rq->row) || rq->table.sort || rq->table.limit ||
	       rq->all;
}

int cmd_hangs(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&hangs_usage, argc, argv);
	struct hangs_request rq = { 0 };
	const char *path;

	p.into = &rq;
	if (cli_next(&p) < 0)
		return p.exit_code;
	if (p.first == p.argc && !is_about_trace(&rq))
		return hangs_caught(rq.state_dir, rq.socket ? rq.socket : client_socket(), rq.json);
	if (p.first == p.argc)
		return cli_usage_error(&hangs_usage, "these options need a FILE: " CLI_TRACE_HOW);
	path = cli_only_arg(&p, "FILE");
	if (!path || tablearg_column(&hangs_usage, &rq.table, hangs_columns, rq.json, &rq.column))
		return CLI_USAGE;
	if (rq.state_dir || rq.socket)
		return cli_usage_error(
			&hangs_usage,
			"give either FILE, or --state-dir or --socket: a FILE is read without the daemon");
	return hangs_trace(&rq, path);
}
