// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/picture/make.h"

#include "analysis/picture/parts.h"

int picture_make(const struct graph *g, const struct diagnosis *d, const struct path *path, uint64_t from_ns,
		 uint64_t to_ns, struct picture **ret)
{
	struct picture *p = calloc(1, sizeof(*p));
	int r = p ? 0 : -ENOMEM;

	if (r)
		return r;
	p->from_ns = from_ns;
	p->to_ns = to_ns;
	r = lanes_choose(g, d, path, p);
	for (size_t i = 0; i < p->lanes.n && !r; i++)
		r = spans_fill(g, d, path, p, &p->lanes.v[i]);
	if (!r)
		r = route_fill(path, p);
	if (!r)
		r = stretches_fill(g, p);
	if (r)
		picture_free(p);
	else
		*ret = p;
	return r;
}
