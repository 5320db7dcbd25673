// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/match.h"

#include "trace/words/describe.h"
#include "trace/words/texts.h"

static bool is_taken(const size_t *taken, size_t n, size_t index)
{
	for (size_t i = 0; i < n; i++)
		if (taken[i] == index)
			return true;
	return false;
}

static bool have_same_name(const struct queues_of *a, size_t i, const struct queues_of *b, size_t j)
{
	char x[DESCRIBE_MAX], y[DESCRIBE_MAX];

	describe_object(a->g->w, a->q->v[i].obj, x, sizeof(x));
	describe_object(b->g->w, b->q->v[j].obj, y, sizeof(y));
	return !texts_order(x, y);
}

static void match(const struct queues_of *before, const struct queues_of *now, bool named, size_t *ret)
{
	for (size_t i = 0; i < now->q->n; i++)
		for (size_t j = 0; j < before->q->n && ret[i] == SIZE_MAX; j++)
			if (!texts_order(queue_comm(now->g, &now->q->v[i]),
					 queue_comm(before->g, &before->q->v[j])) &&
			    (!named || have_same_name(now, i, before, j)) && !is_taken(ret, now->q->n, j))
				ret[i] = j;
}

void queues_match(const struct queues_of *before, const struct queues_of *now, size_t *ret)
{
	for (size_t i = 0; i < now->q->n; i++)
		ret[i] = SIZE_MAX;
	match(before, now, true, ret);
	match(before, now, false, ret);
}
