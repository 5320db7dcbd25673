/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean.h - makes text of unknown origin safe to show on a terminal or in a log.  Pure; any thread.
 *
 * Names of tasks, files and sockets, and the arguments of a command, may hold any byte.  These do not pass:
 *
 *   control characters   C0, DEL, C1 (U+0080..U+009F); also newline and tab: a name has one line
 *   bytes that are no UTF-8   stray, overlong, surrogates, beyond U+10FFFF, cut off
 *   what reorders or separates lines   the bidirectional controls, U+2028, U+2029
 *   what cannot be seen   Unicode's Default_Ignorable_Code_Point (zero width, tags, variation selectors,
 *                         fillers, soft hyphen), and the interlinear annotations U+FFF9..U+FFFB
 *
 * Each becomes a visible escape, at most four times as long: "\x1b" for an ASCII control and for a byte that
 * is no UTF-8, "\u202e" and "\U000e0001" for a character.  All else stays as it is, the backslash too: text
 * that was cleaned is not changed when it is cleaned again.
 */
#ifndef CTRACE_LIB_CLEAN_H
#define CTRACE_LIB_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* The longest escape and its 0. */
#define CLEAN_SHOWN_MAX 11
/* A shown form is at most so many times as long as the text. */
#define CLEAN_GROWTH 4

/* How many bytes at the start of s, which has n, are printable ASCII: those stay as they are. */
size_t clean_plain(const char *s, size_t n);

/* The first character of s, which has n > 0 bytes, as it is shown.  Returns how many bytes of s it takes. */
size_t clean_char(const char *s, size_t n, char shown[CLEAN_SHOWN_MAX]);

/* Whether the n bytes at s are the beginning of a character whose other bytes may follow. */
bool clean_is_cut(const char *s, size_t n);

/*
 * Writes s as it is shown to buf, 0-terminated (buf may be NULL when size is 0).  What does not fit is cut
 * off between two characters, never within an escape.  Returns the length of the whole, as snprintf() does.
 */
size_t clean_text(const char *s, char *buf, size_t size);

/* The same in memory of its own, to be freed; NULL: out of memory. */
char *clean_dup(const char *s);

#endif
