// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/syncdir.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

int syncdir_of(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	_cleanup_close_ int fd = -1;

	if (!copy)
		return -ENOMEM;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES ? 0 : -errno;
	if (!fsync(fd) || errno == EINVAL || errno == EOPNOTSUPP)
		return 0;
	return -errno;
}
