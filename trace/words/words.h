/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - builds a sentence piece by piece. One thread at a time for each struct words. */
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
/* Adds for example "7.7 s", "350 ms" or "12 us". */
void words_duration(struct words *t, uint64_t ns);
/* Adds for example "7.3 MiB" or "512 bytes". */
void words_bytes(struct words *t, uint64_t bytes);
/* Adds s as one word of a shell. Adds `unknown` instead if s has characters that a person cannot type. */
void words_add_quoted(struct words *t, const char *s, const char *unknown);
/* As words_add_quoted(), for the path of a file. A path that begins with '-' would be an option, so it gets
 * "./" in front. */
void words_add_path(struct words *t, const char *path, const char *unknown);
/* Empties t, and returns its string, safe to print (lib/clean.h). The caller frees it. NULL: memory
 * ran out, now or earlier. */
char *words_take(struct words *t);

#endif
