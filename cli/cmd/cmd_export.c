// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/profile.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/export/export.h"
#include "cli/export/out.h"
#include "cli/hangs/rowarg.h"
#include "cli/input/selectorarg.h"
#include "cli/otlp/otlp.h"
#include "cli/otlp/send.h"
#include "cli/tablearg.h"
#include "lib/cleanup.h"

enum needs {
	NEEDS_EDGES = 1,
	NEEDS_PATH = 2,
	NEEDS_KIND = 4,
	NEEDS_TABLE = 8,
	NEEDS_BINARY = 16,
	CAN_SEND = 32
};

struct format {
	const char *name;
	int (*write)(const struct export *x);
	unsigned needs; /* enum needs */
};

static const struct format formats[] = {
	{ "perfetto", export_perfetto, NEEDS_EDGES | NEEDS_PATH | NEEDS_BINARY },
	{ "chrome", export_chrome, NEEDS_EDGES | NEEDS_PATH },
	{ "speedscope", export_speedscope, NEEDS_KIND },
	{ "folded", export_folded, NEEDS_KIND },
	{ "ndjson", export_rows, NEEDS_TABLE },
	{ "csv", export_rows, NEEDS_TABLE },
	{ "otlp", export_otlp, NEEDS_BINARY | CAN_SEND },
	{ "otlp-json", export_otlp, 0 },
};
#define FORMAT_WORDS "perfetto, chrome, speedscope, folded, ndjson, csv, otlp or otlp-json"

struct export_options {
	const char *trace, *out, *format, *table, *kind, *send;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	uint32_t path_tid;
	const struct format *as;
	enum export_table rows;
	enum flame_kind flame;
};

#define TEXT(member) CLI_TEXT(struct export_options, member)
static const struct cli_option export_table[] = {
	{ TEXT(format), "format", "FORMAT", FORMAT_WORDS },
	{ 'o', "output", "FILE", "write to FILE (default: standard output)" },
	{ TEXT(table), "table", "TABLE",
	  "for ndjson and csv: intervals (the default), edges, requests or jobs" },
	{ TEXT(kind), "kind", "KIND", "for folded and speedscope: offcpu (the default), blame or oncpu" },
	{ CLI_NUMBER(struct export_options, path_tid), "path", "TID",
	  "for perfetto and chrome: add the critical path of this task (default: the recorded command)" },
	{ TEXT(send), "send", "URL", "for otlp: send to a receiver of OTLP over HTTP, and write nothing" },
	SELECTORARG_OPTIONS(struct export_options, who),
	WINDOWARG_OPTIONS(struct export_options, window),
	ROWARG_OPTIONS(struct export_options, row),
	{ 0 },
};

static const struct cli_instead export_instead[] = { TABLEARG_NONE, { 0 } };

static const struct cli_usage export_usage = {
	.name = "export",
	.args = "--format FORMAT [-o FILE] [--table TABLE] [--kind KIND] [--path TID] [--send URL] " SELECTORARG_USAGE
		" " WINDOWARG_USAGE " " ROWARG_USAGE " FILE",
	.about =
		"Writes a trace in the format of another program: Perfetto, Chrome's trace viewer, speedscope, tools for\n"
		"flame graphs, a database, or a receiver of OpenTelemetry.",
	.options = export_table,
	.instead = export_instead,
};

static bool is_flame(const struct export_options *o)
{
	return o->as->needs & NEEDS_KIND;
}

/* Walks the critical path as `ctrace path` does. The path is that of the task of --path, or else of the
 * recorded command. If there is neither, there is no path, and this is no error. */
static int find_path(const struct analysis_input *in, const struct export_options *o, struct path **ret)
{
	const struct graph *g = in->graph;
	uint64_t from = in->from_ns, to = in->to_ns, begin, end;
	uint32_t task;
	int r = CLI_OK;

	if (!(o->as->needs & NEEDS_PATH))
		return CLI_OK;
	if (o->path_tid)
		r = analysis_task(in, o->path_tid, &task);
	else
		task = profile_command(g, &begin, &end);
	if (r || task == GRAPH_NONE || g->tasks[task].born_ns >= to || g->tasks[task].exit_ns <= from)
		return r;
	if (!o->window.from && !o->window.last)
		from = MAX(from, g->tasks[task].born_ns);
	if (!o->window.to)
		to = MIN(to, g->tasks[task].exit_ns);
	r = path_walk(g, task, from, to, ret);
	if (r)
		return cli_error(
			"%s: cannot walk the critical path: %s; narrow the window with --from and --to",
			in->path, strerror(-r));
	return CLI_OK;
}

