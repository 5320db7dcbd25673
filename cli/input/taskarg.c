// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/taskarg.h"

#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

#define TIDS_SHOWN 8

static bool lived(const struct graph *g, uint32_t task, uint64_t at_ns)
{
	const struct graph_task *t = &g->tasks[task];

	return t->n_intervals && t->born_ns <= at_ns && at_ns < t->exit_ns;
}

static int say_several(const struct analysis_input *in, const char *comm, uint64_t at_ns)
{
	const struct graph *g = in->graph;
	char tids[TIDS_SHOWN * 12 + 8] = "";
	size_t len = 0, shown = 0;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		if (!lived(g, i, at_ns) || strcmp(graph_comm(g, i, at_ns), comm))
			continue;
		if (shown++ == TIDS_SHOWN) {
			snprintf(tids + len, sizeof(tids) - len, ", ...");
			break;
		}
		len += (size_t)snprintf(tids + len, sizeof(tids) - len, "%s%" PRIu32, shown > 1 ? ", " : "",
					g->tasks[i].tid);
	}
	return cli_error("%s: several tasks had the name '%s' at that time: %s; give one of these tids",
			 in->path, comm, tids);
}

static int find_name(const struct analysis_input *in, const char *comm, uint64_t at_ns, uint32_t *ret_task)
{
	const struct graph *g = in->graph;
	uint32_t found = GRAPH_NONE;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		if (!lived(g, i, at_ns) || strcmp(graph_comm(g, i, at_ns), comm))
			continue;
		if (found != GRAPH_NONE)
			return say_several(in, comm, at_ns);
		found = i;
	}
	if (found == GRAPH_NONE)
		return cli_error(
			"%s: no task had the name '%s' at that time; 'ctrace dump %s --comm %s' shows when one had it",
			in->path, comm, in->path, comm);
	*ret_task = found;
	return CLI_OK;
}

int taskarg_find(const struct analysis_input *in, uint32_t tid, const char *comm, uint64_t at_ns,
		 uint32_t *ret_task)
{
	uint32_t task;

	if (!tid)
		return find_name(in, comm, at_ns, ret_task);
	task = graph_task_at(in->graph, tid, at_ns);
	if (task == GRAPH_NONE)
		return cli_error("%s: no task %" PRIu32
				 " in this trace; 'ctrace hangs %s' lists the tasks that waited",
				 in->path, tid, in->path);
	if (!lived(in->graph, task, at_ns))
		return cli_error("%s: task %" PRIu32
				 " did not exist at that time; 'ctrace dump %s --tid %" PRIu32
				 "' shows when it did",
				 in->path, tid, in->path, tid);
	*ret_task = task;
	return CLI_OK;
}

int taskarg_open(struct analysis_input *in, const char *path, const char *boot, const char *option,
		 const char *at, uint64_t *ret_at_ns)
{
	int r = analysis_open(in, path, boot);

	if (r)
		return r;
	tracefile_find_boot(in->reader, option, at);
	return tracefile_time(in->reader, path, option, at, ret_at_ns);
}

int taskarg_load(struct analysis_input *in, const char *path, const char *boot, const char *option,
		 const char *at, uint64_t *ret_at_ns)
{
	int r = taskarg_open(in, path, boot, option, at, ret_at_ns);

	if (!r)
		r = analysis_load_around(in, *ret_at_ns);
	if (r)
		return r;
	in->from_ns = MAX(in->window->from_ns, in->window->file_from_ns);
	in->to_ns = MIN(in->window->to_ns, in->window->file_to_ns + 1);
	return CLI_OK;
}
