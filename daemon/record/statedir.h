/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statedir.h - makes and locks the directory of the trace, so that no second daemon uses it.
 * Refuses a directory that another user can write to: this user could put a file there and get the
 * trace. */
#ifndef CTRACE_DAEMON_RECORD_STATEDIR_H
#define CTRACE_DAEMON_RECORD_STATEDIR_H

#include <stdbool.h>
#include <stdint.h>

#define STATEDIR_ERR_MAX 512

struct statedir {
	char path[1024];
	char trace[1024];
	int dir_fd;
	int fd;
	bool made;
};

/*
 * Makes the directory if it does not exist, and locks it. Returns 0, or -errno with a sentence in
 * err. On failure, a directory that this call has made is removed.
 * - -EBUSY: another daemon uses the directory
 * - -EPERM: another user owns the directory, or can write to it
 */
int statedir_open(const char *path, struct statedir *ret, char err[STATEDIR_ERR_MAX]);
void statedir_close(struct statedir *s);
/* Releases the lock, and removes the directory if statedir_open() made it. For a failed start. */
void statedir_undo(struct statedir *s);

#endif
