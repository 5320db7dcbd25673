/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - builds a sentence piece by piece.  After a failed allocation the text is NULL and stays so. */
#ifndef CTRACE_TRACE_WORDS_WORDS_H
#define CTRACE_TRACE_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct words {
	char *s;
	size_t n;
	bool failed;
};

__attribute__((format(printf, 2, 3))) void words_add(struct words *t, const char *fmt, ...);
/* "7.7 s", "350 ms", "12 us" */
void words_duration(struct words *t, uint64_t ns);
/* Hands the string over (malloc; NULL: out of memory) and empties t.  Whatever programs are called, nothing
 * in it acts on a terminal. */
char *words_take(struct words *t);

#endif
