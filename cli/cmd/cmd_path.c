// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cli/input/taskarg.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/rowarg.h"
#include "cli/render/path.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "cli/input/withoutarg.h"
#include "graph/causal/causal.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"

enum { OPT_WITHOUT = 256 };

struct path_options {
	const char *path;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	const char *without[WITHOUTARG_MAX];
	size_t n_without;
	struct tablearg table;
	unsigned column;
	bool all, json;
};

#define FLAG(member) CLI_FLAG(struct path_options, member)
static const struct cli_option path_table[] = {
	SELECTORARG_OPTIONS(struct path_options, who),
	WINDOWARG_OPTIONS(struct path_options, window),
	ROWARG_OPTIONS(struct path_options, row),
	{ OPT_WITHOUT, "without", "WHAT",
	  "only say how much shorter the range would be without task:TID, process:PID, object:TEXT, wait:TIME, resource:KIND" },
	TABLEARG_OPTIONS(struct path_options, table, "from (the default: in the order of time) or length",
			 "list the N longest pieces (default: 20)"),
	{ FLAG(all), "all", NULL, "list all pieces, not only the longest" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.path/1)" },
	{ 0 },
};

static const char *const path_columns[] = { "from", "length", NULL };

static const struct cli_usage path_usage = {
	.name = "path",
	.args = SELECTORARG_USAGE " " WINDOWARG_USAGE " " ROWARG_USAGE " [--without WHAT]... " TABLEARG_USAGE
				  " [--all] [--json] FILE",
	.about =
		"Prints the critical path of a task in a range of time: which task delayed it, moment by moment. The\n"
		"pieces add up to the range exactly. The default task is the recorded command, and the default range is\n"
		"the life of the task. Also says where the time went, and how much shorter the range would be without\n"
		"some of the pieces.",
	.options = path_table,
};

struct path_work {
	const struct graph *g;
	struct graph own_g;
	struct graph_scans own;
	unsigned n_threads; /* 1 in the second attempt of path_work_fast(), however many CPUs there are */
	struct causal_links links;
	struct path *path;
	struct account *account;
	struct whatif *whatif;
	struct withoutarg without;
	struct whatif_row *table;
	struct path_view view;
};

static void path_work_done(struct path_work *k)
{
	free(k->table);
	withoutarg_done(&k->without);
	whatif_free(k->whatif);
	account_free(k->account);
	path_free(k->path);
	causal_links_done(&k->links);
}

/* Sets *ret to the question of the headline: how much shorter would the range be without the waits of the
 * largest row of ACCOUNT_WAIT? If this row is about waits for a CPU, the question is about the waits of
 * all tasks for a CPU. Returns false if there is no question. */
static bool headline_question(const struct account *a, struct whatif_without *ret)
{
	const struct account_row *r = &a->rows[ACCOUNT_WAIT][0];

	if (r->kind != RESOURCE_NONE)
		*ret = whatif_waits_of(r);
	else if (r->time == TIME_RUNNABLE)
		*ret = (struct whatif_without){ .kind = WHATIF_RESOURCE,
						.time = TIME_RUNNABLE,
						.interval = GRAPH_NONE,
						.task = GRAPH_NONE };
	else
		return false;
	return true;
}

static int ask_headline(struct path_work *k)
{
	struct whatif_row *h = &k->view.headline;

	if (!headline_question(k->account, &h->without))
		return 0;
	for (size_t i = 0; i < k->view.n_table; i++)
		if (whatif_same(&k->table[i].without, &h->without)) {
			h->saved_ns = k->table[i].saved_ns;
			return 0;
		}
	return whatif_saved(k->whatif, &h->without, 1, &h->saved_ns);
}

static int walk_path(struct path_work *k, const struct analysis_input *in, uint32_t task)
{
	int r = whatif_new(k->g, task, in->from_ns, in->to_ns, &k->whatif);

	if (!r)
		r = path_walk_blamed(k->g, task, in->from_ns, in->to_ns, whatif_blamed, k->whatif, &k->path);
	return r ? r : account_new(k->g, k->path, &k->account);
}

struct walking {
	struct path_work *k;
	const struct analysis_input *in;
	uint32_t task;
	int link_err, walk_err;
	bool linked; /* link_part() is done */
};

static void link_part(void *arg)
{
	struct walking *w = arg;

	w->link_err = causal_links_find(w->k->g, &w->k->links);
	__atomic_store_n(&w->linked, true, __ATOMIC_RELAXED);
}

static void walk_part(void *arg)
{
	struct walking *w = arg;

	w->walk_err = walk_path(w->k, w->in, w->task);
	/* until the other thread is done, too */
	if (!w->walk_err && w->k->n_threads > 1)
		whatif_prepare(w->k->whatif, w->k->path, NULL, &w->linked);
}

static int walk_both(struct path_work *k, const struct analysis_input *in, uint32_t task)
{
	struct walking w = { .k = k, .in = in, .task = task };

	if (k->n_threads > 1) {
		cli_both(link_part, walk_part, &w);
	} else {
		link_part(&w);
		walk_part(&w);
	}
	return w.link_err ? w.link_err : w.walk_err;
}

static int walk(struct path_work *k, const struct analysis_input *in, uint32_t task)
{
	int r = walk_both(k, in, task);

	if (!r && k->n_threads > 1)
		whatif_prepare(k->whatif, k->path, cli_both, NULL);
	if (!r)
		r = whatif_link(k->whatif, &k->links, k->n_threads > 1 ? cli_both : NULL);
	causal_links_done(&k->links);
	k->view = (struct path_view){ .g = in->graph,
				      .path = k->path,
				      .account = k->account,
				      .whatif = k->whatif,
				      .from_ns = in->from_ns,
				      .to_ns = in->to_ns };
	return r;
}

