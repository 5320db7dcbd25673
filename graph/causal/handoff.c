// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handoff.c - finds futexes that are locks, although no record shows their owners. One of two signs
 * is enough:
 * - Two tasks both post and wait on the futex, again and again, and each post wakes one task. An
 *   example is the lock of Python's interpreter. A barrier of three or more tasks does not look like
 *   a lock, because it wakes several tasks together.
 * - An inspection recorded the stack of a waiter, and the stack has a function that waits for a lock.
 *   An example is a read-write lock that readers hold: no record shows these readers.
 */
#include "graph/causal/handoff.h"

#include "graph/wake/owner.h"

/* A count has two halves. Lower half: how often a task posted on a futex. Upper half: how often the
 * task was woken on this futex. */
#define TURNS_SHIFT 32

static bool is_turn(const struct edge *e)
{
	return e->kind == EDGE_POST && !(e->flags & EDGE_TOGETHER) && e->from != GRAPH_NONE;
}

static uint64_t key_of(const struct pass *p, const struct edge *e, uint32_t segment)
{
	return GRAPH_FUTEX_KEY(p->e[e->event].r.obj) * 0x9e3779b97f4a7c15ULL ^
	       p->segments.v[segment].task * 0xff51afd7ed558ccdULL;
}

static int count(struct map *counts, uint64_t key, uint64_t more)
{
	uint64_t n = 0;

	map_get(counts, key, &n);
	return map_set(counts, key, n + more);
}

static bool is_seen(const struct pass *p, const struct edge *e)
{
	return map_get(&p->seen_locks, GRAPH_FUTEX_KEY(p->e[e->event].r.obj), NULL);
}

static bool takes_turns(const struct map *counts, uint64_t key)
{
	uint64_t n = 0;

	map_get(counts, key, &n);
	return (uint32_t)n >= TURNS_MIN && n >> TURNS_SHIFT >= TURNS_MIN;
}

static bool is_taken_in_turns(const struct pass *p, const struct map *counts, const struct edge *e)
{
	return is_turn(e) && takes_turns(counts, key_of(p, e, e->from)) &&
	       takes_turns(counts, key_of(p, e, e->to));
}

void handoff_visit(struct pass *p, uint32_t event)
{
	const struct window_event *e = &p->e[event];

	if (ct_visit_wait(&e->r) == CT_W_FUTEX && owner_stack_locks(p->g->w, window_words(p->g->w, e)[0]) &&
	    map_set(&p->seen_locks, GRAPH_FUTEX_KEY(e->r.obj), 1))
		p->err = -ENOMEM;
}

int handoff_find(struct pass *p)
{
	struct map counts = { 0 };
	int r = 0;

	for (size_t i = 0; i < p->edges.n && !r; i++) {
		const struct edge *e = &p->edges.v[i];

		if (!is_turn(e))
			continue;
		r = count(&counts, key_of(p, e, e->from), 1);
		if (!r)
			r = count(&counts, key_of(p, e, e->to), 1ULL << TURNS_SHIFT);
	}
	for (size_t i = 0; i < p->edges.n && !r; i++) {
		struct edge *e = &p->edges.v[i];

		if (e->kind != EDGE_POST || (!is_seen(p, e) && !is_taken_in_turns(p, &counts, e)))
			continue;
		e->kind = EDGE_LOCK;
		e->strength = EDGE_WEAK;
		e->flags &= (uint8_t)~EDGE_MANY;
	}
	map_done(&counts);
	return r;
}
