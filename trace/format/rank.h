/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rank.h - a set of small numbers that says how many of its members are smaller than a given number. It
 * takes a quarter of a byte for each number from 0 to the largest one. One thread at a time; several
 * threads may read a set that no thread changes.
 */
#ifndef CTRACE_TRACE_FORMAT_RANK_H
#define CTRACE_TRACE_FORMAT_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers from 64 k to 64 k + 63 are in rank[k]. */
struct rank {
	uint64_t bits;
	uint32_t before; /* members in earlier blocks */
};
#define RANK_BLOCKS(n) ((n) / 64 + 1)

static inline bool rank_has(const struct rank *r, size_t i)
{
	return r[i / 64].bits >> i % 64 & 1;
}
/* Returns the number of members below i. The block of i must be filled, at least up to i. */
static inline uint32_t rank_below(const struct rank *r, size_t i)
{
	uint64_t bits = r[i / 64].bits & ((1ULL << i % 64) - 1);

	return r[i / 64].before + (uint32_t)__builtin_popcountll(bits);
}
/* Returns the first member from i on that is smaller than n, or n if there is none. The blocks of these
 * numbers must be filled. */
static inline size_t rank_next(const struct rank *r, size_t i, size_t n)
{
	while (i < n) {
		uint64_t bits = r[i / 64].bits >> i % 64;

		if (bits) {
			i += (size_t)__builtin_ctzll(bits);
			return i < n ? i : n;
		}
		i = (i / 64 + 1) * 64;
	}
	return n;
}
/* Says whether i is a member. Only for ascending i, from 0 on, without a gap. It does not read the block
 * of i before it writes the first number of this block. i may be the same as in the last call if that
 * call said that i is no member. */
static inline void rank_append(struct rank *r, size_t i, bool has)
{
	if (i % 64 == 0)
		r[i / 64] = (struct rank){ .before = i ? rank_below(r, i - 1) + rank_has(r, i - 1) : 0 };
	r[i / 64].bits |= (uint64_t)has << i % 64;
}

/* To fill a set of zeroed blocks in any order: rank_add() for each member, and then rank_count(). */
static inline void rank_add(struct rank *r, size_t i)
{
	r[i / 64].bits |= 1ULL << i % 64;
}
/* Returns the number of all members. */
static inline uint32_t rank_count(struct rank *r, size_t n_blocks)
{
	uint32_t n = 0;

	for (size_t k = 0; k < n_blocks; k++) {
		r[k].before = n;
		n += (uint32_t)__builtin_popcountll(r[k].bits);
	}
	return n;
}

#endif