static int export_write(const struct analysis_input *in, const struct export_options *o,
			const struct export *x)
{
	struct out out;
	struct export to = *x;
	int r;

	if (o->send)
		return o->as->write(x);
	r = out_open(&out, o->out, in->path, o->as->needs & NEEDS_BINARY);

	to.f = out.f;
	if (!r)
		r = o->as->write(&to);
	return out_close(&out, r);
}

static int export_run(const struct analysis_input *in, const struct export_options *o)
{
	_cleanup_free_ bool *tasks = NULL;
	struct causal *c = NULL;
	struct path *path = NULL;
	int r = selectorarg_find_or_all(in, &o->who, &tasks), err = 0;
	bool edges = o->as->needs & NEEDS_EDGES || (o->as->needs & NEEDS_TABLE && o->rows == EXPORT_EDGES);

	if (r)
		return r;
	if (is_flame(o) && !selector_is_set(&o->who))
		selectorarg_leave_out(in->graph, tasks);
	if (edges)
		err = causal_build(in->graph, NULL, &c);
	if (err)
		r = cli_error("%s: cannot build the graph: %s; narrow the window with --from and --to",
			      in->path, strerror(-err));
	if (!r)
		r = find_path(in, o, &path);
	if (!r)
		r = export_write(in, o,
				 &(struct export){ .g = in->graph,
						   .c = c,
						   .tasks = tasks,
						   .from_ns = in->from_ns,
						   .to_ns = in->to_ns,
						   .touching = windowarg_touches(&o->window),
						   .path = path,
						   .kind = o->flame,
						   .table = o->rows,
						   .csv = !strcmp(o->as->name, "csv"),
						   .trace = reader_info(in->reader),
						   .who = &o->who,
						   .url = o->send,
						   .json = !strcmp(o->as->name, "otlp-json") });
	if (path && path->truncated)
		cli_warn("the critical path is not complete; narrow the window with --from and --to");
	path_free(path);
	causal_free(c);
	return r;
}

static int check_use(const struct export_options *o, const char *option, const char *value, unsigned need,
		     const char *with)
{
	if (!value || o->as->needs & need)
		return CLI_OK;
	return cli_usage_error(&export_usage, "%s is only for --format %s", option, with);
}

static int check_format(struct export_options *o)
{
	if (!o->format)
		return cli_usage_error(&export_usage, "--format is missing; give " FORMAT_WORDS);
	for (size_t i = 0; i < ARRAY_SIZE(formats) && !o->as; i++)
		if (!strcmp(o->format, formats[i].name))
			o->as = &formats[i];
	if (!o->as)
		return cli_usage_error(&export_usage,
				       "--format %s: there is no such format; give " FORMAT_WORDS, o->format);
	return CLI_OK;
}

static int check_words(struct export_options *o)
{
	static const char *const tables[EXPORT_TABLES] = { "intervals", "edges", "requests", "jobs" };
	int i = 0;

	while (o->table && i < EXPORT_TABLES && strcmp(o->table, tables[i]) != 0)
		i++;
	if (i == EXPORT_TABLES)
		return cli_usage_error(
			&export_usage,
			"--table %s: there is no such table; give intervals, edges, requests or jobs",
			o->table);
	o->rows = (enum export_table)i;
	o->flame = o->kind ? flame_kind_of(o->kind) : FLAME_OFFCPU;
	if (o->flame == FLAME_KINDS)
		return cli_usage_error(&export_usage,
				       "--kind %s: there is no such kind; give offcpu, blame or oncpu",
				       o->kind);
	return CLI_OK;
}

static int check(const struct cli_parse *p, struct export_options *o)
{
	int r = check_format(o);

	if (!r)
		r = check_use(o, "--table", o->table, NEEDS_TABLE, "ndjson and csv");
	if (!r)
		r = check_use(o, "--kind", o->kind, NEEDS_KIND, "folded and speedscope");
	if (!r)
		r = check_use(o, "--path", o->path_tid ? "" : NULL, NEEDS_PATH, "perfetto and chrome");
	if (!r)
		r = check_use(o, "--send", o->send, CAN_SEND, "otlp");
	if (!r && o->send && o->out)
		r = cli_usage_error(&export_usage, "give either -o or --send");
	if (!r && o->send)
		r = send_check(o->send);
	if (!r)
		r = check_words(o);
	if (r)
		return r;
	o->trace = cli_trace_arg(p);
	return o->trace ? rowarg_check(&export_usage, &o->row) : CLI_USAGE;
}

int cmd_export(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&export_usage, argc, argv);
	struct export_options o = { 0 };
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
		r = export_run(&in, &o);
	analysis_close(&in);
	return r;
}
