// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "analysis/jobs/pools.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/rowarg.h"
#include "cli/render/jobs.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "lib/cleanup.h"

struct jobs_options {
	const char *path, *compare;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	struct tablearg table;
	unsigned column;
	bool json;
};

#define TEXT(member) CLI_TEXT(struct jobs_options, member)
#define FLAG(member) CLI_FLAG(struct jobs_options, member)
static const struct cli_option jobs_table[] = {
	SELECTORARG_OPTIONS(struct jobs_options, who),
	WINDOWARG_OPTIONS(struct jobs_options, window),
	ROWARG_OPTIONS(struct jobs_options, row),
	TABLEARG_OPTIONS(
		struct jobs_options, table,
		"waiting (the default: queues in which jobs wait first), count, queueing, execution or name",
		"show the first N queues (default: all)"),
	{ TEXT(compare), "compare", "BEFORE", "show the queues beside those of the trace BEFORE" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.jobs/1)" },
	{ 0 },
};

static const char *const jobs_columns[] = { "waiting", "count", "queueing", "execution", "name", NULL };

static const struct cli_usage jobs_usage = {
	.name = "jobs",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE " " ROWARG_USAGE " " TABLEARG_USAGE
				  " [--compare BEFORE] [--json] FILE",
	.about =
		"Shows the queues of jobs of the frameworks that are switched on: how long jobs waited in the queue, how\n"
		"long they ran, and why they waited. Also shows the pools of threads without a framework: how long their\n"
		"threads worked, and for how long all of them were busy.",
	.options = jobs_table,
};

/* ret_pools may be NULL. */
static int load(struct analysis_input *in, const char *path, const struct windowarg *window,
		const struct selector *who, struct queues **ret, struct queues **ret_pools)
{
	_cleanup_free_ bool *tasks = NULL;
	int r = analysis_begin(in, path, window);

	if (!r)
		r = selectorarg_find(in, who, &tasks);
	if (r)
		return r;
	r = queues_find(in->graph, in->from_ns, in->to_ns, ret);
	if (!r && ret_pools)
		r = pools_find(in->graph, in->from_ns, in->to_ns, ret_pools);
	if (r)
		return cli_error("%s: cannot find the jobs: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	if (tasks &&
	    (queues_keep(*ret, in->graph, tasks) || (ret_pools && queues_keep(*ret_pools, in->graph, tasks))))
		return cli_error("out of memory");
	return CLI_OK;
}

static struct tablearg_key key_of(const void *arg, size_t row, unsigned column)
{
	const struct queues_of *now = arg;
	const struct queue *q = &now->q->v[row];

	switch (column) {
	case 1:
		return (struct tablearg_key){ .number = q->times.count };
	case 2:
		return (struct tablearg_key){ .number = q->times.queueing.p95 };
	case 3:
		return (struct tablearg_key){ .number = q->times.execution.p95 };
	}
	return (struct tablearg_key){ .name = queue_comm(now->g, q) };
}

static int show(const struct jobs_options *o, const struct queues_of *now, const struct queues_of *before)
{
	_cleanup_free_ uint32_t *order = NULL;
	struct sheet sheet;
	int r = tablearg_order(o->column, now->q->n, key_of, now, &order);

	if (r)
		return r;
	sheet_begin(&sheet, SHEET_TABLE);
	r = render_jobs(stdout, now, before, order, o->table.limit);
	sheet_end(&sheet);
	return r;
}

static int check(const struct jobs_options *o)
{
	if (o->compare && rowarg_is_set(&o->row))
		return cli_usage_error(
			&jobs_usage,
			"give either --compare, or --hang or --request: they number the rows of one trace");
	return rowarg_check(&jobs_usage, &o->row);
}

static int jobs_print(const struct jobs_options *o, struct analysis_input *in,
		      struct analysis_input *before_in)
{
	struct queues *q = NULL, *b = NULL, *pools = NULL;
	struct queues_of now, before;
	int r = load(in, o->path, &o->window, &o->who, &q, o->compare ? NULL : &pools);

	if (!r && o->compare)
		r = load(before_in, o->compare, &(struct windowarg){ 0 }, &o->who, &b, NULL);
	now = (struct queues_of){ in->graph, q, pools, in->from_ns, in->to_ns };
	before = (struct queues_of){ before_in->graph, b, NULL, before_in->from_ns, before_in->to_ns };
	if (!r)
		r = o->json ? render_jobs_json(&now, b ? &before : NULL, o->table.limit)
			    : show(o, &now, b ? &before : NULL);
	queues_free(q);
	queues_free(b);
	queues_free(pools);
	return r;
}

int cmd_jobs(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&jobs_usage, argc, argv);
	struct jobs_options o = { 0 };
	struct analysis_input in = { 0 }, before_in = { 0 };
	struct rowarg_texts texts;
	int r;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	o.path = cli_trace_arg(&p);
	if (!o.path)
		return CLI_USAGE;
	if (check(&o) || tablearg_column(&jobs_usage, &o.table, jobs_columns, o.json, &o.column))
		return CLI_USAGE;
	r = rowarg_use_process(&o.row, o.path, &o.who, &o.window, &texts);
	if (!r)
		r = jobs_print(&o, &in, &before_in);
	analysis_close(&in);
	analysis_close(&before_in);
	return r;
}
