/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proclocks.h - reads /proc/locks: the file locks, and the requests that wait for a lock.
 * procwait.h finds the processes that own a lock. One thread at a time for each struct proclocks.
 */
#ifndef CTRACE_PROCFS_PROCLOCKS_H
#define CTRACE_PROCFS_PROCLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "procfs/proctask.h"

enum proclocks_kind { PROCLOCKS_POSIX, PROCLOCKS_FLOCK, PROCLOCKS_OFD, PROCLOCKS_OTHER };

struct proclocks_entry {
	uint64_t id; /* a waiter has the id of the lock that it waits for */
	enum proclocks_kind kind;
	bool waiting;
	bool write;
	/* the process that asked for the lock; -1: not known (OFD). A lock of flock() may outlive
	 * the process. */
	int32_t pid;
	uint32_t major, minor;
	uint64_t ino;
};

struct proclocks {
	VEC(struct proclocks_entry) v;
};

/* The caller frees *ret with proclocks_done(). Returns 0, -ENOMEM, or -errno of opening
 * /proc/locks. */
int proclocks_read(struct proclocks *ret);
void proclocks_done(struct proclocks *l);
/* Parses a line of /proc/locks, or the text after "lock:" in /proc/PID/fdinfo/FD. Returns false if
 * the text describes no lock. */
bool proclocks_parse(const char *line, struct proclocks_entry *ret);

#endif
