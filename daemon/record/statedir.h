/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statedir.h - the directory that holds the trace: made when missing, locked
 * against a second daemon for as long as this one lives.  One that another user may write is refused: what
 * that user put in the way would get the trace of the whole machine.
 */
#ifndef CTRACE_DAEMON_RECORD_STATEDIR_H
#define CTRACE_DAEMON_RECORD_STATEDIR_H

#include <stdbool.h>
#include <stdint.h>

#define STATEDIR_ERR_MAX 512

struct statedir {
	char path[1024];
	char trace[1024]; /* PATH/ctrace.ctr */
	int dir_fd;       /* the directory itself */
	int fd;           /* holds the lock */
	bool made;
};

/* 0, or -errno with a sentence in err; -EBUSY: another daemon has it; -EPERM: others
 * may write it.  Nothing is left behind on failure. */
int statedir_open(const char *path, struct statedir *ret, char err[STATEDIR_ERR_MAX]);
/* Lets the lock go. */
void statedir_close(struct statedir *s);
/* After a failed start: removes the directory if statedir_open() made it, and lets the lock go. */
void statedir_undo(struct statedir *s);

#endif
