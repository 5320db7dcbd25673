// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/clean.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/utf8.h"

#define CHAR_MAX_BYTES 4

struct span {
	uint32_t first, last;
};

/*
 * Default_Ignorable_Code_Point of Unicode 15, and the other characters that clean.h lists, sorted.
 */
static const struct span unsafe[] = {
	{ 0x0000, 0x001f },   /* C0 */
	{ 0x007f, 0x009f },   /* DEL, C1 */
	{ 0x00ad, 0x00ad },   /* soft hyphen */
	{ 0x034f, 0x034f },   /* combining grapheme joiner */
	{ 0x061c, 0x061c },   /* Arabic letter mark */
	{ 0x115f, 0x1160 },   /* Hangul fillers */
	{ 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
	{ 0x180b, 0x180f },   /* Mongolian variation selectors and vowel separator */
	{ 0x200b, 0x200f },   /* zero width, left-to-right and right-to-left marks */
	{ 0x2028, 0x202e },   /* line and paragraph separators, bidirectional controls */
	{ 0x2060, 0x206f },   /* word joiner, invisible operators, bidirectional isolates, others */
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xfe00, 0xfe0f },   /* variation selectors */
	{ 0xfeff, 0xfeff },   /* zero width no-break space */
	{ 0xffa0, 0xffa0 },   /* halfwidth Hangul filler */
	{ 0xfff0, 0xfffb },   /* reserved for ignorable characters; interlinear annotations */
	{ 0x1bca0, 0x1bca3 }, /* shorthand format controls */
	{ 0x1d173, 0x1d17a }, /* musical format controls */
	{ 0xe0000, 0xe0fff }, /* tags, more variation selectors */
};

static bool is_unsafe(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(unsafe) && unsafe[i].first <= c; i++)
		if (c <= unsafe[i].last)
			return true;
	return false;
}

size_t clean_plain(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (unsigned char)(s[i] - 0x20) < 0x7f - 0x20)
		i++;
	return i;
}

size_t clean_char(const char *s, size_t n, char shown[CLEAN_SHOWN_MAX])
{
	char one[CHAR_MAX_BYTES + 1] = { 0 };
	uint32_t c;
	size_t len;

	memcpy(one, s, MIN(n, (size_t)CHAR_MAX_BYTES));
	len = utf8_len(one);
	c = utf8_code(one, len ? len : 1);
	if (!len || (c < 0x80 && is_unsafe(c)))
		snprintf(shown, CLEAN_SHOWN_MAX, "\\x%02x", (unsigned char)*one);
	else if (!is_unsafe(c))
		snprintf(shown, CLEAN_SHOWN_MAX, "%.*s", (int)len, one);
	else
		snprintf(shown, CLEAN_SHOWN_MAX, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
	return len ? len : 1;
}

bool clean_is_cut(const char *str, size_t n)
{
	const unsigned char *s = (const unsigned char *)str;
	size_t need = s[0] < 0xc2 || s[0] > 0xf4 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	for (size_t i = 1; i < n && i < need; i++)
		if ((s[i] & 0xc0) != 0x80)
			return false;
	return n < need;
}

size_t clean_text(const char *s, char *buf, size_t size)
{
	size_t n = strlen(s), len = 0, out = 0;
	bool full = !size;

	while (n) {
		size_t plain = clean_plain(s, n), fits = full ? 0 : MIN(plain, size - 1 - out);
		char shown[CLEAN_SHOWN_MAX];
		size_t took, k;

		if (fits)
			memcpy(buf + out, s, fits);
		out += fits;
		len += plain;
		full |= fits < plain;
		s += plain;
		n -= plain;
		if (!n)
			break;
		took = clean_char(s, n, shown);
		k = strlen(shown);
		full |= full || k > size - 1 - out;
		if (!full)
			memcpy(buf + out, shown, k);
		out += full ? 0 : k;
		len += k;
		s += took;
		n -= took;
	}
	if (size)
		buf[out] = 0;
	return len;
}

char *clean_dup(const char *s)
{
	size_t size = clean_text(s, NULL, 0) + 1;
	char *buf = malloc(size);

	if (buf)
		clean_text(s, buf, size);
	return buf;
}

void clean_label(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s; s++)
		if (*s == '\n')
			fputs("\\n", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else
			putc(*s, f);
	putc('"', f);
}
