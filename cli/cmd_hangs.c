// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "analysis/hangs.h"
#include "cli/analysis_input.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/render/analysis.h"
#include "cli/text.h"

enum { OPT_FROM = 256, OPT_TO, OPT_CGROUP, OPT_CONTAINER, OPT_BOOT, OPT_ALL, OPT_JSON };

static const struct cli_option hangs_options[] = {
	{ OPT_FROM, "from", "TIME", "look from TIME on (default: the start of the trace)" },
	{ OPT_TO, "to", "TIME", "look up to TIME (default: the end of the trace)" },
	{ OPT_CGROUP, "cgroup", "GLOB", "only tasks of control groups with such a path" },
	{ OPT_CONTAINER, "container", "NAME", "only tasks of this container (a glob, or how its id begins)" },
	{ OPT_BOOT, "boot", "N", "the boot of the machine N before the newest (default: 0)" },
	{ OPT_ALL, "all", NULL, "show what merely idles too" },
	{ OPT_JSON, "json", NULL, "print JSON (ctrace.hangs/1)" },
	{ 0 },
};

static const struct cli_usage hangs_usage = {
	.name = "hangs",
	.args = "[--from TIME] [--to TIME] [--cgroup GLOB] [--container NAME] [--boot N] [--all] [--json] "
		"FILE",
	.about = "Lists the worst waits and stalls in a trace, alarms first.",
	.options = hangs_options,
};

static int hangs_print(const struct analysis_input *in, const struct hangs_filter *who, bool all, bool json)
{
	struct hangs *h;
	int r = hangs_find(in->graph, in->from_ns, in->to_ns, who, &h);

	if (r)
		return cli_error("%s: cannot look for hangs: %s", in->path, strerror(-r));
	if (json)
		r = text_print_json(render_hangs_json(in->graph, h));
	else
		render_hangs(stdout, in->graph, h, all);
	hangs_free(h);
	return r;
}

int cmd_hangs(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&hangs_usage, argc, argv);
	const char *from = NULL, *to = NULL, *boot = NULL, *path;
	struct hangs_filter who = { 0 };
	struct analysis_input in;
	bool all = false, json = false;
	int c, r;

	while ((c = cli_next(&p)) > 0)
		switch (c) {
		case OPT_FROM:
			from = p.arg;
			break;
		case OPT_TO:
			to = p.arg;
			break;
		case OPT_CGROUP:
			who.cgroup = p.arg;
			break;
		case OPT_CONTAINER:
			who.container = p.arg;
			break;
		case OPT_BOOT:
			boot = p.arg;
			break;
		case OPT_ALL:
			all = true;
			break;
		case OPT_JSON:
			json = true;
			break;
		}
	if (c < 0)
		return p.exit_code;
	path = cli_only_arg(&p, "FILE");
	if (!path)
		return CLI_USAGE;
	r = analysis_begin(&in, path, boot, from, to);
	if (!r)
		r = hangs_print(&in, &who, all, json);
	analysis_close(&in);
	return r;
}
