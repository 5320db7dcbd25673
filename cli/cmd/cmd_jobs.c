// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/input/selectorarg.h"
#include "cli/render/jobs.h"
#include "cli/sheet/sheet.h"
#include "lib/cleanup.h"

struct jobs_options {
	const char *path, *compare;
	struct selector who;
	struct windowarg window;
	bool json;
};

#define TEXT(member) CLI_TEXT(struct jobs_options, member)
#define FLAG(member) CLI_FLAG(struct jobs_options, member)
static const struct cli_option jobs_table[] = {
	SELECTORARG_OPTIONS(struct jobs_options, who),
	WINDOWARG_OPTIONS(struct jobs_options, window),
	{ TEXT(compare), "compare", "BEFORE", "show the queues beside those of the trace BEFORE" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.jobs/1)" },
	{ 0 },
};

static const struct cli_usage jobs_usage = {
	.name = "jobs",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE " [--compare BEFORE] [--json] FILE",
	.about =
		"Shows the queues of jobs of the frameworks that are switched on: how long jobs waited in the queue, how\n"
		"long they ran, and why they waited.",
	.options = jobs_table,
};

static int load(struct analysis_input *in, const char *path, const struct windowarg *window,
		const struct selector *who, struct queues **ret)
{
	_cleanup_free_ bool *tasks = NULL;
	int r = analysis_begin(in, path, window);

	if (!r)
		r = selectorarg_find(in, who, &tasks);
	if (r)
		return r;
	r = queues_find(in->graph, in->from_ns, in->to_ns, ret);
	if (r)
		return cli_error("%s: cannot find the jobs: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	if (tasks && queues_keep(*ret, in->graph, tasks))
		return cli_error("out of memory");
	return CLI_OK;
}

static int show(const struct queues_of *now, const struct queues_of *before)
{
	struct sheet sheet;
	int r;

	sheet_begin(&sheet, SHEET_TABLE);
	r = render_jobs(stdout, now, before);
	sheet_end(&sheet);
	return r;
}

static int jobs_print(const struct jobs_options *o, struct analysis_input *in,
		      struct analysis_input *before_in)
{
	struct queues *q = NULL, *b = NULL;
	struct queues_of now, before;
	int r = load(in, o->path, &o->window, &o->who, &q);

	if (!r && o->compare)
		r = load(before_in, o->compare, &(struct windowarg){ 0 }, &o->who, &b);
	now = (struct queues_of){ in->graph, q, in->from_ns, in->to_ns };
	before = (struct queues_of){ before_in->graph, b, before_in->from_ns, before_in->to_ns };
	if (!r)
		r = o->json ? render_jobs_json(&now, b ? &before : NULL) : show(&now, b ? &before : NULL);
	queues_free(q);
	queues_free(b);
	return r;
}

int cmd_jobs(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&jobs_usage, argc, argv);
	struct jobs_options o = { 0 };
	struct analysis_input in = { 0 }, before_in = { 0 };
	int r;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	o.path = cli_only_arg(&p, "FILE");
	if (!o.path)
		return CLI_USAGE;
	r = jobs_print(&o, &in, &before_in);
	analysis_close(&in);
	analysis_close(&before_in);
	return r;
}
