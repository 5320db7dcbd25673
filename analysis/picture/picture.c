// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/picture/picture.h"

uint32_t picture_lane(const struct picture *p, uint32_t task)
{
	for (uint32_t i = 0; i < p->lanes.n; i++)
		if (p->lanes.v[i].task == task)
			return i;
	return GRAPH_NONE;
}

void picture_free(struct picture *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->lanes.n; i++) {
		VEC_FREE(&p->lanes.v[i].spans);
		VEC_FREE(&p->lanes.v[i].blames);
	}
	VEC_FREE(&p->lanes);
	VEC_FREE(&p->route);
	VEC_FREE(&p->gaps);
	VEC_FREE(&p->lacking);
	free(p);
}
