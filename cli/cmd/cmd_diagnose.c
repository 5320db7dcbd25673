// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <unistd.h>

#include "analysis/hangs/hangs.h"
#include "analysis/profile/profile.h"
#include "analysis/thresholds.h"
#include "cli/input/analysis_input.h"
#include "cli/input/goodtrace.h"
#include "cli/ask/interview.h"
#include "cli/cli.h"
#include "cli/client/client.h"
#include "cli/client/now.h"
#include "cli/hangs/hangs_search.h"
#include "cli/cmd/commands.h"
#include "cli/render/analysis.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

enum { OPT_TID = 256, OPT_PID, OPT_RULES };

struct request {
	struct hangs_filter who;
	const char *at, *from, *to, *boot, *socket, *against;
	struct rulestore_options rules;
	bool automatic, json;
};

#define TEXT(member) CLI_TEXT(struct request, member)
#define FLAG(member) CLI_FLAG(struct request, member)
static const struct cli_option diagnose_options[] = {
	{ OPT_TID, "tid", "TID", "the task that was slow or stuck" },
	{ OPT_PID, "pid", "PID",
	  "its process: the thread that stalled worst, or with --from or --to the main one" },
	{ TEXT(who.comm), "comm", "NAME", "the name: the task of this name with the worst hang" },
	{ TEXT(who.cgroup), "cgroup", "GLOB", "only tasks of control groups whose path matches GLOB" },
	{ TEXT(who.container), "container", "NAME",
	  "only tasks of this container: its name, a glob, or the beginning of its id" },
	{ TEXT(at), "at", "TIME", "a moment at which the task hung" },
	{ TEXT(from), "from", "TIME", "start of the window" },
	{ TEXT(to), "to", "TIME", "end of the window" },
	{ TEXT(against), "against", "GOOD",
	  "compare waits with no known owner with waits in the trace GOOD, in which the program worked" },
	{ OPT_RULES, "rules", "FILE", "apply the rules of FILE, and keep answers in it; can be repeated" },
	{ FLAG(rules.none), "no-rules", NULL, "apply no rules, not even your own" },
	{ FLAG(automatic), "auto", NULL, "do not ask: take the likeliest candidate, and list the decision" },
	{ TEXT(boot), "boot", "N",
	  "use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.diagnosis/1); do not ask" },
	{ TEXT(socket), "socket", "PATH",
	  "without FILE: ask the daemon at this socket (default: " CLIENT_SOCKET ")" },
	{ 0 },
};

static const struct cli_usage diagnose_usage = {
	.name = "diagnose",
	.args = "[--tid TID | --pid PID | --comm NAME] [--cgroup GLOB] [--container NAME] [--at TIME | --from TIME --to TIME] [--against GOOD] [--rules FILE | --no-rules] [--boot N] [--auto] [--json] [--socket PATH] [FILE]",
	.about =
		"Says in one sentence what a task waited for and which task was to blame, then shows the evidence.\n"
		"Without a task it takes the recorded command, or else the worst hang that 'ctrace hangs' finds. Without\n"
		"FILE it asks the daemon about now: the last five minutes, or the time from --from or --at on. At a\n"
		"terminal it asks you if the chain can go on in more than one way.",
	.options = diagnose_options,
};

struct moment {
	uint64_t from_ns, to_ns;
};

struct victim {
	uint32_t task;
	struct diagnosis *diagnosis; /* made without asking the user; NULL: not made yet */
	bool alarm;
};

static bool is_named(const struct hangs_filter *who)
{
	return who->tid || who->pid || who->under || who->comm || who->cgroup || who->container;
}

/*
 * Returns true if x is a better answer than `best`, which comes earlier in the list of hangs:
 * - equally bad: x is longer;
 * - x is less bad: x has another task in its chain, and is more than DIAGNOSE_LONGER times as long;
 * - only one verdict is normal: never. So the idle master of a server, which waits longer than its hung
 *   worker, is not the answer.
 */
