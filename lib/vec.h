/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vec.h - a growable array: VEC(type) { v, n, cap }. A zeroed structure is an empty vector. A
 * vector owns its memory, but not what its items point to. The value of VEC_PUSH and VEC_RESERVE is
 * 0, or -ENOMEM; then the vector is unchanged. One thread at a time for each vector.
 */
#ifndef CTRACE_LIB_VEC_H
#define CTRACE_LIB_VEC_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VEC(type)                                                                                            \
	struct {                                                                                             \
		type *v;                                                                                     \
		size_t n;                                                                                    \
		size_t cap;                                                                                  \
	}

static inline int vec_grow(void **v, size_t *cap, size_t want, size_t elem)
{
	size_t c = *cap ? *cap : 16;
	void *p;

	if (want <= *cap)
		return 0;
	while (c < want) {
		if (c > SIZE_MAX / 2)
			return -ENOMEM;
		c *= 2;
	}
	if (c > SIZE_MAX / elem)
		return -ENOMEM;
	p = realloc(*v, c * elem);
	if (!p)
		return -ENOMEM;
	*v = p;
	*cap = c;
	return 0;
}

#define VEC_RESERVE(vec, want) vec_grow((void **)&(vec)->v, &(vec)->cap, (want), sizeof(*(vec)->v))
/*
 * VEC_PUSH may move the items before it evaluates the new item. So the new item must not use a
 * pointer into the vector.
 */
#define VEC_PUSH(vec, ...)                                                                                   \
	(VEC_RESERVE(vec, (vec)->n + 1) ? -ENOMEM : ((vec)->v[(vec)->n++] = (__VA_ARGS__), 0))
#define VEC_FREE(vec)                                                                                        \
	do {                                                                                                 \
		free((vec)->v);                                                                              \
		memset((vec), 0, sizeof(*(vec)));                                                            \
	} while (0)

/* qsort() does not accept NULL, even for no items. */
#define VEC_SORT(vec, cmp)                                                                                   \
	do {                                                                                                 \
		if ((vec)->n)                                                                                \
			qsort((vec)->v, (vec)->n, sizeof(*(vec)->v), cmp);                                   \
	} while (0)

#endif
