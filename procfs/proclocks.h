/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proclocks.h - /proc/locks: who holds a file lock, and who waits for it. */
#ifndef CTRACE_PROCFS_PROCLOCKS_H
#define CTRACE_PROCFS_PROCLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "procfs/proctask.h"

enum proclocks_kind { PROCLOCKS_POSIX, PROCLOCKS_FLOCK, PROCLOCKS_OFD, PROCLOCKS_OTHER };

struct proclocks_entry {
	uint64_t id; /* waiters have the id of what they wait for */
	enum proclocks_kind kind;
	bool waiting;
	bool write;
	int32_t pid; /* who asked for it; it may have exited (flock), -1: not known (OFD) */
	uint32_t major, minor;
	uint64_t ino;
};

struct proclocks {
	VEC(struct proclocks_entry) v;
};

/* 0, -ENOMEM, or -errno of opening it. */
int proclocks_read(struct proclocks *ret);
void proclocks_done(struct proclocks *l);
/* Parses one line of /proc/locks, or what follows "lock:" in a fdinfo. */
bool proclocks_parse(const char *line, struct proclocks_entry *ret);

#endif
