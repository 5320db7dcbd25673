// SPDX-License-Identifier: GPL-2.0-or-later
#include "detect/detect_habit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"

#define HABIT_ROW 4

int detect_habits_init(struct detect_habits *h)
{
	h->v = calloc(DETECT_HABITS, sizeof(*h->v));
	return h->v ? 0 : -ENOMEM;
}

void detect_habits_done(struct detect_habits *h)
{
	free(h->v);
}

static uint32_t habit_row(const char comm[CT_COMM_LEN])
{
	uint64_t v = hash_bytes(HASH_START, comm, strnlen(comm, CT_COMM_LEN));

	/* the low bits of an FNV hash depend only on the low bits of each character */
	return (uint32_t)(v >> 32) % (DETECT_HABITS / HABIT_ROW);
}

struct detect_habit *detect_habit(struct detect_habits *h, const char comm[CT_COMM_LEN], uint64_t now_ns)
{
	struct detect_habit *row = &h->v[habit_row(comm) * HABIT_ROW], *oldest = row;

	for (struct detect_habit *at = row; at < row + HABIT_ROW; at++) {
		if (at->used_ns && !strncmp(at->comm, comm, CT_COMM_LEN)) {
			at->used_ns = now_ns;
			return at;
		}
		if (at->used_ns < oldest->used_ns)
			oldest = at;
	}
	*oldest = (struct detect_habit){ .used_ns = now_ns };
	memcpy(oldest->comm, comm, CT_COMM_LEN);
	return oldest;
}
