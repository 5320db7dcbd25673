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
/* Returns true if the key was in the map. */
bool map_del(struct map *m, uint64_t key);

static inline size_t map_hash(uint64_t k)
{
	/* the finaliser of MurmurHash3 */
	k ^= k >> 33;
	k *= 0xff51afd7ed558ccdULL;
	k ^= k >> 33;
	k *= 0xc4ceb9fe1a85ec53ULL;
	k ^= k >> 33;
	return (size_t)k;
}

/* Returns the slot of the key, or the free slot where it would be. The map must have slots. */
static inline size_t map_find(const struct map *m, uint64_t key)
{
	size_t i = map_hash(key) & (m->cap - 1);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

/* ret_val may be NULL. Returns false if there is no such key; then *ret_val is unchanged. Inline, because
 * large traces need many millions of look-ups. */
static inline bool map_get(const struct map *m, uint64_t key, uint64_t *ret_val)
{
	size_t i;

	if (!m->cap)
		return false;
	i = map_find(m, key);
	if (!m->slots[i].used)
		return false;
	if (ret_val)
		*ret_val = m->slots[i].val;
	return true;
}

#endif
