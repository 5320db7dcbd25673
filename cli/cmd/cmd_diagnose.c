// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analysis/profile/profile.h"
#include "cli/ask/interview.h"
#include "cli/cli.h"
#include "cli/client/client.h"
#include "cli/client/now.h"
#include "cli/cmd/commands.h"
#include "cli/hangs/victim.h"
#include "cli/input/analysis_input.h"
#include "cli/input/goodtrace.h"
#include "cli/render/analysis.h"
#include "cli/render/path.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "report/analysis.h"
#include "report/thresholds.h"

enum { OPT_RULES = 256 };

struct request {
	struct victim_request victim;
	const char *socket, *against;
	struct rulestore_options rules;
	bool automatic, full, json;
};

#define TEXT(member) CLI_TEXT(struct request, member)
#define FLAG(member) CLI_FLAG(struct request, member)
static const struct cli_option diagnose_options[] = {
	VICTIM_OPTIONS(struct request, victim),
	{ TEXT(against), "against", "GOOD",
	  "if the owner of a wait is not known, compare this wait with waits in GOOD, a trace in which the program worked" },
	{ OPT_RULES, "rules", "FILE",
	  "apply the rules of FILE; can be repeated, and the first FILE keeps your answers" },
	{ FLAG(rules.none), "no-rules", NULL, "apply no rules, not even your own" },
	{ FLAG(automatic), "auto", NULL, "do not ask: take the likeliest candidate, and list the decision" },
	{ FLAG(full), "full", NULL, "show all lines and frames, at a terminal in a pager" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.diagnosis/1); do not ask" },
	{ TEXT(socket), "socket", "PATH",
	  "without FILE: ask the daemon at this socket (" CLIENT_SOCKET_DEFAULT ")" },
	{ 0 },
};

static const struct cli_instead diagnose_instead[] = { TABLEARG_NONE, { 0 } };

static const struct cli_usage diagnose_usage = {
	.name = "diagnose",
	.args = VICTIM_USAGE
	" [--against GOOD] [--rules FILE | --no-rules] [--auto] [--full] [--json] [--socket PATH] [FILE]",
	.about =
		"Says in one sentence what a task waited for and which task was to blame, then shows the evidence.\n"
		"Of several tasks it takes the one with the worst hang. Without a task it takes the recorded command, or\n"
		"else the worst hang that 'ctrace hangs' finds. Without FILE it asks the daemon about now: the last five\n"
		"minutes, or the given window. At a terminal it asks you if the chain can go on in more than one way.",
	.options = diagnose_options,
	.instead = diagnose_instead,
};

static int print_json(const struct analysis_input *in, const struct diagnosis *d,
		      const struct rulestore *store)
{
	json_t *doc = render_diagnosis_json(in->graph, d);

	if (doc && (json_object_set_new(doc, "rules", rulestore_json(store)) ||
		    json_object_set_new(doc, "asked", json_integer((json_int_t)d->asked)))) {
		json_decref(doc);
		doc = NULL;
	}
	return text_print_json(doc);
}

static void say_chosen(const struct analysis_input *in, const struct victim *v)
{
	uint64_t begin_ns, end_ns;
	uint32_t command = in->is_now || v->choice != VICTIM_WORST
				   ? GRAPH_NONE
				   : profile_command(in->graph, &begin_ns, &end_ns);

	if (command != GRAPH_NONE)
		cli_say("the recorded command only sleeps, so this is about the worst hang of the other tasks; --pid %u asks about the command",
			in->graph->tasks[command].tgid);
}

/* Prints which parts of the time of a request each wait took. */
static int print_shares(struct sheet *sheet, const struct analysis_input *in, uint32_t task)
{
	struct path_view view = { .g = in->graph };
	struct account *account = NULL;
	struct path *path = NULL;
	int r = path_walk(in->graph, task, in->from_ns, in->to_ns, &path);

	if (!r)
		r = account_new(in->graph, path, &account);
	view.account = account;
	sheet_next(sheet, LINE_KEEP, 0);
	if (!r)
		render_path_shares(stdout, &view, "The time of the request came down to");
	account_free(account);
	path_free(path);
	return r ? cli_error("%s: cannot walk the critical path: %s", in->path, strerror(-r)) : CLI_OK;
}

static int diagnose_print(struct analysis_input *in, const struct analysis_input *good,
			  const struct request *rq, const struct timearg_moment *at,
			  struct interview *interview)
{
	/* With --hang, the options for the window only choose the list. */
	struct diagnose_options o = { .rules = &interview->store.rules,
				      .window_given =
					      windowarg_is_set(&rq->victim.window) && !rq->victim.row.hang,
				      .good = good->graph,
				      .good_name = good->path };
	struct victim victim = { 0 };
	bool wanted;
	int r = victim_choose(in, &rq->victim, at, &victim);

	if (r) {
		victim_done(&victim);
		return r;
	}
	if (!rq->json)
		say_chosen(in, &victim);
	o.ask = interview_ask(interview, in->window);
	if (!victim.diagnosis || o.ask || o.good || o.rules->v.n) {
		victim_drop_diagnosis(&victim);
		r = diagnose(in->graph, victim.task, in->from_ns, in->to_ns, &o, &victim.diagnosis);
	}
	if (r) {
		victim_done(&victim);
		return cli_error("%s: cannot diagnose: %s", in->path, strerror(-r));
	}
	wanted = interview_end(interview);
	if (wanted && rq->json) {
		r = print_json(in, victim.diagnosis, &interview->store);
	} else if (wanted) {
		struct sheet sheet;

		sheet_begin(&sheet, rq->full ? SHEET_FULL : SHEET_SHORT);
		render_diagnosis(&sheet, in->graph, victim.diagnosis);
		if (rq->victim.row.request)
			r = print_shares(&sheet, in, victim.task);
		rulestore_print(stdout, &interview->store);
		sheet_end(&sheet);
	}
	victim_done(&victim);
	return r ? r : interview->code;
}

