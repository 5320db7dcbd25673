// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/client/client.h"
#include "cli/client/lacks.h"
#include "cli/client/now.h"
#include "cli/client/outfile.h"
#include "cli/input/timearg.h"
#include "cli/input/tracefile.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "report/walltime.h"
#include "trace/snapshot/cut.h"

struct request {
	const char *output, *last, *from, *to, *input, *socket;
	uint64_t from_ns, to_ns;
	bool force, redact;
};

#define TEXT(member) CLI_TEXT(struct request, member)
#define FLAG(member) CLI_FLAG(struct request, member)
static const struct cli_option options[] = {
	{ 'o', "output", "FILE", "Write the trace to FILE (default: ctrace-YYYYmmdd-HHMMSS.ctr)" },
	{ 'f', "force", NULL, "Replace FILE if it exists" },
	{ TEXT(last), "last", "T", "Save the last T: 30s, 5m, 1.5h" },
	{ TEXT(from), "from", "TIME", "Begin at TIME: 14:03:12, -30s, boot:NS, ... (see ctrace(1))" },
	{ TEXT(to), "to", "TIME", "End at TIME (default: now)" },
	{ FLAG(redact), "redact", NULL,
	  "Replace addresses, command lines, and the names of programs, files, functions and the host with hashes" },
	{ TEXT(input), "input", "TRACE", "Copy from TRACE instead of the daemon's trace" },
	{ TEXT(socket), "socket", "PATH", CLIENT_SOCKET_HELP },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "snapshot",
	.args = "[-o FILE] [--force] [--last T | --from TIME --to TIME] [--redact] [--input TRACE | --socket PATH]",
	.about =
		"Saves what the running daemon has recorded: everything, or a range of time. The capture goes on.",
	.options = options,
};

static int parse_time(const char *option, const char *arg, const struct timearg_context *ctx, uint64_t *ret)
{
	char err[TIMEARG_ERR_MAX];
	int r = timearg_parse(arg, ctx, ret, err);

	if (!r)
		return CLI_OK;
	if (r == -EINVAL)
		return cli_usage_error(&usage, "%s %s: %s", option, arg, err);
	return cli_error("%s %s: %s", option, arg, err);
}

static int resolve(struct request *q)
{
	struct timearg_context ctx;
	char err[TIMEARG_ERR_MAX], wall[WALLTIME_MAX];
	uint64_t last;
	int code;

	/* a wall clock time without a date needs the range of the trace */
	code = now_range(q->socket, &ctx);
	if (code)
		return code;
	q->from_ns = 0;
	q->to_ns = ctx.to_ns;
	if (q->last) {
		if (timearg_duration(q->last, &last, err))
			return cli_usage_error(&usage, "--last %s: %s", q->last, err);
		q->from_ns = last < ctx.to_ns ? ctx.to_ns - last : 0;
	}
	if (q->from)
		code = parse_time("--from", q->from, &ctx, &q->from_ns);
	if (!code && q->to)
		code = parse_time("--to", q->to, &ctx, &q->to_ns);
	if (!code && q->from_ns >= q->to_ns)
		code = cli_error("the window is empty; it must begin before it ends, and before now");
	else if (!code && q->to_ns <= ctx.from_ns)
		code = cli_error("the window is not in the trace any more; the trace reaches back to %s",
				 walltime_text(ctx.from_ns, &ctx.offsets, 0, wall));
	return code;
}

static int cut(const struct request *q, struct reader *r, uint64_t from_ns, uint64_t to_ns, int fd)
{
	char err[READER_ERR_MAX];
	uint64_t segments;
	const struct cut_options opt = { .from_ns = from_ns, .to_ns = to_ns, .redact = q->redact };
	int ret = cut_window(r, &opt, fd, &segments, err);

	return ret ? cli_error("%s", err) : CLI_OK;
}

static int cut_input(const struct request *q, struct reader *r, int fd)
{
	const struct windowarg window = { .from = q->from, .to = q->to, .last = q->last };
	uint64_t from_ns, to_ns;
	int code = tracefile_window(r, q->input, &window, &from_ns, &to_ns);

	return code ? code : cut(q, r, from_ns, to_ns, fd);
}

static int ask_redacted(const struct request *q, int fd, struct lacks *ret_lacks)
{
	_cleanup_close_ int whole = now_nameless();
	char err[READER_ERR_MAX];
	struct reader *r;
	int code;

	if (whole < 0)
		return CLI_FAILED;
	code = now_write(q->socket, q->from_ns, q->to_ns, whole, ret_lacks);
	if (code)
		return code;
	if (reader_open_fd(whole, "the snapshot", &r, err))
		return cli_error("%s", err);
	code = cut(q, r, 0, UINT64_MAX, fd);
	reader_free(r);
	return code;
}

static int take(struct request *q, struct outfile *out, struct lacks *ret_lacks)
{
	struct reader *r = NULL;
	int code;

	if (q->input) {
		code = tracefile_open(q->input, &r);
		if (!code)
			code = outfile_open(q->output, out);
		if (!code)
			code = cut_input(q, r, out->fd);
		reader_free(r);
	} else {
		code = resolve(q);
		if (!code)
			code = outfile_open(q->output, out);
		if (!code)
			code = q->redact ? ask_redacted(q, out->fd, ret_lacks)
					 : now_write(q->socket, q->from_ns, q->to_ns, out->fd, ret_lacks);
	}
	return code ? code : outfile_commit(out);
}

/* The records of an earlier snapshot may exist nowhere else. */
static int check_output(const struct request *q)
{
	struct stat st;

	if (q->force || !q->output || stat(q->output, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return CLI_OK;
	return cli_error("%s: the file exists; give another name with -o, or --force to replace it",
			 q->output);
}

int cmd_snapshot(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	_cleanup_(outfile_done) struct outfile out = OUTFILE_NONE;
	struct request q = { 0 };
	struct lacks lacks = { 0 };
	int c;

	p.into = &q;
	while ((c = cli_next(&p)) > 0) {
		if (c == 'o')
			q.output = p.arg;
		else if (c == 'f')
			q.force = true;
	}
	if (c < 0)
		return p.exit_code;
	if (cli_no_args(&p))
		return CLI_USAGE;
	if (q.last && (q.from || q.to))
		return cli_usage_error(&usage, "give --last, or --from and --to");
	if (q.input && q.socket)
		return cli_usage_error(&usage, "give --input, or --socket");
	if (!q.socket)
		q.socket = client_socket();
	c = check_output(&q);
	if (!c)
		c = take(&q, &out, &lacks);
	if (c)
		return c;
	tracefile_say_written(out.fd, out.path, false, lacks.lost_records);
	return lacks_say(&lacks, out.path);
}
