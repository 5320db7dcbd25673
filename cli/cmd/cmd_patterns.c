// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "analysis/profile/profile.h"
#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/input/analysis_input.h"
#include "cli/patterns/render.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

enum { OPT_TID = 256 };

struct patterns_options {
	const char *from, *to, *boot, *comm, *top;
	const char *path[2]; /* with --compare: the old trace, then the new one */
	uint32_t tid;
	uint64_t n_top;
	bool compare, json;
};

#define TEXT(member) CLI_TEXT(struct patterns_options, member)
#define FLAG(member) CLI_FLAG(struct patterns_options, member)
static const struct cli_option patterns_table[] = {
	{ OPT_TID, "tid", "TID",
	  "a task of the process to look at (default: the command of 'ctrace record')" },
	{ TEXT(comm), "comm", "NAME", "the name of this task" },
	{ TEXT(from), "from", "TIME", "start of the window (default: the start of the trace)" },
	{ TEXT(to), "to", "TIME", "end of the window (default: the end of the trace)" },
	{ TEXT(top), "top", "N", "show the first N patterns (default: 10)" },
	{ FLAG(compare), "compare", NULL,
	  "show the patterns whose count changed from trace OLD to trace NEW" },
	{ TEXT(boot), "boot", "N",
	  "use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ FLAG(json), "json", NULL, "print JSON (ctrace.patterns/1)" },
	{ 0 },
};

static const struct cli_usage patterns_usage = {
	.name = "patterns",
	.args = "[--tid TID | --comm NAME] [--from TIME] [--to TIME] [--top N] [--boot N] [--json] {FILE | --compare OLD NEW}",
	.about =
		"Shows what a process does again and again in a request that it serves, or in its whole life. Patterns whose\n"
		"count grows from one request to the next come first: they become slow when there is more data.",
	.options = patterns_table,
};

struct patterns_work {
	struct analysis_input in;
	struct collected *collected;
	struct patterns *patterns;
	struct patterns_view view;
};

static void patterns_work_done(struct patterns_work *k)
{
	patterns_free(k->patterns);
	collected_free(k->collected);
	analysis_close(&k->in);
}

#define NAMES_SHOWN 8
#define NAMES_MAX   (NAMES_SHOWN * CT_COMM_LEN * 4 + 64)

static bool is_busier(const struct graph *g, uint32_t a, uint32_t b)
{
	return b == GRAPH_NONE || g->tasks[a].n_intervals > g->tasks[b].n_intervals;
}

/* Writes the names of the tasks that ran and waited most often. */
static const char *names_of(const struct analysis_input *in, char buf[NAMES_MAX])
{
	const struct graph *g = in->graph;
	char names[NAMES_SHOWN][CT_COMM_LEN * 4];
	size_t n = 0, at = 0;

	for (uint32_t best = 0; n < NAMES_SHOWN && best != GRAPH_NONE; n += best != GRAPH_NONE) {
		char name[CT_COMM_LEN * 4];

		best = GRAPH_NONE;
		for (uint32_t i = 0; i < g->n_tasks; i++) {
			const struct graph_task *t = &g->tasks[i];
			bool shown = t->kthread || t->tracer || !t->n_intervals || t->born_ns >= in->to_ns ||
				     t->exit_ns <= in->from_ns || !is_busier(g, i, best);

			if (shown)
				continue;
			describe_clean(graph_comm(g, i, MIN(t->exit_ns, in->to_ns) - 1), name, sizeof(name));
			for (size_t k = 0; k < n && !shown; k++)
				shown = !strcmp(names[k], name);
			if (!shown) {
				best = i;
				memcpy(names[n], name, sizeof(name));
			}
		}
	}
	at = (size_t)snprintf(buf, NAMES_MAX,
			      n ? "tasks of this trace have the names " : "this trace has no tasks");
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(buf + at, NAMES_MAX - at, "%s%s", i ? ", " : "", names[i]);
	return buf;
}

/* All tasks of this name must belong to one process. */
static int find_comm(const struct analysis_input *in, const char *comm, uint32_t *ret)
{
	const struct graph *g = in->graph;
	uint32_t found = GRAPH_NONE;
	char buf[NAMES_MAX];

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (t->born_ns >= in->to_ns || t->exit_ns <= in->from_ns ||
		    strcmp(graph_comm(g, i, MIN(t->exit_ns, in->to_ns) - 1), comm) != 0)
			continue;
		if (found != GRAPH_NONE && g->tasks[found].tgid != t->tgid)
			return cli_error(
				"%s: several processes have the name '%s', such as %u and %u; give one with --tid",
				in->path, comm, g->tasks[found].tgid, t->tgid);
		found = i;
	}
	if (found == GRAPH_NONE)
		return cli_error("%s: no task had the name '%s'; %s", in->path, comm, names_of(in, buf));
	*ret = found;
	return CLI_OK;
}

