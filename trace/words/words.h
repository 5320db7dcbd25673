/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - builds a sentence piece by piece. The functions that add a piece return no error. If
 * one of their allocations has failed, words_take() returns NULL. Only one thread at a time may use
 * a struct words.
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
/* Appends a duration, such as "7.7 s", "350 ms" or "12 us". */
void words_duration(struct words *t, uint64_t ns);
/*
 * Returns the string, which the caller frees, and empties t. Returns NULL if memory runs out. The
 * string is safe for a terminal, because unsafe bytes in the names of programs have been replaced
 * (lib/clean.h).
 */
char *words_take(struct words *t);

#endif
