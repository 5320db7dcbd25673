/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean.h - makes text of unknown origin safe for a terminal or a log, and leaves other text as it
 * is. Any thread. These become visible escapes ("\x1b", "\u202e", "\U000e0001"):
 * - control characters: C0, DEL, C1 (U+0080..U+009F), also newline and tab
 * - bytes that are no UTF-8: stray, overlong, surrogates, beyond U+10FFFF, cut off
 * - characters that reorder text or break lines: bidirectional controls, U+2028, U+2029
 * - invisible characters: Unicode's Default_Ignorable_Code_Point, annotations U+FFF9..U+FFFB
 */
#ifndef CTRACE_LIB_CLEAN_H
#define CTRACE_LIB_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* bytes of the longest escape, with its 0 */
#define CLEAN_SHOWN_MAX 11
/* times: a shown text has at most this many times the bytes of the original */
#define CLEAN_GROWTH 4

/* Returns how many bytes at the start of s, at most n, are printable ASCII. */
size_t clean_plain(const char *s, size_t n);

/*
 * Shows the first character of the n bytes at s, or one byte that is no UTF-8. n is at least 1.
 * Returns how many bytes of s are shown.
 */
size_t clean_char(const char *s, size_t n, char shown[CLEAN_SHOWN_MAX]);

/* Returns true if the n bytes at s may be the beginning of a longer character. n is at least 1. */
bool clean_is_cut(const char *s, size_t n);

/*
 * Writes the shown form of s to buf, with a 0. buf may be NULL if size is 0. Never cuts a character
 * or an escape. Returns the length of the whole form, as snprintf() does.
 */
size_t clean_text(const char *s, char *buf, size_t size);

/* Returns the shown form of s, which the caller frees. NULL: out of memory. */
char *clean_dup(const char *s);

/* Writes s in quotes, as the value of a label in the text format of Prometheus. */
void clean_label(FILE *f, const char *s);

#endif
