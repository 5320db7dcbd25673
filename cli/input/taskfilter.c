// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/taskfilter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/cleanup.h"

static bool fits(const struct graph *g, uint32_t task, const struct taskfilter *f, uint64_t at_ns)
{
	const struct graph_task *t = &g->tasks[task];
	struct cgroup_name p;

	if ((f->tid && t->tid != f->tid) || (f->pid && t->tgid != f->pid) ||
	    (f->comm && strcmp(f->comm, graph_comm(g, task, at_ns)) != 0))
		return false;
	if (!f->cgroup && !f->container)
		return true;
	p = graph_place(g, task, at_ns);
	return cgroup_name_matches(&p, f->cgroup, f->container);
}

static int say_none(const struct analysis_input *in)
{
	char buf[ANALYSIS_LISTER_MAX];

	return cli_error("%s: no task fits --tid, --pid, --comm, --cgroup and --container in this window; %s",
			 in->path, analysis_lister(in, buf));
}

int taskfilter_find(const struct analysis_input *in, const struct taskfilter *f, bool **ret)
{
	const struct graph *g = in->graph;
	bool any = false;

	*ret = calloc(g->n_tasks ? g->n_tasks : 1, sizeof(**ret));
	if (!*ret)
		return cli_error("out of memory");
	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (t->exit_ns <= in->from_ns || t->born_ns >= in->to_ns)
			continue;
		(*ret)[i] = fits(g, i, f, MIN(t->exit_ns, in->to_ns) - 1);
		any |= (*ret)[i];
	}
	return any || !taskfilter_is_set(f) ? CLI_OK : say_none(in);
}

void taskfilter_leave_out(const struct graph *g, bool *tasks)
{
	for (uint32_t i = 0; i < g->n_tasks; i++)
		if (g->tasks[i].kthread || g->tasks[i].tracer)
			tasks[i] = false;
}

int taskfilter_last(const struct cli_usage *usage, const char *last, const char **from, const char *to,
		    char **room)
{
	char err[TIMEARG_ERR_MAX];
	uint64_t ns;

	*room = NULL;
	if (!last)
		return CLI_OK;
	if (*from || to)
		return cli_usage_error(usage, "give either --last, or --from and --to");
	if (timearg_duration(last, &ns, err))
		return cli_usage_error(usage, "--last %s: %s", last, err);
	if (asprintf(room, "-%s", last) < 0) {
		*room = NULL;
		return cli_error("out of memory");
	}
	*from = *room;
	return CLI_OK;
}
