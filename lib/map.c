// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/map.h"

#include <errno.h>
#include <stdlib.h>

void map_done(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

static int map_resize(struct map *m, size_t cap)
{
	struct map to = { .slots = calloc(cap, sizeof(*to.slots)), .n = m->n, .cap = cap };

	if (!to.slots)
		return -ENOMEM;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			to.slots[map_find(&to, m->slots[i].key)] = m->slots[i];
	free(m->slots);
	*m = to;
	return 0;
}

int map_set(struct map *m, uint64_t key, uint64_t val)
{
	size_t i;

	if ((m->n + 1) * 4 > m->cap * 3 && map_resize(m, m->cap ? m->cap * 2 : 16))
		return -ENOMEM;
	i = map_find(m, key);
	if (!m->slots[i].used)
		m->n++;
	m->slots[i] = (struct map_slot){ .key = key, .val = val, .used = true };
	return 0;
}

bool map_del(struct map *m, uint64_t key)
{
	size_t i, j;

	if (!m->cap)
		return false;
	i = map_find(m, key);
	if (!m->slots[i].used)
		return false;
	for (j = (i + 1) & (m->cap - 1); m->slots[j].used; j = (j + 1) & (m->cap - 1)) {
		size_t home = map_hash(m->slots[j].key) & (m->cap - 1);

		if (((j - home) & (m->cap - 1)) >= ((j - i) & (m->cap - 1))) {
			m->slots[i] = m->slots[j];
			i = j;
		}
	}
	m->slots[i].used = false;
	m->n--;
	return true;
}
