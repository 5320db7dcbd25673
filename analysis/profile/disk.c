// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/profile/disk.h"

#include "lib/bisect.h"
#include "lib/cleanup.h"

static uint32_t device_of(const struct graph *g, uint64_t obj)
{
	const struct window_object *o = graph_object(g, obj);

	if (CT_OBJ_KIND(obj) == CT_OBJ_BLOCKDEV)
		return (uint32_t)(obj & CT_OBJ_MASK);
	return o ? o->dev : 0;
}

static int use_cmp(const void *a, const void *b)
{
	const struct disk_use *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

static void join(disk_uses *u)
{
	size_t n = 0;

	for (size_t i = 0; i < u->n; i++) {
		struct disk_use *last = n ? &u->v[n - 1] : NULL;

		if (last && last->dev == u->v[i].dev && u->v[i].from_ns <= last->to_ns)
			last->to_ns = MAX(last->to_ns, u->v[i].to_ns);
		else
			u->v[n++] = u->v[i];
	}
	u->n = n;
}

int disk_find(const struct graph *g, bool (*is_other)(const void *arg, uint32_t task), const void *arg,
	      disk_uses *ret)
{
	uint32_t task = GRAPH_NONE;
	bool other = false;

	for (size_t i = 0; i < g->n_disk_waits; i++) {
		const struct interval *s = &g->intervals[g->disk_waits[i]];
		uint32_t dev = device_of(g, s->obj);

		if (s->task != task)
			other = is_other(arg, s->task);
		task = s->task;
		if (other && dev && VEC_PUSH(ret, (struct disk_use){ s->from_ns, s->to_ns, dev }))
			return -ENOMEM;
	}
	VEC_SORT(ret, use_cmp);
	join(ret);
	return 0;
}

uint64_t disk_used_ns(const struct graph *g, const disk_uses *uses, uint64_t obj, uint64_t from_ns,
		      uint64_t to_ns)
{
	uint32_t dev = device_of(g, obj);
	const struct disk_use *v = uses->v;
	uint64_t ns = 0;

	for (size_t i = BISECT(k, 0, uses->n, v[k].dev > dev || (v[k].dev == dev && v[k].to_ns > from_ns));
	     i < uses->n && v[i].dev == dev && v[i].from_ns < to_ns; i++)
		ns += MIN(v[i].to_ns, to_ns) - MAX(v[i].from_ns, from_ns);
	return ns;
}
