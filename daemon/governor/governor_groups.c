// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/governor/governor_groups.h"

#include "daemon/thresholds.h"

void groups_init(struct groups *g, uint64_t now_ns)
{
	*g = (struct groups){ .aged_ns = now_ns };
}

void groups_add(struct groups *g, uint64_t group)
{
	unsigned room = GROUPS_MAX;

	g->total++;
	if (!group)
		return;
	for (unsigned i = 0; i < GROUPS_MAX; i++) {
		if (g->v[i].n && g->v[i].group == group) {
			g->v[i].n++;
			return;
		}
		if (!g->v[i].n)
			room = i;
	}
	if (room < GROUPS_MAX) {
		g->v[room].group = group;
		g->v[room].n = 1;
		return;
	}
	g->displaced++;
	for (unsigned i = 0; i < GROUPS_MAX; i++)
		g->v[i].n--;
}

uint64_t groups_most(const struct groups *g, double *ret_share)
{
	unsigned most = 0;

	*ret_share = 0;
	if (g->total < GROUPS_LEAST)
		return 0;
	for (unsigned i = 1; i < GROUPS_MAX; i++)
		if (g->v[i].n > g->v[most].n)
			most = i;
	if (!g->v[most].n)
		return 0;
	*ret_share = (double)(g->v[most].n + g->displaced) / g->total;
	return g->v[most].group;
}

void groups_age(struct groups *g, uint64_t now_ns)
{
	if (now_ns < g->aged_ns + GROUPS_HALF_NS)
		return;
	g->aged_ns = now_ns;
	g->total /= 2;
	g->displaced /= 2;
	for (unsigned i = 0; i < GROUPS_MAX; i++)
		g->v[i].n /= 2;
}
