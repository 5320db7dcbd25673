// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/owned.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define WRITABLE (S_IWGRP | S_IWOTH)

const char *owned_text(enum owned_trouble trouble)
{
	static const char *const texts[] = {
		[OWNED_OK] = "is fine",
		[OWNED_OTHER_USER] = "belongs to another user",
		[OWNED_WRITABLE] = "may be written by other users",
		[OWNED_SHARED] = "may be written by everybody",
		[OWNED_SYMLINK] = "is a symbolic link",
		[OWNED_HARD_LINK] = "has a second name (a hard link)",
		[OWNED_NOT_REGULAR] = "is not a regular file",
	};

	return texts[trouble];
}

static bool is_ours(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

int owned_dir(int at_fd, const char *path, int flags, enum owned_trouble *ret)
{
	_cleanup_close_ int fd = openat(at_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	struct stat st;

	*ret = OWNED_OK;
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!is_ours(&st))
		*ret = OWNED_OTHER_USER;
	else if (st.st_mode & WRITABLE)
		*ret = st.st_mode & S_ISVTX ? OWNED_SHARED : OWNED_WRITABLE;
	return *ret ? -EPERM : TAKE_FD(fd);
}

int owned_dir_of(const char *path, enum owned_trouble *ret)
{
	_cleanup_free_ char *copy = strdup(path);

	*ret = OWNED_OK;
	return copy ? owned_dir(AT_FDCWD, dirname(copy), 0, ret) : -ENOMEM;
}

static enum owned_trouble file_trouble(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return OWNED_SYMLINK;
	if (!S_ISREG(st->st_mode))
		return OWNED_NOT_REGULAR;
	if (!is_ours(st))
		return OWNED_OTHER_USER;
	return st->st_nlink > 1 ? OWNED_HARD_LINK : OWNED_OK;
}

int owned_file(int dir_fd, const char *name, int flags, enum owned_trouble *ret)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	*ret = OWNED_OK;
	/* Opening a pipe or a device has an effect already, so look first. */
	if (!fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		*ret = file_trouble(&st);
	if (*ret)
		return -EPERM;
	fd = openat(dir_fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	*ret = file_trouble(&st);
	if (!*ret && (flags & O_ACCMODE) != O_RDONLY && st.st_mode & 077) {
		/* fails if root owns the file, and this process is not root */
		(void)fchmod(fd, 0600);
		*ret = st.st_mode & WRITABLE ? OWNED_WRITABLE : OWNED_OK;
	}
	return *ret ? -EPERM : TAKE_FD(fd);
}
