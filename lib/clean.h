/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean.h - makes text of unknown origin safe to show on a terminal or in a log. The functions have
 * no state, so any thread may call them.
 *
 * Names of tasks, files and sockets, and the arguments of a command, may hold any byte. The functions
 * replace:
 *
 *   control characters         C0, DEL, C1 (U+0080..U+009F); also newline and tab, because a name
 *                              has one line
 *   bytes that are no UTF-8    stray, overlong, surrogates, beyond U+10FFFF, cut off
 *   reordering, line breaks    the bidirectional controls, U+2028, U+2029
 *   invisible characters       Unicode's Default_Ignorable_Code_Point (zero width, tags, variation
 *                              selectors, fillers, soft hyphen), the annotations U+FFF9..U+FFFB
 *
 * Each becomes a visible escape, at most four times as long: "\x1b" for an ASCII control character and for
 * a byte that is no UTF-8; "\u202e" or "\U000e0001" for a character. All other text stays as it is, the
 * backslash too. So a text that was cleaned once stays the same if it is cleaned again.
 */
#ifndef CTRACE_LIB_CLEAN_H
#define CTRACE_LIB_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the longest escape, with its 0. */
#define CLEAN_SHOWN_MAX 11
/* The shown form of a text (with its escapes) is at most this many times as long as the text. */
#define CLEAN_GROWTH 4

/*
 * Returns how many bytes at the start of s are printable ASCII, at most n. These bytes stay as they
 * are.
 */
size_t clean_plain(const char *s, size_t n);

/*
 * Writes the shown form of the first character of s, or of its first byte if this byte is no UTF-8.
 * n: the number of bytes at s, at least 1. Returns how many bytes of s are shown.
 */
size_t clean_char(const char *s, size_t n, char shown[CLEAN_SHOWN_MAX]);

/* True: the n bytes at s are the beginning of a character whose other bytes may follow. */
bool clean_is_cut(const char *s, size_t n);

/*
 * Writes the shown form of s to buf, 0-terminated; buf may be NULL if size is 0. A text that does
 * not fit is cut between two characters, never within an escape. Returns the length of the whole
 * shown form, as snprintf() does.
 */
size_t clean_text(const char *s, char *buf, size_t size);

/* The shown form in memory that the caller frees; NULL: out of memory. */
char *clean_dup(const char *s);

#endif
