/* SPDX-License-Identifier: GPL-2.0-or-later */
/* intern.h - gives each distinct value a number, from 0 on. One thread at a time. */
#ifndef CTRACE_TRACE_FORMAT_INTERN_H
#define CTRACE_TRACE_FORMAT_INTERN_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"

struct intern {
	VEC(uint64_t) values;
	uint32_t *slots; /* index into values plus 1, or 0 if free; linear probing */
	size_t cap;
};

static inline void intern_done(struct intern *t)
{
	VEC_FREE(&t->values);
	free(t->slots);
	*t = (struct intern){ 0 };
}

static inline size_t intern_find(const struct intern *t, uint64_t v)
{
	size_t i = (size_t)(v * 0x9e3779b97f4a7c15ULL >> 20) & (t->cap - 1);

	while (t->slots[i] && t->values.v[t->slots[i] - 1] != v)
		i = (i + 1) & (t->cap - 1);
	return i;
}

/* With few values in many slots, clears only the slots of the values: the last value first, because the
 * search for a value passes the slots of earlier ones. */
static inline void intern_clear(struct intern *t)
{
	if (t->values.n < t->cap / 64)
		while (t->values.n) {
			t->slots[intern_find(t, t->values.v[t->values.n - 1])] = 0;
			t->values.n--;
		}
	else if (t->slots)
		memset(t->slots, 0, t->cap * sizeof(*t->slots));
	t->values.n = 0;
}

static inline int intern_grow(struct intern *t)
{
	size_t cap = t->cap ? t->cap * 2 : 256;
	uint32_t *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
	for (size_t i = 0; i < t->values.n; i++)
		slots[intern_find(t, t->values.v[i])] = (uint32_t)i + 1;
	return 0;
}

static inline int intern(struct intern *t, uint64_t v, uint32_t *ret_i)
{
	size_t i;

	if (t->values.n * 2 >= t->cap && intern_grow(t))
		return -ENOMEM;
	i = intern_find(t, v);
	if (!t->slots[i]) {
		if (VEC_PUSH(&t->values, v))
			return -ENOMEM;
		t->slots[i] = (uint32_t)t->values.n;
	}
	*ret_i = t->slots[i] - 1;
	return 0;
}

#endif
