/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/hangs/waitgraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/map.h"
#include "lib/vec.h"

#define NONE UINT32_MAX

struct edge {
	uint32_t from, to;
	enum waitgraph_strength strength;
	uint64_t resource;
};

struct node {
	uint64_t id;
	uint32_t first, n_edges;
	uint32_t follow;
	uint32_t scc;
	uint32_t knot;
	uint32_t root;
	uint32_t depth;
	uint32_t waiters_cnt;
	enum waitgraph_need need;
	bool open;
	bool stuck; /* no other node can release it any more */
	bool cyclic;
	/* Nodes that can all reach each other are a component. true: `cycles` has a cycle in the component
	 * of this node. This cycle need not go through the node itself. */
	bool on_cycle;
};

struct cycle {
	struct waitgraph_cycle pub;
	size_t first; /* no pointer, because steps[] may move */
};

struct waitgraph {
	struct map ids;
	VEC(struct node) nodes;
	VEC(struct edge) edges;
	uint32_t *out; /* indices of the edges, sorted by tail, then by the order of adding */
	VEC(struct cycle) cycles;
	VEC(struct waitgraph_step) steps;
};

struct waitgraph *waitgraph_new(void)
{
	return calloc(1, sizeof(struct waitgraph));
}

void waitgraph_free(struct waitgraph *g)
{
	if (!g)
		return;
	map_done(&g->ids);
	VEC_FREE(&g->nodes);
	VEC_FREE(&g->edges);
	VEC_FREE(&g->cycles);
	VEC_FREE(&g->steps);
	free(g->out);
	free(g);
}

static int node_get(struct waitgraph *g, uint64_t id, uint32_t *ret_idx)
{
	uint64_t idx;
	int r;

	if (!map_get(&g->ids, id, &idx)) {
		if (g->nodes.n >= NONE)
			return -ENOMEM;
		idx = g->nodes.n;
		r = VEC_PUSH(&g->nodes, (struct node){ .id = id });
		if (r < 0)
			return r;
		r = map_set(&g->ids, id, idx);
		if (r < 0) {
			g->nodes.n--;
			return r;
		}
	}
	*ret_idx = idx;
	return 0;
}

int waitgraph_node(struct waitgraph *g, uint64_t id, enum waitgraph_need need, bool open)
{
	uint32_t idx;
	int r = node_get(g, id, &idx);

	if (r < 0)
		return r;
	g->nodes.v[idx].need = need;
	g->nodes.v[idx].open = open;
	return 0;
}

int waitgraph_edge(struct waitgraph *g, uint64_t from, uint64_t to, enum waitgraph_strength strength,
		   uint64_t resource)
{
	struct edge e = { .strength = strength, .resource = resource };
	int r;

	if (g->edges.n >= NONE)
		return -ENOMEM;
	r = node_get(g, from, &e.from);
	if (r < 0)
		return r;
	r = node_get(g, to, &e.to);
	if (r < 0)
		return r;
	return VEC_PUSH(&g->edges, e);
}

/* Sorts the edges by tail, or by head if by_head is true. Then idx[first[v] .. first[v + 1]) are the
 * edges of node v. */
static void sort_edges(const struct waitgraph *g, bool by_head, uint32_t *first, uint32_t *idx)
{
	size_t n = g->nodes.n;

	memset(first, 0, (n + 2) * sizeof(*first));
	for (size_t i = 0; i < g->edges.n; i++)
		first[(by_head ? g->edges.v[i].to : g->edges.v[i].from) + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < g->edges.n; i++)
		idx[first[(by_head ? g->edges.v[i].to : g->edges.v[i].from) + 1]++] = i;
}

static int index_edges(struct waitgraph *g)
{
	_cleanup_free_ uint32_t *first = calloc(g->nodes.n + 2, sizeof(*first));
	uint32_t *out = calloc(g->edges.n + 1, sizeof(*out));

	if (!first || !out) {
		free(out);
		return -ENOMEM;
	}
	sort_edges(g, false, first, out);
	free(g->out);
	g->out = out;
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct node *v = &g->nodes.v[i];

		v->first = first[i];
		v->n_edges = first[i + 1] - first[i];
		v->on_cycle = false;
	}
	return 0;
}

