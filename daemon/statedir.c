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
	default:
		return "choose another --state-dir";
	}
}

static int statedir_lock(struct statedir *s, char *err)
{
	s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0 || faccessat(s->fd, ".", W_OK | X_OK, AT_EACCESS)) {
		int e = errno;

		snprintf(err, STATEDIR_ERR_MAX, "Cannot use the state directory %.200s: %s; %s.", s->path,
			 strerror(e), statedir_advice(e));
		return -e;
	}
	if (!flock(s->fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK) {
		int e = errno;

		snprintf(err, STATEDIR_ERR_MAX,
			 "Cannot lock the state directory %.200s: %s; choose another --state-dir.", s->path,
			 strerror(e));
		return -e;
	}
	snprintf(err, STATEDIR_ERR_MAX,
		 "Another ctraced is using the state directory %.200s; stop it, or choose another "
		 "--state-dir.",
		 s->path);
	return -EBUSY;
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
	if (s->made)
		rmdir(s->path);
	statedir_close(s);
}
