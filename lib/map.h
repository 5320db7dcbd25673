/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - a hash map from 64-bit keys to 64-bit values (open addressing, linear probing,
 * backward-shift deletion), in no order. One thread at a time for each map.
 */
#ifndef CTRACE_LIB_MAP_H
#define CTRACE_LIB_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_slot {
		uint64_t key;
		uint64_t val;
		bool used;
	} * slots;
	size_t n;
	size_t cap; /* all slots: a power of two, or 0 */
};

/* Frees the map. A zeroed structure is an empty map. */
void map_done(struct map *m);
/* Returns 0, or -ENOMEM and leaves the map unchanged. */
int map_set(struct map *m, uint64_t key, uint64_t val);
/* ret_val may be NULL. Returns false if there is no such key; then *ret_val is unchanged. */
bool map_get(const struct map *m, uint64_t key, uint64_t *ret_val);
/* Returns true if the key was in the map. */
bool map_del(struct map *m, uint64_t key);

#endif
