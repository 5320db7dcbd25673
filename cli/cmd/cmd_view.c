// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/ask/rulestore.h"
#include "cli/check/write.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/export/browser.h"
#include "cli/export/out.h"
#include "cli/hangs/hangs_search.h"
#include "cli/hangs/victim.h"
#include "cli/tablearg.h"
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
	bool open, json, to_stdout;
};

#define FLAG(member) CLI_FLAG(struct request, member)
static const struct cli_option view_options[] = {
	{ 'o', "output", "PAGE", "write the page to the file PAGE (default: stdout)" },
	{ FLAG(open), "open", NULL,
	  "write the page to a file, by default FILE with .html in place of .ctr, and open it in a browser" },
	VICTIM_OPTIONS(struct request, victim),
	{ OPT_RULES, "rules", "FILE", "apply the rules of FILE; can be repeated" },
	{ FLAG(rules.none), "no-rules", NULL, "apply no rules, not even your own" },
	{ FLAG(json), "json", NULL, "print the data of the page as JSON (ctrace.view/1)" },
	{ 0 },
};

static const struct cli_instead view_instead[] = { TABLEARG_NONE, { 0 } };

static const struct cli_usage view_usage = {
	.name = "view",
	.args = "[-o PAGE] [--open] " VICTIM_USAGE " [--rules FILE | --no-rules] [--json] FILE",
	.about =
		"Writes a page for a browser that explains a hang: the answer of 'ctrace diagnose', its evidence, and a\n"
		"timeline of the tasks that matter. The page is one file that loads nothing, so you can send it by mail.\n"
		"The task is chosen as by 'ctrace diagnose'.",
	.options = view_options,
	.instead = view_instead,
};

/* With --hang, the options for the window only choose the list. */
static bool is_window_given(const struct victim_request *rq)
{
	return (windowarg_is_set(&rq->window) && !rq->row.hang) || rq->row.request;
}

/* Returns true if the page lists the hangs of `ctrace hangs` without options. */
static bool is_whole(const struct victim_request *rq)
{
	return !windowarg_is_set(&rq->window) && !rq->window.at && !rq->row.request;
}

static int diagnose_victim(struct analysis_input *in, const struct request *rq, struct rules *rules,
			   struct victim *v)
{
	struct diagnose_options o = { .rules = rules, .window_given = is_window_given(&rq->victim) };
	int r;

