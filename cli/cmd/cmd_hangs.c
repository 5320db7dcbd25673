// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "analysis/hangs/hangs.h"
#include "cli/input/analysis_input.h"
#include "cli/cli.h"
#include "cli/cmd/cmd_hangs_caught.h"
#include "cli/cmd/cmd_hangs_noticed.h"
#include "cli/cmd/commands.h"
#include "cli/client/control.h"
#include "cli/render/analysis.h"
#include "cli/render/shedding.h"
#include "cli/text.h"

enum {
	OPT_FROM = 256,
	OPT_TO,
	OPT_CGROUP,
	OPT_CONTAINER,
	OPT_BOOT,
	OPT_ALL,
	OPT_JSON,
	OPT_STATE_DIR,
	OPT_SOCKET
};

static const struct cli_option hangs_options[] = {
	{ OPT_FROM, "from", "TIME", "look from TIME on (default: the start of the trace)" },
	{ OPT_TO, "to", "TIME", "look up to TIME (default: the end of the trace)" },
	{ OPT_CGROUP, "cgroup", "GLOB", "only tasks of control groups whose path matches GLOB" },
	{ OPT_CONTAINER, "container", "NAME",
	  "only tasks of this container: its name, a glob, or the beginning of its id" },
	{ OPT_BOOT, "boot", "N",
	  "use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ OPT_ALL, "all", NULL, "also show tasks that only idle or work" },
	{ OPT_JSON, "json", NULL, "print JSON (ctrace.hangs/1; without FILE ctrace.incidents/1)" },
	{ OPT_STATE_DIR, "state-dir", "DIR",
	  "without FILE: list the hangs of the daemon that keeps its trace in DIR" },
	{ OPT_SOCKET, "socket", "PATH",
	  "without FILE: ask the daemon at this socket (default: " CONTROL_SOCKET ")" },
	{ 0 },
};

static const struct cli_usage hangs_usage = {
	.name = "hangs",
	.args = "[--from TIME] [--to TIME] [--cgroup GLOB] [--container NAME] [--boot N] [--all] [--json] "
		"[--state-dir DIR] [--socket PATH] [FILE]",
	.about = "Lists the worst waits and stalls in a trace, alarms first. Without FILE it lists the hangs "
		 "of which\nthe daemon kept a snapshot.",
	.options = hangs_options,
};

static json_t *hangs_json(const struct analysis_input *in, const struct hangs_filter *who,
			  const struct hangs *h)
{
	json_t *doc = render_hangs_json(in->graph, h);

	if (doc && json_object_set_new(doc, "noticed", hangs_noticed_json(in, who))) {
		json_decref(doc);
		doc = NULL;
	}
	return doc;
}

static int hangs_print(const struct analysis_input *in, const struct hangs_filter *who, bool all, bool json)
{
	struct hangs *h;
	int r = hangs_find(in->graph, in->from_ns, in->to_ns, who, &h);

	if (r)
		return cli_error("%s: cannot look for hangs: %s", in->path, strerror(-r));
	if (json) {
		r = text_print_json(hangs_json(in, who, h));
	} else {
		struct shedding shed = { 0 };

		render_hangs(stdout, in->graph, h, all);
		hangs_noticed_print(in, who);
		shedding_look(&shed, in->window, in->from_ns, in->to_ns);
		shedding_print(stdout, "Left out:", &shed);
	}
	hangs_free(h);
	return r;
}

int cmd_hangs(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&hangs_usage, argc, argv);
	const char *from = NULL, *to = NULL, *boot = NULL, *path;
	const char *state_dir = NULL, *socket = NULL;
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
		case OPT_STATE_DIR:
			state_dir = p.arg;
			break;
		case OPT_SOCKET:
			socket = p.arg;
			break;
		}
	if (c < 0)
		return p.exit_code;
	if (p.first == p.argc && !from && !to && !who.cgroup && !who.container && !boot && !all)
		return hangs_caught(state_dir, socket ? socket : CONTROL_SOCKET, json);
	path = cli_only_arg(&p, "FILE");
	if (!path)
		return CLI_USAGE;
	if (state_dir || socket)
		return cli_usage_error(
			&hangs_usage,
			"give either FILE, or --state-dir or --socket: a FILE is read without the daemon");
	r = analysis_begin(&in, path, boot, from, to);
	if (!r)
		r = hangs_print(&in, &who, all, json);
	analysis_close(&in);
	return r;
}
