// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/baseline_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

static unsigned number_of_cpus(const char *text)
{
	uint64_t n = 0;

	return cli_number(text, FORMAT_CPUS_MAX, &n) ? 0 : (unsigned)n;
}

struct baseline_machine baseline_machine_of(const struct reader *r)
{
	const struct reader_info *info = reader_info(r);
	struct baseline_machine m = { .cpus = info->n_cpus };

	describe_clean(info->kernel, m.kernel, sizeof(m.kernel));
	describe_clean(info->machine, m.arch, sizeof(m.arch));
	describe_clean(info->cpu, m.model, sizeof(m.model));
	describe_clean(info->governor, m.governor, sizeof(m.governor));
	/* A trace in a format before 1.8 lacks the limits of the command's control group, and has
	 * only those of the daemon's control group. */
	describe_clean(*info->command_limits ? info->command_limits : info->limits, m.cgroup,
		       sizeof(m.cgroup));
	m.allowed_cpus = number_of_cpus(info->command_cpus);
	return m;
}

int baseline_command(const struct analysis_input *in, uint32_t *ret_task, uint64_t *ret_from_ns,
		     uint64_t *ret_to_ns)
{
	uint64_t from = 0, to = UINT64_MAX;
	uint32_t task = profile_command(in->graph, &from, &to);

	if (task == GRAPH_NONE)
		return cli_error(
			"%s: this trace is no recording of a command; make one with 'ctrace record -o FILE -- CMD'",
			in->path);
	if (from < in->from_ns)
		cli_warn("%s: the recording lacks the begin of the command; record with a larger --size",
			 in->path);
	if (to > in->to_ns)
		cli_warn("%s: the recording ended before the command; record without --duration", in->path);
	*ret_task = task;
	*ret_from_ns = MAX(in->from_ns, from);
	*ret_to_ns = MIN(in->to_ns, to);
	return CLI_OK;
}

static bool is_cut(const struct analysis_input *in, uint32_t task)
{
	uint64_t from, to;

	profile_life(in->graph, task, &from, &to);
	return from < in->from_ns || to > in->to_ns;
}

static void say_lost(const struct analysis_input *in)
{
	char file[CLI_WORD_MAX];

	if (in->window->lost_records)
		cli_warn(
			"%s: %" PRIu64
			" records are missing, so some waits may be in wrong parts; 'ctrace info %s' says when",
			in->path, in->window->lost_records, cli_path_word(in->path, file));
}

static void say_limits(const struct analysis_input *in, const struct profile *p)
{
	say_lost(in);
	if (p->truncated)
		cli_warn("%s: the critical path has too many pieces, so some waits were not followed",
			 in->path);
}

int baseline_count(struct baseline *b, const struct analysis_input *in, uint32_t task, uint64_t from_ns,
		   uint64_t to_ns, bool cut)
{
	struct collected *life;
	int r;

	if (cut || in->window->lost_records) {
		b->counts.n_incomplete++;
		return 0;
	}
	r = collect_life(in->graph, task, from_ns, to_ns, &life);
	if (r)
		return r;
	r = counts_run(&b->counts, life);
	collected_free(life);
	return r;
}

static int add_run(struct baseline *b, const struct analysis_input *in)
{
	struct baseline_machine machine = baseline_machine_of(in->reader);
	char command[PART_TEXT_MAX];
	struct profile *p = NULL;
	uint64_t from = 0, to = 0;
	uint32_t task = GRAPH_NONE;
	int r = baseline_command(in, &task, &from, &to);

	if (r)
		return r;
	if (baseline_unit(b, ""))
		return cli_error(
			"%s: it is the run of a command, and a run before it is %s; compare runs of one kind",
			in->path, b->unit);
	r = profile_new(in->graph, task, from, to, &p);
	if (!r)
		say_limits(in, p);
	describe_clean(graph_cmdline(in->graph, task, to - 1), command, sizeof(command));
	r = r ? r : baseline_add(b, p, &machine, command);
	if (!r) {
		r = baseline_count(b, in, task, from, to, is_cut(in, task));
		if (r)
			return cli_error("%s: cannot count the events: %s", in->path, strerror(-r));
		b->n_failed += in->graph->tasks[task].exit_code != 0;
		return CLI_OK;
	}
	profile_free(p);
	return cli_error("%s: cannot walk the critical path: %s", in->path, strerror(-r));
}

static int add_transactions(struct baseline *b, const struct analysis_input *in,
			    const struct transaction_pick *pick)
{
	struct baseline_machine machine = baseline_machine_of(in->reader);

	say_lost(in);
	return transaction_runs_add(b, in, pick, &machine);
}

static int add_trace(struct baseline *b, const char *path, const struct transaction_pick *pick)
{
	/* not analysis_begin(), which calls oom_first(): `ctrace check` runs commands later */
	struct analysis_input in = { 0 };
	int r = analysis_open(&in, path, NULL);

	if (!r)
		r = tracefile_window(in.reader, path, &(struct windowarg){ 0 }, &in.from_ns, &in.to_ns);
	if (!r)
		r = analysis_load(&in);
	if (!r)
		r = pick ? add_transactions(b, &in, pick) : add_run(b, &in);
	analysis_close(&in);
	return r;
}

static ssize_t read_whole(int fd, char *buf, size_t size)
{
	size_t at = 0;
	ssize_t n;

	while (at < size && (n = read(fd, buf + at, size - at)) != 0) {
		if (n < 0)
			return -errno;
		at += (size_t)n;
	}
	return (ssize_t)at;
}

static int add_document(struct baseline *b, const char *path, int fd)
{
	_cleanup_free_ char *text = malloc(BASELINE_BYTES_MAX + 1);
	ssize_t n = text ? read_whole(fd, text, BASELINE_BYTES_MAX + 1) : -ENOMEM;
	char err[BASELINE_ERR_MAX];

	if (n < 0)
		return cli_error("%s: cannot be read: %s", path, strerror((int)-n));
	if (!baseline_parse(b, text, (size_t)n, err))
		return CLI_OK;
	return cli_error("%s: %s; make the file anew with 'ctrace compare --save FILE TRACE...'", path, err);
}

static bool is_document(int fd)
{
	struct stat st;
	char c;

	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, &c, 1, 0) == 1 && c == '{';
}

int baseline_file_add(struct baseline *b, const char *path, const struct transaction_pick *pick)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return is_document(fd) ? add_document(b, path, fd) : add_trace(b, path, pick);
}
