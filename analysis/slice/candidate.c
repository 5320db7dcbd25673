// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/slice/candidate.h"

#include <string.h>

#include "analysis/thresholds.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "trace/words/frame.h"

/* Limits of a search back along strong edges: its steps, and the edges of one segment. */
#define ANSWER_DEPTH 16
#define ANSWER_EDGES 1024
#define STACK_LOOKS  4096
#define FRAMES_MAX   64

/* Special values of candidate.distance_ns. */
enum {
	EXACT_NS = 0, /* candidate_query.record is the record with which the edge arrived */
	START_NS = 1  /* the edge started the segment */
};

static bool is_start(const struct segment *s, const struct edge *e, uint64_t arrived_ns)
{
	return arrived_ns <= s->from_ns || (e->event != GRAPH_NONE && e->event == s->event);
}

/* Returns the distance of an edge to s:
 * - An edge that started s has the smallest distance.
 * - Weak and boosted edges: the later an edge arrived, the smaller its distance. If s begins by
 *   CUT_FIRST, this holds for strong edges too.
 * - Other strong edges: the earlier an edge arrived, the smaller its distance. */
static uint64_t distance(const struct segment *s, const struct edge *e, uint64_t arrived_ns, uint64_t at_ns)
{
	bool recent = s->cut == CUT_FIRST || e->strength != EDGE_STRONG;

	if (is_start(s, e, arrived_ns))
		return START_NS;
	return START_NS + 1 + (recent ? at_ns - arrived_ns : arrived_ns - s->from_ns);
}

static bool is_happenstance(uint8_t kind)
{
	return kind == EDGE_LOCK || kind == EDGE_LOCK_ORDER || kind == EDGE_KERNEL_LOCK || kind == EDGE_IRQ;
}

/* Returns how many of n edges have arrived by ts_ns. Edge i is out[first + i], or first + i without `out`. */
static uint32_t arrived_by(const struct causal *c, const uint32_t *out, uint32_t first, uint32_t n,
			   uint64_t ts_ns)
{
	return BISECT(i, 0, n, edge_arrived_ns(c, &c->edges[out ? out[first + i] : first + i]) > ts_ns);
}

/* Returns true if a strong edge from s reached `task` by ts_ns. If `task` is of another process, the
 * edge may also reach another task of that process. */
static bool has_asked(const struct causal *c, uint32_t s, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = c->g->tasks, *who = &t[task], *own = &t[c->segments[s].task];
	uint32_t first = c->out_first[s];
	uint32_t n = arrived_by(c, c->out, first, c->out_first[s + 1] - first, ts_ns);

	for (uint32_t looks = 0; n > 0 && looks < ANSWER_EDGES; looks++) {
		const struct edge *e = &c->edges[c->out[first + --n]];
		uint32_t to = c->segments[e->to].task;

		if (e->strength == EDGE_STRONG &&
		    (to == task || (who->tgid != own->tgid && t[to].tgid == who->tgid)))
			return true;
	}
	return false;
}

static uint32_t strong_start(const struct causal *c, uint32_t s, uint64_t at_ns)
{
	const struct segment *x = &c->segments[s];
	uint32_t n = arrived_by(c, NULL, x->in, x->n_in, at_ns);
	bool recent = x->cut == CUT_FIRST &&
		      !(n && is_start(x, &c->edges[x->in], edge_arrived_ns(c, &c->edges[x->in])));

	for (uint32_t i = 0; i < n && i < ANSWER_EDGES; i++) {
		uint32_t at = x->in + (recent ? n - 1 - i : i);
		const struct edge *e = &c->edges[at];

		if (e->strength == EDGE_STRONG && e->from != GRAPH_NONE && e->from != s)
			return at;
	}
	return GRAPH_NONE;
}

/* Returns true if strong edges lead from s to the sender of e, directly or through other tasks.
 * Example: s sends a request, and e is the answer. */
static bool is_answer(const struct causal *c, uint32_t s, const struct edge *e)
{
	uint64_t since = c->segments[s].from_ns;
	uint64_t at = MIN(edge_left_ns(c, e), edge_arrived_ns(c, e));
	uint32_t from = e->from;

	if (from == GRAPH_NONE || e->kind == EDGE_NEIGHBOUR)
		return false;
	if (has_asked(c, s, c->segments[from].task, at))
		return true;
	for (int depth = 0; depth < ANSWER_DEPTH; depth++) {
		uint32_t i = strong_start(c, from, at);

		if (i == GRAPH_NONE || edge_arrived_ns(c, &c->edges[i]) < since)
			return false;
		if (c->edges[i].from == s)
			return true;
		at = MIN(edge_left_ns(c, &c->edges[i]), edge_arrived_ns(c, &c->edges[i]));
		from = c->edges[i].from;
	}
	return false;
}

