/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8.h - tells UTF-8 from other bytes. Any thread. */
#ifndef CTRACE_LIB_UTF8_H
#define CTRACE_LIB_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the length (1..4) of the first character. str is not empty, and ends with a 0. Returns 0
 * if str begins with no character (stray, cut off, overlong, a surrogate, or beyond U+10FFFF).
 */
static inline size_t utf8_len(const char *str)
{
	const unsigned char *s = (const unsigned char *)str;
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] >= 0x80 && (s[0] < 0xc2 || s[0] > 0xf4))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* Returns the code point of the first character. len is the result of utf8_len(), not 0. If len is
 * 1, the result is the first byte of str. */
static inline uint32_t utf8_code(const char *str, size_t len)
{
	const unsigned char *s = (const unsigned char *)str;
	uint32_t c = len == 1 ? s[0] : s[0] & (0xffU >> (len + 1));

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

#endif
