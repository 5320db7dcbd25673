// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "analysis/hangs/hangs.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/rowarg.h"
#include "cli/input/policyarg.h"
#include "cli/render/causal.h"
#include "cli/input/taskarg.h"
#include "cli/sheet/pager.h"
#include "cli/tablearg.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

enum { OPT_FORMAT = 256, OPT_AROUND, OPT_DEPTH, OPT_POLICY, OPT_CUTS_OFF };

struct graph_request {
	const char *path;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	char *around_task;
	const char *around_time;
	uint64_t depth;
	struct causal_options options;
	bool dot, depth_given;
};

static const struct cli_option graph_options[] = {
	{ OPT_FORMAT, "format", "FORMAT", "json (ctrace.graph/1, the default) or dot (for Graphviz)" },
	SELECTORARG_OPTIONS(struct graph_request, who),
	WINDOWARG_OPTIONS(struct graph_request, window),
	ROWARG_OPTIONS(struct graph_request, row),
	{ OPT_AROUND, "around", "TASK@TIME",
	  "only the segments near the work of TASK (a tid or a name) at TIME" },
	{ OPT_DEPTH, "depth", "N", "with --around, --hang or --request: at most N edges away (default: 3)" },
	{ OPT_POLICY, "policy", "POLICY",
	  "how to decide what is a cause: ctrace (the default), panappticon, appinsight" },
	{ OPT_CUTS_OFF, "cuts-off", "RULES",
	  "do not cut work into segments by these rules (RULE,RULE): idle, job, batch, peers, exec, wake" },
	{ 0 },
};

static const struct cli_instead graph_instead[] = { TABLEARG_NONE, { 0 } };

static const struct cli_usage graph_usage = {
	.name = "graph",
	.args = "[--format FORMAT] " SELECTORARG_USAGE " " WINDOWARG_USAGE
		" [{--around TASK@TIME | --hang N | --request N} [--depth N]] [--policy POLICY] [--cuts-off RULES] FILE",
	.about = "Prints the causal graph: what each task worked on (segments), and what caused it (edges).",
	.options = graph_options,
	.instead = graph_instead,
};

#define DEPTH_DEFAULT 3
#define DEPTH_MAX     1000

#define AROUND_TASK_MAX 16

/* Splits at the last @: a name may have an @, a time has none. */
static int parse_around(char *arg, struct graph_request *rq)
{
	char *at = strrchr(arg, '@');

	if (!at || at == arg || !at[1])
		return cli_usage_error(&graph_usage,
				       "--around %s: write it as TASK@TIME, for example make@14:03:12", arg);
	*at = 0;
	rq->around_task = arg;
	rq->around_time = at + 1;
	return CLI_OK;
}

static int parse_format(const char *arg, bool *ret_dot)
{
	*ret_dot = !strcmp(arg, "dot");
	if (*ret_dot || !strcmp(arg, "json"))
		return CLI_OK;
	return cli_usage_error(&graph_usage, "--format %s: there is no such format; give json or dot", arg);
}

static int parse_option(struct graph_request *rq, int c, char *arg)
{
	switch (c) {
	case OPT_FORMAT:
		return parse_format(arg, &rq->dot);
	case OPT_AROUND:
		return parse_around(arg, rq);
	case OPT_DEPTH:
		rq->depth_given = true;
		if (cli_number(arg, DEPTH_MAX, &rq->depth))
			return cli_usage_error(&graph_usage, "--depth %s: this is not a number up to %d", arg,
					       DEPTH_MAX);
		break;
	case OPT_POLICY:
		return policyarg_parse(&graph_usage, arg, &rq->options.policy);
	case OPT_CUTS_OFF:
		return policyarg_cuts(&graph_usage, arg, &rq->options.cuts_off);
	}
	return CLI_OK;
}

static int narrow(const struct analysis_input *in, const struct graph_request *rq, uint64_t at_ns,
		  struct graph_pick *pick)
{
	char file[CLI_WORD_MAX];
	uint32_t task, segment;
	int r = taskarg_named(in, rq->around_task, at_ns, &task);

