/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heldlocks.h - the file locks of /proc/locks as CT_HELD records: who holds a
 * lock that was taken before the capture began.  Any thread.
 */
#ifndef CTRACE_DAEMON_RECORD_HELDLOCKS_H
#define CTRACE_DAEMON_RECORD_HELDLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctrace/abi.h"

#define HELDLOCKS_MAX 16384 /* lines read at most */

struct heldlock {
	struct ct_rec rec;
	uint64_t words[2];
};

struct heldlocks {
	struct heldlock *v;
	size_t n, cap;
	uint64_t refused; /* lines beyond HELDLOCKS_MAX */
};

/* Reads one line; false when it is not a lock that has an owner and a file (a lease, garbage). */
bool heldlocks_parse(const char *line, struct heldlock *ret);
/* Reads f (NULL: /proc/locks).  ts of the records: ts_ns.  0, -errno of the open, -ENOMEM. */
int heldlocks_read(FILE *f, uint64_t ts_ns, struct heldlocks *ret);
void heldlocks_done(struct heldlocks *h);

#endif
