/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owned.h - opens directories and files that nobody else may change: where another user can put a file, a
 * link or a pipe in the way, what is written goes to that user.
 *
 * The owner is to be the caller's user, or root.  Does not look at the directories above: symbolic links in a
 * path are followed, for an administrator may have made them.  Any thread.
 */
#ifndef CTRACE_LIB_OWNED_H
#define CTRACE_LIB_OWNED_H

enum owned_trouble {
	OWNED_OK,
	OWNED_OTHER_USER,  /* it belongs to another user */
	OWNED_WRITABLE,    /* others than its owner may write it */
	OWNED_SHARED,      /* a directory as /tmp is: everybody may write there, and remove only their own */
	OWNED_SYMLINK,     /* a file: it is a symbolic link */
	OWNED_HARD_LINK,   /* a file: it has a second name */
	OWNED_NOT_REGULAR, /* a file: it is a directory, a pipe, a device, a socket */
};

/* What is wrong, to be put behind a name: "is a symbolic link". */
const char *owned_text(enum owned_trouble trouble);

/*
 * A directory; path is relative to at_fd (AT_FDCWD), flags are added to those of open (O_NOFOLLOW).  A
 * descriptor; -EPERM and the trouble: it is refused; -errno of open, and OWNED_OK.
 */
int owned_dir(int at_fd, const char *path, int flags, enum owned_trouble *ret);
/* The directory that path is in. */
int owned_dir_of(const char *path, enum owned_trouble *ret);
/*
 * The file of that name in a directory, opened with flags; O_CREAT makes it for its owner alone.  A file that
 * is opened for writing loses the permissions of others, and is refused when they could write it: somebody
 * may have it open.  As owned_dir(); what is refused is not written to, nor opened when it is no regular
 * file.
 */
int owned_file(int dir_fd, const char *name, int flags, enum owned_trouble *ret);

#endif
