/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owned.h - opens directories and files, and refuses those that another user may change: this user
 * could put a link or a pipe in their place, and so get the data of ctrace. The owner has to be
 * root, or the user of this process. Parents of a directory are not checked. Links in the path of a
 * directory are followed, because an administrator may have made them. Any thread.
 */
#ifndef CTRACE_LIB_OWNED_H
#define CTRACE_LIB_OWNED_H

enum owned_trouble {
	OWNED_OK,
	OWNED_OTHER_USER,
	OWNED_WRITABLE,
	OWNED_SHARED, /* a directory that others may write, with the sticky bit, such as /tmp */
	OWNED_SYMLINK,
	OWNED_HARD_LINK,
	OWNED_NOT_REGULAR,
};

/* Returns words that can follow a name: "is a symbolic link". */
const char *owned_text(enum owned_trouble trouble);

/*
 * Opens a directory. path is relative to at_fd, which may be AT_FDCWD. flags: more flags for
 * open(). Returns a descriptor, which the caller closes. -EPERM: refused, and *ret says why. Any
 * other -errno is of open(), and *ret is OWNED_OK.
 */
int owned_dir(int at_fd, const char *path, int flags, enum owned_trouble *ret);
/* As owned_dir(), for the directory that contains path. Also returns -ENOMEM. */
int owned_dir_of(const char *path, enum owned_trouble *ret);
/*
 * Opens a file with the flags of open(). Refuses a file that is not regular, or has several names
 * (hard links). A new file (O_CREAT) gets the mode 0600. If other users have any permissions on a
 * file that is opened for writing, its mode becomes 0600 too. If other users could even write to
 * the file, it is refused despite the new mode, because one of them may still have it open. Returns
 * as owned_dir().
 */
int owned_file(int dir_fd, const char *name, int flags, enum owned_trouble *ret);

#endif
