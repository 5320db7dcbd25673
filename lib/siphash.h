/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * siphash.h - SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): a
 * keyed hash. Without the key, nobody can find the name that was hashed, even by trying likely
 * names. Any thread.
 */
#ifndef CTRACE_LIB_SIPHASH_H
#define CTRACE_LIB_SIPHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct siphash_key {
	uint64_t k[2];
};

static inline uint64_t siphash_rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static inline void siphash_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = siphash_rotate(v[1], 13) ^ v[0];
	v[0] = siphash_rotate(v[0], 32);
	v[2] += v[3];
	v[3] = siphash_rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = siphash_rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = siphash_rotate(v[1], 17) ^ v[2];
	v[2] = siphash_rotate(v[2], 32);
}

static inline uint64_t siphash(const struct siphash_key *key, const void *data, size_t n)
{
	uint64_t v[4] = { key->k[0] ^ 0x736f6d6570736575ULL, key->k[1] ^ 0x646f72616e646f6dULL,
			  key->k[0] ^ 0x6c7967656e657261ULL, key->k[1] ^ 0x7465646279746573ULL };
	const uint8_t *p = data;
	uint64_t last = (uint64_t)n << 56, m;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&m, p, 8);
		v[3] ^= m;
		siphash_round(v);
		siphash_round(v);
		v[0] ^= m;
	}
	for (size_t i = 0; i < n; i++)
		last |= (uint64_t)p[i] << 8 * i;
	v[3] ^= last;
	siphash_round(v);
	siphash_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		siphash_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
