// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/withoutarg.h"

#include <string.h>

#include "cli/cli.h"
#include "trace/words/describe.h"

static int add(struct withoutarg *w, const struct whatif_without *what)
{
	return VEC_PUSH(&w->v, *what)
		       ? cli_error("--without: out of memory; narrow the window with --from and --to")
		       : CLI_OK;
}

static int parse_id(const char *what, const char *arg, uint32_t *ret)
{
	uint64_t n;

	if (cli_number(arg, UINT32_MAX, &n) || !n) {
		cli_error("--without %s:%s: this is no id of a task or process; give a positive number", what,
			  arg);
		return CLI_USAGE;
	}
	*ret = (uint32_t)n;
	return CLI_OK;
}

static int add_task(struct withoutarg *w, const struct analysis_input *in, const char *arg)
{
	struct whatif_without what = { .kind = WHATIF_TASK };
	uint32_t tid;
	int r = parse_id("task", arg, &tid);

	if (!r)
		r = analysis_task(in, tid, &what.task);
	return r ? r : add(w, &what);
}

static int add_process(struct withoutarg *w, const struct analysis_input *in, const char *arg)
{
	struct whatif_without what = { .kind = WHATIF_PROCESS };
	uint32_t pid;
	size_t n;
	const struct graph_ref *thread;
	int r = parse_id("process", arg, &pid);

	if (r)
		return r;
	thread = graph_refs(&in->graph->threads, pid, &n);
	if (!n)
		return cli_error(
			"%s: --without process:%u: there is no such process in this trace; 'ctrace path' without this option lists the processes on the path",
			in->path, pid);
	what.task = graph_task_at(in->graph, pid, in->to_ns - 1);
	if (what.task == GRAPH_NONE)
		what.task = thread->event;
	return add(w, &what);
}

static int add_objects(struct withoutarg *w, const struct analysis_input *in, const struct account *a,
		       const char *arg)
{
	size_t before = w->v.n;
	char name[DESCRIBE_MAX];

	for (size_t i = 0; i < a->n_rows[ACCOUNT_OBJECT]; i++) {
		struct whatif_without what = { .kind = WHATIF_OBJECT, .obj = a->rows[ACCOUNT_OBJECT][i].obj };

		describe_object(in->window, what.obj, name, sizeof(name));
		if (what.obj && strstr(name, arg) && add(w, &what))
			return CLI_FAILED;
	}
	if (w->v.n > before)
		return CLI_OK;
	return cli_error(
		"%s: --without object:%s: the path has no wait for an object with this name; 'ctrace path' without this option lists the objects",
		in->path, arg);
}

static int add_wait(struct withoutarg *w, const struct analysis_input *in, uint32_t task, const char *arg)
{
	const struct graph *g = in->graph;
	char comm[64];
	uint64_t at;
	int r = tracefile_time(in->reader, in->path, "--without wait", arg, &at);

	if (r)
		return r;
	for (uint32_t i = graph_interval_at(g, task, at); i != GRAPH_NONE && i < g->n_intervals; i++) {
		if (g->intervals[i].task != task || g->intervals[i].from_ns >= in->to_ns)
			break;
		if (g->intervals[i].state == INTERVAL_BLOCKED)
			return add(w, &(struct whatif_without){ .kind = WHATIF_WAIT, .interval = i });
	}
	describe_clean(graph_comm(g, task, at), comm, sizeof(comm));
	return cli_error(
		"%s: --without wait:%s: %s[%u] does not wait at or after this time in the range; choose an earlier time",
		in->path, arg, comm, g->tasks[task].tid);
}

static int add_resource(struct withoutarg *w, const char *arg)
{
	for (int i = TIME_RUNNABLE; i < TIME_UNKNOWN; i++)
		if (!strcmp(arg, time_kind_name((enum time_kind)i)))
			return add(w,
				   &(struct whatif_without){ .kind = WHATIF_RESOURCE, .time = (uint8_t)i });
	cli_say("--without resource:%s: there is no such kind; give runnable, lock, ipc, disk, network, timer, queue or fault",
		arg);
	return CLI_USAGE;
}

int withoutarg_add(struct withoutarg *w, const struct analysis_input *in, uint32_t task,
		   const struct account *a, const char *arg)
{
	const char *colon = strchr(arg, ':');
	size_t n = colon ? (size_t)(colon - arg) : 0;

	if (colon && colon[1] && n == 4 && !strncmp(arg, "task", n))
		return add_task(w, in, colon + 1);
	if (colon && colon[1] && n == 4 && !strncmp(arg, "wait", n))
		return add_wait(w, in, task, colon + 1);
	if (colon && colon[1] && n == 6 && !strncmp(arg, "object", n))
		return add_objects(w, in, a, colon + 1);
	if (colon && colon[1] && n == 7 && !strncmp(arg, "process", n))
		return add_process(w, in, colon + 1);
	if (colon && colon[1] && n == 8 && !strncmp(arg, "resource", n))
		return add_resource(w, colon + 1);
	cli_say("--without: '%s' is not understood; give task:TID, process:PID, object:TEXT, wait:TIME or resource:KIND",
		arg);
	return CLI_USAGE;
}

void withoutarg_done(struct withoutarg *w)
{
	VEC_FREE(&w->v);
}
