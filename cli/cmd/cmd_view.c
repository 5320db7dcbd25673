// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask/rulestore.h"
#include "cli/check/write.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/export/out.h"
#include "cli/hangs/hangs_search.h"
#include "cli/hangs/victim.h"
#include "cli/text.h"
#include "report/thresholds.h"
#include "report/view/hangs.h"
#include "report/view/make.h"
#include "report/view/page.h"
#include "lib/cleanup.h"
#include "trace/words/words.h"

enum { OPT_RULES = 256 };

struct request {
	struct victim_request victim;
	const char *output;
	struct rulestore_options rules;
	bool json;
};

#define FLAG(member) CLI_FLAG(struct request, member)
static const struct cli_option view_options[] = {
	{ 'o', "output", "PAGE", "write the page to the file PAGE (default: stdout)" },
	VICTIM_OPTIONS(struct request, victim),
	{ OPT_RULES, "rules", "FILE", "apply the rules of FILE; can be repeated" },
	{ FLAG(rules.none), "no-rules", NULL, "apply no rules, not even your own" },
	{ FLAG(json), "json", NULL, "print the data of the page as JSON (ctrace.view/1)" },
	{ 0 },
};

static const struct cli_usage view_usage = {
	.name = "view",
	.args = "[-o PAGE] " VICTIM_USAGE " [--rules FILE | --no-rules] [--json] FILE",
	.about =
		"Writes a page for a browser that explains a hang: the answer of 'ctrace diagnose', its evidence, and a\n"
		"timeline of the tasks that matter. The page is one file that loads nothing, so you can send it by mail.\n"
		"The task is chosen as by 'ctrace diagnose'.",
	.options = view_options,
};

static int diagnose_victim(struct analysis_input *in, const struct request *rq, struct rules *rules,
			   struct victim *v)
{
	struct diagnose_options o = { .rules = rules, .window_given = windowarg_is_set(&rq->victim.window) };
	int r;

	if (v->diagnosis && !rules->v.n)
		return CLI_OK;
	diagnosis_free(TAKE_PTR(v->diagnosis));
	r = diagnose(in->graph, v->task, in->from_ns, in->to_ns, &o, &v->diagnosis);
	return r ? cli_error("%s: cannot diagnose: %s", in->path, strerror(-r)) : CLI_OK;
}

static int put_page(FILE *f, const void *data)
{
	return view_write_page(f, data);
}

