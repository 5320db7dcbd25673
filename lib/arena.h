/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.h - memory that is released all at once. */
#ifndef CTRACE_LIB_ARENA_H
#define CTRACE_LIB_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);
/* n bytes, aligned to 8, or NULL. */
void *arena_alloc(struct arena *a, size_t n);
/* A 0-terminated copy of n bytes (up to the first 0 among them), or NULL. */
char *arena_string(struct arena *a, const char *p, size_t n);

#endif