	if (v->diagnosis && !rules->v.n)
		return CLI_OK;
	victim_drop_diagnosis(v);
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

static void add_options(struct words *t, const struct victim_request *rq)
{
	rowarg_add_tasks(t, &rq->who);
	rowarg_add_window(t, &rq->window);
	if (rq->row.hang)
		words_add(t, " --hang %u", rq->row.hang);
	if (rq->row.request)
		words_add(t, " --request %u", rq->row.request);
}

static const char *place_of(const struct victim_request *rq)
{
	return rq->row.request                 ? "at the time of this request"
	       : rq->window.at                 ? "around the given time"
	       : windowarg_is_set(&rq->window) ? "in the given window"
					       : "in the whole trace";
}

static void add_chosen(struct words *t, const struct victim_request *rq, const struct victim *v,
		       const char *options)
{
	switch (v->choice) {
	case VICTIM_NAMED:
	case VICTIM_NUMBERED:
		words_add(t, "The page is about this task because it was chosen with%s.", options);
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
			? "No task was named, so the page is about the hang that ctrace ranks first %s."
			: "No task was named, and no hang was found %s. So the page is about the longest wait.",
		rq->window.at ? "at the given time" : place_of(rq));
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

/* Sets *ret to all hangs in the window of `whole`. Sets *ret_own to the list that the caller frees, or NULL.
 */
static int find_hangs(const struct analysis_input *whole, const struct victim *v, const struct hangs **ret,
		      struct hangs **ret_own)
{
	int r;

	*ret_own = NULL;
	*ret = v->hangs;
	if (v->hangs)
		return CLI_OK;
	r = hangs_search_all(whole, NULL, ret_own);
	if (r)
		return r;
	*ret = *ret_own;
	return CLI_OK;
}

/* in: has the window of the victim. whole: has the window in which to look for hangs. */
static int draw(const struct analysis_input *in, const struct analysis_input *whole, const struct request *rq,
		const struct victim *v)
{
	_cleanup_free_ char *options = options_of(&rq->victim), *chosen = chosen_of(&rq->victim, v, options);
	struct view view = { .g = in->graph,
			     .diagnosis = v->diagnosis,
			     .chosen = chosen,
			     .options = options,
			     .window_given = is_window_given(&rq->victim),
			     .whole = is_whole(&rq->victim),
			     .where = place_of(&rq->victim),
			     .trace = base_name(in->path),
			     .boot = rq->victim.window.boot,
			     .tables = !in->lean };
	struct hangs *own = NULL;
	int r = options && chosen ? find_hangs(whole, v, &view.hangs, &own) : cli_error("out of memory");

	if (!r)
		r = draw_page(in, rq, &view);
	hangs_free(own);
	return r;
}

/* choose: rq->victim after victim_use_request(). */
static int view_print(struct analysis_input *in, const struct request *rq,
		      const struct victim_request *choose, const struct timearg_moment *at,
		      struct rules *rules)
{
	const struct analysis_input whole = *in;
	struct victim v = { 0 };
	int r = victim_choose(in, choose, at, &v);

	if (!r)
		r = diagnose_victim(in, rq, rules, &v);
	if (!r)
		r = draw(in, &whole, rq, &v);
	victim_done(&v);
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
	if (rq->json && rq->open)
		return cli_usage_error(&view_usage, "give either --json or --open");
	if (rq->to_stdout && rq->open)
		return cli_usage_error(&view_usage, "--open: give a file for the page instead of stdout");
	if (!rq->json && !rq->open && !rq->output && isatty(STDOUT_FILENO))
		return cli_usage_error(
			&view_usage,
			"give the file for the page, such as -o report.html, or --open to see it at once");
	return CLI_OK;
}

static int view_option(struct request *rq, int c, const char *arg)
{
	if (c == OPT_RULES)
		return rulestore_option(&rq->rules, arg);
	rq->to_stdout = !strcmp(arg, "-");
	rq->output = rq->to_stdout ? NULL : arg;
	return CLI_OK;
}

/* Returns the name of the page for --open without -o: hang.html, hang-2.html or hang-request-2.html for
 * hang.ctr, in the working directory. The caller frees it. */
static char *page_name(const struct request *rq, const char *path)
{
	const char *name = base_name(path), *end = strrchr(name, '.');
	const struct rowarg *row = &rq->victim.row;
	struct words t = { 0 };

	words_add(&t, "%.*s",
		  (int)(end && end != name && !strcmp(end, ".ctr") ? end - name : (long)strlen(name)), name);
	if (row->hang)
		words_add(&t, "-%u", row->hang);
	if (row->request)
		words_add(&t, "-request-%u", row->request);
	words_add(&t, ".html");
	return words_take(&t);
}

/* Does not replace a file that the user has not named. */
static int check_new(const char *page)
{
	struct stat st;

	if (lstat(page, &st))
		return CLI_OK;
	return cli_error("%s: this file exists; give the file for the page with -o, or remove this one",
			 page);
}

static int view_run(const struct request *rq, const char *path)
{
	struct victim_request choose = rq->victim;
	struct analysis_input in = { 0 };
	struct rowarg_texts texts;
	struct rulestore store;
	struct timearg_moment at;
	int r = rulestore_open(&rq->rules, false, &store);

	if (!r && rq->output)
		r = out_check(rq->output, path);
	if (!r && rq->output)
		r = write_test(rq->output);
	if (!r)
		r = victim_use_request(&choose, path, &texts);
	if (!r)
		r = analysis_open(&in, path, choose.window.boot);
	if (!r)
		r = victim_window(&in, &choose, &at);
	if (!r) {
		in.lean = reader_info(in.reader)->records > VIEW_TABLES_RECORDS;
		r = analysis_load(&in);
	}
	if (!r)
		r = view_print(&in, rq, &choose, &at, &store.rules);
	analysis_close(&in);
	rulestore_done(&store);
	return r;
}

static int view_open(struct request *rq, const char *path)
{
	_cleanup_free_ char *page = rq->output ? NULL : page_name(rq, path);
	int r;

	if (!rq->output && !page)
		return cli_error("out of memory");
	r = page ? check_new(page) : CLI_OK;
	if (page)
		rq->output = page;
	if (!r)
		r = view_run(rq, path);
	if (r)
		return r;
	if (page)
		cli_say("wrote %s", page);
	return browser_open(rq->output);
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
	path = cli_trace_arg(&p);
	if (!path || view_check(&rq))
		return CLI_USAGE;
	return rq.open ? view_open(&rq, path) : view_run(&rq, path);
}
