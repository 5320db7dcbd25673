/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dict.h - a bounded table of blobs by a 64-bit key: what the writer knows of
 * tasks, objects and stacks.  When it is full the entry that was not used for
 * long goes (the clock algorithm), and is counted.
 */
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
	struct ct_blob *blob; /* owned; NULL: the place is free */
	uint64_t put;         /* number of the segment into which it was last put (pull.h) */
	bool used;            /* since the hand of the clock passed */
	bool forgotten;       /* goes at the end of the next segment */
};

struct dict {
	struct map index; /* key -> place */
	VEC(struct dict_entry) entries;
	VEC(size_t) free;
	size_t max, max_bytes;
	size_t n, bytes;
	size_t hand;
	uint64_t evicted;
};

void dict_init(struct dict *d, size_t max, size_t max_bytes);
void dict_done(struct dict *d);
/* NULL when it is not there.  Valid until the next dict_set or dict_del. */
struct dict_entry *dict_get(const struct dict *d, uint64_t key);
/* Sets key to a copy of blob.  0 or -ENOMEM (unchanged, but something may have been evicted). */
int dict_set(struct dict *d, uint64_t key, const struct ct_blob *blob);
void dict_del(struct dict *d, uint64_t key);

#endif