static bool is_nearer(const struct causal *c, const struct candidate *a, const struct candidate *b)
{
	uint8_t x = c->edges[a->edge].strength, y = c->edges[b->edge].strength;

	if (x != y)
		return x > y;
	return a->distance_ns < b->distance_ns;
}

/* Returns true if a and b count as one edge. Example: the parts of a long message. */
static bool is_same_way(const struct causal *c, const struct candidate *a, const struct candidate *b)
{
	const struct edge *x = &c->edges[a->edge], *y = &c->edges[b->edge];

	return x->strength == EDGE_STRONG && y->strength == EDGE_STRONG && x->from != GRAPH_NONE &&
	       x->from == y->from && x->kind == y->kind && edge_object(c, x) == edge_object(c, y);
}

static void candidate_remove(struct candidates *l, uint32_t i)
{
	l->n--;
	memmove(&l->v[i], &l->v[i + 1], (l->n - i) * sizeof(l->v[0]));
}

static void consider(const struct candidate_query *q, const struct candidate *x, struct candidates *l)
{
	const struct edge *e = &q->c->edges[x->edge];
	uint32_t at;

	for (uint32_t i = 0; i < l->n; i++) {
		if (!is_same_way(q->c, x, &l->v[i]))
			continue;
		if (!is_nearer(q->c, x, &l->v[i]))
			return;
		candidate_remove(l, i);
		break;
	}
	at = l->n;
	while (at > 0 && is_nearer(q->c, x, &l->v[at - 1]))
		at--;
	if (at >= CANDIDATE_MAX) {
		l->refused++;
		return;
	}
	if (e->from != GRAPH_NONE && (e->from == q->segment || (q->skip && q->skip(q->arg, e->from))))
		return;
	if (x->distance_ns > START_NS && is_answer(q->c, q->segment, e))
		return;
	if (l->n == CANDIDATE_MAX) {
		l->n--;
		l->refused++;
	}
	memmove(&l->v[at + 1], &l->v[at], (l->n - at) * sizeof(l->v[0]));
	l->v[at] = *x;
	l->n++;
}

static uint64_t stack_of_samples(const struct causal *c, const struct segment *s)
{
	const struct graph *g = c->g;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->samples, g->tasks[s->task].tid, &n);
	const struct graph_ref *last = graph_ref_before(g, &g->samples, g->tasks[s->task].tid, s->to_ns);

	for (int looks = 0; n && last && last >= r && looks < STACK_LOOKS; last--, looks++) {
		const struct window_event *e = &g->w->events[last->event];

		if (e->r.ts < s->from_ns)
			break;
		if (e->r.ts < s->to_ns && window_words(g->w, e)[0])
			return window_words(g->w, e)[0];
	}
	return 0;
}

uint64_t candidate_stack(const struct causal *c, uint32_t segment)
{
	const struct graph *g = c->g;
	const struct segment *s = &c->segments[segment];
	const struct graph_task *t = &g->tasks[s->task];
	uint32_t i = graph_interval_at(g, s->task, s->from_ns), end = t->first_interval + t->n_intervals;
	uint64_t best = 0, best_ns = 0;

	for (uint32_t looks = 0; i < end && looks < STACK_LOOKS; i++, looks++) {
		const struct interval *x = &g->intervals[i];

		if (x->from_ns >= s->to_ns)
			break;
		if (x->to_ns - x->from_ns > best_ns && graph_visit(g, x) != GRAPH_NONE) {
			best = graph_visit_stack(g, x);
			best_ns = x->to_ns - x->from_ns;
		}
	}
	return best ? best : stack_of_samples(c, s);
}

float candidate_frames_alike(const struct window_stack *x, const struct window_stack *y)
{
	bool used[FRAMES_MAX] = { false };
	int nx = 0, ny = 0, same = 0;

	if (!x || !y)
		return -1;
	for (int j = 0; j < y->n_frames && j < FRAMES_MAX; j++)
		ny += !frame_is_kernel(y->frames[j]);
	for (int i = 0; i < x->n_frames && i < FRAMES_MAX; i++) {
		if (frame_is_kernel(x->frames[i]))
			continue;
		nx++;
		for (int j = 0; j < y->n_frames && j < FRAMES_MAX; j++)
			if (!used[j] && frame_is_same_function(x->frames[i], y->frames[j])) {
				used[j] = true;
				same++;
				break;
			}
	}
	return nx && ny ? (float)same / (float)MAX(nx, ny) : -1;
}

float candidate_stacks_alike(const struct graph *g, uint64_t a, uint64_t b)
{
	return candidate_frames_alike(a ? window_stack(g->w, a) : NULL, b ? window_stack(g->w, b) : NULL);
}

