// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/causal/exchange.h"
#include "graph/causal/handoff.h"
#include "graph/causal/match.h"
#include "graph/causal/pass.h"
#include "graph/causal/thundering_herd.h"
#include "graph/causal/wake_edges.h"
#include "graph/causal/wakeless_edges.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/memory.h"
#include "trace/words/frame.h"

static void pass_event(struct pass *p, uint32_t event)
{
	bool ctrace = p->policy == POLICY_CTRACE;

	switch (p->e[event].r.kind) {
	case CT_SWITCH:
		wake_edges_switch(p, event);
		break;
	case CT_WAKE:
		wake_edges_wake(p, event);
		break;
	case CT_SEND:
		if (ctrace)
			match_send(p, event);
		break;
	case CT_RECV:
		if (ctrace)
			match_recv(p, event);
		break;
	case CT_SHED:
	case CT_GAP:
		if (ctrace)
			match_forget(p, event);
		break;
	case CT_MARK:
		exchange_stream_mark(p, event);
		break;
	case CT_SIGNAL:
	case CT_SIGDELIVER:
	case CT_FORK:
	case CT_EXEC:
	case CT_FLOCK:
	case CT_ACCESS:
	case CT_JOB:
	case CT_WAITFD:
	case CT_SAMPLE:
		wakeless_edges_event(p, event);
		break;
	case CT_VISIT:
		if (ctrace && p->wants_edges)
			handoff_visit(p, event);
		wakeless_edges_event(p, event);
		break;
	}
}

int pass_run(struct pass *p)
{
	const struct graph *g = p->g;

	for (size_t i = 0; i < g->w->n_events && !p->err; i++)
		pass_event(p, (uint32_t)i);
	for (uint32_t i = 0; i < g->n_tasks && !p->err; i++) {
		if (g->tasks[i].n_intervals)
			pass_segment(p, i, UINT64_MAX);
		wake_edges_settle(p, i);
	}
	return p->err;
}

static int causal_correct(struct pass *p)
{
	if (p->policy != POLICY_CTRACE)
		return 0;
	thundering_herd_find(p);
	return handoff_find(p);
}

/* Returns an array with the place of each segment: p->segments.v[i] goes to c->segments[array[i]]. A
 * segment that is gone gets the place of the segment that it has become a part of. Fills c->first. NULL:
 * no memory. The caller frees the array. */
static uint32_t *place_segments(struct pass *p, struct causal *c)
{
	uint32_t *place = malloc((p->segments.n + 1) * sizeof(*place)), at = 0;

	if (!place)
		return NULL;
	for (size_t i = 0; i < p->segments.n; i++)
		if (!p->segments.v[i].gone)
			c->first[p->segments.v[i].task + 1]++;
	for (size_t i = 0; i < p->g->n_tasks; i++)
		c->first[i + 1] += c->first[i];
	/* Moves c->first[task] to the end of the task's segments; the next loop moves it back. */
	for (size_t i = 0; i < p->segments.n; i++) {
		const struct open_segment *s = &p->segments.v[i];

		place[i] = s->gone ? place[s->part_of] : c->first[s->task]++;
	}
	for (size_t i = 0; i < p->g->n_tasks; i++) {
		uint32_t end = c->first[i];

		c->first[i] = at;
		at = end;
	}
	return place;
}

/* An array is copied from its end to its begin, and gives memory back each time this number of entries is
 * copied. */
#define GIVE_BACK 65536
#define SHRINK(vec)                                                                                          \
	do {                                                                                                 \
		void *less = (vec)->n && (vec)->n % GIVE_BACK == 0                                           \
				     ? realloc((vec)->v, (vec)->n * sizeof(*(vec)->v))                       \
				     : NULL;                                                                 \
		if (less)                                                                                    \
			(vec)->v = less;                                                                     \
	} while (0)

