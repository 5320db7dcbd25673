// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/analysis_input.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/render/analysis.h"
#include "cli/text.h"

enum { OPT_FROM = 256, OPT_TO, OPT_TID, OPT_BOOT, OPT_JSON };

static const struct cli_option path_options[] = {
	{ OPT_TID, "tid", "TID", "whose time to explain" },
	{ OPT_FROM, "from", "TIME", "start of the interval (default: the start of the trace)" },
	{ OPT_TO, "to", "TIME", "end of the interval (default: the end of the trace)" },
	{ OPT_BOOT, "boot", "N", "the boot of the machine N before the newest (default: 0)" },
	{ OPT_JSON, "json", NULL, "print JSON (ctrace.path/1)" },
	{ 0 },
};

static const struct cli_usage path_usage = {
	.name = "path",
	.args = "--tid TID [--from TIME] [--to TIME] [--boot N] [--json] FILE",
	.about = "Prints the critical path of a task: who was holding it up, moment by moment.\nThe pieces "
		 "add up to "
		 "the interval exactly.",
	.options = path_options,
};

static int path_print(const struct analysis_input *in, uint32_t tid, bool json)
{
	struct path *p;
	uint32_t task;
	int r = analysis_task(in, tid, &task);

	if (r)
		return r;
	r = path_walk(in->graph, task, in->from_ns, in->to_ns, &p);
	if (r)
		return cli_error("%s: cannot walk the critical path: %s", in->path, strerror(-r));
	if (json)
		r = text_print_json(render_path_json(in->graph, p, in->from_ns, in->to_ns));
	else
		render_path(stdout, in->graph, p, in->from_ns, in->to_ns);
	path_free(p);
	return r;
}

int cmd_path(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&path_usage, argc, argv);
	const char *from = NULL, *to = NULL, *boot = NULL, *path;
	struct analysis_input in;
	uint32_t tid = 0;
	bool json = false;
	int c, r;

	while ((c = cli_next(&p)) > 0)
		switch (c) {
		case OPT_FROM:
			from = p.arg;
			break;
		case OPT_TO:
			to = p.arg;
			break;
		case OPT_TID:
			if (analysis_tid("--tid", p.arg, &tid))
				return CLI_USAGE;
			break;
		case OPT_BOOT:
			boot = p.arg;
			break;
		case OPT_JSON:
			json = true;
			break;
		}
	if (c < 0)
		return p.exit_code;
	if (!tid)
		return cli_usage_error(&path_usage, "--tid is missing: whose path?");
	path = cli_only_arg(&p, "FILE");
	if (!path)
		return CLI_USAGE;
	r = analysis_begin(&in, path, boot, from, to);
	if (!r)
		r = path_print(&in, tid, json);
	analysis_close(&in);
	return r;
}