	if (r)
		return r;
	segment = causal_segment_at(pick->c, task, at_ns);
	if (segment == GRAPH_NONE || !pick->in[segment])
		return cli_error(
			"%s: the trace has no records of %s at that time; 'ctrace info %s' shows the gaps of the trace",
			in->path, rq->around_task, cli_path_word(in->path, file));
	if (graph_pick_around(pick, &segment, 1, (uint32_t)rq->depth, rq->dot ? RENDER_DOT_MAX : SIZE_MAX))
		return cli_error("out of memory");
	if (rq->dot && pick->n == RENDER_DOT_MAX)
		cli_say("%s: more than %d segments are too many to read, so the picture has the nearest ones; a smaller --depth shows fewer",
			rq->path, RENDER_DOT_MAX);
	return CLI_OK;
}

struct centre {
	uint32_t segments[DIAGNOSE_MAX_CHAIN];
	size_t n;
};

/* Adds the segment of the task at ts_ns, if it is picked. */
static void add_centre(struct centre *c, const struct graph_pick *pick, uint32_t task, uint64_t ts_ns)
{
	uint32_t segment = causal_segment_at(pick->c, task, ts_ns);

	if (segment != GRAPH_NONE && pick->in[segment] && c->n < ARRAY_SIZE(c->segments))
		c->segments[c->n++] = segment;
}

/* Finds the segments at the end of the worst hang: one of the victim, one of the task for which it waited,
 * and so on to the root cause. If there are none, takes the picked segment that began last. Returns 0 or
 * -ENOMEM. */
static int find_centre(const struct analysis_input *in, const struct graph_request *rq,
		       const struct graph_pick *pick, struct centre *ret)
{
	const struct hangs_filter filter = { .who = rq->who, .worst = true };
	uint32_t last = GRAPH_NONE;
	struct hangs *h;

	if (hangs_find(in->graph, in->from_ns, in->to_ns, &filter, &h))
		return -ENOMEM;
	for (size_t i = 0; h->n && i < h->v[0].diagnosis->n_chain; i++)
		add_centre(ret, pick, h->v[0].diagnosis->chain[i].task, h->v[0].to_ns - 1);
	hangs_free(h);
	for (uint32_t i = 0; i < pick->c->n_segments && !ret->n; i++)
		if (pick->in[i] &&
		    (last == GRAPH_NONE || pick->c->segments[i].from_ns > pick->c->segments[last].from_ns))
			last = i;
	if (!ret->n)
		ret->segments[ret->n++] = last;
	return 0;
}

/* Keeps the segments near the worst hang. */
static int narrow_picture(const struct analysis_input *in, const struct graph_request *rq,
			  struct graph_pick *pick)
{
	struct centre centre = { 0 };
	char who[RENDER_WHO_MAX];
	size_t all = pick->n;

	if (find_centre(in, rq, pick, &centre) ||
	    graph_pick_around(pick, centre.segments, centre.n, DEPTH_DEFAULT, RENDER_DOT_MAX))
		return cli_error("out of memory");
	cli_say("%s: %zu segments are too many to read, so the picture has %zu of them, near %s; choose others with --around, --from and --to",
		rq->path, all, pick->n, render_who(pick->c, centre.segments[0], who));
	return CLI_OK;
}

static int print(const struct graph_request *rq, const struct graph_pick *pick)
{
	struct pager pager;
	bool paged = pager_begin_long(&pager);
	int r = rq->dot ? render_graph_dot(stdout, pick) : render_graph_json(stdout, pick);

	if (paged)
		pager_end(&pager);
	return r ? cli_error("out of memory") : CLI_OK;
}