/* The AND/OR model. The heads of a node are the nodes for which it waits. A node that is open, or has no
 * heads, can move. Any other node can move once one of its heads (WAITGRAPH_ANY) or all of them
 * (WAITGRAPH_ALL) can move. A node that can never move is stuck. */
static int find_stuck(struct waitgraph *g)
{
	size_t n = g->nodes.n, head = 0, tail = 0;
	_cleanup_free_ uint32_t *first = calloc(n + 2, sizeof(*first));
	_cleanup_free_ uint32_t *in = calloc(g->edges.n + 1, sizeof(*in));
	_cleanup_free_ uint32_t *missing = calloc(n + 1, sizeof(*missing));
	_cleanup_free_ uint32_t *queue = calloc(n + 1, sizeof(*queue));

	if (!first || !in || !missing || !queue)
		return -ENOMEM;
	sort_edges(g, true, first, in);
	for (size_t i = 0; i < n; i++) {
		struct node *v = &g->nodes.v[i];

		missing[i] = v->need == WAITGRAPH_ALL ? v->n_edges : MIN(v->n_edges, 1U);
		v->stuck = !v->open && missing[i] > 0;
		if (!v->stuck)
			queue[tail++] = i;
	}
	while (head < tail) {
		uint32_t to = queue[head++];

		for (uint32_t k = first[to]; k < first[to + 1]; k++) {
			uint32_t from = g->edges.v[in[k]].from;

			if (!g->nodes.v[from].stuck || --missing[from] > 0)
				continue;
			g->nodes.v[from].stuck = false;
			queue[tail++] = from;
		}
	}
	return 0;
}

struct pass {
	bool stuck_only;
	bool strong_only;
};

static bool node_in(const struct node *v, const struct pass *p)
{
	return !v->on_cycle && (v->stuck || !p->stuck_only);
}

static bool edge_in(const struct waitgraph *g, const struct edge *e, const struct pass *p)
{
	return node_in(&g->nodes.v[e->to], p) && (e->strength == WAITGRAPH_STRONG || !p->strong_only);
}

/* R. Tarjan, "Depth-first search and linear graph algorithms", 1972. `path` and `next` take the
 * place of recursion. */
struct tarjan {
	uint32_t *order;
	uint32_t *low; /* the smallest `order` that the node reaches within `stack` */
	uint32_t *stack;
	uint32_t *path;
	uint32_t *next;
	uint32_t *comp;
	size_t n_stack, n_path, n_comp;
	uint32_t clock, n_scc;
	uint32_t *mem;
};

static int tarjan_init(struct tarjan *t, size_t n)
{
	*t = (struct tarjan){ .mem = calloc(n + 1, 6 * sizeof(uint32_t)) };
	if (!t->mem)
		return -ENOMEM;
	t->order = t->mem;
	t->low = t->order + n;
	t->stack = t->low + n;
	t->path = t->stack + n;
	t->next = t->path + n;
	t->comp = t->next + n;
	return 0;
}

static void tarjan_enter(struct tarjan *t, struct waitgraph *g, uint32_t v)
{
	t->order[v] = t->low[v] = ++t->clock;
	t->stack[t->n_stack++] = v;
	t->path[t->n_path++] = v;
	t->next[v] = g->nodes.v[v].first;
	g->nodes.v[v].scc = NONE;
}

