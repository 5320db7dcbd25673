/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dict.h - a bounded table of blobs by a 64-bit key: the tasks, command lines, objects or stacks that
 * the writer knows. When the table is full, the clock algorithm (as for memory pages) removes an entry that
 * was not used for long, and counts it in evicted. One thread at a time.
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
	uint64_t put;         /* struct pull.number of the last segment, or copy, that got the blob */
	bool used;            /* the entry was used since the hand of the clock passed this place */
	/* the task has exited, so the entry is removed at the end of the next segment */
	bool forgotten;
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
/* The entry of key, valid until the next dict_set() or dict_del(). NULL: there is none. */
struct dict_entry *dict_get(const struct dict *d, uint64_t key);
/* Sets key to a copy of blob. 0 or -ENOMEM: key is unchanged, but other entries may have been
 * evicted. */
int dict_set(struct dict *d, uint64_t key, const struct ct_blob *blob);
void dict_del(struct dict *d, uint64_t key);

#endif
