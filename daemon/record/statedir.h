/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statedir.h - the directory that holds the trace. The daemon creates the directory if it does not
 * exist, and locks it, so that no second daemon uses it. The daemon refuses a directory that
 * another user can write to, because a file that this user puts there would get the trace of the
 * whole machine.
 */
#ifndef CTRACE_DAEMON_RECORD_STATEDIR_H
#define CTRACE_DAEMON_RECORD_STATEDIR_H

#include <stdbool.h>
#include <stdint.h>

#define STATEDIR_ERR_MAX 512

struct statedir {
	char path[1024];
	char trace[1024]; /* PATH/ctrace.ctr */
	int dir_fd;       /* descriptor of the directory */
	int fd;           /* descriptor of the lock file; the lock lasts as long as it is open */
	bool made;
};

/* Opens and locks the directory. Returns 0, or -errno with a sentence in err. -EBUSY: another
 * daemon uses the directory. -EPERM: another user owns the directory or can write to it. On failure
 * nothing is left behind. */
int statedir_open(const char *path, struct statedir *ret, char err[STATEDIR_ERR_MAX]);
/* Releases the lock. */
void statedir_close(struct statedir *s);
/* Releases the lock, and removes the directory if statedir_open() made it. For the case that a
 * later step of the start fails. */
void statedir_undo(struct statedir *s);

#endif