static int ask_table(struct path_work *k)
{
	int r = whatif_table(k->whatif, k->path, k->account, k->n_threads > 1 ? cli_both : NULL, &k->table,
			     &k->view.n_table);

	k->view.table = k->table;
	return r;
}

static int ask_without(struct path_work *k)
{
	struct path_view *v = &k->view;
	int r;

	v->without = k->without.v.v;
	v->n_without = k->without.v.n;
	r = whatif_saved(k->whatif, v->without, v->n_without, &v->answer.saved_ns);
	return r ? r : whatif_on_path(k->whatif, k->path, v->without, v->n_without, &v->answer.path_ns);
}

static void clip_to_life(struct analysis_input *in, const struct path_options *o, uint32_t task)
{
	const struct graph_task *t = &in->graph->tasks[task];

	if (!o->window.from && !o->window.last && t->born_ns < in->to_ns)
		in->from_ns = MAX(in->from_ns, t->born_ns);
	if (!o->window.to && t->exit_ns > in->from_ns)
		in->to_ns = MIN(in->to_ns, t->exit_ns);
}

static int path_work(struct path_work *k, struct analysis_input *in, const struct path_options *o,
		     uint32_t task)
{
	int exit_code = CLI_OK, r = walk(k, in, task);

	for (size_t i = 0; i < o->n_without && !r && !exit_code; i++)
		exit_code = withoutarg_add(&k->without, in, task, k->account, o->without[i]);
	if (!r && !exit_code)
		r = o->n_without ? ask_without(k) : ask_table(k);
	if (!r && !exit_code)
		r = ask_headline(k);
	k->view.all = o->all;
	k->view.limit = o->table.limit;
	k->view.by_length = o->column == 1;
	k->view.victim = selector_is_set(&o->who) ? GRAPH_NONE : task;
	if (r)
		return cli_error(
			"%s: cannot walk the critical path: %s; narrow the window with --from and --to",
			in->path, strerror(-r));
	return exit_code;
}

/* If the threads spend the whole budget for look-ups (scan.h), the answer depends on which thread runs
 * first. Then one thread does the work again. */
static int path_work_fast(struct path_work *k, struct analysis_input *in, const struct path_options *o,
			  uint32_t task)
{
	uint64_t left = scan_left(in->graph);
	int exit_code;

	*k = (struct path_work){ .g = &k->own_g, .own = { .left = left }, .n_threads = cli_threads(2) };
	k->own_g = scan_view(in->graph, &k->own);
	exit_code = path_work(k, in, o, task);
	if (!k->own.refused) {
		scan_pay(in->graph, left - k->own.left, 0);
		return exit_code;
	}
	path_work_done(k);
	*k = (struct path_work){ .g = in->graph, .n_threads = 1 };
	return path_work(k, in, o, task);
}

static void show(const struct path_view *v)
{
	struct sheet sheet;

	sheet_begin(&sheet, SHEET_TABLE);
	render_path(stdout, v);
	sheet_end(&sheet);
}

static int path_print(struct analysis_input *in, const struct path_options *o)
{
	struct path_work k = { 0 };
	uint32_t task;
	int exit_code = taskarg_in_window(in, &o->who, &task);

	if (exit_code)
		return exit_code;
	clip_to_life(in, o, task);
	exit_code = path_work_fast(&k, in, o, task);
	if (!exit_code && o->json)
		exit_code = render_path_json(&k.view);
	else if (!exit_code)
		show(&k.view);
	if (k.whatif && whatif_refused(k.whatif))
		cli_warn(
			"more than %d tasks wait for each other in a row: the real saving is larger than shown; narrow the window with --from and --to",
			WHATIF_MAX_DEPTH);
	path_work_done(&k);
	return exit_code;
}

static int add_without(struct path_options *o, const char *arg)
{
	if (o->n_without == WITHOUTARG_MAX)
		return cli_usage_error(&path_usage, "--without: give it at most %d times", WITHOUTARG_MAX);
	o->without[o->n_without++] = arg;
	return CLI_OK;
}

static int check(const struct path_options *o)
{
	if (o->table.limit && o->all)
		return cli_usage_error(&path_usage, "give either --limit or --all");
	if (o->table.limit && o->json)
		return cli_usage_error(&path_usage,
				       "give either --limit or --json: JSON always has all pieces");
	return rowarg_check(&path_usage, &o->row);
}

int cmd_path(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&path_usage, argc, argv);
	struct path_options o = { 0 };
	struct analysis_input in = { .frugal = true }; /* a path needs much memory */
	struct rowarg_texts texts;
	int c, r;

	p.into = &o;
	while ((c = cli_next(&p)) > 0) {
		r = add_without(&o, p.arg);
		if (r)
			return r;
	}
	if (c < 0)
		return p.exit_code;
	o.path = cli_trace_arg(&p);
	if (!o.path || check(&o) || tablearg_column(&path_usage, &o.table, path_columns, o.json, &o.column))
		return CLI_USAGE;
	r = rowarg_use(&o.row, o.path, &o.who, &o.window, &texts);
	if (!r)
		r = analysis_begin(&in, o.path, &o.window);
	if (!r)
		r = path_print(&in, &o);
	analysis_close(&in);
	return r;
}
