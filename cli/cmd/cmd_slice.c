// SPDX-License-Identifier: GPL-2.0-or-later
/* ctrace slice - the causes of some work, or its effects. */
#include <string.h>

#include "cli/ask/interview.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/input/policyarg.h"
#include "cli/render/causal.h"
#include "cli/input/taskarg.h"
#include "cli/text.h"

enum { OPT_TID = 256, OPT_POLICY, OPT_RULES };

struct slice_request {
	const char *comm, *at, *boot, *path;
	uint32_t tid;
	struct causal_options causal;
	struct rulestore_options rules;
	bool forward, automatic, json;
};

#define TEXT(member) CLI_TEXT(struct slice_request, member)
#define FLAG(member) CLI_FLAG(struct slice_request, member)
static const struct cli_option slice_options[] = {
	{ OPT_TID, "tid", "TID", "follow the work of this task" },
	{ TEXT(comm), "comm", "NAME",
	  "follow the work of the task with this name; only one task may have it" },
	{ TEXT(at), "at", "TIME", "a moment at which the task did this work" },
	{ FLAG(forward), "forward", NULL, "show what the work caused from TIME on, instead of its causes" },
	{ OPT_POLICY, "policy", "POLICY",
	  "how to decide what is a cause: ctrace (the default), panappticon, appinsight" },
	{ OPT_RULES, "rules", "FILE", "apply the rules of FILE, and keep answers in it; can be repeated" },
	{ FLAG(rules.none), "no-rules", NULL, "apply no rules, not even your own" },
	{ FLAG(automatic), "auto", NULL, "do not ask: take the likeliest candidate, and list the decision" },
	{ TEXT(boot), "boot", "N",
	  "use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.slice/1); do not ask" },
	{ 0 },
};

static const struct cli_usage slice_usage = {
	.name = "slice",
	.args = "{--tid TID | --comm NAME} --at TIME [--forward] [--policy POLICY] [--rules FILE | --no-rules] [--boot N] [--auto] [--json] FILE",
	.about =
		"Follows the causes of a task's work at one moment back, step by step, to where the work began. At a\n"
		"terminal it asks you if there is more than one possible cause.",
	.options = slice_options,
};

static enum slice_direction direction(const struct slice_request *rq)
{
	return rq->forward ? SLICE_FORWARD : SLICE_BACKWARD;
}

static int print_slice(const struct causal *c, const struct slice *s, const struct slice_request *rq,
		       const struct rulestore *store)
{
	json_t *doc;

	if (!rq->json) {
		render_slice(stdout, c, s, direction(rq));
		rulestore_print(stdout, store);
		return CLI_OK;
	}
	doc = render_slice_json(c, s, direction(rq));
	if (doc && json_object_set_new(doc, "rules", rulestore_json(store))) {
		json_decref(doc);
		doc = NULL;
	}
	return text_print_json(doc);
}

static int walk(const struct analysis_input *in, const struct causal *c, const struct slice_request *rq,
		struct interview *interview, uint64_t at_ns)
{
	struct slice_options o = { .direction = direction(rq), .rules = &interview->store.rules };
	struct slice *s;
	uint32_t task;
	int r = taskarg_find(in, rq->tid, rq->comm, at_ns, &task);

	if (r)
		return r;
	o.ask = interview_ask(interview, in->window);
	r = slice_walk(c, task, at_ns, &o, &s);
	if (r == -EINVAL)
		return cli_error(
			"%s: the trace has no records of this task at that time; 'ctrace info %s' shows the gaps of the trace",
			in->path, in->path);
	if (r)
		return cli_error("%s: cannot follow the causes: %s", in->path, strerror(-r));
	if (interview_end(interview))
		r = print_slice(c, s, rq, &interview->store);
	slice_free(s);
	return r ? r : interview->code;
}

static int slice_print(const struct analysis_input *in, const struct slice_request *rq,
		       struct interview *interview, uint64_t at_ns)
{
	struct causal *c;
	int r = causal_build(in->graph, &rq->causal, &c);

	if (r)
		return cli_error("%s: cannot build the graph: %s", in->path, strerror(-r));
	r = walk(in, c, rq, interview, at_ns);
	causal_free(c);
	return r;
}

static int parse_option(struct slice_request *rq, int c, const char *arg)
{
	if (c == OPT_TID)
		return analysis_tid("--tid", arg, &rq->tid);
	if (c == OPT_POLICY)
		return policyarg_parse(&slice_usage, arg, &rq->causal.policy);
	return rulestore_option(&rq->rules, arg);
}

static int slice_check(const struct slice_request *rq)
{
	if (!rq->tid == !rq->comm)
		return cli_usage_error(&slice_usage,
				       "give either --tid or --comm: the task whose work to follow");
	if (!rq->at)
		return cli_usage_error(&slice_usage,
				       "--at is missing: give a moment at which the task did the work");
	if (rq->rules.none && rq->rules.n_files)
		return cli_usage_error(&slice_usage, "give either --rules or --no-rules");
	return CLI_OK;
}

int cmd_slice(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&slice_usage, argc, argv);
	struct slice_request rq = { 0 };
	struct analysis_input in = { 0 };
	struct interview interview;
	uint64_t at_ns;
	int c, r = CLI_OK;

	p.into = &rq;
	while (!r && (c = cli_next(&p)) > 0)
		r = parse_option(&rq, c, p.arg);
	if (r)
		return r;
	if (c < 0)
		return p.exit_code;
	rq.path = cli_only_arg(&p, "FILE");
	if (!rq.path || slice_check(&rq))
		return CLI_USAGE;
	r = interview_begin(&rq.rules, !rq.automatic && !rq.json, &interview);
	if (!r)
		r = taskarg_load(&in, rq.path, rq.boot, "--at", rq.at, &at_ns);
	if (!r)
		r = slice_print(&in, &rq, &interview, at_ns);
	analysis_close(&in);
	interview_done(&interview);
	return r;
}
