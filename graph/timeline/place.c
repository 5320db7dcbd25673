// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place.c - moves the intervals to their tasks, after the replay. Blocks of intervals change places until the
 * blocks of each task lie side by side. Then all intervals move down, over the free places at the end of the
 * last block of each task.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/timeline/build.h"
#include "lib/cleanup.h"

struct placing {
	struct graph *g;
	struct builder *b;
	uint32_t *to_block; /* [block]: its place among all blocks */
	/* [block]: the index in graph.intervals of its first interval. It is in the memory of builder.blocks.
	 */
	uint32_t *first;
};

static uint32_t blocks_of(const struct graph_task *t)
{
	return t->n_intervals / INTERVAL_BLOCK + (t->n_intervals % INTERVAL_BLOCK != 0);
}

/* The blocks of one task come into builder.blocks one after the other. */
static int find_places(struct placing *k, const uint32_t *renumber)
{
	struct graph *g = k->g;
	_cleanup_free_ uint32_t *next = malloc((g->n_tasks + 1) * sizeof(*next));
	_cleanup_free_ uint32_t *done = calloc(g->n_tasks + 1, sizeof(*done));
	uint32_t at = 0, block = 0;

	k->to_block = malloc((k->b->blocks.n + 1) * sizeof(*k->to_block));
	if (!next || !done || !k->to_block)
		return -ENOMEM;
	for (size_t i = 0; i < g->n_tasks; i++)
		g->tasks[renumber[i]].n_intervals = k->b->now.v[i].n_intervals;
	for (size_t i = 0; i < g->n_tasks; i++) {
		g->tasks[i].first_interval = at;
		at += g->tasks[i].n_intervals;
		next[i] = block;
		block += blocks_of(&g->tasks[i]);
	}
	g->n_intervals = at;
	for (size_t i = 0; i < k->b->blocks.n; i++) {
		uint32_t task = renumber[k->b->blocks.v[i]];

		k->to_block[i] = next[task]++;
		k->first[i] = g->tasks[task].first_interval + done[task]++ * INTERVAL_BLOCK;
	}
	return 0;
}

static void swap_blocks(struct interval *a, struct interval *b)
{
	struct interval kept[INTERVAL_BLOCK];

	memcpy(kept, a, sizeof(kept));
	memcpy(a, b, sizeof(kept));
	memcpy(b, kept, sizeof(kept));
}

static void prefetch_block(const struct interval *v)
{
	for (size_t at = 0; at < INTERVAL_BLOCK * sizeof(*v); at += 64)
		__builtin_prefetch((const char *)v + at, 1);
}

/* Each swap brings one block to its place. The block of the swap after it is fetched meanwhile. */
static void move_blocks(struct placing *k)
{
	struct interval *v = k->b->intervals.v;
	uint32_t *to_block = k->to_block;

	for (uint32_t i = 0; i < k->b->blocks.n; i++)
		while (to_block[i] != i) {
			uint32_t to = to_block[i];

			prefetch_block(v + (size_t)to_block[to] * INTERVAL_BLOCK);
			swap_blocks(v + (size_t)i * INTERVAL_BLOCK, v + (size_t)to * INTERVAL_BLOCK);
			to_block[i] = to_block[to];
			to_block[to] = to;
		}
}

static void close_up(struct placing *k)
{
	const struct interval *from = k->b->intervals.v;
	struct interval *to = k->b->intervals.v;

	if (!from) /* no task has an interval */
		return;
	for (uint32_t task = 0; task < k->g->n_tasks; task++) {
		const struct graph_task *t = &k->g->tasks[task];

		for (uint32_t i = 0; i < t->n_intervals; i++) {
			*to = from[i];
			to++->task = task;
		}
		from += (size_t)blocks_of(t) * INTERVAL_BLOCK;
	}
}

static uint32_t place_of(const struct placing *k, uint32_t interval)
{
	return k->first[interval / INTERVAL_BLOCK] + interval % INTERVAL_BLOCK;
}

static int look_cmp(const void *a, const void *b)
{
	uint32_t x = ((const struct interval_look *)a)->interval;
	uint32_t y = ((const struct interval_look *)b)->interval;

	return x < y ? -1 : x > y;
}

void place_others(struct placing *k)
{
	struct graph *g = k->g;
	struct builder *b = k->b;

	for (uint32_t cpu = 0; cpu < g->n_cpus; cpu++) {
		for (size_t i = 0; i < b->runs[cpu].n; i++)
			b->runs[cpu].v[i] = place_of(k, b->runs[cpu].v[i]);
		g->n_runs[cpu] = b->runs[cpu].n;
		g->runs[cpu] = TAKE_PTR(b->runs[cpu].v);
	}
	for (size_t i = 0; i < b->looks.n; i++)
		b->looks.v[i].interval = place_of(k, b->looks.v[i].interval);
	VEC_SORT(&b->looks, look_cmp);
	g->n_looks = b->looks.n;
	g->looks = TAKE_PTR(b->looks.v);
}

static int make_cpus(struct graph *g, const struct builder *b)
{
	g->n_cpus = GRAPH_CPUS_MAX;
	while (g->n_cpus > MIN(g->w->n_cpus, (uint32_t)GRAPH_CPUS_MAX) && !b->runs[g->n_cpus - 1].n)
		g->n_cpus--;
	g->runs = calloc((size_t)g->n_cpus + 1, sizeof(*g->runs));
	g->n_runs = calloc((size_t)g->n_cpus + 1, sizeof(*g->n_runs));
	return g->runs && g->n_runs ? 0 : -ENOMEM;
}

int place_new(struct graph *g, struct builder *b, const uint32_t *renumber, struct placing **ret)
{
	struct placing *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return -ENOMEM;
	*k = (struct placing){ .g = g, .b = b, .first = b->blocks.v };
	r = find_places(k, renumber);
	if (!r)
		r = make_cpus(g, b);
	if (r)
		place_free(k);
	else
		*ret = k;
	return r;
}

int place_intervals(struct placing *k)
{
	struct graph *g = k->g;

	move_blocks(k);
	close_up(k);
	g->intervals = realloc(k->b->intervals.v, (g->n_intervals + 1) * sizeof(*g->intervals));
	if (!g->intervals)
		return -ENOMEM;
	k->b->intervals.v = NULL;
	return 0;
}

void place_free(struct placing *k)
{
	if (!k)
		return;
	free(k->to_block);
	free(k);
}
