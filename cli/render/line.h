/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line.h - a line of named values, as text ` name=value` or as JSON `,"name":value`. A dump prints
 * gigabytes, and printf() would be too slow for this. One thread. */
#ifndef CTRACE_CLI_RENDER_LINE_H
#define CTRACE_CLI_RENDER_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 4096

struct line {
	FILE *f;
	bool json;
	bool flushed;
	size_t n;
	char buf[LINE_BYTES];
};

void line_bytes(struct line *l, const char *s, size_t n);
static inline void line_put(struct line *l, const char *s)
{
	line_bytes(l, s, strlen(s));
}
void line_digits(struct line *l, uint64_t v, unsigned digits);
void line_signed(struct line *l, int64_t v);
/* Adds "0x...", in JSON as a string: many JSON parsers lose bits of large numbers. */
void line_address(struct line *l, uint64_t v);
/* Adds cleaned text in quotes. */
void line_quoted(struct line *l, const char *s);
/* Adds text of unknown origin as a JSON string. */
void line_json(struct line *l, const char *s);
/* Adds text of unknown origin, with quotes if it would make the line hard to parse. */
void line_text(struct line *l, const char *s);

void line_key(struct line *l, const char *name);
void line_num(struct line *l, const char *name, int64_t v);
void line_u64(struct line *l, const char *name, uint64_t v);
void line_hex(struct line *l, const char *name, uint64_t v);
void line_word(struct line *l, const char *name, const char *word);
void line_str(struct line *l, const char *name, const char *s);

void line_end(struct line *l);

#endif
