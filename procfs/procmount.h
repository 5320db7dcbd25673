/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procmount.h - reads tables of mounts (/proc/TID/mountinfo), and finds the mounted file system of a
 * path. Does not touch the file system, because it may hang. Any thread. */
#ifndef CTRACE_PROCFS_PROCMOUNT_H
#define CTRACE_PROCFS_PROCMOUNT_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"

struct procmount {
	uint32_t dev;  /* major << 20 | minor, as in the kernel */
	char *point;   /* the mount point, as the task TID of /proc/TID/mountinfo sees it */
	char *type;    /* "ext4", "fuse.sshfs" */
	char *options; /* of the file system, with the escapes of the table */
	char *line;    /* the memory of the other members */
};

struct procmounts {
	VEC(struct procmount) mounts;
};

/*
 * Makes a path absolute, as task tid sees it. A relative path starts at dirfd, or at the working
 * directory (AT_FDCWD). Does not follow symbolic links. Returns 0, -ENOENT if the directory cannot
 * be read, or -ENAMETOOLONG.
 */
int procmount_absolute(uint32_t tid, int dirfd, const char *path, char ret[PATH_MAX]);

/* Reads the file `mountinfo`, such as /proc/TID/mountinfo. Returns 0, -ENOMEM, or -errno of opening
 * the file. */
int procmounts_read(const char *mountinfo, struct procmounts *ret);
/* Accepts a zeroed structure. */
void procmounts_done(struct procmounts *ms);
/* Finds the mount of an absolute path. Of the mount points that contain the path, the longest
 * counts. Of several mounts at this point, the last counts. NULL: none. */
const struct procmount *procmounts_at(const struct procmounts *ms, const char *path);
/* Finds the first mount of a device (procmount.dev). NULL: none. */
const struct procmount *procmounts_on(const struct procmounts *ms, uint32_t dev);

/*
 * Replaces the options of an overlay mount by the directories of its layers (also the work
 * directory). Each directory is a text that ends with a 0 byte. The path may be relative. The text
 * is empty if the option lowerdir has two colons in a row. Returns the size of all texts together.
 */
size_t procmount_layers(char *options);

#endif