static bool counts_more(const struct hang *x, const struct hang *best)
{
	bool alike = x->alarm == best->alarm && x->minor == best->minor;

	return (x->diagnosis->verdict == VERDICT_NORMAL) == (best->diagnosis->verdict == VERDICT_NORMAL) &&
	       (alike || x->diagnosis->n_chain > 1) &&
	       x->to_ns - x->from_ns > (best->to_ns - best->from_ns) * (alike ? 1 : DIAGNOSE_LONGER);
}

/* Finds the worst hang (with --at: at that time). If `who` names tasks, may take a longer one
 * (counts_more()). Narrows the window to it. If there is none, ret->task is GRAPH_NONE. */
static int find_stall(struct analysis_input *in, const struct hangs_filter *who, const struct moment *at,
		      struct victim *ret)
{
	bool named = is_named(who);
	struct hangs_filter filter = *who;
	struct hang *best = NULL;
	struct hangs *h;
	int r;

	filter.worst = !named && !at->to_ns;
	r = hangs_search(in->graph, in->from_ns, in->to_ns, &filter, &h);
	if (r)
		return cli_error("%s: cannot look for hangs: %s", in->path, strerror(-r));
	/* Ctrl-C ended the search. Threads may still read the graph, so it is not freed. */
	if (h->missing)
		_exit(cli_output_end(CLI_FAILED));
	ret->task = GRAPH_NONE;
	for (size_t i = 0; i < h->n; i++) {
		struct hang *x = &h->v[i];

		if (at->to_ns && (x->from_ns >= at->to_ns || x->to_ns <= at->from_ns))
			continue;
		/* h->v begins with the worst hang. */
		if (!best || (named && counts_more(x, best)))
			best = x;
	}
	if (best) {
		ret->task = best->task;
		ret->diagnosis = TAKE_PTR(best->diagnosis);
		ret->alarm = best->alarm;
		in->from_ns = best->from_ns;
		in->to_ns = best->to_ns;
	}
	hangs_free(h);
	return CLI_OK;
}

static uint32_t find_task(const struct analysis_input *in, const struct hangs_filter *who,
			  const struct moment *at)
{
	uint64_t from_ns = at->to_ns ? at->from_ns : in->from_ns;
	uint64_t to_ns = at->to_ns ? at->to_ns : in->to_ns;
	const struct graph *g = in->graph;
	uint32_t best = GRAPH_NONE;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];
		struct cgroup_name p;

		if (t->exit_ns <= from_ns || t->born_ns >= to_ns || !t->n_intervals)
			continue;
		if ((who->tid && t->tid != who->tid) || (who->pid && t->tgid != who->pid) ||
		    (who->comm && strcmp(who->comm, graph_comm(g, i, MIN(to_ns, in->to_ns) - 1)) != 0))
			continue;
		p = graph_place(g, i, MIN(to_ns, in->to_ns) - 1);
		if (!cgroup_name_matches(&p, who->cgroup, who->container))
			continue;
		if (best == GRAPH_NONE || t->tid == t->tgid)
			best = i;
		if (t->tid == t->tgid)
			break;
	}
	return best;
}

static void clip_to_life(struct analysis_input *in, uint32_t task)
{
	const struct graph_task *t = &in->graph->tasks[task];

	if (t->born_ns < in->to_ns)
		in->from_ns = MAX(in->from_ns, t->born_ns);
	if (t->exit_ns > in->from_ns)
		in->to_ns = MIN(in->to_ns, t->exit_ns);
}

/* If nothing is wrong with ret->task, takes another thread of its process that hangs: the main thread of
 * some programs only waits for signals. */
static int prefer_alarm(struct analysis_input *in, const struct hangs_filter *who, struct victim *ret)
{
	const struct diagnose_options o = { .window_given = true };
	struct hangs *h;
	int r = diagnose(in->graph, ret->task, in->from_ns, in->to_ns, &o, &ret->diagnosis);

	if (r || ret->diagnosis->verdict != VERDICT_NORMAL)
		return CLI_OK;
	r = hangs_search(in->graph, in->from_ns, in->to_ns, who, &h);
	if (r)
		return cli_error("%s: cannot look for hangs: %s", in->path, strerror(-r));
	if (h->missing)
		_exit(cli_output_end(CLI_FAILED));
	if (h->n && h->v[0].alarm) {
		diagnosis_free(ret->diagnosis);
		ret->task = h->v[0].task;
		ret->diagnosis = TAKE_PTR(h->v[0].diagnosis);
		in->from_ns = h->v[0].from_ns;
		in->to_ns = h->v[0].to_ns;
	}
	hangs_free(h);
	return CLI_OK;
}

