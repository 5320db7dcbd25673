// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/selectorarg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/words.h"

#define NAMES_SHOWN    8
#define CLEAN_NAME_MAX (CT_COMM_LEN * 4)

_Static_assert(SELECTORARG_NAMES_MAX > NAMES_SHOWN * (CLEAN_NAME_MAX + 2) + 64, "the names fit");

static void add_text(char *buf, const char *option, const char *arg)
{
	size_t n = strlen(buf);

	_cleanup_free_ char *word = NULL;
	struct words t = { 0 };

	if (!arg)
		return;
	words_add_quoted(&t, arg, arg);
	word = words_take(&t);
	snprintf(buf + n, SELECTORARG_MAX - n, "%s--%s %s", n ? " " : "", option, word ? word : arg);
}

static void add_id(char *buf, const char *option, uint32_t id)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", id);
	add_text(buf, option, id ? text : NULL);
}

const char *selectorarg_words(const struct selector *s, char buf[SELECTORARG_MAX])
{
	buf[0] = '\0';
	add_id(buf, "tid", s->tid);
	add_id(buf, "pid", s->pid);
	add_text(buf, "comm", s->comm);
	add_text(buf, "cgroup", s->cgroup);
	add_text(buf, "container", s->container);
	return buf;
}

static bool lived(const struct analysis_input *in, uint32_t task)
{
	const struct graph_task *t = &in->graph->tasks[task];

	return t->exit_ns > in->from_ns && t->born_ns < in->to_ns;
}

static uint64_t last_ns(const struct analysis_input *in, uint32_t task)
{
	return MIN(in->graph->tasks[task].exit_ns, in->to_ns) - 1;
}

static bool is_named(char names[][CLEAN_NAME_MAX], size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Of the tasks whose names are not among the first n names, finds the one with the most intervals. Writes
 * its name to names[n]. Returns false if there is none. */
static bool next_name(const struct analysis_input *in, char names[][CLEAN_NAME_MAX], size_t n)
{
	const struct graph *g = in->graph;
	uint32_t most = 0;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];
		char name[CLEAN_NAME_MAX];

		if (t->kthread || t->tracer || t->n_intervals <= most || !lived(in, i))
			continue;
		describe_clean(graph_comm(g, i, last_ns(in, i)), name, sizeof(name));
		if (is_named(names, n, name) || (name[0] == '?' && !name[1]))
			continue;
		most = t->n_intervals;
		memcpy(names[n], name, sizeof(name));
	}
	return most;
}

const char *selectorarg_names(const struct analysis_input *in, char buf[SELECTORARG_NAMES_MAX])
{
	char names[NAMES_SHOWN][CLEAN_NAME_MAX];
	size_t n = 0, at;

	while (n < NAMES_SHOWN && next_name(in, names, n))
		n++;
	at = (size_t)snprintf(buf, SELECTORARG_NAMES_MAX,
			      n ? "this window has tasks with the names " : "this window has no tasks");
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(buf + at, SELECTORARG_NAMES_MAX - at, "%s%s", i ? ", " : "", names[i]);
	return buf;
}

int selectorarg_say_none(const struct analysis_input *in, const struct selector *s)
{
	char words[SELECTORARG_MAX], names[SELECTORARG_NAMES_MAX];

	return cli_error("%s: no task fits %s in this window; %s", in->path, selectorarg_words(s, words),
			 selectorarg_names(in, names));
}

int selectorarg_find_or_all(const struct analysis_input *in, const struct selector *s, bool **ret)
{
	const struct graph *g = in->graph;
	bool any = false;

	*ret = calloc(g->n_tasks + 1, sizeof(**ret));
	if (!*ret)
		return cli_error("out of memory");
	for (uint32_t i = 0; i < g->n_tasks; i++) {
		(*ret)[i] = lived(in, i) && graph_fits(g, i, s, last_ns(in, i));
		any |= (*ret)[i];
	}
	return any || !selector_is_set(s) ? CLI_OK : selectorarg_say_none(in, s);
}

int selectorarg_find(const struct analysis_input *in, const struct selector *s, bool **ret)
{
	*ret = NULL;
	return selector_is_set(s) ? selectorarg_find_or_all(in, s, ret) : CLI_OK;
}

int selectorarg_find_threads(const struct analysis_input *in, const struct selector *s, bool **ret)
{
	const struct graph *g = in->graph;
	int r = selectorarg_find(in, s, ret);

	if (r || !*ret || s->tid)
		return r;
	for (uint32_t i = 0; i < g->n_tasks; i++) {
		uint32_t leader = graph_task_at(g, g->tasks[i].tgid, last_ns(in, i));

		/* If task i did not live in the window, `leader` may be the main thread of another process
		 * that had the same pid in the window. So task i itself must have lived in the window. */
		(*ret)[i] |= lived(in, i) && leader != GRAPH_NONE && (*ret)[leader];
	}
	return CLI_OK;
}

void selectorarg_leave_out(const struct graph *g, bool *tasks)
{
	for (uint32_t i = 0; i < g->n_tasks; i++)
		if (g->tasks[i].kthread || g->tasks[i].tracer)
			tasks[i] = false;
}
