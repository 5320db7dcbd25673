/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h - allocates many small pieces of memory, which are all released at once. A single piece
 * cannot be released or grown. One thread at a time for each arena.
 */
#ifndef CTRACE_LIB_ARENA_H
#define CTRACE_LIB_ARENA_H

#include <stddef.h>

struct arena;

/* Makes an empty arena. NULL: out of memory. */
struct arena *arena_new(void);
/* Releases the arena and all its memory. Accepts NULL. */
void arena_free(struct arena *a);
/* Returns n bytes, aligned to 8, which are valid until arena_free(). NULL: out of memory. */
void *arena_alloc(struct arena *a, size_t n);
/* Returns a 0-terminated copy of the n bytes at p. If some of them are 0, copies only the bytes
 * before the first 0. The copy is valid until arena_free(). NULL: out of memory. */
char *arena_string(struct arena *a, const char *p, size_t n);

#endif
