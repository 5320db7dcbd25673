/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heldlocks.h - turns the lines of /proc/locks into CT_HELD records: which process owns a file
 * lock, or waits for one, even if the lock is older than the capture. Any thread may call it.
 */
#ifndef CTRACE_DAEMON_RECORD_HELDLOCKS_H
#define CTRACE_DAEMON_RECORD_HELDLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctrace/abi.h"

#define HELDLOCKS_MAX 16384

struct heldlock {
	struct ct_rec rec;
	uint64_t words[2];
};

struct heldlocks {
	struct heldlock *v;
	size_t n, cap;
	uint64_t refused; /* lines beyond HELDLOCKS_MAX */
};

/* Returns true if the line is a file lock, or a request that waits for one. Returns false for
 * anything else, such as a lease; then ret is untouched. */
bool heldlocks_parse(const char *line, struct heldlock *ret);
/* Reads f, or /proc/locks if f is NULL. Returns 0, -ENOMEM, or the -errno of opening the file.
 * After success, the caller calls heldlocks_done(). */
int heldlocks_read(FILE *f, uint64_t ts_ns, struct heldlocks *ret);
void heldlocks_done(struct heldlocks *h);

#endif