/* Finds the victim that `who` names, or the worst hang. If there is none, ret->task is GRAPH_NONE. */
static int find_victim(struct analysis_input *in, const struct hangs_filter *who, bool window,
		       const struct moment *at, struct victim *ret)
{
	int r;

	*ret = (struct victim){ .task = GRAPH_NONE };
	if (who->tid) {
		r = analysis_task(in, who->tid, &ret->task);
		if (r || window)
			return r;
	} else if (window && who->pid) {
		ret->task = find_task(in, who, at);
		return ret->task == GRAPH_NONE ? CLI_OK : prefer_alarm(in, who, ret);
	}
	r = find_stall(in, who, at, ret);
	if (r || ret->task != GRAPH_NONE || !is_named(who))
		return r;
	ret->task = who->tid && !at->to_ns ? graph_task_at(in->graph, who->tid, in->to_ns - 1)
					   : find_task(in, who, at);
	if (ret->task != GRAPH_NONE)
		clip_to_life(in, ret->task);
	return CLI_OK;
}

/* Replaces *v and its window by the worst alarm in the window of `whole`, if there is one. */
static int take_alarm(struct analysis_input *in, struct analysis_input whole, const struct hangs_filter *who,
		      const struct moment *at, struct victim *v)
{
	struct victim other = { .task = GRAPH_NONE };
	int r = find_stall(&whole, who, at, &other);

	if (r || !other.alarm) {
		diagnosis_free(other.diagnosis);
		return r;
	}
	diagnosis_free(v->diagnosis);
	*v = other;
	in->from_ns = whole.from_ns;
	in->to_ns = whole.to_ns;
	return CLI_OK;
}

/* A command such as `sleep 10` only says how long to record. */
static bool only_sleeps(const struct diagnosis *d)
{
	return d->cause == CAUSE_TIMER && d->n_chain == 1;
}

/* Finds the victim in the process of the recorded command. If nothing is wrong with it, takes an alarm of
 * its descendants; if it only slept, of any task. Without a recorded command, ret->task is GRAPH_NONE. */
static int find_recorded(struct analysis_input *in, bool window, const struct moment *at, struct victim *ret)
{
	const struct diagnose_options o = { .window_given = window };
	const struct hangs_filter anyone = { 0 };
	const struct analysis_input whole = *in;
	uint64_t begin_ns, end_ns;
	uint32_t command = in->is_now ? GRAPH_NONE : profile_command(in->graph, &begin_ns, &end_ns);
	struct hangs_filter who = { .pid = command == GRAPH_NONE ? 0 : in->graph->tasks[command].tgid };
	int r;

	*ret = (struct victim){ .task = GRAPH_NONE };
	if (!who.pid)
		return CLI_OK;
	r = find_victim(in, &who, window, at, ret);
	if (r || ret->task == GRAPH_NONE)
		return r;
	r = ret->diagnosis ? 0 : diagnose(in->graph, ret->task, in->from_ns, in->to_ns, &o, &ret->diagnosis);
	if (r)
		return cli_error("%s: cannot diagnose: %s", in->path, strerror(-r));
	if (ret->diagnosis->verdict != VERDICT_NORMAL)
		return CLI_OK;
	if (only_sleeps(ret->diagnosis))
		return take_alarm(in, whole, &anyone, at, ret);
	who = (struct hangs_filter){ .under = who.pid };
	return take_alarm(in, whole, &who, at, ret);
}

