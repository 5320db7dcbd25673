/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heldlocks.h - makes CT_HELD records of /proc/locks: which process owns a file lock, or waits for
 * one, even if the lock is older than the capture. Thread-safe. */
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

/* Returns true if the line is about a file lock, or about a request that waits for one. For another
 * line (for example about a lease), returns false, and ret is untouched. */
bool heldlocks_parse(const char *line, struct heldlock *ret);
/* Reads f, or /proc/locks if f is NULL. Returns 0, -ENOMEM, or the -errno of opening the file.
 * After success, the caller calls heldlocks_done(). */
int heldlocks_read(FILE *f, uint64_t ts_ns, struct heldlocks *ret);
void heldlocks_done(struct heldlocks *h);
/* stream: descriptor tables, as probe_read_files() returns them. Sets CT_FF_LOCK in the records of the
 * descriptors whose open file has a lock of flock(), or an OFD lock. Looks only at files that have such a
 * lock in h, at most at `max` descriptors, and not after deadline_ns (boot time). */
void heldlocks_mark(const struct heldlocks *h, void *stream, size_t size, unsigned max, uint64_t deadline_ns);

#endif
