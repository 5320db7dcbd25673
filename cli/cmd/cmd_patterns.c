// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/rowarg.h"
#include "cli/input/taskarg.h"
#include "cli/check/recording.h"
#include "cli/patterns/render.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

struct patterns_options {
	struct selector who;
	struct windowarg window;
	const char *path[2]; /* with --compare: the old trace, then the new one */
	char **command;      /* NULL: a trace is given */
	const char *frameworks;
	struct rowarg row;
	struct tablearg table;
	unsigned column;
	bool compare, json;
};

#define FLAG(member) CLI_FLAG(struct patterns_options, member)
static const struct cli_option patterns_table[] = {
	SELECTORARG_OPTIONS(struct patterns_options, who),
	WINDOWARG_OPTIONS(struct patterns_options, window),
	ROWARG_OPTIONS(struct patterns_options, row),
	TABLEARG_OPTIONS(struct patterns_options, table,
			 "growth (the default: growing ones first), count, events, time or text",
			 "show the first N patterns (default: 10)"),
	{ FLAG(compare), "compare", NULL,
	  "show the patterns whose count changed from trace OLD to trace NEW" },
	{ CLI_TEXT(struct patterns_options, frameworks), "frameworks", "LIST",
	  "with CMD: record the jobs and calls of these frameworks, as 'ctrace record' does" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.patterns/1)" },
	{ 0 },
};

static const char *const patterns_columns[] = { "growth", "count", "events", "time", "text", NULL };

static const struct cli_usage patterns_usage = {
	.name = "patterns",
	.args = SELECTORARG_USAGE
	" " WINDOWARG_USAGE " " ROWARG_USAGE " " TABLEARG_USAGE
	" [--json] {FILE | --compare OLD NEW | [--frameworks LIST] -- CMD [ARG...]}",
	.about =
		"Shows what a process does again and again in a request that it serves, or in its whole life. Patterns whose\n"
		"count grows from one request to the next come first: they become slow when there is more data. The default\n"
		"process is the recorded command. With CMD, runs CMD, records it, and shows its patterns; this needs root.",
	.options = patterns_table,
};

struct patterns_work {
	struct analysis_input in;
	struct collected *collected;
	struct patterns *patterns;
	struct patterns_view view;
	struct recording recording; /* of a command that ctrace ran */
};

static void patterns_work_done(struct patterns_work *k)
{
	patterns_free(k->patterns);
	collected_free(k->collected);
	analysis_close(&k->in);
}

static void say_limits(const struct patterns_work *k)
{
	if (k->collected->lacks & CT_LACK_MESSAGES)
		cli_warn(
			"%s: the daemon left out messages at times, to keep its budget: the counts are lower bounds; 'ctrace budget' can raise the budget",
			k->in.path);
	if (k->patterns->refused)
		cli_warn(
			"%s: %zu events, symbols or loops are over a limit and do not count; narrow the window with --from and --to",
			k->in.path, (size_t)k->patterns->refused);
}

/* Records the command, and finds its process, or the one that the options choose. */
static int record(struct patterns_work *k, const struct patterns_options *o, uint32_t *ret_task)
{
	int r = recording_begin(&k->in, o->command, o->frameworks, o->json, &k->recording);

	if (r || selector_is_set(&o->who))
		return r ? r : taskarg_process(&k->in, &o->who, ret_task);
	*ret_task = graph_task_at(k->in.graph, k->recording.pid, k->in.to_ns - 1);
	return *ret_task != GRAPH_NONE
		       ? CLI_OK
		       : cli_error("the recording lacks the command; is the disk of /var/tmp full?");
}

static int load(struct patterns_work *k, const char *path, const struct patterns_options *o,
		uint32_t *ret_task)
{
	int r;

	if (o->command)
		return record(k, o, ret_task);
	r = analysis_begin(&k->in, path, &o->window);
	return r ? r : taskarg_process(&k->in, &o->who, ret_task);
}

static int patterns_work(struct patterns_work *k, const char *path, const struct patterns_options *o)
{
	uint32_t task = GRAPH_NONE;
	int r, exit_code = load(k, path, o, &task);

	if (exit_code)
		return exit_code;
	r = collect(k->in.graph, task, k->in.from_ns, k->in.to_ns, &k->collected);
	if (!r)
		r = patterns_find(&k->collected->sequence, o->compare ? 1 : 2, &k->patterns);
	if (r)
		return cli_error("%s: cannot find the patterns: %s; narrow the window with --from and --to",
				 k->in.path, strerror(-r));
	k->view = (struct patterns_view){ .g = k->in.graph,
					  .task = task,
					  .collected = k->collected,
					  .patterns = k->patterns,
					  .from_ns = k->in.from_ns,
					  .to_ns = k->in.to_ns };
	say_limits(k);
	return CLI_OK;
}

