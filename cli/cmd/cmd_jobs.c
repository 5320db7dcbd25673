// SPDX-License-Identifier: GPL-2.0-or-later
/* ctrace jobs - the queues of jobs of a trace: how long jobs wait and run, and why they wait. */
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/input/analysis_input.h"
#include "cli/render/jobs.h"

struct jobs_options {
	const char *from, *to, *boot, *path;
	bool json;
};

#define TEXT(member) CLI_TEXT(struct jobs_options, member)
#define FLAG(member) CLI_FLAG(struct jobs_options, member)
static const struct cli_option jobs_table[] = {
	{ TEXT(from), "from", "TIME", "start of the window (default: the start of the trace)" },
	{ TEXT(to), "to", "TIME", "end of the window (default: the end of the trace)" },
	{ TEXT(boot), "boot", "N",
	  "use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.jobs/1)" },
	{ 0 },
};

static const struct cli_usage jobs_usage = {
	.name = "jobs",
	.args = "[--from TIME] [--to TIME] [--boot N] [--json] FILE",
	.about =
		"Shows the queues of jobs of the frameworks that are switched on: how long jobs waited in the queue, how\n"
		"long they ran, and why they waited.",
	.options = jobs_table,
};

static int jobs_print(struct analysis_input *in, const struct jobs_options *o)
{
	struct queues *q = NULL;
	int exit_code = CLI_OK, r = queues_find(in->graph, in->from_ns, in->to_ns, &q);

	if (r)
		return cli_error("%s: cannot find the jobs: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	if (o->json)
		exit_code = render_jobs_json(in->graph, q);
	else
		render_jobs(stdout, in->graph, q);
	queues_free(q);
	return exit_code;
}

int cmd_jobs(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&jobs_usage, argc, argv);
	struct jobs_options o = { 0 };
	struct analysis_input in = { 0 };
	int r;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	o.path = cli_only_arg(&p, "FILE");
	if (!o.path)
		return CLI_USAGE;
	r = analysis_begin(&in, o.path, o.boot, o.from, o.to);
	if (!r)
		r = jobs_print(&in, &o);
	analysis_close(&in);
	return r;
}