static int find_task(const struct analysis_input *in, const struct patterns_options *o, uint32_t *ret)
{
	uint64_t from_ns, to_ns;
	char buf[NAMES_MAX];

	if (o->tid)
		return analysis_task(in, o->tid, ret);
	if (o->comm)
		return find_comm(in, o->comm, ret);
	*ret = profile_command(in->graph, &from_ns, &to_ns);
	return *ret == GRAPH_NONE
		       ? cli_error(
				 "%s: no command of 'ctrace record' in this trace; give a task with --tid or --comm; %s",
				 in->path, names_of(in, buf))
		       : CLI_OK;
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

static int patterns_work(struct patterns_work *k, const char *path, const struct patterns_options *o)
{
	uint32_t task;
	int r, exit_code = analysis_begin(&k->in, path, o->boot, o->from, o->to);

	if (!exit_code)
		exit_code = find_task(&k->in, o, &task);
	if (exit_code)
		return exit_code;
	r = collect(k->in.graph, task, k->in.from_ns, k->in.to_ns, &k->collected);
	if (!r)
		r = patterns_find(&k->collected->sequence, o->compare ? 1 : 2, &k->patterns);
	if (r)
		return cli_error("%s: cannot find the patterns: %s; narrow the window with --from and --to",
				 path, strerror(-r));
	k->view = (struct patterns_view){ .g = k->in.graph,
					  .task = task,
					  .collected = k->collected,
					  .patterns = k->patterns,
					  .from_ns = k->in.from_ns,
					  .to_ns = k->in.to_ns };
	say_limits(k);
	return CLI_OK;
}

static int patterns_one(const struct patterns_options *o)
{
	_cleanup_(patterns_work_done) struct patterns_work k = { 0 };
	int r = patterns_work(&k, o->path[0], o);

	if (r)
		return r;
	return o->json ? render_patterns_json(&k.view, o->n_top) : render_patterns(stdout, &k.view, o->n_top);
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
	return o->json ? render_patterns_changes_json(&before.view, &now.view, changes, n, o->n_top)
		       : render_patterns_changes(stdout, &before.view, &now.view, changes, n, o->n_top);
}

static int check(const struct cli_parse *p, struct patterns_options *o)
{
	if (o->tid && o->comm)
		return cli_usage_error(&patterns_usage, "give only one of --tid and --comm");
	o->n_top = PATTERNS_SHOWN;
	if (o->top && (cli_number(o->top, PATTERNS_MAX, &o->n_top) || !o->n_top))
		return cli_usage_error(&patterns_usage, "--top: '%s' is not a number from 1 to %d", o->top,
				       PATTERNS_MAX);
	if (!o->compare) {
		o->path[0] = cli_only_arg(p, "FILE");
		return o->path[0] ? CLI_OK : CLI_USAGE;
	}
	if (p->argc - p->first != 2)
		return cli_usage_error(&patterns_usage, "--compare needs two traces: OLD and NEW");
	o->path[0] = p->argv[p->first];
	o->path[1] = p->argv[p->first + 1];
	return CLI_OK;
}

int cmd_patterns(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&patterns_usage, argc, argv);
	struct patterns_options o = { 0 };
	int c, r = CLI_OK;

	p.into = &o;
	while ((c = cli_next(&p)) > 0) {
		r = analysis_tid("--tid", p.arg, &o.tid);
		if (r)
			return r;
	}
	if (c < 0)
		return p.exit_code;
	r = check(&p, &o);
	if (r)
		return r;
	return o.compare ? patterns_both(&o) : patterns_one(&o);
}
