/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owned.h - opens directories and files, and refuses those that another user may change. Otherwise
 * that user could put a link or a pipe in place of a file, and get the data that ctrace writes.
 *
 * The owner has to be root, or the user who runs this process. The parents of the directory are not
 * checked. Symbolic links in the path of a directory are followed, because an administrator may have
 * made these links. Any thread.
 */
#ifndef CTRACE_LIB_OWNED_H
#define CTRACE_LIB_OWNED_H

enum owned_trouble {
	OWNED_OK,
	OWNED_OTHER_USER,  /* the owner is another user */
	OWNED_WRITABLE,    /* users other than the owner may write the file or directory */
	OWNED_SHARED,      /* a directory such as /tmp: all users may write there */
	OWNED_SYMLINK,     /* a file: it is a symbolic link */
	OWNED_HARD_LINK,   /* a file: it has a second name */
	OWNED_NOT_REGULAR, /* a file: it is a directory, a pipe, a device, a socket */
};

/* The trouble in words that can follow a name: "is a symbolic link". */
const char *owned_text(enum owned_trouble trouble);

/*
 * Opens a directory. path is relative to at_fd, which may be AT_FDCWD. flags: more flags for open(),
 * such as O_NOFOLLOW. Returns a descriptor, which the caller closes. -EPERM: the directory is
 * refused, and *ret says why. Any other -errno is that of open(), and *ret is OWNED_OK.
 */
int owned_dir(int at_fd, const char *path, int flags, enum owned_trouble *ret);
/* As owned_dir(), for the directory that contains path. May also return -ENOMEM. */
int owned_dir_of(const char *path, enum owned_trouble *ret);
/*
 * Opens the file `name` in a directory, with the flags of open(). With O_CREAT, a new file is
 * readable and writable only for its owner. If the file is opened for writing, the permissions of
 * other users are taken away. If other users could write the file before, the file is refused,
 * because one of these users may still have the file open. A refused file is not written to. A file
 * that is not a regular file is not even opened. Returns a descriptor or an error, and sets *ret,
 * as owned_dir() does.
 */
int owned_file(int dir_fd, const char *name, int flags, enum owned_trouble *ret);

#endif
