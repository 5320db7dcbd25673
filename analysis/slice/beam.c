// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/slice/beam.h"

#include "lib/cleanup.h"

uint64_t beam_left(const struct causal *c, const struct edge *e)
{
	return MIN(edge_left_ns(c, e), edge_arrived_ns(c, e));
}

struct node {
	uint32_t segment;
	uint32_t record;
	uint32_t parent;
	uint32_t edge;
	uint32_t depth;
	uint64_t at_ns;
	float score;
};

struct search {
	const struct beam *b;
	VEC(struct node) nodes;
	uint32_t at;
	uint32_t *front, *next;
	uint32_t n_front;
	VEC(struct node) children;
	/* the best path that has ended */
	uint32_t best;
	uint32_t end_edge;
	float score;
	uint32_t refused;
};

static bool on_path(void *arg, uint32_t segment)
{
	struct search *s = arg;

	for (uint32_t i = s->at; i != GRAPH_NONE; i = s->nodes.v[i].parent)
		if (s->nodes.v[i].segment == segment)
			return true;
	return map_get(s->b->seen, segment, NULL);
}

static void search_end(struct search *s, uint32_t node, uint32_t end_edge, float score)
{
	if (s->best != GRAPH_NONE && score <= s->score)
		return;
	s->best = node;
	s->end_edge = end_edge;
	s->score = score;
}

static void node_leads(struct search *s, uint32_t i, struct candidates *l)
{
	const struct node *n = &s->nodes.v[i];
	struct candidate_query q = { .c = s->b->c,
				     .rules = s->b->rules,
				     .segment = n->segment,
				     .record = n->record,
				     .at_ns = n->at_ns,
				     .skip = on_path,
				     .arg = s };

	s->at = i;
	candidate_find(&q, l);
}

static int search_expand(struct search *s, uint32_t i)
{
	const struct causal *c = s->b->c;
	struct candidates l;

	if (s->nodes.v[i].depth >= s->b->depth) {
		search_end(s, i, GRAPH_NONE, s->nodes.v[i].score);
		return 0;
	}
	node_leads(s, i, &l);
	if (!l.n_follow)
		search_end(s, i, GRAPH_NONE, s->nodes.v[i].score);
	for (uint32_t k = 0; k < l.n_follow; k++) {
		const struct edge *e = &c->edges[l.v[k].edge];
		struct node n = { .segment = e->from,
				  .record = e->cause,
				  .parent = i,
				  .edge = l.v[k].edge,
				  .depth = s->nodes.v[i].depth + 1,
				  .at_ns = beam_left(c, e),
				  .score = s->nodes.v[i].score * l.v[k].score };

		if (e->from == GRAPH_NONE)
			search_end(s, i, n.edge, n.score);
		else if (VEC_PUSH(&s->children, n))
			return -ENOMEM;
	}
	return 0;
}

/* Keeps at most b->width children, and only children with a better score than the best ended path.
 * Of children with equal scores, keeps the one that was found first. */
static int search_advance(struct search *s)
{
	uint32_t beam = s->b->width;

	s->n_front = 0;
	while (s->n_front < beam) {
		struct node *best = NULL;

		for (size_t i = 0; i < s->children.n; i++)
			if (s->children.v[i].segment != GRAPH_NONE &&
			    (!best || s->children.v[i].score > best->score))
				best = &s->children.v[i];
		if (!best || (s->best != GRAPH_NONE && best->score <= s->score))
			break;
		if (VEC_PUSH(&s->nodes, *best))
			return -ENOMEM;
		s->next[s->n_front++] = (uint32_t)s->nodes.n - 1;
		best->segment = GRAPH_NONE;
	}
	for (size_t i = 0; i < s->children.n && s->n_front == beam; i++)
		s->refused += s->children.v[i].segment != GRAPH_NONE &&
			      !(s->best != GRAPH_NONE && s->children.v[i].score <= s->score);
	s->children.n = 0;
	return 0;
}

static int search_run(struct search *s)
{
	int r = 0;

	while (!r && s->n_front) {
		for (uint32_t i = 0; i < s->n_front && !r; i++)
			r = search_expand(s, s->front[i]);
		if (!r)
			r = search_advance(s);
		memcpy(s->front, s->next, s->n_front * sizeof(*s->front));
	}
	return r;
}

int beam_search(const struct beam *b, beam_path *ret, uint32_t *ret_refused)
{
	_cleanup_free_ uint32_t *front = calloc(b->width, sizeof(*front));
	_cleanup_free_ uint32_t *next = calloc(b->width, sizeof(*next));
	struct search s = {
		.b = b, .front = front, .next = next, .n_front = 1, .best = GRAPH_NONE, .end_edge = GRAPH_NONE
	};
	struct node first = { .segment = b->segment,
			      .record = b->record,
			      .parent = GRAPH_NONE,
			      .edge = GRAPH_NONE,
			      .at_ns = b->at_ns,
			      .score = 1 };
	int r = front && next ? VEC_PUSH(&s.nodes, first) : -ENOMEM;

	if (!r)
		r = search_run(&s);
	ret->n = 0;
	if (!r && s.end_edge != GRAPH_NONE)
		r = VEC_PUSH(ret, s.end_edge);
	for (uint32_t i = r ? GRAPH_NONE : s.best; !r && i != GRAPH_NONE && i; i = s.nodes.v[i].parent)
		r = VEC_PUSH(ret, s.nodes.v[i].edge);
	*ret_refused = s.refused;
	VEC_FREE(&s.nodes);
	VEC_FREE(&s.children);
	return r;
}
