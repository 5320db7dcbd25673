/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h - allocates many small pieces of memory, which are released all at once. One thread at a
 * time for each arena.
 */
#ifndef CTRACE_LIB_ARENA_H
#define CTRACE_LIB_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);
/* Releases all pieces, but keeps most of the memory for new ones. */
void arena_clear(struct arena *a);
/* Returns n bytes, aligned to 8. NULL: out of memory. */
void *arena_alloc(struct arena *a, size_t n);
/* Copies the bytes at p up to the first 0, but at most n bytes, and adds a 0. NULL: out of
 * memory. */
char *arena_string(struct arena *a, const char *p, size_t n);

#endif