/* Takes the reference of data. */
static int print(const struct request *rq, json_t *data)
{
	int r;

	if (rq->json)
		return text_print_json(data);
	r = rq->output                      ? write_private_file(rq->output, put_page, data)
	    : view_write_page(stdout, data) ? CLI_FAILED
					    : CLI_OK;
	json_decref(data);
	return r;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_option(struct words *t, const char *name, const char *value)
{
	if (!value)
		return;
	words_add(t, " --%s ", name);
	words_add_quoted(t, value, "NAME");
}

static void add_options(struct words *t, const struct victim_request *rq)
{
	if (rq->who.tid)
		words_add(t, " --tid %u", rq->who.tid);
	if (rq->who.pid)
		words_add(t, " --pid %u", rq->who.pid);
	add_option(t, "comm", rq->who.comm);
	add_option(t, "cgroup", rq->who.cgroup);
	add_option(t, "container", rq->who.container);
	add_option(t, "at", rq->at);
	add_option(t, "from", rq->window.from);
	add_option(t, "to", rq->window.to);
	add_option(t, "last", rq->window.last);
}

static const char *place_of(const struct victim_request *rq)
{
	return rq->at                          ? "around the given time"
	       : windowarg_is_set(&rq->window) ? "in the given window"
					       : "in this trace";
}

static void add_chosen(struct words *t, const struct victim_request *rq, const struct victim *v,
		       const char *options)
{
	switch (v->choice) {
	case VICTIM_NAMED:
		words_add(t, "You chose the task with%s.", options);
		return;
	case VICTIM_COMMAND:
		words_add(t, "No task was named, so the page is about the command that was recorded.");
		return;
	case VICTIM_DESCENDANT:
		words_add(
			t,
			"No task was named. Nothing is wrong with the recorded command, so the page is about the worst hang of the tasks that it started.");
		return;
	case VICTIM_WORST:
		break;
	}
	words_add(
		t,
		v->alarm
			? "No task was named, so the page is about the worst hang %s."
			: "No task was named, and no hang was found %s. So the page is about the longest wait.",
		rq->at ? "at the given time" : place_of(rq));
}

static int draw_page(const struct analysis_input *in, const struct request *rq, const struct view *view)
{
	json_t *data;
	int r = view_make(view, &data);

	return r ? cli_error("%s: cannot make the page: %s; narrow the window with --from and --to", in->path,
			     strerror(-r))
		 : print(rq, data);
}

static char *options_of(const struct victim_request *rq)
{
	struct words t = { 0 };

	words_add(&t, "%s", ""); /* without options, the text is "" */
	add_options(&t, rq);
	return words_take(&t);
}

static char *chosen_of(const struct victim_request *rq, const struct victim *v, const char *options)
{
	struct words t = { 0 };

	add_chosen(&t, rq, v, options);
	return words_take(&t);
}

/* in: has the window of the victim. whole: has the window in which to look for hangs. */
static int draw(const struct analysis_input *in, const struct analysis_input *whole, const struct request *rq,
		const struct victim *v)
{
	_cleanup_free_ char *options = options_of(&rq->victim), *chosen = chosen_of(&rq->victim, v, options);
	struct hangs *h;
	struct view view = { .g = in->graph,
			     .diagnosis = v->diagnosis,
			     .chosen = chosen,
			     .options = options,
			     .window_given = windowarg_is_set(&rq->victim.window),
			     .where = place_of(&rq->victim),
			     .trace = base_name(in->path),
			     .boot = rq->victim.window.boot,
			     .tables = !in->lean };
	int r = options && chosen ? hangs_search(in->graph, whole->from_ns, whole->to_ns, NULL, &h) : -ENOMEM;

	if (r)
		return cli_error("%s: cannot look for hangs: %s", in->path, strerror(-r));
	/* Ctrl-C ended the search. Threads may still read the graph, so it is not freed. */
	if (h->missing)
		_exit(cli_output_end(CLI_FAILED));
	view.hangs = h;
	r = draw_page(in, rq, &view);
	hangs_free(h);
	return r;
}

static int view_print(struct analysis_input *in, const struct request *rq, const struct victim_moment *at,
		      struct rules *rules)
{
	const struct analysis_input whole = *in;
	struct victim v = { 0 };
	int r = victim_choose(in, &rq->victim, at, &v);

	if (!r)
		r = diagnose_victim(in, rq, rules, &v);
	if (!r)
		r = draw(in, &whole, rq, &v);
	diagnosis_free(v.diagnosis);
	return r;
}

static int view_check(const struct request *rq)
{
	if (victim_check(&view_usage, &rq->victim))
		return CLI_USAGE;
	if (rq->rules.none && rq->rules.n_files)
		return cli_usage_error(&view_usage, "give either --rules or --no-rules");
	if (rq->json && rq->output)
		return cli_usage_error(&view_usage, "give either --json or --output");
	if (!rq->json && !rq->output && isatty(STDOUT_FILENO))
		return cli_usage_error(&view_usage, "give the file for the page, such as -o report.html");
	return CLI_OK;
}

static int view_option(struct request *rq, int c, const char *arg)
{
	if (c == OPT_RULES)
		return rulestore_option(&rq->rules, arg);
	rq->output = strcmp(arg, "-") != 0 ? arg : NULL;
	return CLI_OK;
}

static int view_run(const struct request *rq, const char *path)
{
	struct analysis_input in = { 0 };
	struct rulestore store;
	struct victim_moment at;
	int r = rulestore_open(&rq->rules, false, &store);

	if (!r && rq->output)
		r = out_check(rq->output, path);
	if (!r && rq->output)
		r = write_test(rq->output);
	if (!r)
		r = analysis_open(&in, path, rq->victim.window.boot);
	if (!r)
		r = victim_window(&in, &view_usage, &rq->victim, &at);
	if (!r) {
		in.lean = reader_info(in.reader)->records > VIEW_TABLES_RECORDS;
		r = analysis_load(&in);
	}
	if (!r)
		r = view_print(&in, rq, &at, &store.rules);
	analysis_close(&in);
	rulestore_done(&store);
	return r;
}

int cmd_view(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&view_usage, argc, argv);
	struct request rq = { 0 };
	const char *path;
	int c, r = CLI_OK;

	p.into = &rq;
	while (!r && (c = cli_next(&p)) > 0)
		r = view_option(&rq, c, p.arg);
	if (r)
		return r;
	if (c < 0)
		return p.exit_code;
	path = cli_only_arg(&p, "FILE");
	if (!path || view_check(&rq))
		return CLI_USAGE;
	return view_run(&rq, path);
}
