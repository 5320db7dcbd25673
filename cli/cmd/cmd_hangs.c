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
#include "cli/text.h"
#include "lib/cleanup.h"

struct hangs_request {
	const char *state_dir, *socket;
	struct selector who;
	struct windowarg window;
	bool all, json;
};

#define TEXT(member) CLI_TEXT(struct hangs_request, member)
#define FLAG(member) CLI_FLAG(struct hangs_request, member)
static const struct cli_option hangs_options[] = {
	SELECTORARG_OPTIONS(struct hangs_request, who),
	WINDOWARG_OPTIONS(struct hangs_request, window),
	{ FLAG(all), "all", NULL, "also show tasks that only idle or work" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.hangs/1; without FILE ctrace.incidents/1)" },
	{ TEXT(state_dir), "state-dir", "DIR",
	  "without FILE: list the hangs of the daemon that keeps its trace in DIR" },
	{ TEXT(socket), "socket", "PATH",
	  "without FILE: ask the daemon at this socket (" CLIENT_SOCKET_DEFAULT ")" },
	{ 0 },
};

static const struct cli_usage hangs_usage = {
	.name = "hangs",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE
				  " [--all] [--json] [--state-dir DIR] [--socket PATH] [FILE]",
	.about =
		"Lists the worst waits and stalls in a trace, alarms first. Without FILE it lists the hangs that\n"
		"the daemon noted, even if their snapshot is not ready or has failed.",
	.options = hangs_options,
};

static json_t *hangs_json(const struct analysis_input *in, const struct selector *who, const struct hangs *h)
{
	json_t *doc = render_hangs_json(in->graph, h);

	if (doc && json_object_set_new(doc, "noticed", hangs_noticed_json(in, who))) {
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
	words_add(&t, " --hang 1");
	command = words_take(&t);
	if (command)
		printf("\nNext: %s\n", command);
}

/* Does not free the graph: after Ctrl-C, threads may still read it for a long time. */
static _Noreturn void end_interrupted(void)
{
	_exit(cli_output_end(CLI_FAILED));
}

static int hangs_print(const struct analysis_input *in, const struct hangs_request *rq)
{
	const struct hangs_filter filter = { .who = rq->who };
	_cleanup_free_ bool *tasks = NULL;
	struct hangs *h;
	int r = selectorarg_find(in, &rq->who, &tasks);

	if (r)
		return r;
	r = hangs_search(in->graph, in->from_ns, in->to_ns, &filter, &h);
	if (r)
		return cli_error("%s: cannot look for hangs: %s", in->path, strerror(-r));
	if (rq->json) {
		r = text_print_json(hangs_json(in, &rq->who, h));
	} else {
		struct shedding shed = { 0 };
		struct sheet sheet;

		sheet_begin(&sheet, SHEET_TABLE);
		render_hangs(stdout, in->graph, h, rq->all);
		hangs_noticed_print(in, &rq->who);
		shedding_look(&shed, in->window, in->from_ns, in->to_ns);
		shedding_print(stdout, "Left out:", &shed);
		print_next(in, rq, h);
		sheet_end(&sheet);
	}
	if (h->missing)
		end_interrupted();
	hangs_free(h);
	return r;
}

int cmd_hangs(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&hangs_usage, argc, argv);
	struct hangs_request rq = { 0 };
	struct analysis_input in = { .lean = true };
	const char *path;
	int r;

	p.into = &rq;
	if (cli_next(&p) < 0)
		return p.exit_code;
	if (p.first == p.argc && !windowarg_is_set(&rq.window) && !rq.window.boot &&
	    !selector_is_set(&rq.who) && !rq.all)
		return hangs_caught(rq.state_dir, rq.socket ? rq.socket : client_socket(), rq.json);
	path = cli_only_arg(&p, "FILE");
	if (!path)
		return CLI_USAGE;
	if (rq.state_dir || rq.socket)
		return cli_usage_error(
			&hangs_usage,
			"give either FILE, or --state-dir or --socket: a FILE is read without the daemon");
	r = analysis_begin(&in, path, &rq.window);
	if (!r)
		r = hangs_print(&in, &rq);
	analysis_close(&in);
	return r;
}
