/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bits.h - arrays of bits. Any thread, but the caller locks against changes. */
#ifndef CTRACE_LIB_BITS_H
#define CTRACE_LIB_BITS_H

#include <stdint.h>

static inline void bits_set(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= 1ULL << i % 64;
}

static inline void bits_clear(uint64_t *bits, uint32_t i)
{
	bits[i / 64] &= ~(1ULL << i % 64);
}

/* Returns the first bit that is set, from bit i on. Returns n if none of the bits i to n - 1 is set. No
 * bit from n on may be set. */
static inline uint32_t bits_next(const uint64_t *bits, uint32_t n, uint32_t i)
{
	while (i < n) {
		uint64_t rest = bits[i / 64] >> i % 64;

		if (rest)
			return i + (uint32_t)__builtin_ctzll(rest);
		i = (i / 64 + 1) * 64;
	}
	return n;
}

#endif