/* Returns true if it added a component to comp, from index *ret_first on. */
static bool tarjan_step(struct tarjan *t, struct waitgraph *g, const struct pass *p, size_t *ret_first)
{
	uint32_t v = t->path[t->n_path - 1], w;
	struct node *nv = &g->nodes.v[v];

	while (t->next[v] < nv->first + nv->n_edges) {
		const struct edge *e = &g->edges.v[g->out[t->next[v]++]];

		if (!edge_in(g, e, p))
			continue;
		if (!t->order[e->to]) {
			tarjan_enter(t, g, e->to);
			return false;
		}
		if (g->nodes.v[e->to].scc == NONE)
			t->low[v] = MIN(t->low[v], t->order[e->to]);
	}
	t->n_path--;
	if (t->n_path) {
		uint32_t u = t->path[t->n_path - 1];

		t->low[u] = MIN(t->low[u], t->low[v]);
	}
	if (t->low[v] != t->order[v])
		return false;
	*ret_first = t->n_comp;
	do {
		w = t->stack[--t->n_stack];
		g->nodes.v[w].scc = t->n_scc;
		t->comp[t->n_comp++] = w;
	} while (w != v);
	t->n_scc++;
	return true;
}

/* Adds the shortest cycle through the smallest id of a component. Returns 1 if there is one, 0 if
 * not, or -ENOMEM. */
static int add_cycle(struct waitgraph *g, const struct pass *p, const uint32_t *comp, size_t n, uint32_t *by,
		     uint32_t *queue)
{
	uint32_t start = comp[0], at;
	size_t head = 0, tail = 0, first = g->steps.n;
	struct cycle c = { .pub = { .n_members = n, .closed = p->stuck_only, .strong = true },
			   .first = first };
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		by[comp[i]] = NONE;
		if (g->nodes.v[comp[i]].id < g->nodes.v[start].id)
			start = comp[i];
	}
	queue[tail++] = start;
	while (!found && head < tail) {
		uint32_t v = queue[head++];
		const struct node *nv = &g->nodes.v[v];

		for (uint32_t k = nv->first; !found && k < nv->first + nv->n_edges; k++) {
			const struct edge *e = &g->edges.v[g->out[k]];

			if (!edge_in(g, e, p) || g->nodes.v[e->to].scc != nv->scc || by[e->to] != NONE)
				continue;
			by[e->to] = g->out[k];
			found = e->to == start;
			if (!found)
				queue[tail++] = e->to;
		}
	}
	if (!found)
		return 0; /* a single node without an edge to itself is no cycle */
	at = start;
	do {
		const struct edge *e = &g->edges.v[by[at]];
		int r = VEC_PUSH(&g->steps, (struct waitgraph_step){ .id = g->nodes.v[e->from].id,
								     .resource = e->resource,
								     .strength = e->strength });

		if (r < 0)
			return r;
		c.pub.strong = c.pub.strong && e->strength == WAITGRAPH_STRONG;
		at = e->from;
	} while (at != start);
	for (size_t i = first, j = g->steps.n - 1; i < j; i++, j--) {
		struct waitgraph_step s = g->steps.v[i];

		g->steps.v[i] = g->steps.v[j];
		g->steps.v[j] = s;
	}
	c.pub.n_steps = g->steps.n - first;
	return VEC_PUSH(&g->cycles, c) < 0 ? -ENOMEM : 1;
}

static int find_cycles(struct waitgraph *g, const struct pass *p)
{
	size_t n = g->nodes.n;
	struct tarjan t;
	_cleanup_free_ uint32_t *scratch = calloc(n + 1, 2 * sizeof(*scratch));
	_cleanup_free_ uint32_t *mem = NULL;
	_cleanup_free_ bool *knotted = calloc(n + 1, sizeof(*knotted));
	int r = tarjan_init(&t, n);

	mem = t.mem;
	if (r < 0 || !scratch || !knotted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (t.order[i] || !node_in(&g->nodes.v[i], p))
			continue;
		tarjan_enter(&t, g, i);
		while (t.n_path) {
			size_t first = 0;

			if (!tarjan_step(&t, g, p, &first))
				continue;
			r = add_cycle(g, p, t.comp + first, t.n_comp - first, scratch, scratch + n);
			if (r < 0)
				return r;
			for (size_t k = first; r > 0 && k < t.n_comp; k++)
				knotted[t.comp[k]] = true;
		}
	}
	/* on_cycle changes only after the pass, because node_in() reads it */
	for (size_t i = 0; i < n; i++)
		g->nodes.v[i].on_cycle |= knotted[i];
	return 0;
}