static int graph_print(const struct analysis_input *in, const struct graph_request *rq, uint64_t at_ns)
{
	struct causal_options options = rq->options;
	_cleanup_free_ bool *tasks = NULL;
	struct graph_pick pick = { 0 };
	struct causal *c = NULL;
	int r = selectorarg_find(in, &rq->who, &tasks);

	if (r)
		return r;
	options.from_ns = in->from_ns;
	options.to_ns = in->to_ns;
	r = causal_build(in->graph, &options, &c);
	if (r)
		return cli_error("%s: cannot build the graph: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	r = graph_pick_window(c, in->from_ns, in->to_ns, &pick) ? cli_error("out of memory") : CLI_OK;
	if (!r && rq->around_task)
		r = narrow(in, rq, at_ns, &pick);
	if (!r && tasks)
		graph_pick_tasks(&pick, tasks);
	if (!r && !rq->around_task && rq->dot && pick.n > RENDER_DOT_MAX)
		r = narrow_picture(in, rq, &pick);
	if (!r)
		r = print(rq, &pick);
	graph_pick_done(&pick);
	causal_free(c);
	return r;
}

/* in->from_ns and in->to_ns become the window to show. */
static int graph_load(const struct graph_request *rq, struct analysis_input *in, uint64_t *ret_at_ns)
{
	int r;

	if (!rq->around_task) {
		r = analysis_open(in, rq->path, rq->window.boot);
		if (!r)
			r = tracefile_window(in->reader, rq->path, &rq->window, &in->from_ns, &in->to_ns);
		return r ? r : analysis_load_part(in, GRAPH_BEFORE_NS);
	}
	r = taskarg_open(in, rq->path, &rq->window, "--around", rq->around_time, ret_at_ns);
	if (r || windowarg_is_set(&rq->window))
		return r ? r : analysis_load_part(in, GRAPH_BEFORE_NS);
	r = analysis_load_around(in, *ret_at_ns);
	if (r)
		return r;
	in->from_ns = MAX(in->window->from_ns, in->window->file_from_ns);
	in->to_ns = MIN(in->window->to_ns, in->window->file_to_ns + 1);
	return CLI_OK;
}

static int graph_check(const struct graph_request *rq)
{
	if (rq->around_task && rq->window.at)
		return cli_usage_error(&graph_usage,
				       "give either --around or --at: --around TASK@TIME has its own moment");
	if (rq->around_task && rowarg_is_set(&rq->row))
		return cli_usage_error(&graph_usage, "give either --around, or --hang or --request");
	if (rq->depth_given && !rq->around_task && !rowarg_is_set(&rq->row))
		return cli_usage_error(&graph_usage, "--depth needs --around TASK@TIME, --hang or --request");
	return rowarg_check(&graph_usage, &rq->row);
}

/* With --hang or --request, the picture is around the end of the row. The other tasks near it count too. */
static int use_row(struct graph_request *rq, struct rowarg_texts *texts, char around_task[AROUND_TASK_MAX])
{
	int r = rowarg_use_moment(&rq->row, rq->path, &rq->who, &rq->window, texts);

	if (r || !rowarg_is_set(&rq->row))
		return r;
	snprintf(around_task, AROUND_TASK_MAX, "%" PRIu32, rq->who.tid);
	rq->around_task = around_task;
	rq->around_time = texts->last;
	rq->who = (struct selector){ 0 };
	return CLI_OK;
}

int cmd_graph(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&graph_usage, argc, argv);
	struct graph_request rq = { .depth = DEPTH_DEFAULT };
	struct analysis_input in = { 0 };
	char around_task[AROUND_TASK_MAX];
	struct rowarg_texts texts;
	uint64_t at_ns = 0;
	int c, r = CLI_OK;

	p.into = &rq;
	while (!r && (c = cli_next(&p)) > 0)
		r = parse_option(&rq, c, (char *)p.arg);
	if (r)
		return r;
	if (c < 0)
		return p.exit_code;
	rq.path = cli_trace_arg(&p);
	if (!rq.path || graph_check(&rq))
		return CLI_USAGE;
	if (rq.dot && isatty(STDOUT_FILENO))
		return cli_error(
			"the format dot is not made for a terminal; add '| dot -Tsvg > graph.svg' to draw it, or '> graph.dot'");
	r = use_row(&rq, &texts, around_task);
	if (!r)
		r = graph_load(&rq, &in, &at_ns);
	if (!r)
		r = graph_print(&in, &rq, at_ns);
	analysis_close(&in);
	return r;
}
