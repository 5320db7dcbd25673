/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procmount.h - finds the mounted file system of a path, without a look at the file system itself, which may
 * hang. Any thread. */
#ifndef CTRACE_PROCFS_PROCMOUNT_H
#define CTRACE_PROCFS_PROCMOUNT_H

#include <limits.h>
#include <stdint.h>

struct procmount {
	uint32_t dev;         /* the device number of the file system, in kernel encoding */
	char type[32];        /* "ext4", "fuse.sshfs"; cut if it is longer */
	char point[PATH_MAX]; /* the directory where the file system is mounted */
};

/*
 * Makes a path absolute, as task tid sees it. dirfd: the directory descriptor to which the path is
 * relative; AT_FDCWD: the working directory. Removes "." and "..", but does not follow symbolic
 * links. Returns 0, or -ENOENT if the directory cannot be read, or -ENAMETOOLONG.
 */
int procmount_absolute(uint32_t tid, int dirfd, const char *path, char ret[PATH_MAX]);
/* Finds the file system of an absolute path in a file like /proc/TID/mountinfo: the mount whose
 * directory has the longest path and contains the path. Of several mounts at one directory, the
 * last one counts. Returns 0, or -ENOENT if no file system is found. */
int procmount_find(const char *mountinfo, const char *path, struct procmount *ret);

#endif