static float similarity(const struct causal *c, const struct edge *e, uint64_t to_stack)
{
	const struct graph_task *from, *to = &c->g->tasks[c->segments[e->to].task];

	if (e->from == GRAPH_NONE)
		return -1;
	from = &c->g->tasks[c->segments[e->from].task];
	return from->tgid == to->tgid ? candidate_stacks_alike(c->g, candidate_stack(c, e->from), to_stack)
				      : -1;
}

/* Returns how much the age weakens the edge: from 0 (not at all) to 1 (as much as possible). */
static double staleness(const struct candidate_query *q, const struct candidate *x)
{
	uint64_t then = x->distance_ns > START_NS ? q->at_ns : q->c->segments[q->segment].from_ns;
	uint64_t left = MIN(edge_left_ns(q->c, &q->c->edges[x->edge]), then);

	return (double)(then - left) / (double)(then - left + SURE_AGE_NS);
}

static float weak_score(const struct candidate_query *q, const struct candidate *x)
{
	const struct edge *e = &q->c->edges[x->edge];
	double s = x->strength == EDGE_BOOSTED ? SURE_BOOSTED : SURE_WEAK;

	s *= SURE_OTHER_STACKS + (1 - SURE_OTHER_STACKS) * (x->similarity < 0 ? 0.5 : (double)x->similarity);
	s *= 1 - SURE_OLD * staleness(q, x);
	if (x->distance_ns > START_NS)
		s *= SURE_MIDST;
	if (is_happenstance(e->kind))
		s *= SURE_HAPPENSTANCE;
	if (e->flags & EDGE_FALSE_WAKE)
		s *= SURE_FALSE_WAKE;
	if (e->flags & EDGE_MANY)
		s *= SURE_MANY;
	return (float)s;
}

static void apply_rules(const struct candidate_query *q, struct candidates *l)
{
	for (uint32_t i = 0; q->rules && i < l->n; i++) {
		struct candidate *x = &l->v[i];
		struct rule_facts facts;
		const struct rule *rule;

		candidate_facts(q->c, x->edge, &facts);
		rule = rules_find(q->rules, q->c->g, &facts);
		x->ruled_out = rule && rule->verdict == RULE_NOT_CAUSE;
		x->ruled_in = rule && rule->verdict == RULE_CAUSE;
		if (x->ruled_in)
			x->strength = EDGE_STRONG;
	}
}

static bool is_before(const struct causal *c, const struct candidate *a, const struct candidate *b)
{
	bool ha = is_happenstance(c->edges[a->edge].kind), hb = is_happenstance(c->edges[b->edge].kind);

	if (a->ruled_out != b->ruled_out)
		return b->ruled_out;
	if (a->ruled_in != b->ruled_in)
		return a->ruled_in;
	if ((a->strength == EDGE_STRONG) != (b->strength == EDGE_STRONG))
		return a->strength == EDGE_STRONG;
	if (a->strength == EDGE_STRONG)
		return a->distance_ns < b->distance_ns;
	if (ha != hb)
		return hb;
	if (a->strength != b->strength)
		return a->strength > b->strength;
	return a->score > b->score;
}

static void sort(const struct causal *c, struct candidates *l)
{
	for (uint32_t i = 1; i < l->n; i++) {
		struct candidate x = l->v[i];
		uint32_t at = i;

		for (; at > 0 && is_before(c, &x, &l->v[at - 1]); at--)
			l->v[at] = l->v[at - 1];
		l->v[at] = x;
	}
}

static bool comes_through(const struct causal *c, const struct edge *e, uint32_t segment)
{
	for (int depth = 0; depth < ANSWER_DEPTH && e->from != GRAPH_NONE; depth++) {
		uint32_t next;

		if (e->from == segment)
			return true;
		next = strong_start(c, e->from, MIN(edge_left_ns(c, e), edge_arrived_ns(c, e)));
		if (next == GRAPH_NONE)
			return false;
		e = &c->edges[next];
	}
	return false;
}

/* Removes a strong edge b if the list has an earlier strong edge a for which two things are true:
 * the rules judge a and b alike, and a walk back from a comes to the sender of b in at most
 * ANSWER_DEPTH strong edges. A slice that follows a comes to this sender anyway. Example: b is the
 * request of a client to a server. The server asks a backend, and a is the answer of the backend.
 * The walk back from a comes to the backend, then to the server, then to the client. */
static void merge(const struct causal *c, struct candidates *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		for (uint32_t k = l->n - 1; k > i; k--) {
			const struct candidate *a = &l->v[i], *b = &l->v[k];

			if (a->strength == EDGE_STRONG && b->strength == EDGE_STRONG &&
			    a->ruled_out == b->ruled_out && a->ruled_in == b->ruled_in &&
			    c->edges[b->edge].from != GRAPH_NONE &&
			    comes_through(c, &c->edges[a->edge], c->edges[b->edge].from))
				candidate_remove(l, k);
		}
}

