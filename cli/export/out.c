// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/export/out.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/cleanup.h"

/* bytes: the buffer of the output */
#define OUT_BUFFER (1 << 16)

static FILE *open_copy(int fd)
{
	int copy = dup(fd);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "w");

	if (!f && copy >= 0)
		close(copy);
	if (!f && errno == EINVAL)
		errno = EBADF; /* the descriptor is only for reading; write(2) would say so */
	if (f)
		setvbuf(f, NULL, _IOFBF, OUT_BUFFER);
	return f;
}

static int open_stdout(struct out *o, bool binary)
{
	o->f = stdout;
	if (!binary)
		return CLI_OK;
	if (isatty(STDOUT_FILENO))
		return cli_error(
			"this format is not made for a terminal; give a file with -o, or send the output into a pipe");
	o->f = open_copy(STDOUT_FILENO);
	return o->f ? CLI_OK : cli_error("cannot write the output: %s", strerror(errno));
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int out_open(struct out *o, const char *path, const char *trace, bool binary)
{
	*o = (struct out){ .file = OUTFILE_NONE };
	if (!path || !strcmp(path, "-"))
		return open_stdout(o, binary);
	if (is_same_file(path, trace))
		return cli_error("%s: this is the trace itself; give another file with -o", path);
	if (outfile_open(path, &o->file))
		return CLI_FAILED;
	o->path = path;
	o->f = open_copy(o->file.fd);
	return o->f ? CLI_OK : cli_error("%s: cannot be written: %s", path, strerror(errno));
}

/* Returns 0 or -errno. A reader that has closed the pipe is no failure. */
static int finish(FILE *f)
{
	int r = 0;

	errno = 0;
	if (fflush(f) || ferror(f))
		r = errno ? -errno : -EIO;
	if (fclose(f) && !r)
		r = -errno;
	return r;
}

int out_close(struct out *o, int code)
{
	int r = o->f && o->f != stdout ? finish(o->f) : 0;

	if (code || (!o->path && r == -EPIPE))
		goto done;
	if (r)
		code = o->path ? cli_error("%s: cannot be written: %s", o->path, strerror(-r))
			       : cli_error("cannot write the output: %s", strerror(-r));
	else if (o->path)
		code = outfile_commit(&o->file);
	if (!code && o->path)
		cli_say("wrote %s", o->path);
done:
	outfile_done(&o->file);
	*o = (struct out){ .file = OUTFILE_NONE };
	return code;
}