static int no_victim(const struct analysis_input *in, const struct request *rq, const struct moment *at)
{
	bool placed = rq->who.cgroup || rq->who.container;
	char buf[ANALYSIS_LISTER_MAX], wait[TEXT_NUMBER_MAX], cpu[TEXT_NUMBER_MAX], run[TEXT_NUMBER_MAX];

	if (at->to_ns && (rq->who.comm || rq->who.pid || rq->who.tid))
		return cli_error(
			"%s: the task did not exist at %s; 'ctrace dump' with the same --tid, --pid or --comm shows when it did",
			in->path, rq->at);
	if (placed)
		return cli_error(
			"%s: no such task in this container or control group in this window; %s, and where",
			in->path, analysis_lister(in, buf));
	if (rq->who.comm)
		return cli_error("%s: no task named '%s' in this window; %s", in->path, rq->who.comm,
				 analysis_lister(in, buf));
	if (rq->who.pid)
		return cli_error("%s: no process %u in this window; %s", in->path, rq->who.pid,
				 analysis_lister(in, buf));
	return cli_error(
		"%s: in this window no task waited for %s, or waited for a CPU for %s, or ran for %s; name a task with --tid, --pid or --comm",
		in->path, text_duration(HANGS_WAIT_NS, wait), text_duration(DIAGNOSE_STALL_NS, cpu),
		text_duration(HANGS_RUN_NS, run));
}

static int choose_victim(struct analysis_input *in, const struct request *rq, const struct moment *at,
			 struct victim *ret)
{
	bool window = rq->from || rq->to;
	int r = CLI_OK;

	ret->task = GRAPH_NONE;
	if (!is_named(&rq->who))
		r = find_recorded(in, window, at, ret);
	if (!r && ret->task == GRAPH_NONE)
		r = find_victim(in, &rq->who, window, at, ret);
	if (!r && ret->task == GRAPH_NONE)
		r = no_victim(in, rq, at);
	return r;
}

/* "14:03" is a minute, "14:03:12" and "-30s" are a second. A time with a fraction, or in
 * nanoseconds, is a moment of 1 ns. */
static uint64_t at_length(const char *at)
{
	unsigned colons = 0;

	/* the colon of a time zone ("14:03+01:00") does not count */
	for (const char *p = at; *p && *p != '+' && !(colons && *p == '-'); p++)
		colons += *p == ':';
	if (strchr(at, '.') || !strncmp(at, "mono:", 5) || !strncmp(at, "boot:", 5) ||
	    !strncmp(at, "real:", 5))
		return 1;
	return (colons == 1 ? 60 : 1) * NSEC_PER_SEC;
}

static int diagnose_window(struct analysis_input *in, const struct request *rq, struct moment *ret)
{
	struct timearg_context ctx;
	char err[TIMEARG_ERR_MAX];
	int r;

	tracefile_find_boot(in->reader, "--at", rq->at);
	r = tracefile_window(in->reader, in->path, rq->from, rq->to, &in->from_ns, &in->to_ns);
	*ret = (struct moment){ 0 };
	if (r || !rq->at)
		return r;
	ctx = tracefile_context(in->reader);
	if (timearg_parse(rq->at, &ctx, &ret->from_ns, err))
		return cli_usage_error(&diagnose_usage, "--at %s: %s", rq->at, err);
	ret->to_ns = ret->from_ns + at_length(rq->at);
	if (ret->to_ns <= in->from_ns || ret->from_ns >= in->to_ns)
		return tracefile_time(in->reader, in->path, "--at", rq->at, &ret->from_ns);
	in->from_ns = MAX(in->from_ns, ret->from_ns > LOAD_AROUND_NS ? ret->from_ns - LOAD_AROUND_NS : 0);
	in->to_ns = MIN(in->to_ns, ret->to_ns + LOAD_AROUND_NS);
	return CLI_OK;
}

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