static void score(const struct candidate_query *q, struct candidates *l)
{
	uint64_t stack = 0;
	bool known = false, strong = false;

	for (uint32_t i = 0; i < l->n; i++) {
		struct candidate *x = &l->v[i];

		if (x->strength == EDGE_STRONG)
			continue;
		if (!known)
			stack = candidate_stack(q->c, q->segment);
		known = true;
		x->similarity = similarity(q->c, &q->c->edges[x->edge], stack);
		x->score = weak_score(q, x);
	}
	sort(q->c, l);
	merge(q->c, l);
	for (uint32_t i = 0; i < l->n; i++) {
		struct candidate *x = &l->v[i];

		if (x->strength == EDGE_STRONG)
			x->score = strong ? (float)SURE_LATER : 1;
		strong |= x->strength == EDGE_STRONG;
	}
}

static void count(const struct causal *c, struct candidates *l)
{
	uint32_t strong_all = 0, certain = 0;
	bool ruled = false;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct candidate *x = &l->v[i];
		const struct edge *e = &c->edges[x->edge];

		l->n_open += !x->ruled_out;
		l->n_strong += !x->ruled_out && x->strength == EDGE_STRONG;
		certain += !x->ruled_out && !is_happenstance(e->kind);
		strong_all += e->strength == EDGE_STRONG;
		ruled |= x->ruled_out || x->ruled_in;
	}
	l->n_follow = l->n_strong ? l->n_strong : certain ? certain : l->n_open;
	l->ruled = ruled && ((l->n > 1 && strong_all != 1) || !l->n_open ||
			     (strong_all == 1 && c->edges[l->v[0].edge].strength != EDGE_STRONG));
}

/* Returns true if e is the timer of a sleep, and the end of this sleep began the segment. */
static bool is_round(const struct causal *c, uint32_t segment, const struct edge *e)
{
	const struct segment *s = &c->segments[segment];
	uint32_t i;

	if (e->kind != EDGE_TIMER || s->cut != CUT_IDLE || e->event != s->event || !s->from_ns)
		return false;
	i = graph_interval_at(c->g, s->task, s->from_ns - 1);
	return i != GRAPH_NONE && c->g->intervals[i].state == INTERVAL_BLOCKED &&
	       c->g->intervals[i].wait == CT_W_SLEEP;
}

static void consider_edge(const struct candidate_query *q, uint32_t i, struct candidates *l)
{
	const struct edge *e = &q->c->edges[i];
	uint64_t arrived = edge_arrived_ns(q->c, e);
	struct candidate x = { .edge = i, .similarity = -1, .strength = e->strength };

	if (is_round(q->c, q->segment, e))
		x.strength = EDGE_STRONG;
	x.distance_ns = q->record != GRAPH_NONE && e->event == q->record
				? EXACT_NS
				: distance(&q->c->segments[q->segment], e, arrived, q->at_ns);
	consider(q, &x, l);
}

void candidate_find(const struct candidate_query *q, struct candidates *ret)
{
	const struct causal *c = q->c;
	const struct segment *s = &c->segments[q->segment];
	/* arrivals count, not sends: a send may be recorded after its arrival */
	uint32_t n = arrived_by(c, NULL, s->in, s->n_in, q->at_ns);
	bool recent = s->cut == CUT_FIRST;

	*ret = (struct candidates){ 0 };
	/* the nearest strong edges first, so that most of the others are refused at once */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = s->in + (recent ? n - 1 - i : i);

		if (c->edges[at].strength == EDGE_STRONG)
			consider_edge(q, at, ret);
	}
	for (uint32_t i = n; i-- > 0;)
		if (c->edges[s->in + i].strength != EDGE_STRONG)
			consider_edge(q, s->in + i, ret);
	apply_rules(q, ret);
	score(q, ret);
	count(c, ret);
}

bool candidate_ambiguous(const struct candidates *l)
{
	return l->n_open > 1 && l->n_strong != 1;
}

void candidate_facts(const struct causal *c, uint32_t edge, struct rule_facts *ret)
{
	const struct edge *e = &c->edges[edge];
	const struct graph *g = c->g;
	uint64_t arrived = edge_arrived_ns(c, e);
	uint32_t task = c->segments[e->to].task;
	uint32_t interval = arrived ? graph_interval_at(g, task, arrived - 1) : GRAPH_NONE;

	*ret = (struct rule_facts){ .edge = e->kind,
				    .from = e->from == GRAPH_NONE ? GRAPH_NONE : c->segments[e->from].task,
				    .to = task,
				    .obj = edge_object(c, e),
				    .ts_ns = arrived };
	if (interval != GRAPH_NONE && graph_visit(g, &g->intervals[interval]) != GRAPH_NONE)
		ret->stack = graph_visit_stack(g, &g->intervals[interval]);
	if (!ret->stack)
		ret->stack = candidate_stack(c, e->to);
}
