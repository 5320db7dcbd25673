// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"

void texts_done(struct texts *t)
{
	for (size_t i = 0; i < t->v.n; i++)
		free(t->v.v[i]);
	VEC_FREE(&t->v);
	map_done(&t->by_text);
}

int texts_order(const char *a, const char *b)
{
	return strcmp(a, b);
}

size_t texts_find(const char *const *list, size_t n, const char *text)
{
	size_t i = 0;

	while (i < n && (!list[i] || texts_order(list[i], text)))
		i++;
	return i;
}

int texts_add(struct texts *t, const char *text, size_t *ret)
{
	uint64_t h = hash_text(HASH_START, text), at;
	char *copy;

	for (; map_get(&t->by_text, h, &at); h++)
		if (!texts_order(t->v.v[at], text)) {
			*ret = at;
			return 0;
		}
	copy = strdup(text);
	if (!copy || VEC_PUSH(&t->v, copy)) {
		free(copy);
		return -ENOMEM;
	}
	if (map_set(&t->by_text, h, t->v.n - 1)) {
		free(t->v.v[--t->v.n]);
		return -ENOMEM;
	}
	*ret = t->v.n - 1;
	return 0;
}
