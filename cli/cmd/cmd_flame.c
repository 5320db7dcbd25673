// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/export/export.h"
#include "cli/export/out.h"
#include "cli/export/shown.h"
#include "cli/flame/svg.h"
#include "cli/input/taskfilter.h"
#include "lib/cleanup.h"

enum { OPT_TID = 256, OPT_PID };

struct flame_options {
	const char *trace, *out, *kind, *from, *to, *last, *boot;
	struct taskfilter who;
	enum flame_kind as;
};

#define TEXT(member) CLI_TEXT(struct flame_options, member)
static const struct cli_option flame_table[] = {
	{ TEXT(kind), "kind", "KIND", "offcpu (the default), blame or oncpu" },
	{ 'o', "output", "FILE", "write the SVG to FILE (default: standard output)" },
	{ OPT_TID, "tid", "TID", "only this task" },
	{ OPT_PID, "pid", "PID", "only the tasks of this process" },
	{ TEXT(who.comm), "comm", "NAME", "only tasks with this name" },
	{ TEXT(who.cgroup), "cgroup", "GLOB", "only tasks of control groups whose path matches GLOB" },
	{ TEXT(who.container), "container", "NAME",
	  "only tasks of this container: a name, a pattern, or the beginning of its id" },
	{ TEXT(from), "from", "TIME", "start of the window (default: the start of the trace)" },
	{ TEXT(to), "to", "TIME", "end of the window (default: the end of the trace)" },
	{ TEXT(last), "last", "T", "only the last T of the trace: 30s, 5m, 1.5h" },
	{ TEXT(boot), "boot", "N",
	  "use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ 0 },
};

static const struct cli_usage flame_usage = {
	.name = "flame",
	.args = "[--kind KIND] [-o FILE] [--tid TID] [--pid PID] [--comm NAME] [--cgroup GLOB] [--container NAME] [--from TIME] [--to TIME] [--last T] [--boot N] FILE",
	.about =
		"Draws a flame graph: where tasks wait (offcpu), what the tasks to blame do in the meantime (blame), or\n"
		"where tasks run (oncpu). The SVG opens in a browser: a click zooms, / searches.",
	.options = flame_table,
};

static int flame_write(const struct analysis_input *in, const struct flame_options *o, const struct flame *f)
{
	struct out out;
	int r;

	if (!f->total_ns)
		return cli_error("%s: the tasks %s in this window; choose others with --tid, --pid or --comm",
				 in->path, o->as == FLAME_ONCPU ? "did not run" : "did not wait");
	r = out_open(&out, o->out, in->path, false);
	if (!r && svg_write(out.f, f, o->as))
		r = cli_error("out of memory");
	return out_close(&out, r);
}

static int flame_run(const struct analysis_input *in, const struct flame_options *o)
{
	_cleanup_free_ bool *tasks = NULL;
	struct flame f = { 0 };
	int r = taskfilter_find(in, &o->who, &tasks);

	if (r)
		return r;
	if (!taskfilter_is_set(&o->who))
		taskfilter_leave_out(in->graph, tasks);
	r = export_flame(&(struct export){ .g = in->graph,
					   .tasks = tasks,
					   .from_ns = in->from_ns,
					   .to_ns = in->to_ns,
					   .kind = o->as },
			 &f);
	if (!r)
		r = flame_write(in, o, &f);
	if (!r)
		shown_limits(&f);
	flame_done(&f);
	return r;
}

static int check(const struct cli_parse *p, struct flame_options *o)
{
	o->as = o->kind ? flame_kind_of(o->kind) : FLAME_OFFCPU;
	if (o->as == FLAME_KINDS)
		return cli_usage_error(&flame_usage,
				       "--kind %s: there is no such kind; give offcpu, blame or oncpu",
				       o->kind);
	o->trace = cli_only_arg(p, "FILE");
	return o->trace ? CLI_OK : CLI_USAGE;
}

static int parse(struct cli_parse *p, struct flame_options *o)
{
	int c, r = CLI_OK;

	while (!r && (c = cli_next(p)) > 0)
		switch (c) {
		case OPT_TID:
			r = analysis_tid("--tid", p->arg, &o->who.tid);
			break;
		case OPT_PID:
			r = analysis_tid("--pid", p->arg, &o->who.pid);
			break;
		default:
			o->out = p->arg;
		}
	return r ? r : c;
}

int cmd_flame(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&flame_usage, argc, argv);
	_cleanup_free_ char *room = NULL;
	struct flame_options o = { 0 };
	struct analysis_input in = { 0 };
	int r;

	p.into = &o;
	r = parse(&p, &o);
	if (r)
		return r < 0 ? p.exit_code : r;
	r = check(&p, &o);
	if (!r)
		r = taskfilter_last(&flame_usage, o.last, &o.from, o.to, &room);
	if (r)
		return r;
	r = analysis_begin(&in, o.trace, o.boot, o.from, o.to);
	if (!r)
		r = flame_run(&in, &o);
	analysis_close(&in);
	return r;
}
