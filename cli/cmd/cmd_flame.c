// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/export/export.h"
#include "cli/export/out.h"
#include "cli/export/shown.h"
#include "cli/flame/svg.h"
#include "cli/hangs/rowarg.h"
#include "cli/input/selectorarg.h"
#include "cli/tablearg.h"
#include "lib/cleanup.h"

struct flame_options {
	const char *trace, *out, *kind;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	enum flame_kind as;
};

#define TEXT(member) CLI_TEXT(struct flame_options, member)
static const struct cli_option flame_table[] = {
	{ TEXT(kind), "kind", "KIND", "offcpu (the default), blame or oncpu" },
	{ 'o', "output", "FILE", "write the SVG to FILE (default: standard output)" },
	SELECTORARG_OPTIONS(struct flame_options, who),
	WINDOWARG_OPTIONS(struct flame_options, window),
	ROWARG_OPTIONS(struct flame_options, row),
	{ 0 },
};

static const struct cli_instead flame_instead[] = { TABLEARG_NONE, { 0 } };

static const struct cli_usage flame_usage = {
	.name = "flame",
	.args = "[--kind KIND] [-o FILE] " SELECTORARG_USAGE " " WINDOWARG_USAGE " " ROWARG_USAGE " FILE",
	.about =
		"Draws a flame graph: where tasks wait (offcpu), what the tasks to blame do in the meantime (blame), or\n"
		"where tasks run (oncpu). The SVG opens in a browser: a click zooms, / searches.",
	.options = flame_table,
	.instead = flame_instead,
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
	int r = selectorarg_find_or_all(in, &o->who, &tasks);

	if (r)
		return r;
	if (!selector_is_set(&o->who))
		selectorarg_leave_out(in->graph, tasks);
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
	o->trace = cli_trace_arg(p);
	return o->trace && !rowarg_check(&flame_usage, &o->row) ? out_check_terminal(o->out) : CLI_USAGE;
}

int cmd_flame(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&flame_usage, argc, argv);
	struct flame_options o = { 0 };
	struct analysis_input in = { 0 };
	struct rowarg_texts texts;
	int c, r;

	p.into = &o;
	while ((c = cli_next(&p)) > 0)
		o.out = p.arg;
	if (c < 0)
		return p.exit_code;
	r = check(&p, &o);
	if (!r)
		r = rowarg_use(&o.row, o.trace, &o.who, &o.window, &texts);
	if (r)
		return r;
	r = analysis_begin(&in, o.trace, &o.window);
	if (!r)
		r = flame_run(&in, &o);
	analysis_close(&in);
	return r;
}
