/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owned.h - opens directories and files that no other user may change. If another user can put a
 * file, a link or a pipe in the place of a file, data that is written there goes to that user.
 *
 * The owner has to be the user of the caller, or root. The directories above are not checked:
 * symbolic links in a path are followed, because an administrator may have made them. Any thread.
 */
#ifndef CTRACE_LIB_OWNED_H
#define CTRACE_LIB_OWNED_H

enum owned_trouble {
	OWNED_OK,
	OWNED_OTHER_USER,  /* the owner is another user */
	OWNED_WRITABLE,    /* users other than its owner may write it */
	OWNED_SHARED,      /* a directory such as /tmp: all users may write there */
	OWNED_SYMLINK,     /* a file: it is a symbolic link */
	OWNED_HARD_LINK,   /* a file: it has a second name */
	OWNED_NOT_REGULAR, /* a file: it is a directory, a pipe, a device, a socket */
};

/* The trouble in words, to follow a name: "is a symbolic link". */
const char *owned_text(enum owned_trouble trouble);

/*
 * Opens a directory. path is relative to at_fd (or AT_FDCWD); flags, such as O_NOFOLLOW, are added
 * to those of open(). Returns a descriptor, which the caller closes. -EPERM: the directory is
 * refused, and *ret says why. Any other -errno is that of open(), and *ret is OWNED_OK.
 */
int owned_dir(int at_fd, const char *path, int flags, enum owned_trouble *ret);
/* Opens the directory that path is in, as owned_dir() does. */
int owned_dir_of(const char *path, enum owned_trouble *ret);
/*
 * Opens the file of that name in a directory, with flags. O_CREAT makes it readable and writable
 * for its owner alone. A file that is opened for writing loses the permissions of other users. It
 * is refused if other users could write it before, because one of them may have it open. Returns as
 * owned_dir(). A refused file is not written to; one that is no regular file is not even opened.
 */
int owned_file(int dir_fd, const char *name, int flags, enum owned_trouble *ret);

#endif
