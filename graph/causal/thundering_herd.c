// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thundering_herd.c - finds connections that wake several processes, which wait on one listening
 * socket. No record shows which of these processes accepts the connection. So the process that
 * first receives from the client counts as the one that accepted.
 */
#include "graph/causal/thundering_herd.h"

#include "lib/cleanup.h"

static bool is_connect(const struct pass *p, const struct edge *e)
{
	const struct ct_rec *r = &p->e[e->event].r;

	/* The edge of a wake-up never has EDGE_BYTES. The flag is looked at first, because to read a record
	 * for each edge is slow. */
	return e->kind == EDGE_MESSAGE && !(e->flags & EDGE_BYTES) && e->strength == EDGE_STRONG &&
	       e->from != GRAPH_NONE && r->kind == CT_WAKE && ct_wake_call(r) == CT_W_CONNECT;
}

static uint32_t process_of(const struct pass *p, uint32_t segment)
{
	return p->g->tasks[p->segments.v[segment].task].tgid;
}

static bool is_mate(const struct pass *p, const struct edge *a, const struct edge *b)
{
	const struct ct_rec *x = &p->e[a->event].r, *y = &p->e[b->event].r;
	uint64_t apart = x->ts > y->ts ? x->ts - y->ts : y->ts - x->ts;

	return is_connect(p, b) && b->from == a->from && x->obj == y->obj && apart <= ONE_CALL_NS &&
	       process_of(p, a->to) != process_of(p, b->to);
}

static uint32_t find_mates(const struct pass *p, size_t i, uint32_t mates[HERD_MATES])
{
	size_t to = MIN(p->edges.n, i + HERD_NEAR);
	uint32_t n = 0;

	for (size_t k = i > HERD_NEAR ? i - HERD_NEAR : 0; k < to && n < HERD_MATES; k++)
		if (is_mate(p, &p->edges.v[i], &p->edges.v[k]))
			mates[n++] = process_of(p, p->edges.v[k].to);
	return n;
}

static bool is_among(uint32_t process, const uint32_t *mates, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (mates[i] == process)
			return true;
	return false;
}

static bool is_taken_by_mate(const struct pass *p, size_t i)
{
	const struct edge *e = &p->edges.v[i];
	size_t to = MIN(p->edges.n, i + HERD_LOOKS);
	uint32_t mates[HERD_MATES], n = find_mates(p, i, mates);

	for (size_t k = i + 1; n && k < to; k++) {
		const struct edge *x = &p->edges.v[k];

		if (!(x->flags & EDGE_BYTES) || x->from == GRAPH_NONE ||
		    p->segments.v[x->from].task != p->segments.v[e->from].task)
			continue;
		if (process_of(p, x->to) == process_of(p, e->to))
			return false;
		if (is_among(process_of(p, x->to), mates, n))
			return true;
	}
	return false;
}

void thundering_herd_find(struct pass *p)
{
	for (size_t i = 0; i < p->edges.n; i++) {
		struct edge *e = &p->edges.v[i];

		/* is_connect() needs the old strengths, so only the second loop changes them. */
		if (is_connect(p, e) && is_taken_by_mate(p, i))
			e->flags |= EDGE_FALSE_WAKE;
	}
	for (size_t i = 0; i < p->edges.n; i++)
		if (p->edges.v[i].flags & EDGE_FALSE_WAKE)
			p->edges.v[i].strength = EDGE_WEAK;
}
