// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/export/out.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define OUT_BUFFER (1 << 16)

/* Keeps the first error, and writes nothing after it. stdio drops the bytes of a failed write. So if a later
 * write succeeded, the output would lack these bytes. */
static ssize_t put(void *cookie, const char *s, size_t n)
{
	struct out *o = cookie;

	for (size_t done = 0; done < n && !o->err;) {
		ssize_t r = write(o->fd, s + done, n - done);

		if (r >= 0)
			done += (size_t)r;
		else if (errno != EINTR)
			o->err = errno;
	}
	if (!o->err)
		return (ssize_t)n;
	errno = o->err;
	return 0;
}

static int open_stream(struct out *o, int fd)
{
	static const cookie_io_functions_t io = { .write = put };

	o->fd = fd;
	o->f = fopencookie(o, "w", io);
	if (!o->f)
		return cli_error("out of memory");
	setvbuf(o->f, NULL, _IOFBF, OUT_BUFFER);
	return CLI_OK;
}

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

int out_check_terminal(const char *path)
{
	if (!is_stdout(path) || !isatty(STDOUT_FILENO))
		return CLI_OK;
	return cli_error(
		"this format is not made for a terminal; give a file with -o, or send the output into a pipe");
}

static int open_stdout(struct out *o, bool binary)
{
	o->f = stdout;
	if (!binary)
		return CLI_OK;
	return out_check_terminal(NULL) ? CLI_FAILED : open_stream(o, STDOUT_FILENO);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int out_check(const char *path, const char *trace)
{
	return is_same_file(path, trace)
		       ? cli_error("%s: this is the trace itself; give another file with -o", path)
		       : CLI_OK;
}

int out_open(struct out *o, const char *path, const char *trace, bool binary)
{
	*o = (struct out){ .file = OUTFILE_NONE };
	if (is_stdout(path))
		return open_stdout(o, binary);
	if (out_check(path, trace) || outfile_open(path, &o->file))
		return CLI_FAILED;
	o->path = path;
	return open_stream(o, o->file.fd);
}

int out_close(struct out *o, int code)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	/* a reader that has closed the pipe is no failure */
	if (!code && o->err && (o->path || o->err != EPIPE))
		code = o->path ? cli_error("%s: cannot be written: %s", o->path, strerror(o->err))
			       : cli_error("cannot write the output: %s", strerror(o->err));
	if (!code && o->path && !o->err) {
		code = outfile_commit(&o->file);
		if (!code)
			cli_say("wrote %s", o->path);
	}
	outfile_done(&o->file);
	*o = (struct out){ .file = OUTFILE_NONE };
	return code;
}
