// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/take.h"

#include <string.h>

#include "analysis/profile/profile.h"
#include "cli/cli.h"
#include "cli/client/outfile.h"
#include "cli/compare/baseline_file.h"
#include "lib/cleanup.h"
#include "trace/snapshot/cut.h"
#include "trace/words/describe.h"

static void tell_once(bool lacks, bool *told)
{
	if (!lacks || *told)
		return;
	*told = true;
	cli_warn(
		"a recording lacks records, or its path is too long to follow, so some waits may be in wrong parts; --keep keeps the traces");
}

/* command: the life of the command */
static int add_run(struct baseline *b, const struct analysis_input *in, const struct profile_leg *command,
		   const struct transaction_pick *pick, bool *told)
{
	struct baseline_machine machine = baseline_machine_of(in->reader);
	char line[PART_TEXT_MAX];
	struct profile *p = NULL;
	int r;

	if (pick->type) {
		tell_once(in->window->lost_records, told);
		return transaction_runs_add(b, in, pick, &machine);
	}
	describe_clean(graph_cmdline(in->graph, command->task, command->to_ns - 1), line, sizeof(line));
	r = profile_legs(in->graph, command, 1, &p);
	if (!r)
		tell_once(in->window->lost_records || p->truncated, told);
	r = r ? r : baseline_add(b, p, &machine, line);
	if (!r)
		return CLI_OK;
	profile_free(p);
	return cli_error("cannot walk the critical path of the command: %s", strerror(-r));
}

/* pid: the process of the command. profile_command() is not used: its result may be another child of ctrace,
 * left over from an earlier run. */
static int add_profile(struct baseline *b, const struct analysis_input *in, pid_t pid,
		       const struct transaction_pick *pick, bool *told)
{
	uint32_t task = graph_task_at(in->graph, (uint32_t)pid, in->to_ns - 1);
	uint64_t from, to;
	bool cut;
	int r;

	if (task == GRAPH_NONE)
		return cli_error("the recording lacks the command; is the disk of /var/tmp full?");
	profile_life(in->graph, task, &from, &to);
	cut = from < in->from_ns || to > in->to_ns;
	from = MAX(from, in->from_ns);
	to = MIN(to, in->to_ns);
	r = add_run(b, in, &(struct profile_leg){ .from_ns = from, .to_ns = to, .task = task }, pick, told);
	if (r)
		return r;
	r = baseline_count(b, in, task, from, to, cut);
	return r ? cli_error("cannot count the events of the command: %s", strerror(-r)) : CLI_OK;
}

int take_profile(struct baseline *b, struct run *run, const struct transaction_pick *pick, bool *told)
{
	struct analysis_input in = { 0 };
	int r;

	analysis_take_now(&in, TAKE_PTR(run->trace), TAKE_FD(run->trace_fd));
	in.path = "the recording of the run";
	r = tracefile_window(in.reader, in.path, &(struct windowarg){ 0 }, &in.from_ns, &in.to_ns);
	r = r ? r : analysis_load(&in);
	r = r ? r : add_profile(b, &in, run->pid, pick, told);
	analysis_close(&in);
	return r ? CLI_FAILED : CLI_OK;
}

int take_keep(struct reader *trace, const char *path, bool redact)
{
	_cleanup_(outfile_done) struct outfile out = OUTFILE_NONE;
	const struct cut_options all = { .to_ns = UINT64_MAX, .redact = redact };
	char err[READER_ERR_MAX];
	uint64_t segments;

	if (outfile_open(path, &out))
		return CLI_FAILED;
	if (cut_window(trace, &all, out.fd, &segments, err))
		return cli_error("%s: cannot be written: %s", path, err);
	return outfile_commit(&out);
}
