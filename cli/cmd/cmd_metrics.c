// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/client/client.h"
#include "cli/client/now.h"
#include "cli/export/request_metrics.h"
#include "cli/input/analysis_input.h"
#include "cli/thresholds.h"
#include "graph/thresholds.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/format/pio.h"

struct metrics {
	const char *textfile, *socket, *path;
	bool requests;
};

static const struct cli_option options[] = {
	{ CLI_TEXT(struct metrics, textfile), "textfile", "PATH",
	  "Write the figures to PATH in one step; if no daemon runs, write ctrace_up 0" },
	{ CLI_FLAG(struct metrics, requests), "requests", NULL,
	  "print the number and latency of the requests of each service instead; with --textfile, add them to those in PATH" },
	{ CLI_TEXT(struct metrics, socket), "socket", "PATH", CLIENT_SOCKET_HELP },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "metrics",
	.args = "[--requests] [--textfile PATH] [--socket PATH] [FILE]",
	.about =
		"Prints the figures of the running daemon in Prometheus' text format. With --requests, it prints histograms\n"
		"of the requests of each service, from the trace of the daemon or from the trace FILE.",
	.options = options,
};

static const char down[] = "# HELP ctrace_up Whether the daemon answers.\n"
			   "# TYPE ctrace_up gauge\n"
			   "ctrace_up 0\n";

/* The collector of Prometheus may read at any time, so the file is renamed when it is whole. The collector
 * ignores the temporary name, which does not end in .prom. */
static int write_textfile(const char *path, const char *text)
{
	_cleanup_free_ char *tmp = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (asprintf(&tmp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = pio_write(fd, text, strlen(text), 0);
	if (!r && (fchmod(fd, 0644) || rename(tmp, path)))
		r = -errno;
	if (r)
		unlink(tmp);
	return r;
}

static int put(const char *textfile, const char *text)
{
	int r;

	if (!textfile) {
		fputs(text, stdout);
		return CLI_OK;
	}
	r = write_textfile(textfile, text);
	return r ? cli_error(
			   "%s: cannot be written: %s; give --textfile a path in a directory that you can write",
			   textfile, strerror(-r))
		 : CLI_OK;
}

/* Reads the text that the previous run wrote. Without this file, *m stays empty. */
static int read_before(const char *path, struct request_metrics *m)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	size_t size = 0;

	if (!f && errno == ENOENT)
		return CLI_OK;
	if (f && getdelim(&text, &size, '\0', f) > 0 && !request_metrics_read(m, text))
		return CLI_OK;
	return cli_error(
		"%s: is not a file that 'ctrace metrics --requests' wrote; remove it, or give another path",
		path);
}

static int count_requests(struct analysis_input *in, struct request_metrics *m)
{
	struct services *s;
	int r = services_count(in->graph, in->from_ns, in->to_ns, NULL, &s);

	if (r)
		return cli_error("%s: cannot find the requests: %s", in->path, strerror(-r));
	request_metrics_add(m, s);
	m->until_real_ns = (uint64_t)clock_real_ns(in->to_ns, &in->window->offsets);
	m->window_ns = in->to_ns - in->from_ns;
	m->lacking_ns += graph_lacked_ns(in->graph, CT_LACK_MESSAGES, in->from_ns, in->to_ns);
	services_free(s);
	return CLI_OK;
}

/* Adds the requests since the previous run. The window ends REQUEST_PART_NS before now: an answer
 * that ended just now may still get a further part. This part would move the end of the request
 * into the window of the next run, which would count the request again. */
static int count_new(const char *socket, struct analysis_input *in, struct request_metrics *m)
{
	struct timearg_context range;
	uint64_t from_ns, before_ns, most_ns, now_ns;
	struct reader *trace;
	struct lacks lacks;
	int fd, r = now_range(socket, &range);

	if (r)
		return r;
	now_ns = range.to_ns;
	range.to_ns = MAX(range.from_ns, checked_sub(now_ns, REQUEST_PART_NS));
	most_ns = m->until_real_ns ? METRICS_MOST_NS : METRICS_FIRST_NS;
	from_ns = range.to_ns > most_ns ? range.to_ns - most_ns : 0;
	from_ns = MAX(from_ns, range.from_ns);
	/* if the previous run was before the boot, this difference wraps around */
	before_ns = m->until_real_ns - (uint64_t)range.offsets.boot_to_real_ns;
	if (m->until_real_ns && before_ns < now_ns) {
		m->skipped_ns += from_ns > before_ns ? from_ns - before_ns : 0;
		from_ns = MAX(from_ns, before_ns);
		from_ns = MIN(from_ns, range.to_ns);
	}
	r = now_open(socket, from_ns > METRICS_BEFORE_NS ? from_ns - METRICS_BEFORE_NS : 0, &trace, &fd,
		     &lacks);
	if (r)
		return r;
	analysis_take_now(in, trace, fd);
	in->from_ns = from_ns;
	in->to_ns = range.to_ns;
	r = analysis_load_range(in, 0, UINT64_MAX);
	return r ? r : count_requests(in, m);
}

static int put_requests(const struct metrics *o)
{
	struct analysis_input in = { .lean = false };
	_cleanup_free_ struct request_metrics *m = calloc(1, sizeof(*m));
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f;
	int r;

	if (!m)
		return cli_error("out of memory");
	r = o->textfile ? read_before(o->textfile, m) : CLI_OK;
	if (r)
		return r;
	if (o->path) {
		r = analysis_begin(&in, o->path, &(struct windowarg){ 0 });
		r = r ? r : count_requests(&in, m);
	} else {
		r = count_new(o->socket, &in, m);
	}
	analysis_close(&in);
	if (r)
		return r;
	f = open_memstream(&text, &size);
	if (!f)
		return cli_error("out of memory");
	request_metrics_print(f, m);
	return fclose(f) ? cli_error("out of memory") : put(o->textfile, text);
}

int cmd_metrics(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	struct metrics m = { 0 };
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	const char *text;
	int r;

	p.into = &m;
	if (cli_next(&p) < 0)
		return p.exit_code;
	m.path = p.first == p.argc ? NULL : cli_only_arg(&p, "FILE");
	if (!m.path && p.first != p.argc)
		return CLI_USAGE;
	if (m.path && !m.requests)
		return cli_usage_error(
			&usage, "give FILE only with --requests: the other figures are those of the daemon");
	if (m.path && (m.socket || m.textfile))
		return cli_usage_error(
			&usage,
			"give either FILE, or --socket and --textfile: a FILE is read without the daemon");
	m.socket = m.socket ? m.socket : client_socket();
	if (m.requests)
		return put_requests(&m);
	r = client_command(m.socket, "metrics", WAIT_ANSWER_MS, &answer, err);
	if (m.textfile && (r == -ENOENT || r == -ECONNREFUSED || r == -ETIMEDOUT))
		return put(m.textfile, down);
	if (r)
		return cli_error("%s", err);
	text = json_string_value(json_object_get(answer, "text"));
	r = text ? put(m.textfile, text)
		 : cli_error("the daemon's answer has no metrics; is it older than ctrace?");
	json_decref(answer);
	return r;
}
