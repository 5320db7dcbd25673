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
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/format/pio.h"

struct metrics {
	const char *textfile, *socket;
};

static const struct cli_option options[] = {
	{ CLI_TEXT(struct metrics, textfile), "textfile", "PATH",
	  "Write the figures to PATH in one step; if no daemon runs, write ctrace_up 0" },
	{ CLI_TEXT(struct metrics, socket), "socket", "PATH", CLIENT_SOCKET_HELP },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "metrics",
	.args = "[--textfile PATH] [--socket PATH]",
	.about = "Prints the figures of the running daemon in Prometheus' text format.",
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

int cmd_metrics(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	struct metrics m = { .socket = client_socket() };
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	const char *text;
	int r;

	if (cli_parse_into(&p, &m))
		return p.exit_code;
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
