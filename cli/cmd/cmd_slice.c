// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/ask/interview.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/rowarg.h"
#include "cli/input/policyarg.h"
#include "cli/render/causal.h"
#include "cli/input/taskarg.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

enum { OPT_POLICY = 256, OPT_RULES };

struct slice_request {
	const char *at, *path;
	struct selector who;
	struct windowarg window;
	struct rowarg row;
	struct causal_options causal;
	struct rulestore_options rules;
	bool forward, automatic, json;
};

#define FLAG(member) CLI_FLAG(struct slice_request, member)
static const struct cli_option slice_options[] = {
	SELECTORARG_OPTIONS(struct slice_request, who),
	WINDOWARG_OPTIONS(struct slice_request, window),
	ROWARG_OPTIONS(struct slice_request, row),
	{ FLAG(forward), "forward", NULL, "show what the work caused from TIME on, instead of its causes" },
	{ OPT_POLICY, "policy", "POLICY",
	  "how to decide what is a cause: ctrace (the default), panappticon, appinsight" },
	{ OPT_RULES, "rules", "FILE",
	  "apply the rules of FILE; can be repeated, and the first FILE keeps your answers" },
	{ FLAG(rules.none), "no-rules", NULL, "apply no rules, not even your own" },
	{ FLAG(automatic), "auto", NULL, "do not ask: take the likeliest candidate, and list the decision" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.slice/1); do not ask" },
	{ 0 },
};

static const struct cli_instead slice_instead[] = { TABLEARG_NONE, { 0 } };

static const struct cli_usage slice_usage = {
	.name = "slice",
	.args = SELECTORARG_USAGE
	" {--at TIME | --hang N | --request N} [--from TIME] [--to TIME] [--last T] [--boot N]"
	" [--forward] [--policy POLICY] [--rules FILE | --no-rules] [--auto] [--json] FILE",
	.about =
		"Takes the work that a task did at one moment, and goes back from cause to cause, to where the work began.\n"
		"At a terminal it asks you if there is more than one possible cause.",
	.options = slice_options,
	.instead = slice_instead,
};

static enum slice_direction direction(const struct slice_request *rq)
{
	return rq->forward ? SLICE_FORWARD : SLICE_BACKWARD;
}

static int print_slice(const struct causal *c, const struct slice *s, const struct slice_request *rq,
		       const struct rulestore *store)
{
	struct sheet sheet;
	json_t *doc;

	if (!rq->json) {
		sheet_begin(&sheet, SHEET_FULL);
		render_slice(stdout, c, s, direction(rq));
		rulestore_print(stdout, store);
		sheet_end(&sheet);
		return CLI_OK;
	}
	doc = render_slice_json(c, s, direction(rq));
	if (doc && json_object_set_new(doc, "rules", rulestore_json(store))) {
		json_decref(doc);
		doc = NULL;
	}
	return text_print_json(doc);
}

struct walk {
	struct analysis_input in;
	const struct slice_request *rq;
	struct interview interview;
	uint64_t at_ns;
	struct causal *c;
	struct slice *s;
};

static void walk_drop(struct walk *k)
{
	slice_free(TAKE_PTR(k->s));
	causal_free(TAKE_PTR(k->c));
}

/* walk() returns this if a walk with more records may find more. */
#define WALK_FARTHER (-1)

static int walk(struct walk *k, bool whole)
{
	char file[CLI_WORD_MAX];
	struct slice_options o = { .direction = direction(k->rq), .rules = &k->interview.store.rules };
	struct analysis_input *in = &k->in;
	uint32_t task;
	int r;

	if (!whole && k->rq->who.tid && graph_task_at(in->graph, k->rq->who.tid, k->at_ns) == GRAPH_NONE)
		return WALK_FARTHER;
	r = taskarg_at(in, &k->rq->who, k->at_ns, &task);
	if (r)
		return r;
	r = causal_build(in->graph, &k->rq->causal, &k->c);
	if (r)
		return cli_error("%s: cannot build the graph: %s", in->path, strerror(-r));
	o.ask = interview_ask(&k->interview, in->window);
	r = slice_walk(k->c, task, k->at_ns, &o, &k->s);
	if (r == -EINVAL && !whole)
		return WALK_FARTHER;
	if (r == -EINVAL)
		return cli_error(
			"%s: the trace has no records of this task at that time; 'ctrace info %s' shows the gaps of the trace",
			in->path, cli_path_word(in->path, file));
	return r ? cli_error("%s: cannot follow the causes: %s", in->path, strerror(-r)) : CLI_OK;
}