static int move_segments(struct pass *p, const uint32_t *place, struct causal *c)
{
	c->segments = malloc((c->n_segments + 1) * sizeof(*c->segments));
	if (!c->segments)
		return -ENOMEM;
	while (p->segments.n) {
		const struct open_segment *s = &p->segments.v[--p->segments.n];

		if (!s->gone)
			c->segments[place[p->segments.n]] = (struct segment){ .from_ns = s->from_ns,
									      .task = s->task,
									      .event = s->event,
									      .behalf = s->behalf,
									      .cut = s->cut };
		SHRINK(&p->segments);
	}
	VEC_FREE(&p->segments);
	return 0;
}

static void end_segments(const struct graph *g, struct causal *c)
{
	for (uint32_t t = 0; t < g->n_tasks; t++) {
		const struct graph_task *task = &g->tasks[t];

		for (uint32_t i = c->first[t]; i < c->first[t + 1]; i++) {
			struct segment *s = &c->segments[i];

			if (i + 1 < c->first[t + 1])
				s->to_ns = s[1].from_ns;
			else if (task->n_intervals)
				s->to_ns =
					MAX(s->from_ns,
					    g->intervals[task->first_interval + task->n_intervals - 1].to_ns);
			else
				s->to_ns = s->from_ns + 1;
			c->n_cuts[s->cut]++;
		}
	}
}

static int stack_cmp(const void *a, const void *b)
{
	const struct stack_seen *x = a, *y = b;

	if (x->segment != y->segment)
		return x->segment < y->segment ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static bool stacks_alike(const struct window *w, uint64_t a, uint64_t b)
{
	const struct window_stack *x = window_stack(w, a), *y = window_stack(w, b);
	uint32_t same = 0;

	if (a == b || !x || !y)
		return a == b;
	for (uint16_t i = 0; i < x->n_frames && i < y->n_frames; i++) {
		if (!frame_is_same_function(x->frames[x->n_frames - 1 - i], y->frames[y->n_frames - 1 - i]))
			break;
		same++;
	}
	/* All threads begin with the same few frames, so a few equal ones do not count. */
	return same >= STACKS_ALIKE_MIN &&
	       same * STACKS_ALIKE_OF >= STACKS_ALIKE_PART * (uint32_t)MAX(x->n_frames, y->n_frames);
}

static uint64_t stack_of(const struct pass *p, uint32_t segment)
{
	size_t lo = BISECT(i, 0, p->stacks.n, p->stacks.v[i].segment >= segment), hi;
	uint64_t best = 0;
	uint32_t best_n = 0;

	for (; lo < p->stacks.n && p->stacks.v[lo].segment == segment; lo = hi) {
		for (hi = lo; hi < p->stacks.n && p->stacks.v[hi].segment == segment &&
			      p->stacks.v[hi].stack == p->stacks.v[lo].stack;
		     hi++)
			;
		if (hi - lo > best_n) {
			best_n = (uint32_t)(hi - lo);
			best = p->stacks.v[lo].stack;
		}
	}
	return best;
}

static bool keeps_edges_to(const struct pass *p, const struct segment *s)
{
	return (!p->from_ns && p->to_ns == UINT64_MAX) || segment_overlaps(s, p->from_ns, p->to_ns);
}

static bool is_divided(const struct pass *p, const struct causal *c, size_t i)
{
	const struct segment *s = &c->segments[i];

	return keeps_edges_to(p, s) && c->policy == POLICY_CTRACE && s->cut != CUT_FIRST &&
	       s->cut != CUT_EXEC && i && s[-1].task == s->task;
}

static struct edge neighbour_edge(const struct pass *p, const struct causal *c, uint32_t i)
{
	struct edge e = { .from = i - 1,
			  .to = i,
			  .event = c->segments[i].event,
			  .cause = c->segments[i].event,
			  .kind = EDGE_NEIGHBOUR,
			  .strength = EDGE_WEAK };
	uint64_t here = p->stacks.n ? stack_of(p, i) : 0;

	if (here && stacks_alike(p->g->w, here, stack_of(p, i - 1))) {
		e.strength = EDGE_BOOSTED;
		e.flags = EDGE_ALIKE;
	}
	return e;
}

/* Edges that come late are moved at most this far on average. Beyond that, qsort(3) is faster. */
#define EDGE_MOVES 8
/* Up to this many edges, insertion sort is faster than a sort that merges. */
#define EDGE_FEW 16

static int edge_cmp(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->cause < y->cause ? -1 : x->cause > y->cause;
}

static int group_edges(struct pass *p, struct causal *c)
{
	struct segment *s = c->segments;
	uint64_t n = 0;
	size_t kept = 0;

	for (size_t i = 0; i < p->edges.n; i++)
		if (keeps_edges_to(p, &s[p->edges.v[i].to])) {
			s[p->edges.v[i].to].n_in++;
			p->edges.v[kept++] = p->edges.v[i];
		}
	p->edges.n = kept;
	for (size_t i = 0; i < c->n_segments; i++)
		n += s[i].n_in + is_divided(p, c, i);
	if (n >= GRAPH_NONE)
		return -E2BIG;
	c->edges = malloc((n + 1) * sizeof(*c->edges));
	if (!c->edges)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < c->n_segments; i++) {
		n += s[i].n_in;
		s[i].in = (uint32_t)n; /* the next loop moves it to the first edge */
		n += is_divided(p, c, i);
	}
	while (p->edges.n) {
		const struct edge *e = &p->edges.v[--p->edges.n];

		c->edges[--s[e->to].in] = *e;
		SHRINK(&p->edges);
	}
	VEC_FREE(&p->edges);
	for (size_t i = 0; i < c->n_segments; i++)
		if (is_divided(p, c, i))
			c->edges[s[i].in + s[i].n_in++] = neighbour_edge(p, c, (uint32_t)i);
	c->n_edges = n;
	return 0;
}

