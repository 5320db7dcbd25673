/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checked.h - arithmetic that cannot overflow, for numbers from a file or from the kernel. A time
 * that leaves its range stops at the end of the range, because times are only shown or compared. A
 * size that leaves its range is an error. Any thread.
 */
#ifndef CTRACE_LIB_CHECKED_H
#define CTRACE_LIB_CHECKED_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t checked_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t checked_sub(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Returns a time of one clock plus the distance to another clock; at most INT64_MAX. */
static inline int64_t checked_shift(uint64_t ns, int64_t offset_ns)
{
	int64_t shifted;

	if (!__builtin_add_overflow(ns, offset_ns, &shifted))
		return shifted;
	/* an unsigned number plus a signed one cannot fall below INT64_MIN */
	return INT64_MAX;
}

static inline int checked_bytes(size_t n, size_t more, size_t size, size_t *ret_bytes)
{
	size_t items, bytes;

	if (__builtin_add_overflow(n, more, &items) || __builtin_mul_overflow(items, size, &bytes))
		return -E2BIG;
	*ret_bytes = bytes;
	return 0;
}

#endif