/* A chain follows at most one edge of each node (node.follow). These edges form trees. The root of
 * a tree may be a loop. */
struct walk {
	uint32_t *path;
	/* All nodes, the root of each tree first. So each node comes before the nodes that wait for it,
	 * except inside a loop. */
	uint32_t *done;
	bool *in_path, *seen, *on_loop;
	size_t n_done;
};

static uint32_t follow(const struct waitgraph *g, uint32_t v)
{
	return g->nodes.v[v].follow == NONE ? NONE : g->edges.v[g->out[g->nodes.v[v].follow]].to;
}

static void settle(struct waitgraph *g, struct walk *w, size_t len, size_t loop_at)
{
	for (size_t k = len; k-- > 0;) {
		struct node *v = &g->nodes.v[w->path[k]];
		uint32_t to = follow(g, w->path[k]);

		v->waiters_cnt = 0;
		if (k >= loop_at) {
			v->depth = len - loop_at - 1;
			v->root = k > loop_at ? w->path[k - 1] : w->path[len - 1];
			v->cyclic = w->on_loop[w->path[k]] = true;
		} else if (to == NONE) {
			v->depth = 0;
			v->root = w->path[k];
			v->cyclic = false;
		} else {
			v->depth = g->nodes.v[to].depth + 1;
			v->root = g->nodes.v[to].root;
			v->cyclic = g->nodes.v[to].cyclic;
		}
		w->in_path[w->path[k]] = false;
		w->done[w->n_done++] = w->path[k];
	}
}

static void walk_from(struct waitgraph *g, struct walk *w, uint32_t start)
{
	size_t len = 0, loop_at = SIZE_MAX;
	uint32_t v = start;

	while (v != NONE && !w->seen[v]) {
		w->seen[v] = w->in_path[v] = true;
		w->path[len++] = v;
		v = follow(g, v);
	}
	if (v != NONE && w->in_path[v])
		for (loop_at = len - 1; w->path[loop_at] != v; loop_at--)
			;
	settle(g, w, len, loop_at);
}

static void count_waiters(struct waitgraph *g, const struct walk *w)
{
	for (size_t i = w->n_done; i-- > 0;) {
		uint32_t v = w->done[i], to = follow(g, v);

		if (to != NONE && !w->on_loop[v])
			g->nodes.v[to].waiters_cnt += g->nodes.v[v].waiters_cnt + 1;
	}
	for (size_t i = 0; i < w->n_done; i++) {
		uint32_t v = w->done[i], sum = 0, n = g->nodes.v[v].depth + 1;

		if (!w->on_loop[v])
			continue;
		for (uint32_t k = 0; k < n; k++, v = follow(g, v))
			sum += g->nodes.v[v].waiters_cnt + 1;
		for (uint32_t k = 0; k < n; k++, v = follow(g, v)) {
			g->nodes.v[v].waiters_cnt = sum - 1;
			w->on_loop[v] = false;
		}
	}
}

static int follow_all(struct waitgraph *g)
{
	size_t n = g->nodes.n;
	_cleanup_free_ uint32_t *nums = calloc(n + 1, 2 * sizeof(*nums));
	_cleanup_free_ bool *flags = calloc(n + 1, 3 * sizeof(*flags));
	struct walk w = { .path = nums, .done = nums + n };

	if (!nums || !flags)
		return -ENOMEM;
	w.in_path = flags;
	w.seen = flags + n;
	w.on_loop = flags + 2 * n;
	for (size_t i = 0; i < n; i++)
		walk_from(g, &w, i);
	count_waiters(g, &w);
	return 0;
}