/* Returns true if the segment and SLICE_MARGIN_NS before and after it are loaded. Where the loaded
 * records end at an end of the trace, no margin is needed. */
static bool is_inside(const struct walk *k, uint32_t segment)
{
	const struct window *w = k->in.window;
	const struct segment *s = &k->c->segments[segment];

	return (w->from_ns <= w->file_from_ns || s->from_ns >= w->from_ns + SLICE_MARGIN_NS) &&
	       (w->to_ns > w->file_to_ns || s->to_ns + SLICE_MARGIN_NS <= w->to_ns);
}

static bool all_inside(const struct walk *k)
{
	for (size_t i = 0; i < k->s->n_steps; i++)
		if (!is_inside(k, k->s->steps[i].segment))
			return false;
	for (size_t i = 0; i < k->s->n_options; i++) {
		const struct edge *e = &k->c->edges[k->s->options[i].edge];

		if (!is_inside(k, e->to) || (e->from != GRAPH_NONE && !is_inside(k, e->from)))
			return false;
	}
	return true;
}

static int walk_near(struct walk *k)
{
	uint64_t from_ns = k->at_ns > SLICE_AROUND_NS ? k->at_ns - SLICE_AROUND_NS : 0;
	int r = analysis_load_range(&k->in, from_ns, k->at_ns + SLICE_AROUND_NS);

	if (!r)
		r = walk(k, false);
	return r || all_inside(k) ? r : WALK_FARTHER;
}

/* A second walk would count rules twice, and ask twice. So with rules or questions, there is one walk,
 * the one with more records. */
static int walk_far_enough(struct walk *k)
{
	bool ruled = k->interview.possible || k->interview.store.n_read;
	bool window = windowarg_is_set(&k->rq->window);
	int r = ruled || window ? WALK_FARTHER : walk_near(k);

	if (r != WALK_FARTHER)
		return r;
	walk_drop(k);
	r = window ? analysis_load_range(&k->in, k->in.from_ns, k->in.to_ns)
		   : analysis_load_around(&k->in, k->at_ns);
	return r ? r : walk(k, true);
}

static int slice_print(struct walk *k)
{
	int r = walk_far_enough(k);

	if (!r && interview_end(&k->interview))
		r = print_slice(k->c, k->s, k->rq, &k->interview.store);
	walk_drop(k);
	return r ? r : k->interview.code;
}

static int parse_option(struct slice_request *rq, int c, const char *arg)
{
	if (c == OPT_POLICY)
		return policyarg_parse(&slice_usage, arg, &rq->causal.policy);
	return rulestore_option(&rq->rules, arg);
}

static int slice_check(const struct slice_request *rq)
{
	bool row = rowarg_is_set(&rq->row);

	if (!selector_is_set(&rq->who) && !row)
		return cli_usage_error(
			&slice_usage,
			"the task whose work to follow is missing: give --tid, --pid, --comm, --cgroup or --container");
	if (!rq->window.at && !row)
		return cli_usage_error(&slice_usage,
				       "--at is missing: give a moment at which the task did the work");
	if (rq->rules.none && rq->rules.n_files)
		return cli_usage_error(&slice_usage, "give either --rules or --no-rules");
	return rowarg_check(&slice_usage, &rq->row);
}

/* Sets rq->at. With --hang or --request, chooses the task of the row and the moment at which the row ends. */
static int choose_moment(struct slice_request *rq, struct rowarg_texts *texts)
{
	int r = rowarg_use_moment(&rq->row, rq->path, &rq->who, &rq->window, texts);

	rq->at = rowarg_is_set(&rq->row) ? texts->last : rq->window.at;
	rq->window.at = NULL; /* the window is that of --from, --to and --last */
	return r;
}

int cmd_slice(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&slice_usage, argc, argv);
	struct slice_request rq = { 0 };
	struct walk k = { .rq = &rq };
	struct rowarg_texts texts;
	int c, r = CLI_OK;

	p.into = &rq;
	while (!r && (c = cli_next(&p)) > 0)
		r = parse_option(&rq, c, p.arg);
	if (r)
		return r;
	if (c < 0)
		return p.exit_code;
	rq.path = cli_trace_arg(&p);
	if (!rq.path || slice_check(&rq))
		return CLI_USAGE;
	r = interview_begin(&rq.rules, !rq.automatic && !rq.json, &k.interview);
	if (!r)
		r = choose_moment(&rq, &texts);
	if (!r)
		r = taskarg_open(&k.in, rq.path, &rq.window, "--at", rq.at, &k.at_ns);
	if (!r)
		r = slice_print(&k);
	analysis_close(&k.in);
	interview_done(&k.interview);
	return r;
}
