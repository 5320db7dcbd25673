// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/length.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/cleanup.h"

int length_step_cmp(const void *a, const void *b)
{
	const struct length_step *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->by - y->by;
}

static size_t part_of(const struct queue_length *l, uint64_t ts_ns)
{
	return MIN((size_t)((ts_ns - l->from_ns) / l->part_ns), (size_t)QUEUE_LENGTH_PARTS - 1);
}

static void note(struct queue_length *l, uint64_t ts_ns, uint32_t waiting)
{
	uint32_t *most = &l->parts[part_of(l, ts_ns)].most;

	*most = MAX(*most, waiting);
	if (waiting > l->most) {
		l->most = waiting;
		l->most_ns = ts_ns;
	}
}

/* `waiting` jobs wait in [from_ns, to_ns). Adds the ns of all of them to the mean of each part. */
static void add(struct queue_length *l, uint64_t from_ns, uint64_t to_ns, uint32_t waiting)
{
	while (from_ns < to_ns) {
		size_t at = part_of(l, from_ns);
		uint64_t end_ns = at + 1 < QUEUE_LENGTH_PARTS ? l->from_ns + (at + 1) * l->part_ns : to_ns;
		uint64_t until_ns = MIN(end_ns, to_ns);

		note(l, from_ns, waiting);
		l->parts[at].mean += (double)waiting * (double)(until_ns - from_ns);
		from_ns = until_ns;
	}
}

static void divide(struct queue_length *l)
{
	for (size_t i = 0; i < QUEUE_LENGTH_PARTS; i++) {
		uint64_t begin_ns = l->from_ns + i * l->part_ns;
		uint64_t end_ns = i + 1 < QUEUE_LENGTH_PARTS ? begin_ns + l->part_ns : l->to_ns;

		l->mean += l->parts[i].mean / (double)(l->to_ns - l->from_ns);
		l->parts[i].mean /= (double)(end_ns - begin_ns);
	}
}

int length_find(const struct job *v, size_t n, uint64_t from_ns, uint64_t to_ns, uint64_t until_ns,
		struct queue_length *ret)
{
	_cleanup_free_ struct length_step *steps = malloc(2 * (n + 1) * sizeof(*steps));
	struct queue_length l = { .from_ns = from_ns, .to_ns = to_ns };
	uint64_t last_ns = from_ns;
	int64_t waiting = 0;
	size_t k = 0;

	if (!steps)
		return -ENOMEM;
	l.part_ns = to_ns > from_ns ? (to_ns - from_ns) / QUEUE_LENGTH_PARTS : 0;
	for (size_t i = 0; i < n && l.part_ns; i++) {
		uint64_t left_ns = job_left_ns(&v[i]) ? job_left_ns(&v[i]) : until_ns;
		uint64_t end_ns = MIN(left_ns, to_ns);

		if (!v[i].queued_ns || v[i].queued_ns >= to_ns)
			continue;
		l.known = true;
		steps[k++] = (struct length_step){ MAX(v[i].queued_ns, from_ns), 1 };
		steps[k++] = (struct length_step){ MAX(end_ns, from_ns), -1 };
	}
	qsort(steps, k, sizeof(*steps), length_step_cmp);
	for (size_t i = 0; i < k; i++) {
		add(&l, last_ns, steps[i].ts_ns, (uint32_t)MAX(waiting, 0));
		last_ns = steps[i].ts_ns;
		waiting += steps[i].by;
		if (waiting > 0 && last_ns < to_ns)
			note(&l, last_ns, (uint32_t)waiting);
	}
	if (l.known)
		divide(&l);
	*ret = l;
	return 0;
}
