// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/picture/parts.h"
#include "lib/cleanup.h"

/* Adds a gap. Joins it with the last one if the list is full, or if both would be drawn in one
 * place. */
static int add_gap(struct picture *p, const struct gap_stretch *x)
{
	struct gap_stretch *last = p->gaps.n ? &p->gaps.v[p->gaps.n - 1] : NULL;
	uint64_t near = (p->to_ns - p->from_ns) / PICTURE_STRETCHES;

	if (!last || (p->gaps.n < PICTURE_STRETCHES &&
		      (x->from_ns > last->to_ns + near || x->from_ns < last->from_ns)))
		return VEC_PUSH(&p->gaps, *x);
	last->from_ns = MIN(last->from_ns, x->from_ns);
	last->to_ns = MAX(last->to_ns, x->to_ns);
	last->records += x->records;
	if (last->cpu != x->cpu)
		last->cpu = CT_GAP_ALL_CPUS;
	last->n++;
	return 0;
}

static int add_gaps(const struct graph *g, struct picture *p)
{
	size_t n;
	const struct graph_ref *v = graph_refs(&g->gaps, 0, &n);
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		const struct window_event *e = &g->w->events[v[i].event];
		const uint64_t *x = window_words(g->w, e);

		if (x[0] < p->to_ns && x[1] > p->from_ns && x[0] < x[1])
			r = add_gap(p, &(struct gap_stretch){ .from_ns = MAX(x[0], p->from_ns),
							      .to_ns = MIN(x[1], p->to_ns),
							      .records = ct_gap_records(&e->r),
							      .cpu = e->r.tid,
							      .n = 1,
							      .cause = (uint8_t)ct_gap_cause(&e->r) });
	}
	return r;
}

static int add_lacking(struct picture *p, uint64_t from_ns, uint64_t to_ns, uint32_t lacks)
{
	struct lacking_stretch *last = p->lacking.n ? &p->lacking.v[p->lacking.n - 1] : NULL;

	if (!lacks || to_ns <= from_ns)
		return 0;
	if (!last || (p->lacking.n < PICTURE_STRETCHES && (last->lacks != lacks || last->to_ns != from_ns)))
		return VEC_PUSH(&p->lacking, (struct lacking_stretch){ from_ns, to_ns, lacks });
	last->to_ns = to_ns;
	last->lacks |= lacks;
	return 0;
}

int stretches_fill(const struct graph *g, struct picture *p)
{
	uint32_t lacks = graph_lacks_at(g, p->from_ns);
	uint64_t from_ns = p->from_ns;
	size_t n;
	const struct graph_ref *v = graph_refs_from(g, &g->sheds, 0, p->from_ns, &n);
	int r = add_gaps(g, p);

	for (size_t i = 0; i < n && !r; i++) {
		uint64_t ts = g->w->events[v[i].event].r.ts;

		if (ts >= p->to_ns)
			break;
		r = add_lacking(p, from_ns, ts, lacks);
		from_ns = ts;
		lacks = graph_lacks_at(g, ts);
	}
	return r ? r : add_lacking(p, from_ns, p->to_ns, lacks);
}
