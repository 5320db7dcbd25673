/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tids.h - private to graph/: a table from tids below TIDS_MAX to numbers. It has memory only for parts
 * in which tids are in use. Several threads may read one table.
 */
#ifndef CTRACE_GRAPH_TIMELINE_TIDS_H
#define CTRACE_GRAPH_TIMELINE_TIDS_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "graph/thresholds.h"

#define TIDS_NONE UINT32_MAX
#define TIDS_PART 1024u

struct tids {
	uint32_t *parts[TIDS_MAX / TIDS_PART]; /* NULL: no tid of this part has a number */
};

/* Returns TIDS_NONE if the tid has no number. */
static inline uint32_t tids_get(const struct tids *t, uint32_t tid)
{
	const uint32_t *part = tid < TIDS_MAX ? t->parts[tid / TIDS_PART] : NULL;

	return part ? part[tid % TIDS_PART] : TIDS_NONE;
}

/* tid must be below TIDS_MAX. Returns 0 or -ENOMEM. */
static inline int tids_set(struct tids *t, uint32_t tid, uint32_t number)
{
	uint32_t **part = &t->parts[tid / TIDS_PART];

	if (!*part) {
		*part = malloc(TIDS_PART * sizeof(**part));
		if (!*part)
			return -ENOMEM;
		for (uint32_t i = 0; i < TIDS_PART; i++)
			(*part)[i] = TIDS_NONE;
	}
	(*part)[tid % TIDS_PART] = number;
	return 0;
}

/* Accepts NULL. */
static inline void tids_free(struct tids *t)
{
	for (uint32_t i = 0; t && i < TIDS_MAX / TIDS_PART; i++)
		free(t->parts[i]);
	free(t);
}

#endif
