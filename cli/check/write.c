// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/cleanup.h"

/* Closes fd. Returns 0 or -errno. */
static int put_all(int fd, int (*put)(FILE *f, const void *arg), const void *arg)
{
	FILE *f = fdopen(fd, "w");
	int r = f ? put(f, arg) : -errno;

	if (!f) {
		close(fd);
		return r;
	}
	errno = 0;
	if ((fflush(f) || ferror(f)) && !r)
		r = errno ? -errno : -EIO;
	if (fclose(f) && !r)
		r = -errno;
	return r;
}

/* Opens `path` itself if it is a pipe or a device, otherwise the new file `partial`. */
static int open_file(const char *path, const char *partial, mode_t mode, bool *ret_rename)
{
	struct stat st;

	*ret_rename = stat(path, &st) || S_ISREG(st.st_mode);
	if (!*ret_rename)
		return open(path, O_WRONLY | O_CLOEXEC);
	if (unlink(partial) && errno != ENOENT)
		return -1;
	return open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

static int write_with(const char *path, mode_t mode, int (*put)(FILE *f, const void *arg), const void *arg)
{
	_cleanup_free_ char *partial = NULL;
	bool rename_it;
	int fd, r;

	if (asprintf(&partial, "%s.partial", path) < 0) {
		partial = NULL;
		return cli_error("out of memory");
	}
	fd = open_file(path, partial, mode, &rename_it);
	if (fd < 0)
		return cli_error("%s: cannot be written: %s; choose another path", path, strerror(errno));
	r = put_all(fd, put, arg);
	if (!r && rename_it && rename(partial, path))
		r = -errno;
	if (!r)
		return CLI_OK;
	if (rename_it)
		unlink(partial);
	return cli_error("%s: cannot be written: %s; choose another path", path, strerror(-r));
}

int write_file(const char *path, int (*put)(FILE *f, const void *arg), const void *arg)
{
	return write_with(path, 0666, put, arg);
}

int write_private_file(const char *path, int (*put)(FILE *f, const void *arg), const void *arg)
{
	return write_with(path, 0600, put, arg);
}

int write_test(const char *path)
{
	_cleanup_free_ char *partial = NULL;
	struct stat st;
	int fd;

	/* to open a pipe might block */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) || access(path, W_OK)
			       ? cli_error("%s: cannot be written: %s; choose another path", path,
					   S_ISDIR(st.st_mode) ? strerror(EISDIR) : strerror(errno))
			       : CLI_OK;
	if (asprintf(&partial, "%s.partial", path) < 0) {
		partial = NULL;
		return cli_error("out of memory");
	}
	if (unlink(partial) && errno != ENOENT)
		fd = -1;
	else
		fd = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return cli_error("%s: cannot be written: %s; choose another path", path, strerror(errno));
	close(fd);
	unlink(partial);
	return CLI_OK;
}
