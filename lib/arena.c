// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

#define CHUNK_BYTES 65536u

struct chunk {
	struct chunk *next;
	size_t size;
	uint64_t bytes[];
};

struct arena {
	struct chunk *chunks;
	struct chunk *spare; /* of CHUNK_BYTES, after arena_clear() */
	uint8_t *p;
	size_t left;
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

static struct chunk *take_first(struct chunk **list)
{
	struct chunk *c = *list;

	if (c)
		*list = c->next;
	return c;
}

void arena_clear(struct arena *a)
{
	struct chunk *c;

	while ((c = take_first(&a->chunks))) {
		if (c->size != CHUNK_BYTES) {
			free(c);
			continue;
		}
		c->next = a->spare;
		a->spare = c;
	}
	a->left = 0;
}

void arena_free(struct arena *a)
{
	struct chunk *c;

	if (!a)
		return;
	while ((c = take_first(&a->chunks)) || (c = take_first(&a->spare)))
		free(c);
	free(a);
}

static struct chunk *new_chunk(struct arena *a, size_t bytes)
{
	struct chunk *c = bytes == CHUNK_BYTES ? take_first(&a->spare) : NULL;

	if (!c)
		c = malloc(sizeof(*c) + bytes);
	if (c)
		c->size = bytes;
	return c;
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *p;

	if (n > SIZE_MAX - 7 - sizeof(struct chunk))
		return NULL;
	n = (MAX(n, (size_t)1) + 7) & ~(size_t)7;
	if (n > a->left) {
		size_t bytes = n > CHUNK_BYTES / 4 ? n : CHUNK_BYTES;
		struct chunk *c = new_chunk(a, bytes);

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
