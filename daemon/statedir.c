// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/syncdir.h"

#define STATEDIR_LOCK_MAX 1100

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

static void statedir_lock_path(const struct statedir *s, char path[STATEDIR_LOCK_MAX])
{
	snprintf(path, STATEDIR_LOCK_MAX, "%s/lock", s->path);
}

/* The lock is on a file, because whoever made the directory may have locked the directory itself. */
static int statedir_lock(struct statedir *s, char *err)
{
	char path[STATEDIR_LOCK_MAX];
	int e;

	statedir_lock_path(s, path);
	s->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->fd < 0) {
		e = errno;
		snprintf(err, STATEDIR_ERR_MAX, "Cannot use the state directory %.200s: %s; %s.", s->path,
			 strerror(e), statedir_advice(e));
		return -e;
	}
	if (!flock(s->fd, LOCK_EX | LOCK_NB))
		return 0;
	e = errno;
	if (e == EWOULDBLOCK)
		snprintf(err, STATEDIR_ERR_MAX,
			 "Another ctraced is using the state directory %.200s; stop it, or choose another "
			 "--state-dir.",
			 s->path);
	else
		snprintf(err, STATEDIR_ERR_MAX,
			 "Cannot lock the state directory %.200s: %s; choose another --state-dir.", s->path,
			 strerror(e));
	return e == EWOULDBLOCK ? -EBUSY : -e;
}

int statedir_open(const char *path, struct statedir *ret, char err[STATEDIR_ERR_MAX])
{
	struct statedir s = { .fd = -1 };
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
		(void)syncdir_of(path); /* a disk that fails will be told of by the trace's writer */
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
}

void statedir_undo(struct statedir *s)
{
	char path[STATEDIR_LOCK_MAX];

	if (s->made) {
		statedir_lock_path(s, path);
		unlink(path);
		rmdir(s->path);
	}
	statedir_close(s);
}