static int diagnose_print(struct analysis_input *in, const struct analysis_input *good,
			  const struct request *rq, const struct moment *at, struct interview *interview)
{
	struct diagnose_options o = { .rules = &interview->store.rules,
				      .window_given = rq->from || rq->to,
				      .good = good->graph,
				      .good_name = good->path };
	struct victim victim = { 0 };
	struct diagnosis *d;
	bool wanted;
	int r = choose_victim(in, rq, at, &victim);

	if (r)
		return r;
	o.ask = interview_ask(interview, in->window);
	d = victim.diagnosis;
	if (!d || o.ask || o.good || o.rules->v.n) {
		diagnosis_free(d);
		r = diagnose(in->graph, victim.task, in->from_ns, in->to_ns, &o, &d);
	}
	if (r)
		return cli_error("%s: cannot diagnose: %s", in->path, strerror(-r));
	wanted = interview_end(interview);
	if (wanted && rq->json) {
		r = print_json(in, d, &interview->store);
	} else if (wanted) {
		render_diagnosis(stdout, in->graph, d);
		rulestore_print(stdout, &interview->store);
	}
	diagnosis_free(d);
	return r ? r : interview->code;
}

static int open_now(struct analysis_input *in, const struct request *rq)
{
	const char *socket = rq->socket ? rq->socket : CLIENT_SOCKET, *begin = rq->from ? rq->from : rq->at;
	struct timearg_context ctx;
	char err[TIMEARG_ERR_MAX];
	struct lacks lacks;
	struct reader *trace;
	uint64_t from_ns;
	int fd, r = now_range(socket, &ctx);

	if (r)
		return r;
	from_ns = ctx.to_ns > NOW_NS ? ctx.to_ns - NOW_NS : 0;
	if (begin && timearg_parse(begin, &ctx, &from_ns, err))
		return cli_usage_error(&diagnose_usage, "%s %s: %s", rq->from ? "--from" : "--at", begin,
				       err);
	if (begin)
		from_ns = from_ns > LOAD_AROUND_NS ? from_ns - LOAD_AROUND_NS : 0;
	r = now_open(socket, from_ns, &trace, &fd, &lacks);
	if (r)
		return r;
	analysis_take_now(in, trace, fd);
	lacks_say(&lacks, in->path);
	if (!begin && ctx.from_ns < from_ns)
		cli_say("looked at the last %d minutes; --from -1h looks back further, and 'ctrace snapshot' keeps the trace",
			(int)(NOW_NS / (60 * NSEC_PER_SEC)));
	return CLI_OK;
}

static int diagnose_check(const struct request *rq, const char *path)
{
	if (!!rq->who.tid + !!rq->who.pid + !!rq->who.comm > 1)
		return cli_usage_error(&diagnose_usage, "give only one of --tid, --pid and --comm");
	if (rq->at && (rq->from || rq->to))
		return cli_usage_error(&diagnose_usage, "give either --at or --from and --to");
	if (rq->rules.none && rq->rules.n_files)
		return cli_usage_error(&diagnose_usage, "give either --rules or --no-rules");
	if (path && rq->socket)
		return cli_usage_error(&diagnose_usage,
				       "give either FILE or --socket: a FILE is read without the daemon");
	if (!path && rq->boot)
		return cli_usage_error(&diagnose_usage, "--boot needs a FILE: now is in the present boot");
	return CLI_OK;
}

static int diagnose_option(struct request *rq, int c, const char *arg)
{
	if (c == OPT_TID)
		return analysis_tid("--tid", arg, &rq->who.tid);
	if (c == OPT_PID)
		return analysis_tid("--pid", arg, &rq->who.pid);
	return rulestore_option(&rq->rules, arg);
}

int cmd_diagnose(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&diagnose_usage, argc, argv);
	struct analysis_input in = { .lean = true }, good = { .lean = true };
	struct request rq = { 0 };
	struct interview interview;
	const char *path;
	struct moment at;
	int c, r = CLI_OK;

	p.into = &rq;
	while (!r && (c = cli_next(&p)) > 0)
		r = diagnose_option(&rq, c, p.arg);
	if (r)
		return r;
	if (c < 0)
		return p.exit_code;
	path = p.first == p.argc ? NULL : cli_only_arg(&p, "FILE");
	if ((!path && p.first != p.argc) || diagnose_check(&rq, path))
		return CLI_USAGE;
	r = interview_begin(&rq.rules, !rq.automatic && !rq.json, &interview);
	if (!r)
		r = path ? analysis_open(&in, path, rq.boot) : open_now(&in, &rq);
	if (!r)
		r = diagnose_window(&in, &rq, &at);
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
