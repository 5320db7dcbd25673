/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash.h - FNV-1a with 64 bits (draft-eastlake-fnv): hash_bytes() and hash_text(). hash_add() takes
 * in up to 64 bits in one step. Not for a table with hostile keys, which could all have one hash.
 * Any thread. */
#ifndef CTRACE_LIB_HASH_H
#define CTRACE_LIB_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325ULL

/* h: the hash of all values before x, or HASH_START */
static inline uint64_t hash_add(uint64_t h, uint64_t x)
{
	return (h ^ x) * 0x100000001b3ULL;
}

static inline uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = hash_add(h, ((const uint8_t *)p)[i]);
	return h;
}

/* The 0 at the end of s is not hashed. */
static inline uint64_t hash_text(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = hash_add(h, (uint8_t)*s);
	return h;
}

#endif
