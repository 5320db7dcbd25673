// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

#define CHUNK_BYTES 65536u

struct chunk {
	struct chunk *next;
	uint64_t bytes[];
};

struct arena {
	struct chunk *chunks;
	uint8_t *p;
	size_t left;
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	while (a->chunks) {
		struct chunk *next = a->chunks->next;

		free(a->chunks);
		a->chunks = next;
	}
	free(a);
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *p;

	if (n > SIZE_MAX - 7 - sizeof(struct chunk))
		return NULL;
	n = (MAX(n, (size_t)1) + 7) & ~(size_t)7;
	if (n > a->left) {
		size_t bytes = n > CHUNK_BYTES / 4 ? n : CHUNK_BYTES;
		struct chunk *c = malloc(sizeof(*c) + bytes);

		if (!c)
			return NULL;
		c->next = a->chunks;
		a->chunks = c;
		if (bytes == n)
			return c->bytes;
		a->p = (uint8_t *)c->bytes;
		a->left = bytes;
	}
	p = a->p;
	a->p += n;
	a->left -= n;
	return p;
}

char *arena_string(struct arena *a, const char *p, size_t n)
{
	char *s;

	n = strnlen(p, n);
	s = arena_alloc(a, n + 1);
	if (!s)
		return NULL;
	memcpy(s, p, n);
	s[n] = 0;
	return s;
}
