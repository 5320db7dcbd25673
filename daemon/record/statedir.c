// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/owned.h"
#include "lib/syncdir.h"

#define STATEDIR_LOCK "lock"

static const char *statedir_advice(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "run as root, or choose another --state-dir";
	case EROFS:
		return "the file system is mounted read-only; choose another --state-dir";
	case ENOENT:
		return "its parent directory is missing; create it, or choose another --state-dir";
	case ENOTDIR:
		return "it, or a part of it, is not a directory; choose another --state-dir";
	case ENOSPC:
	case EDQUOT:
		return "free some space, or choose another --state-dir";
	default:
		return "choose another --state-dir";
	}
}

static const char *statedir_remedy(enum owned_trouble trouble)
{
	if (trouble == OWNED_SHARED)
		return "choose a directory of its own as --state-dir";
	if (trouble == OWNED_OTHER_USER)
		return "look what is in it and 'chown root' it, or choose another --state-dir";
	return "look what is in it and 'chmod go-w' it, or choose another --state-dir";
}

static int statedir_dir(struct statedir *s, char *err)
{
	enum owned_trouble trouble;
	int r;

	s->dir_fd = owned_dir(AT_FDCWD, s->path, 0, &trouble);
	if (s->dir_fd >= 0)
		return 0;
	r = s->dir_fd;
	if (trouble)
		snprintf(
			err, STATEDIR_ERR_MAX,
			"Cannot use the state directory %.200s: it %s, so users other than root could read or change the trace; %s.",
			s->path, owned_text(trouble), statedir_remedy(trouble));
	else
		snprintf(err, STATEDIR_ERR_MAX, "Cannot use the state directory %.200s: %s; %s.", s->path,
			 strerror(-r), statedir_advice(-r));
	return r;
}

/* Replaces a file that owned_file() refuses. Nothing is lost, because the lock file is empty. */
static int statedir_lock_file(int dir_fd)
{
	enum owned_trouble trouble;
	int fd = owned_file(dir_fd, STATEDIR_LOCK, O_RDWR | O_CREAT, &trouble);

	if (!trouble)
		return fd;
	if (unlinkat(dir_fd, STATEDIR_LOCK, 0))
		return -errno;
	return owned_file(dir_fd, STATEDIR_LOCK, O_RDWR | O_CREAT, &trouble);
}

/* Locks a file, not the directory: the process that made the directory may hold a lock on it. */
static int statedir_lock(struct statedir *s, char *err)
{
	int e;

	s->fd = statedir_lock_file(s->dir_fd);
	if (s->fd < 0) {
		e = -s->fd;
		snprintf(err, STATEDIR_ERR_MAX,
			 "Cannot use the state directory %.200s: its file " STATEDIR_LOCK ": %s; %s.",
			 s->path, strerror(e), statedir_advice(e));
		return -e;
	}
	if (!flock(s->fd, LOCK_EX | LOCK_NB))
		return 0;
	e = errno;
	if (e == EWOULDBLOCK)
		snprintf(
			err, STATEDIR_ERR_MAX,
			"Another ctraced is using the state directory %.200s; stop it, or choose another --state-dir.",
			s->path);
	else
		snprintf(err, STATEDIR_ERR_MAX,
			 "Cannot lock the state directory %.200s: %s; choose another --state-dir.", s->path,
			 strerror(e));
	return e == EWOULDBLOCK ? -EBUSY : -e;
}

int statedir_open(const char *path, struct statedir *ret, char err[STATEDIR_ERR_MAX])
{
	struct statedir s = { .dir_fd = -1, .fd = -1 };
	int r;

	snprintf(s.path, sizeof(s.path), "%s", path);
	if (snprintf(s.trace, sizeof(s.trace), "%s/ctrace.ctr", path) >= (int)sizeof(s.trace)) {
		snprintf(err, STATEDIR_ERR_MAX,
			 "The name of the state directory is too long; choose another --state-dir.");
		return -ENAMETOOLONG;
	}
	s.made = !mkdir(path, 0750);
	if (!s.made && errno != EEXIST) {
		r = -errno;
		snprintf(err, STATEDIR_ERR_MAX, "Cannot make the state directory %.200s: %s; %s.", path,
			 strerror(-r), statedir_advice(-r));
		return r;
	}
	if (s.made)
		/* if the disk fails, the writer of the trace reports it later */
		(void)syncdir_of(path);
	r = statedir_dir(&s, err);
	if (!r)
		r = statedir_lock(&s, err);
	if (r) {
		statedir_undo(&s);
		return r;
	}
	*ret = s;
	return 0;
}

void statedir_close(struct statedir *s)
{
	if (s->fd >= 0)
		close(TAKE_FD(s->fd));
	if (s->dir_fd >= 0)
		close(TAKE_FD(s->dir_fd));
}

void statedir_undo(struct statedir *s)
{
	if (s->made) {
		if (s->dir_fd >= 0)
			unlinkat(s->dir_fd, STATEDIR_LOCK, 0);
		rmdir(s->path);
	}
	statedir_close(s);
}
