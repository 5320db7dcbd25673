// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/input/selectorarg.h"
#include "cli/render/requests.h"
#include "cli/sheet/sheet.h"
#include "lib/cleanup.h"

struct requests_options {
	const char *path;
	struct selector who;
	struct windowarg window;
	uint32_t limit;
	bool all, json, list;
};

#define FLAG(member) CLI_FLAG(struct requests_options, member)
static const struct cli_option requests_table[] = {
	SELECTORARG_OPTIONS(struct requests_options, who),
	WINDOWARG_OPTIONS(struct requests_options, window),
	{ CLI_NUMBER(struct requests_options, limit), "limit", "N",
	  "show the first N services (default: 8; JSON: all)" },
	{ FLAG(all), "all", NULL,
	  "show all services and reasons, and the three slowest requests of each service" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.requests/1)" },
	{ FLAG(list), "list", NULL, "print each request instead, as one line of JSON (ctrace.request/1)" },
	{ 0 },
};

static const struct cli_usage requests_usage = {
	.name = "requests",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE " [--limit N] [--all] [--json | --list] FILE",
	.about =
		"Shows the requests that programs on this machine served or sent: by service, how many, how long they\n"
		"took, where the time of the slowest goes compared with the usual ones, and whom the service asks itself.",
	.options = requests_table,
};

static int show(const struct requests_view *v)
{
	struct sheet sheet;
	int r;

	sheet_begin(&sheet, SHEET_TABLE);
	r = render_requests(stdout, v);
	sheet_end(&sheet);
	return r;
}

static int requests_print(struct analysis_input *in, const struct requests_options *o)
{
	struct requests_view v = { .g = in->graph, .limit = o->limit, .all = o->all };
	_cleanup_free_ bool *tasks = NULL;
	struct services *s = NULL;
	int r, exit_code = selectorarg_find_threads(in, &o->who, &tasks);

	if (exit_code)
		return exit_code;
	r = services_find(in->graph, in->from_ns, in->to_ns, tasks, &s);

	if (r)
		return cli_error("%s: cannot find the requests: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	v.services = s;
	if (o->list)
		exit_code = render_requests_list(stdout, &v);
	else
		exit_code = o->json ? render_requests_json(&v) : show(&v);
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
	int r;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	o.path = cli_only_arg(&p, "FILE");
	if (!o.path)
		return CLI_USAGE;
	if (o.json && o.list)
		return cli_usage_error(&requests_usage, "give either --json or --list");
	if (o.limit && o.list)
		return cli_usage_error(&requests_usage, "give either --limit or --list");
	r = analysis_begin(&in, o.path, &o.window);
	if (!r)
		r = requests_print(&in, &o);
	analysis_close(&in);
	return r;
}