/* The edges are nearly in order. */
static void sort_in(struct edge *v, uint32_t n)
{
	uint64_t moves = (uint64_t)n * EDGE_MOVES;

	for (uint32_t i = 1; i < n; i++) {
		struct edge e = v[i];
		uint32_t k = i;

		for (; k && moves && edge_cmp(&e, &v[k - 1]) < 0; k--, moves--)
			v[k] = v[k - 1];
		v[k] = e;
		if (!moves) {
			qsort(v, n, sizeof(*v), edge_cmp);
			return;
		}
	}
}

static bool out_before(const struct edge *edges, uint32_t a, uint32_t b)
{
	return edges[a].event != edges[b].event ? edges[a].event < edges[b].event : a < b;
}

/* Returns where the run of v[from .. n) ends: the entries that are in order. */
static uint32_t run_end(const struct edge *edges, const uint32_t *v, uint32_t from, uint32_t n)
{
	uint32_t i = from + 1;

	while (i < n && out_before(edges, v[i - 1], v[i]))
		i++;
	return MIN(i, n);
}

/* Merges each two runs of v into one run of `to`. */
static void merge_runs(const struct edge *edges, const uint32_t *v, uint32_t n, uint32_t *to)
{
	uint32_t at = 0;

	for (uint32_t a = 0, b, a_end, end; a < n; a = end) {
		b = a_end = run_end(edges, v, a, n);
		end = b < n ? run_end(edges, v, b, n) : n;
		while (a < a_end || b < end)
			to[at++] = b == end || (a < a_end && out_before(edges, v[a], v[b])) ? v[a++] : v[b++];
	}
}

/* The edges from one segment to the segments of one task are nearly in order. So there are few runs.
 * spare: room for n entries. */
static void sort_runs(const struct edge *edges, uint32_t *v, uint32_t n, uint32_t *spare)
{
	while (run_end(edges, v, 0, n) < n) {
		merge_runs(edges, v, n, spare);
		memcpy(v, spare, n * sizeof(*v));
	}
}