static int find_knots(struct waitgraph *g)
{
	static const struct pass whole = { 0 };
	_cleanup_free_ uint32_t *mem = NULL;
	struct tarjan t;
	size_t first;
	int r = tarjan_init(&t, g->nodes.n);

	mem = t.mem;
	if (r < 0)
		return r;
	for (size_t i = 0; i < g->nodes.n; i++) {
		if (t.order[i])
			continue;
		tarjan_enter(&t, g, i);
		while (t.n_path)
			(void)tarjan_step(&t, g, &whole, &first);
	}
	for (size_t i = 0; i < g->nodes.n; i++)
		g->nodes.v[i].knot = g->nodes.v[i].scc;
	return 0;
}

/* Chooses the edge that the chain of v follows. A head is a node for which v waits. A strong edge is
 * better than a weak one. Of equally strong edges:
 * - If v needs ANY of its heads, an edge to a head outside the cycles of v is better, because this head
 *   may still release v.
 * - If v needs ALL of its heads, an edge to a head inside the cycles is better, because this head holds
 *   v up. */
static void choose(struct waitgraph *g, struct node *v)
{
	int best = -1;

	v->follow = NONE;
	for (uint32_t k = v->first; k < v->first + v->n_edges; k++) {
		const struct edge *e = &g->edges.v[g->out[k]];
		bool inside = g->nodes.v[e->to].knot == v->knot;
		int worth = 2 * (e->strength == WAITGRAPH_STRONG) + (inside == (v->need == WAITGRAPH_ALL));

		if (worth > best) {
			best = worth;
			v->follow = k;
		}
	}
}

int waitgraph_solve(struct waitgraph *g)
{
	static const struct pass passes[] = { { .stuck_only = true, .strong_only = true },
					      { .stuck_only = true },
					      { .strong_only = true },
					      { 0 } };
	int r = index_edges(g);

	if (r < 0)
		return r;
	r = find_stuck(g);
	if (r < 0)
		return r;
	r = find_knots(g);
	if (r < 0)
		return r;
	for (size_t i = 0; i < g->nodes.n; i++)
		choose(g, &g->nodes.v[i]);
	g->cycles.n = 0;
	g->steps.n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		r = find_cycles(g, &passes[i]);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < g->cycles.n; i++)
		g->cycles.v[i].pub.steps = g->steps.v + g->cycles.v[i].first;
	return follow_all(g);
}

size_t waitgraph_cycles_cnt(const struct waitgraph *g)
{
	return g->cycles.n;
}

const struct waitgraph_cycle *waitgraph_cycle(const struct waitgraph *g, size_t idx)
{
	return idx < g->cycles.n ? &g->cycles.v[idx].pub : NULL;
}

bool waitgraph_info(const struct waitgraph *g, uint64_t id, struct waitgraph_info *ret)
{
	const struct node *v;
	uint64_t idx;

	if (!map_get(&g->ids, id, &idx))
		return false;
	v = &g->nodes.v[idx];
	*ret = (struct waitgraph_info){ .root_id = g->nodes.v[v->root].id,
					.depth = v->depth,
					.waiters_cnt = v->waiters_cnt,
					.cyclic = v->cyclic };
	return true;
}

size_t waitgraph_chain(const struct waitgraph *g, uint64_t id, struct waitgraph_step *ret_steps, size_t max)
{
	uint64_t idx;
	size_t n;

	if (!map_get(&g->ids, id, &idx))
		return 0;
	n = g->nodes.v[idx].depth + 1;
	for (size_t i = 0; i < MIN(n, max); i++) {
		const struct node *v = &g->nodes.v[idx];
		const struct edge *e = v->follow == NONE ? NULL : &g->edges.v[g->out[v->follow]];

		ret_steps[i] = (struct waitgraph_step){ .id = v->id };
		if (!e)
			break;
		ret_steps[i].resource = e->resource;
		ret_steps[i].strength = e->strength;
		idx = e->to;
	}
	return n;
}
