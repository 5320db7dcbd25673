/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dict.h - a bounded table of blobs by a 64-bit key. A full table drops an entry whose last use is
 * long ago (clock algorithm), and counts it in `evicted`. One thread at a time. */
#ifndef CTRACE_TRACE_WRITE_DICT_H
#define CTRACE_TRACE_WRITE_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "lib/map.h"
#include "lib/vec.h"

struct dict_entry {
	uint64_t key;
	struct ct_blob *blob; /* owned; NULL if the place is free */
	/* put: the number (struct pull) of the last segment into which the blob was written. put_near: as
	 * put, for the neighbours of the entry (pull.h). */
	uint64_t put, put_near;
	bool used; /* used since dict.hand (clock algorithm) last passed this entry */
	/* the task has exited; the entry is removed at the end of the next segment */
	bool forgotten;
};

struct dict {
	struct map index;
	VEC(struct dict_entry) entries;
	VEC(size_t) free;
	size_t max, max_bytes;
	size_t n, bytes;
	size_t hand;
	uint64_t evicted;
	uint64_t changes; /* the number of calls that have changed, added or removed an entry */
};

void dict_init(struct dict *d, size_t max, size_t max_bytes);
void dict_done(struct dict *d);
/* Returns the entry, or NULL. Valid until the next dict_set() or dict_del(). */
struct dict_entry *dict_get(const struct dict *d, uint64_t key);
/* Sets key to a copy of blob. Returns 0, or -ENOMEM: the entry is unchanged, but others may be
 * gone. */
int dict_set(struct dict *d, uint64_t key, const struct ct_blob *blob);
void dict_del(struct dict *d, uint64_t key);

#endif