/* Sets *ret_ns to the first moment that the options ask about. */
static int begin_of(const struct victim_request *v, const struct timearg_context *ctx, uint64_t *ret_ns)
{
	const char *at = v->window.from ? v->window.from : v->window.at;
	char err[TIMEARG_ERR_MAX];
	uint64_t last_ns = NOW_NS;

	if (at && timearg_parse(at, ctx, ret_ns, err))
		return cli_usage_error(&diagnose_usage, "%s %s: %s", v->window.from ? "--from" : "--at", at,
				       err);
	if (v->window.last && timearg_duration(v->window.last, &last_ns, err))
		return cli_usage_error(&diagnose_usage, "--last %s: %s", v->window.last, err);
	if (!at)
		*ret_ns = ctx->to_ns > last_ns ? ctx->to_ns - last_ns : 0;
	return CLI_OK;
}

static int open_now(struct analysis_input *in, const struct request *rq)
{
	const char *socket = rq->socket ? rq->socket : client_socket();
	bool begin = rq->victim.window.from || rq->victim.window.last || rq->victim.window.at;
	struct timearg_context ctx;
	struct lacks lacks;
	struct reader *trace;
	uint64_t from_ns = 0;
	int fd, r = now_range(socket, &ctx);

	if (!r)
		r = begin_of(&rq->victim, &ctx, &from_ns);
	if (r)
		return r;
	if (begin)
		from_ns = from_ns > LOAD_AROUND_NS ? from_ns - LOAD_AROUND_NS : 0;
	r = now_open(socket, from_ns, &trace, &fd, &lacks);
	if (r)
		return r;
	analysis_take_now(in, trace, fd);
	lacks_say(&lacks, in->path);
	if (!begin && ctx.from_ns < from_ns)
		cli_say("looked at the last %d minutes; --last 1h looks back further, and 'ctrace snapshot' keeps the trace",
			(int)(NOW_NS / (60 * NSEC_PER_SEC)));
	return CLI_OK;
}

static int diagnose_check(const struct request *rq, const char *path)
{
	if (victim_check(&diagnose_usage, &rq->victim))
		return CLI_USAGE;
	if (rq->full && rq->json)
		return cli_usage_error(&diagnose_usage,
				       "give either --full or --json: JSON always has everything");
	if (rq->rules.none && rq->rules.n_files)
		return cli_usage_error(&diagnose_usage, "give either --rules or --no-rules");
	if (path && rq->socket)
		return cli_usage_error(&diagnose_usage,
				       "give either FILE or --socket: a FILE is read without the daemon");
	if (!path && rowarg_is_set(&rq->victim.row))
		return cli_usage_error(
			&diagnose_usage,
			"--hang and --request need a FILE: the numbers are those of its lists");
	if (!path && rq->victim.window.boot)
		return cli_usage_error(
			&diagnose_usage,
			"--boot needs a FILE: without FILE, the answer is about the present boot");
	return CLI_OK;
}

/* FILE may be meant as a process or as the name of tasks. */
static int check_file(const char *path)
{
	char word[CLI_WORD_MAX];
	uint64_t pid;
	bool named;

	if (strpbrk(path, "./") || !access(path, F_OK) || errno != ENOENT)
		return CLI_OK;
	named = cli_number(path, UINT32_MAX, &pid);
	return cli_error("there is no file %s; to ask about %s now: ctrace diagnose --%s %s", path,
			 named ? "a task of this name" : "this process", named ? "comm" : "pid",
			 cli_path_word(path, word));
}

int cmd_diagnose(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&diagnose_usage, argc, argv);
	struct analysis_input in = { .lean = true }, good = { .lean = true };
	struct request rq = { 0 };
	struct rowarg_texts texts;
	struct interview interview;
	const char *path;
	struct timearg_moment at;
	int c, r = CLI_OK;

	p.into = &rq;
	while (!r && (c = cli_next(&p)) > 0)
		r = rulestore_option(&rq.rules, p.arg);
	if (r)
		return r;
	if (c < 0)
		return p.exit_code;
	path = p.first == p.argc ? NULL : cli_only_arg(&p, "FILE");
	if ((!path && p.first != p.argc) || diagnose_check(&rq, path))
		return CLI_USAGE;
	r = path ? check_file(path) : CLI_OK;
	if (r)
		return r;
	in.fit = path && !rq.json;
	r = interview_begin(&rq.rules, !rq.automatic && !rq.json, &interview);
	if (!r && path)
		r = victim_use_request(&rq.victim, path, &texts);
	if (!r)
		r = path ? analysis_open(&in, path, rq.victim.window.boot) : open_now(&in, &rq);
	if (!r)
		r = victim_window(&in, &rq.victim, &at);
	if (!r)
		r = analysis_load(&in);
	if (!r && rq.against)
		r = goodtrace_open(&good, rq.against, &in);
	if (!r)
		r = diagnose_print(&in, &good, &rq, &at, &interview);
	analysis_close(&good);
	analysis_close(&in);
	interview_done(&interview);
	return r;
}
