/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - builds a sentence piece by piece. The functions that add a piece report no error: if an
 * allocation has failed, words_take() returns NULL.
 * One thread at a time for each struct words.
 */
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

/* Appends formatted text, as printf() writes it. */
__attribute__((format(printf, 2, 3))) void words_add(struct words *t, const char *fmt, ...);
/* Appends a duration: "7.7 s", "350 ms", "12 us". */
void words_duration(struct words *t, uint64_t ns);
/*
 * Gives the string to the caller, who frees it, and empties t. NULL: out of memory. The string is safe
 * for a terminal, although names of programs in it may have any bytes (lib/clean.h).
 */
char *words_take(struct words *t);

#endif
