// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/taskarg.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/profile/profile.h"
#include "cli/cli.h"
#include "lib/cleanup.h"

#define SHOWN_MAX 8

struct search {
	const struct analysis_input *in;
	const struct selector *s;
	uint64_t from_ns, to_ns;
	bool mains;     /* only main threads fit */
	bool processes; /* tasks of one process are no conflict */
	bool named;     /* the name is no option of its own, but a part of another argument */
};

static bool fits(const struct search *k, uint32_t task)
{
	const struct graph_task *t = &k->in->graph->tasks[task];

	return t->n_intervals && t->exit_ns > k->from_ns && t->born_ns < k->to_ns &&
	       (!k->mains || t->tid == t->tgid) &&
	       graph_fits(k->in->graph, task, k->s, MIN(t->exit_ns, k->to_ns) - 1);
}

static uint32_t id_of(const struct search *k, uint32_t task)
{
	const struct graph_task *t = &k->in->graph->tasks[task];

	return k->processes ? t->tgid : t->tid;
}

static bool is_among(const uint32_t *ids, size_t n, uint32_t id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static int say_several(const struct search *k)
{
	const struct graph *g = k->in->graph;
	char words[SELECTORARG_MAX], list[SHOWN_MAX * (CT_COMM_LEN + 16) + 8] = "";
	uint32_t ids[SHOWN_MAX + 1];
	size_t len = 0, shown = 0;

	for (uint32_t i = 0; i < g->n_tasks && shown <= SHOWN_MAX; i++) {
		if (!fits(k, i) || is_among(ids, shown, id_of(k, i)))
			continue;
		ids[shown] = id_of(k, i);
		if (shown++ == SHOWN_MAX)
			snprintf(list + len, sizeof(list) - len, ", ...");
		else
			len += (size_t)snprintf(
				list + len, sizeof(list) - len, "%s%s[%" PRIu32 "]", shown > 1 ? ", " : "",
				graph_comm(g, i, MIN(g->tasks[i].exit_ns, k->to_ns) - 1), ids[shown - 1]);
	}
	return cli_error("%s: several %s fit %s: %s; give one of these %s", k->in->path,
			 k->processes ? "processes" : "tasks", selectorarg_words(k->s, words), list,
			 k->named       ? "numbers in place of the name"
			 : k->processes ? "with --pid"
					: "with --tid");
}

static int search(const struct search *k, uint32_t *ret)
{
	const struct graph *g = k->in->graph;
	uint32_t found = GRAPH_NONE;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		if (!fits(k, i))
			continue;
		if (found != GRAPH_NONE && id_of(k, i) != id_of(k, found))
			return say_several(k);
		found = i;
	}
	*ret = found;
	return CLI_OK;
}

static int search_both(struct search *k, uint32_t *ret)
{
	int r;

	*ret = GRAPH_NONE;
	k->mains = !k->s->tid && !k->s->comm;
	r = search(k, ret);
	if (r || *ret != GRAPH_NONE || !k->mains)
		return r;
	k->mains = false;
	return search(k, ret);
}

int taskarg_say_none(const struct analysis_input *in, const struct selector *s)
{
	char words[SELECTORARG_MAX], file[CLI_WORD_MAX];

	return cli_error("%s: no task fits %s at that time; 'ctrace dump %s %s' shows when one did", in->path,
			 selectorarg_words(s, words), cli_path_word(in->path, file), words);
}

static int find_at(struct search *k, uint64_t at_ns, uint32_t *ret)
{
	uint32_t task;
	int r;

	k->from_ns = at_ns;
	k->to_ns = at_ns + 1;
	if (k->s->tid && graph_task_at(k->in->graph, k->s->tid, at_ns) == GRAPH_NONE)
		return analysis_task(k->in, k->s->tid, ret);
	r = search_both(k, &task);
	if (r)
		return r;
	if (task == GRAPH_NONE)
		return taskarg_say_none(k->in, k->s);
	*ret = task;
	return CLI_OK;
}

int taskarg_at(const struct analysis_input *in, const struct selector *s, uint64_t at_ns, uint32_t *ret)
{
	return find_at(&(struct search){ .in = in, .s = s }, at_ns, ret);
}

int taskarg_named(const struct analysis_input *in, char *name, uint64_t at_ns, uint32_t *ret)
{
	struct selector who = { 0 };
	uint64_t n;

	if (!cli_number(name, UINT32_MAX, &n) && n)
		who.tid = (uint32_t)n;
	else
		who.comm = name;
	return find_at(&(struct search){ .in = in, .s = &who, .named = true }, at_ns, ret);
}

static int find_command(const struct analysis_input *in, uint32_t *ret)
{
	char names[SELECTORARG_NAMES_MAX];
	uint64_t from_ns, to_ns;

	*ret = profile_command(in->graph, &from_ns, &to_ns);
	if (*ret == GRAPH_NONE)
		return cli_error(
			"%s: this trace is no recording of a command; choose a task with --tid, --pid, --comm, --cgroup or --container; %s",
			in->path, selectorarg_names(in, names));
	return CLI_OK;
}

static int find_in_window(struct search *k, uint32_t *ret)
{
	const struct analysis_input *in = k->in;
	int r;

	k->from_ns = in->from_ns;
	k->to_ns = in->to_ns;
	if (!selector_is_set(k->s))
		return find_command(in, ret);
	if (k->s->tid) {
		r = analysis_task(in, k->s->tid, ret);
		if (r ||
		    graph_fits(in->graph, *ret, k->s, MIN(in->graph->tasks[*ret].exit_ns, in->to_ns) - 1))
			return r;
		return selectorarg_say_none(in, k->s);
	}
	r = search_both(k, ret);
	return r || *ret != GRAPH_NONE ? r : selectorarg_say_none(in, k->s);
}

int taskarg_in_window(const struct analysis_input *in, const struct selector *s, uint32_t *ret)
{
	return find_in_window(&(struct search){ .in = in, .s = s }, ret);
}

int taskarg_process(const struct analysis_input *in, const struct selector *s, uint32_t *ret)
{
	return find_in_window(&(struct search){ .in = in, .s = s, .processes = true }, ret);
}

int taskarg_open(struct analysis_input *in, const char *path, const struct windowarg *window,
		 const char *option, const char *at, uint64_t *ret_at_ns)
{
	int r = analysis_open(in, path, window->boot);

	if (r)
		return r;
	tracefile_find_boot(in->reader, option, at);
	r = tracefile_window(in->reader, path, window, &in->from_ns, &in->to_ns);
	if (!r)
		r = tracefile_time(in->reader, path, option, at, ret_at_ns);
	if (r || (*ret_at_ns >= in->from_ns && *ret_at_ns < in->to_ns))
		return r;
	return cli_error("%s %s: this time is not in the window of --from, --to and --last", option, at);
}
