/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procmount.h - finds the mounted file system of a path. Does not touch the file system, because it
 * may hang. Any thread. */
#ifndef CTRACE_PROCFS_PROCMOUNT_H
#define CTRACE_PROCFS_PROCMOUNT_H

#include <limits.h>
#include <stdint.h>

struct procmount {
	uint32_t dev;  /* major << 20 | minor, as in the kernel */
	char type[32]; /* "ext4", "fuse.sshfs"; cut if it is longer */
	char point[PATH_MAX];
};

/*
 * Makes a path absolute, as task tid sees it. A relative path starts at dirfd, or at the working
 * directory (AT_FDCWD). Does not follow symbolic links. Returns 0, -ENOENT if the directory cannot
 * be read, or -ENAMETOOLONG.
 */
int procmount_absolute(uint32_t tid, int dirfd, const char *path, char ret[PATH_MAX]);
/* Finds the mount of `path` in the file `mountinfo`, such as /proc/TID/mountinfo. Of the mount
 * points that contain `path`, the longest counts. Of several mounts at this point, the last counts.
 * Returns 0, or -ENOENT. */
int procmount_find(const char *mountinfo, const char *path, struct procmount *ret);

#endif