static struct tablearg_key key_of(const void *arg, size_t row, unsigned column)
{
	const struct pattern *x = &((const struct patterns *)arg)->v[row];

	switch (column) {
	case 1:
		return (struct tablearg_key){ .number = x->max };
	case 2:
		return (struct tablearg_key){ .number = x->events };
	case 3:
		return (struct tablearg_key){ .number = x->ns };
	}
	return (struct tablearg_key){ .name = x->text };
}

static int patterns_one(const struct patterns_options *o)
{
	_cleanup_(patterns_work_done) struct patterns_work k = { 0 };
	_cleanup_free_ uint32_t *order = NULL;
	struct sheet sheet;
	int r = patterns_work(&k, o->path[0], o);

	if (!r)
		r = tablearg_order(o->column, k.patterns->n, key_of, k.patterns, &order);
	if (r)
		return r;
	k.view.order = order;
	if (o->json) {
		r = render_patterns_json(&k.view, o->table.limit);
	} else {
		sheet_begin(&sheet, SHEET_TABLE);
		r = render_patterns(stdout, &k.view, o->table.limit);
		sheet_end(&sheet);
	}
	return r || !o->command ? r : recording_end(&k.recording, o->command[0]);
}

static const char *action_words(enum collect_action action)
{
	static const char *const words[] = { "a request", "a pair of marks",
					     "the whole life of the process" };

	return words[action];
}

static int patterns_both(const struct patterns_options *o)
{
	_cleanup_(patterns_work_done) struct patterns_work before = { 0 }, now = { 0 };
	_cleanup_free_ struct pattern_change *changes = NULL;
	struct sheet sheet;
	size_t n;
	int r = patterns_work(&before, o->path[0], o);

	if (!r)
		r = patterns_work(&now, o->path[1], o);
	if (r)
		return r;
	if (before.collected->action != now.collected->action)
		return cli_error(
			"cannot compare: in %s, a transaction is %s, but in %s, it is %s; record both in the same way, and with the same marks",
			o->path[0], action_words(before.collected->action), o->path[1],
			action_words(now.collected->action));
	if (patterns_compare(before.patterns, now.patterns, &changes, &n))
		return cli_error("out of memory");
	if (o->json)
		return render_patterns_changes_json(&before.view, &now.view, changes, n, o->table.limit);
	sheet_begin(&sheet, SHEET_TABLE);
	r = render_patterns_changes(stdout, &before.view, &now.view, changes, n, o->table.limit);
	sheet_end(&sheet);
	return r;
}

static int check_command(const struct cli_parse *p, const struct patterns_options *o)
{
	if (p->argv + p->first != o->command)
		return cli_usage_error(&patterns_usage,
				       "give either a trace or, after --, a command to record");
	if (o->compare || rowarg_is_set(&o->row) || windowarg_is_set(&o->window) || o->window.at ||
	    o->window.boot)
		return cli_usage_error(
			&patterns_usage,
			"a command is recorded and shown as a whole: --compare, --hang, --request and the options for a window go with a trace");
	return CLI_OK;
}

/* Returns the words after "--". NULL: there are none. Call this before cli_next(), which moves the "--". */
static char **command_in(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argv + i + 1;
	return NULL;
}

static int check(const struct cli_parse *p, struct patterns_options *o)
{
	if (tablearg_column(&patterns_usage, &o->table, patterns_columns, o->json, &o->column))
		return CLI_USAGE;
	if (o->command)
		return check_command(p, o);
	if (o->frameworks)
		return cli_usage_error(
			&patterns_usage,
			"--frameworks goes with a command: ctrace patterns --frameworks LIST -- CMD; a trace has what 'ctrace record --frameworks LIST' recorded");
	if (!o->compare) {
		o->path[0] = cli_trace_arg(p);
		return o->path[0] ? rowarg_check(&patterns_usage, &o->row) : CLI_USAGE;
	}
	if (rowarg_is_set(&o->row))
		return cli_usage_error(
			&patterns_usage,
			"give either --compare, or --hang or --request: they number the rows of one trace");
	if (o->table.sort)
		return cli_usage_error(
			&patterns_usage,
			"give either --compare or --sort: a comparison begins with the largest change");
	if (p->argc - p->first != 2)
		return cli_usage_error(&patterns_usage, "--compare needs two traces: OLD and NEW");
	o->path[0] = p->argv[p->first];
	o->path[1] = p->argv[p->first + 1];
	return CLI_OK;
}

int cmd_patterns(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&patterns_usage, argc, argv);
	struct rowarg_texts texts;
	struct patterns_options o = { .table.limit = PATTERNS_SHOWN, .command = command_in(argc, argv) };
	int r;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	r = check(&p, &o);
	if (!r)
		r = rowarg_use_process(&o.row, o.path[0], &o.who, &o.window, &texts);
	if (r)
		return r;
	return o.compare ? patterns_both(&o) : patterns_one(&o);
}
