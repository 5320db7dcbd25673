// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "cli/render/causal.h"
#include "lib/cleanup.h"

int graph_pick_window(const struct causal *c, uint64_t from_ns, uint64_t to_ns, struct graph_pick *ret)
{
	struct graph_pick p = { .c = c, .from_ns = from_ns, .to_ns = to_ns };

	p.in = calloc(c->n_segments + 1, sizeof(*p.in));
	if (!p.in)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_segments; i++) {
		p.in[i] = segment_overlaps(&c->segments[i], from_ns, to_ns);
		p.n += p.in[i];
	}
	*ret = p;
	return 0;
}

struct walk {
	const bool *may;
	bool *in;
	uint32_t *queue;
	size_t n, max;
};

static void visit(struct walk *w, uint32_t segment)
{
	if (segment == GRAPH_NONE || !w->may[segment] || w->in[segment] || w->n == w->max)
		return;
	w->in[segment] = true;
	w->queue[w->n++] = segment;
}

/* comes_in: the edge leads to the segment where the walk is. Refuses most weak edges: they would
 * bring most tasks of the machine into the picture. */
static bool is_near(const struct edge *e, bool centre, bool comes_in)
{
	return e->strength != EDGE_WEAK || (centre && (comes_in || e->kind == EDGE_NEIGHBOUR));
}

static void spread(const struct causal *c, struct walk *w, uint32_t depth)
{
	size_t at = 0;

	for (uint32_t d = 0; d < depth && at < w->n; d++) {
		size_t round = w->n;

		for (; at < round; at++) {
			uint32_t s = w->queue[at];

			for (uint32_t i = 0; i < c->segments[s].n_in; i++) {
				const struct edge *e = &c->edges[c->segments[s].in + i];

				if (is_near(e, !d, true))
					visit(w, e->from);
			}
			for (uint32_t i = c->out_first[s]; i < c->out_first[s + 1]; i++)
				if (is_near(&c->edges[c->out[i]], !d, false))
					visit(w, c->edges[c->out[i]].to);
		}
	}
}

int graph_pick_around(struct graph_pick *pick, const uint32_t *segments, size_t n, uint32_t depth, size_t max)
{
	struct walk w = { .may = pick->in, .max = max };

	w.in = calloc(pick->c->n_segments + 1, sizeof(*w.in));
	w.queue = malloc((pick->n + 1) * sizeof(*w.queue));
	if (!w.in || !w.queue) {
		free(w.in);
		free(w.queue);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		visit(&w, segments[i]);
	spread(pick->c, &w, depth);
	free(pick->in);
	free(w.queue);
	pick->in = w.in;
	pick->n = w.n;
	return 0;
}

void graph_pick_tasks(struct graph_pick *pick, const bool *tasks)
{
	pick->n = 0;
	for (size_t i = 0; i < pick->c->n_segments; i++) {
		pick->in[i] = pick->in[i] && tasks[pick->c->segments[i].task];
		pick->n += pick->in[i];
	}
}

void graph_pick_done(struct graph_pick *pick)
{
	free(pick->in);
	*pick = (struct graph_pick){ 0 };
}
