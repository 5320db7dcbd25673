/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heldlocks.h - turns the lines of /proc/locks into CT_HELD records. The records say which task holds a file
 * lock, even if the task took the lock before the capture began. This module keeps no table of locks: it
 * reads the file once, and the caller writes the records. Any thread.
 */
#ifndef CTRACE_DAEMON_RECORD_HELDLOCKS_H
#define CTRACE_DAEMON_RECORD_HELDLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctrace/abi.h"

#define HELDLOCKS_MAX 16384 /* the most locks that are kept */

struct heldlock {
	struct ct_rec rec;
	uint64_t words[2];
};

struct heldlocks {
	struct heldlock *v;
	size_t n, cap;
	uint64_t refused; /* locks that were not kept, because there were HELDLOCKS_MAX */
};

/* Reads one line. Returns true if the line is a lock of a file, or a request that waits for one. Returns
 * false, and leaves ret as it was, if the line is something else (a lease, garbage). */
bool heldlocks_parse(const char *line, struct heldlock *ret);
/* Reads f (NULL: /proc/locks). ts_ns: time of the records. Returns 0, -errno of opening the file, or
 * -ENOMEM. On success the caller calls heldlocks_done(). */
int heldlocks_read(FILE *f, uint64_t ts_ns, struct heldlocks *ret);
void heldlocks_done(struct heldlocks *h);

#endif
