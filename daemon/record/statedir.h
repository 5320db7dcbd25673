/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statedir.h - the directory that holds the trace. The daemon creates the directory if it does not exist,
 * and locks the directory against a second daemon. A directory that another user can write to is refused: a
 * file that this user puts there would get the trace of the whole machine.
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
	int fd;           /* descriptor of the lock file; holds the lock */
	bool made;
};

/* Opens and locks the directory. Returns 0, or -errno with a sentence in err; -EBUSY: another daemon uses
 * the directory; -EPERM: another user can write to it. Nothing is left behind on failure. */
int statedir_open(const char *path, struct statedir *ret, char err[STATEDIR_ERR_MAX]);
/* Releases the lock. */
void statedir_close(struct statedir *s);
/* After a failed start: removes the directory if statedir_open() made it, and releases the lock. */
void statedir_undo(struct statedir *s);

#endif
