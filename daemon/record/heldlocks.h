/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heldlocks.h - turns the lines of /proc/locks into CT_HELD records. These records say which
 * process holds a file lock, even if the process took the lock before the capture began. This
 * module keeps no table of locks: it reads the file once, and the caller writes the records. Any
 * thread may call it.
 */
#ifndef CTRACE_DAEMON_RECORD_HELDLOCKS_H
#define CTRACE_DAEMON_RECORD_HELDLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctrace/abi.h"

#define HELDLOCKS_MAX 16384 /* the most lines that are kept */

struct heldlock {
	struct ct_rec rec;
	uint64_t words[2];
};

struct heldlocks {
	struct heldlock *v;
	size_t n, cap;
	uint64_t refused; /* lines that were not kept, because there were more than HELDLOCKS_MAX */
};

/* Reads one line. Returns true if the line is a file lock, or a request that waits for a file lock.
 * Returns false if the line is something else, such as a lease; then ret is untouched. */
bool heldlocks_parse(const char *line, struct heldlock *ret);
/* Reads all lines of f, or of /proc/locks if f is NULL. ts_ns: time of the records. Returns 0,
 * -ENOMEM, or the -errno of opening the file. On success the caller calls heldlocks_done(). */
int heldlocks_read(FILE *f, uint64_t ts_ns, struct heldlocks *ret);
void heldlocks_done(struct heldlocks *h);

#endif
