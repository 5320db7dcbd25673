/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor.h - reads hostile bytes. Each read checks the bounds. After a failure the cursor is bad,
 * and each later read fails. So one check of bad at the end is enough. The bytes have to outlive
 * the cursor. One thread at a time for each cursor.
 */
#ifndef CTRACE_LIB_CURSOR_H
#define CTRACE_LIB_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *p;
	size_t left;
	bool bad;
};

static inline struct cursor cursor_init(const void *p, size_t n)
{
	return (struct cursor){ .p = p, .left = n };
}

/* Returns the next n bytes, which need not be aligned. NULL: failure. */
static inline const void *cursor_take(struct cursor *c, size_t n)
{
	const void *p = c->p;

	if (c->bad || n > c->left) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	c->left -= n;
	return p;
}

/* Returns false on failure; then the bytes of dst are 0. */
static inline bool cursor_read(struct cursor *c, void *dst, size_t n)
{
	const void *p = cursor_take(c, n);

	if (p)
		memcpy(dst, p, n);
	else
		memset(dst, 0, n);
	return p != NULL;
}

/* Reads an unsigned LEB128 number of at most 64 bits. Returns 0 on failure. */
static inline uint64_t cursor_varint(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b;

		if (!cursor_read(c, &b, 1))
			return 0;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

/* Reads a signed LEB128 number of at most 64 bits. Returns 0 on failure. */
static inline int64_t cursor_sleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b;

		if (!cursor_read(c, &b, 1))
			return 0;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (b & 0x80)
			continue;
		if ((b & 0x40) && shift + 7 < 64)
			v |= ~0ULL << (shift + 7);
		return (int64_t)v;
	}
	c->bad = true;
	return 0;
}

#endif
