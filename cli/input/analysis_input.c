// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/analysis_input.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/memory.h"
#include "report/thresholds.h"
#include "trace/words/describe.h"

int analysis_open(struct analysis_input *in, const char *path, const char *boot)
{
	int r;

	*in = (struct analysis_input){ .path = path, .lean = in->lean, .frugal = in->frugal, .fit = in->fit };
	r = tracefile_open(path, &in->reader);
	return r || !boot ? r : tracefile_use_boot(in->reader, path, boot);
}

void analysis_take_now(struct analysis_input *in, struct reader *trace, int fd)
{
	*in = (struct analysis_input){
		.path = "now", .reader = trace, .is_now = true, .fd = fd, .lean = in->lean
	};
}

const char *analysis_lister(const struct analysis_input *in, char buf[ANALYSIS_LISTER_MAX])
{
	char file[CLI_WORD_MAX];

	if (in->is_now)
		return "'ctrace waits' lists the tasks that wait now";
	snprintf(buf, ANALYSIS_LISTER_MAX, "'ctrace hangs %s' lists the tasks that waited",
		 cli_path_word(in->path, file));
	return buf;
}

/* Returns 0 if this is not known. */
static uint64_t memory_bytes(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (uint64_t)info.totalram * info.mem_unit;
}

void analysis_fit(struct analysis_input *in, const struct windowarg *window)
{
	char records[TEXT_NUMBER_MAX], length[TEXT_NUMBER_MAX];
	uint64_t newest_ns;

	oom_first();
	if (!in->fit || window->at || windowarg_is_set(window))
		return;
	reader_want_kinds(in->reader, GRAPH_KINDS);
	newest_ns = reader_newest(in->reader, memory_bytes() / LOAD_MEMORY_SHARE / LOAD_RECORD_BYTES);
	if (newest_ns <= in->from_ns || newest_ns >= in->to_ns)
		return;
	in->least_ns = newest_ns;
	in->from_ns = newest_ns + MIN(LOAD_BEFORE_NS, (in->to_ns - newest_ns) / 2);
	cli_warn(
		"%s has %s records, which is too much to look at as a whole; this is about its last %s. Choose another part with --from and --to",
		in->path, text_count(reader_info(in->reader)->records, records),
		text_duration(in->to_ns - in->from_ns, length));
}

int analysis_load(struct analysis_input *in)
{
	if (reader_info(in->reader)->records > LOAD_WHOLE_RECORDS || in->least_ns)
		return analysis_load_part(in, LOAD_BEFORE_NS);
	return analysis_load_range(in, 0, UINT64_MAX);
}

int analysis_load_part(struct analysis_input *in, uint64_t before_ns)
{
	uint64_t from_ns = in->from_ns > before_ns ? in->from_ns - before_ns : 0;

	return analysis_load_range(in, MAX(from_ns, in->least_ns), in->to_ns + LOAD_AFTER_NS);
}

int analysis_load_around(struct analysis_input *in, uint64_t at_ns)
{
	in->from_ns = at_ns > LOAD_AROUND_NS ? at_ns - LOAD_AROUND_NS : 0;
	in->to_ns = at_ns + LOAD_AROUND_NS;
	return analysis_load(in);
}

int analysis_load_range(struct analysis_input *in, uint64_t from_ns, uint64_t to_ns)
{
	int r;

	graph_free(TAKE_PTR(in->graph));
	window_free(TAKE_PTR(in->window));
	reader_want_kinds(in->reader, GRAPH_KINDS);
	r = tracefile_load(in->reader, from_ns, to_ns, &in->window);
	if (r)
		return r;
	/* Times in options are read with these offsets, so the answer must use them too. */
	in->window->offsets = reader_info(in->reader)->offsets;
	r = in->lean     ? graph_build_lean(in->window, &in->graph)
	    : in->frugal ? graph_build_frugal(in->window, cli_both, &in->graph)
			 : graph_build_both(in->window, cli_both, &in->graph);
	if (r)
		return cli_error("%s: cannot build the graph: %s; narrow the window with --from and --to",
				 in->path, strerror(-r));
	return CLI_OK;
}

int analysis_begin(struct analysis_input *in, const char *path, const struct windowarg *window)
{
	int r = analysis_open(in, path, window->boot);

	oom_first();
	if (!r)
		r = tracefile_window(in->reader, path, window, &in->from_ns, &in->to_ns);
	return r ? r : analysis_load(in);
}

int analysis_begin_moment(struct analysis_input *in, const char *path, const struct windowarg *window,
			  struct timearg_moment *ret_at)
{
	int r = analysis_open(in, path, window->boot);

	if (!r)
		r = tracefile_moment(in->reader, path, window, &in->from_ns, &in->to_ns, ret_at);
	if (!r)
		analysis_fit(in, window);
	return r ? r : analysis_load(in);
}

void analysis_close(struct analysis_input *in)
{
	if (in->graph && graph_scans_refused(in->graph))
		cli_warn(
			"%s: too many records concern one task or object, so ctrace did not read all of them: an owner or a waker may be missing; narrow the window with --from and --to",
			in->path);
	graph_free(in->graph);
	window_free(in->window);
	reader_free(in->reader);
	if (in->is_now)
		close(in->fd);
	*in = (struct analysis_input){ 0 };
}

int analysis_task(const struct analysis_input *in, uint32_t tid, uint32_t *ret_task)
{
	const struct graph *g = in->graph;
	uint32_t task = graph_task_at(g, tid, in->to_ns - 1);
	char comm[64], buf[ANALYSIS_LISTER_MAX];

	if (task == GRAPH_NONE)
		return cli_error("%s: no task %u in this trace; %s", in->path, tid, analysis_lister(in, buf));
	describe_clean(graph_comm(g, task, in->from_ns), comm, sizeof(comm));
	if (g->tasks[task].exit_ns <= in->from_ns)
		return cli_error(
			"%s: task %u (%s) had exited before the window begins (%.3f s before); choose an earlier window with --from and --to",
			in->path, tid, comm, (double)(in->from_ns - g->tasks[task].exit_ns) / 1e9);
	if (g->tasks[task].born_ns >= in->to_ns)
		return cli_error(
			"%s: task %u (%s) began after the window ends; choose a later window with --from and --to",
			in->path, tid, comm);
	*ret_task = task;
	return CLI_OK;
}
