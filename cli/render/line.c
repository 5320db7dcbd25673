// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/line.h"

#include "cli/text.h"
#include "lib/clean.h"
#include "trace/words/describe.h"

#define DIGITS_MAX 20

static void line_flush(struct line *l)
{
	fwrite_unlocked(l->buf, 1, l->n, l->f);
	l->flushed = true;
	l->n = 0;
}

void line_bytes(struct line *l, const char *s, size_t n)
{
	if (n > sizeof(l->buf) - l->n)
		line_flush(l);
	if (n > sizeof(l->buf)) {
		fwrite_unlocked(s, 1, n, l->f);
		return;
	}
	memcpy(l->buf + l->n, s, n);
	l->n += n;
}

void line_digits(struct line *l, uint64_t v, unsigned digits)
{
	char text[DIGITS_MAX], *p = text + sizeof(text);

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v || (size_t)(text + sizeof(text) - p) < digits);
	line_bytes(l, p, (size_t)(text + sizeof(text) - p));
}

void line_signed(struct line *l, int64_t v)
{
	line_put(l, v < 0 ? "-" : "");
	line_digits(l, v < 0 ? -(uint64_t)v : (uint64_t)v, 1);
}

void line_address(struct line *l, uint64_t v)
{
	char text[DIGITS_MAX], *p = text + sizeof(text);

	do {
		*--p = "0123456789abcdef"[v % 16];
		v /= 16;
	} while (v);
	line_put(l, l->json ? "\"0x" : "0x");
	line_bytes(l, p, (size_t)(text + sizeof(text) - p));
	line_put(l, l->json ? "\"" : "");
}

void line_quoted(struct line *l, const char *s)
{
	line_put(l, "\"");
	while (*s) {
		size_t n = strcspn(s, "\"\\");

		line_bytes(l, s, n);
		s += n;
		if (!*s)
			break;
		line_put(l, "\\");
		line_bytes(l, s++, 1);
	}
	line_put(l, "\"");
}

void line_json(struct line *l, const char *s)
{
	size_t n = strlen(s);

	if (clean_plain(s, n) == n && !s[strcspn(s, "\"\\")]) {
		line_quoted(l, s);
		return;
	}
	line_flush(l);
	text_put_json(l->f, s);
}

void line_text(struct line *l, const char *s)
{
	char text[DESCRIBE_MAX];

	describe_clean(s, text, sizeof(text));
	if (*text && !text[strcspn(text, " \"\\=")])
		line_put(l, text);
	else
		line_quoted(l, text);
}

void line_key(struct line *l, const char *name)
{
	line_put(l, l->json ? ",\"" : " ");
	line_put(l, name);
	line_put(l, l->json ? "\":" : "=");
}

void line_num(struct line *l, const char *name, int64_t v)
{
	line_key(l, name);
	line_signed(l, v);
}

void line_u64(struct line *l, const char *name, uint64_t v)
{
	line_key(l, name);
	line_digits(l, v, 1);
}

void line_hex(struct line *l, const char *name, uint64_t v)
{
	line_key(l, name);
	line_address(l, v);
}

void line_word(struct line *l, const char *name, const char *word)
{
	line_key(l, name);
	line_put(l, l->json ? "\"" : "");
	line_put(l, word);
	line_put(l, l->json ? "\"" : "");
}

void line_str(struct line *l, const char *name, const char *s)
{
	line_key(l, name);
	if (l->json)
		line_json(l, s);
	else
		line_text(l, s);
}

void line_end(struct line *l)
{
	line_put(l, "\n");
	line_flush(l);
	l->flushed = false;
}
