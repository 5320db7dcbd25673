// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "analysis/crashes/crashes.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/crashes/render.h"
#include "cli/input/analysis_input.h"
#include "cli/render/shedding.h"
#include "cli/text.h"

struct crashes_request {
	const char *from, *to, *boot;
	bool all, json;
};

#define TEXT(member) CLI_TEXT(struct crashes_request, member)
#define FLAG(member) CLI_FLAG(struct crashes_request, member)
static const struct cli_option crashes_options[] = {
	{ TEXT(from), "from", "TIME", "look from TIME on (default: the start of the trace)" },
	{ TEXT(to), "to", "TIME", "look up to TIME (default: the end of the trace)" },
	{ FLAG(all), "all", NULL, "also list the processes that ended with an exit status other than 0" },
	{ TEXT(boot), "boot", "N",
	  "use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.crashes/1)" },
	{ 0 },
};

static const struct cli_usage crashes_usage = {
	.name = "crashes",
	.args = "[--from TIME] [--to TIME] [--all] [--boot N] [--json] FILE",
	.about =
		"Lists the processes that crashed, with the stack at the crash, and with the path that led to it: from\n"
		"the request, the input or the timer that began the work. 'ctrace hangs' without FILE lists the crashes\n"
		"that the daemon noticed.",
	.options = crashes_options,
};

static int crashes_print(const struct analysis_input *in, const struct crashes_request *rq)
{
	struct shedding shed = { 0 };
	struct crashes *cs;
	int r = crashes_find(in->graph, in->from_ns, in->to_ns, &cs);

	if (r)
		return cli_error("%s: cannot look for crashes: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	if (rq->json) {
		r = text_print_json(render_crashes_json(cs));
	} else {
		render_crashes(stdout, cs, rq->all);
		shedding_look(&shed, in->window, in->from_ns, in->to_ns);
		shedding_print(stdout, "\nLeft out:", &shed);
	}
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
	path = cli_only_arg(&p, "FILE");
	if (!path)
		return CLI_USAGE;
	r = analysis_begin(&in, path, rq.boot, rq.from, rq.to);
	if (!r)
		r = crashes_print(&in, &rq);
	analysis_close(&in);
	return r;
}