static void sort_out(const struct edge *edges, uint32_t *v, uint32_t n, uint32_t *spare)
{
	if (n > EDGE_FEW) {
		sort_runs(edges, v, n, spare);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		uint32_t x = v[i], k = i;

		for (; k && out_before(edges, x, v[k - 1]); k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static int fill_out(struct causal *c)
{
	uint32_t *first = calloc(c->n_segments + 2, sizeof(*first)), most = 0;
	_cleanup_free_ uint32_t *spare = NULL;

	c->out_first = first;
	c->out = malloc((c->n_edges + 1) * sizeof(*c->out));
	if (!first || !c->out)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_edges; i++)
		if (c->edges[i].from != GRAPH_NONE)
			first[c->edges[i].from + 2]++;
	for (size_t i = 1; i <= c->n_segments; i++) {
		most = MAX(most, first[i + 1]);
		first[i + 1] += first[i];
	}
	spare = malloc(((size_t)most + 1) * sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	/* Now first[s + 1] is the next free place in c->out for segment s. */
	for (size_t i = 0; i < c->n_edges; i++)
		if (c->edges[i].from != GRAPH_NONE)
			c->out[first[c->edges[i].from + 1]++] = (uint32_t)i;
	for (size_t i = 0; i < c->n_segments; i++)
		sort_out(c->edges, c->out + first[i], first[i + 1] - first[i], spare);
	return 0;
}

static void renumber(struct pass *p, const uint32_t *place)
{
	size_t n = 0;

	for (size_t i = 0; i < p->edges.n; i++) {
		struct edge e = p->edges.v[i];

		e.to = place[e.to];
		if (e.from != GRAPH_NONE)
			e.from = place[e.from];
		if (e.kind && e.from != e.to)
			p->edges.v[n++] = e;
	}
	p->edges.n = n;
	for (size_t i = 0; i < p->stacks.n; i++)
		p->stacks.v[i].segment = place[p->stacks.v[i].segment];
	if (p->stacks.n)
		VEC_SORT(&p->stacks, stack_cmp);
}

static int causal_finish(struct pass *p, struct causal *c)
{
	_cleanup_free_ uint32_t *place = NULL;
	int r;

	c->first = calloc(p->g->n_tasks + 2, sizeof(*c->first));
	place = c->first ? place_segments(p, c) : NULL;
	if (!place)
		return -ENOMEM;
	c->n_segments = c->first[p->g->n_tasks];
	renumber(p, place);
	r = move_segments(p, place, c);
	free(TAKE_PTR(place));
	if (r)
		return r;
	end_segments(p->g, c);
	r = group_edges(p, c);
	if (r)
		return r;
	for (size_t i = 0; i < c->n_segments; i++)
		sort_in(c->edges + c->segments[i].in, c->segments[i].n_in);
	return fill_out(c);
}

int causal_build(const struct graph *g, const struct causal_options *options, struct causal **ret)
{
	struct causal *c = calloc(1, sizeof(*c));
	struct pass p;
	int r = pass_init(&p, g, options);

	if (!c)
		r = -ENOMEM;
	p.wants_edges = true;
	if (!r)
		r = pass_run(&p);
	if (!r)
		r = causal_correct(&p);
	pass_drop(&p);
	if (!r) {
		c->g = g;
		c->policy = p.policy;
		r = causal_finish(&p, c);
	}
	pass_done(&p);
	if (r) {
		causal_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

int causal_links_find(const struct graph *g, struct causal_links *ret)
{
	struct causal_links links = { .to = calloc(g->n_tasks + 1, sizeof(*links.to)),
				      .n_tasks = g->n_tasks };
	struct pass p;
	int r = pass_init(&p, g, NULL);

	p.links = &links;
	p.plain = plain_find(g);
	if (!links.to || !p.plain)
		r = -ENOMEM;
	if (!links.to)
		links.n_tasks = 0;
	if (!r)
		r = pass_run(&p);
	pass_done(&p);
	if (r)
		causal_links_done(&links);
	else
		*ret = links;
	return r;
}
