// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slice.c - walks the causal graph. Backward: the walk takes the edges of the best path (beam.c).
 * If a person chooses another edge, a new search for the best path begins after this edge. Forward:
 * of all effects found so far, the walk takes next the one that arrived first.
 */
#include "analysis/slice/slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slice/beam.h"
#include "trace/words/words.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

const char *slice_end_name(enum slice_end end)
{
	static const char *const names[] = {
		[SLICE_END_ROOT] = "root",   [SLICE_END_OUTSIDE] = "outside", [SLICE_END_REFUSED] = "refused",
		[SLICE_END_LIMIT] = "limit", [SLICE_END_STOPPED] = "stopped", [SLICE_END_DONE] = "done",
	};

	return (unsigned)end < ARRAY_SIZE(names) ? names[end] : "unknown";
}

struct walk {
	const struct causal *c;
	struct slice_options options; /* beam and max_steps are never 0 here */
	uint32_t segment, record;
	uint64_t at_ns;
	float score;
	struct map seen;
	VEC(struct slice_step) steps;
	VEC(struct slice_choice) choices;
	VEC(struct slice_option) opts;
	beam_path plan; /* edges to take, the next one last */
	enum slice_end end;
	uint32_t end_edge;
	uint32_t asked, refused, earlier;
};

static int add_step(struct walk *w, uint32_t segment, uint32_t parent, uint32_t edge, uint64_t at_ns,
		    float score)
{
	struct slice_step step = {
		.segment = segment, .parent = parent, .edge = edge, .at_ns = at_ns, .score = score
	};
	int r = map_set(&w->seen, segment, w->steps.n);

	return r ? r : VEC_PUSH(&w->steps, step);
}

static int add_choice(struct walk *w, const struct candidates *l, uint32_t chosen, enum slice_decider decider)
{
	struct slice_choice choice = { .step = (uint32_t)w->steps.n - 1,
				       .first_option = (uint32_t)w->opts.n,
				       .n_options = l->n,
				       .chosen = chosen,
				       .decider = decider };

	for (uint32_t i = 0; i < l->n; i++) {
		struct slice_option o = { .edge = l->v[i].edge,
					  .score = l->v[i].score,
					  .similarity = l->v[i].similarity,
					  .ruled_out = l->v[i].ruled_out };

		if (VEC_PUSH(&w->opts, o))
			return -ENOMEM;
	}
	w->refused += l->refused;
	return VEC_PUSH(&w->choices, choice);
}

static void count_rules(const struct walk *w, const struct candidates *l)
{
	struct rule_facts facts;

	for (uint32_t i = 0; w->options.rules && i < l->n; i++) {
		candidate_facts(w->c, l->v[i].edge, &facts);
		rules_match(w->options.rules, w->c->g, &facts);
	}
}

static char *option_who(const struct causal *c, const struct edge *e)
{
	const struct graph *g = c->g;
	char buf[DESCRIBE_MAX];
	struct words t = { 0 };

	if (e->from != GRAPH_NONE) {
		const struct segment *s = &c->segments[e->from];

		words_add(&t, "%s[%u]", graph_comm(g, s->task, beam_left(c, e)), g->tasks[s->task].tid);
		return words_take(&t);
	}
	describe_object(g->w, edge_object(c, e), buf, sizeof(buf));
	words_add(&t, "%s",
		  e->kind == EDGE_TIMER     ? "a timer"
		  : e->kind == EDGE_IRQ     ? "a device (interrupt)"
		  : e->kind == EDGE_MESSAGE ? "the network"
					    : "something outside");
	if (buf[0])
		words_add(&t, " (%s)", buf);
	return words_take(&t);
}

static char *question_text(const struct walk *w)
{
	const struct segment *s = &w->c->segments[w->segment];
	const struct graph *g = w->c->g;
	uint64_t before = w->steps.v[0].at_ns - w->at_ns;
	struct words t = { 0 };

	words_add(&t, "What led to what %s[%u] did", graph_comm(g, s->task, w->at_ns), g->tasks[s->task].tid);
	if (before) {
		words_add(&t, " ");
		words_duration(&t, before);
		words_add(&t, " before");
	}
	words_add(&t, "?");
	return words_take(&t);
}

static int option_fill(const struct walk *w, const struct candidate *x, struct ask_option *o, char *how)
{
	const struct causal *c = w->c;
	const struct edge *e = &c->edges[x->edge];

	edge_explain(c, e, how, EDGE_EXPLAIN_MAX);
	*o = (struct ask_option){ .who = option_who(c, e),
				  .how = how,
				  .from_ns = edge_arrived_ns(c, e),
				  .to_ns = edge_arrived_ns(c, e),
				  .sure = edge_strength_name(x->strength),
				  .score = (double)x->score };
	if (e->from != GRAPH_NONE) {
		o->from_ns = c->segments[e->from].from_ns;
		o->to_ns = c->segments[e->from].to_ns;
		o->stack = candidate_stack(c, e->from);
	}
	return o->who ? 0 : -ENOMEM;
}

static int ask(struct walk *w, const struct candidates *l, int *ret_answer)
{
	struct ask_option options[CANDIDATE_MAX];
	_cleanup_free_ char(*how)[EDGE_EXPLAIN_MAX] = calloc(l->n_open, sizeof(*how));
	_cleanup_free_ char *text = question_text(w);
	struct ask_question q = { .text = text, .options = options };
	struct rule_facts facts[CANDIDATE_MAX];
	bool keep = false;
	int r = how && text ? 0 : -ENOMEM;

	for (; !r && q.n_options < l->n_open; q.n_options++) {
		candidate_facts(w->c, l->v[q.n_options].edge, &facts[q.n_options]);
		r = option_fill(w, &l->v[q.n_options], &options[q.n_options], how[q.n_options]);
		if (r)
			break;
	}
	if (!r) {
		int answer = w->options.ask->choose(w->options.ask->arg, &q, &keep);

		w->asked++;
		if (answer >= (int)l->n_open || (answer < 0 && answer != ASK_STOP && answer != ASK_NONE))
			answer = ASK_DECIDE;
		*ret_answer = answer;
		if (keep)
			r = ask_keep(w->options.rules, w->c->g, facts, q.n_options, answer);
	}
	for (size_t i = 0; i < q.n_options; i++)
		free((char *)options[i].who);
	return r;
}

static void put_first(struct candidates *l, uint32_t edge)
{
	for (uint32_t i = 1; i < l->n_open; i++)
		if (l->v[i].edge == edge) {
			struct candidate x = l->v[i];

			memmove(&l->v[1], &l->v[0], i * sizeof(l->v[0]));
			l->v[0] = x;
			return;
		}
}

enum { TAKE_NONE = -1 };

/* Sets *ret to the index in l->v of the candidate to follow, or to TAKE_NONE. With TAKE_NONE, the
 * walk ends, and w->end says why. */
static int decide(struct walk *w, const struct candidates *l, int *ret)
{
	enum slice_decider decider = SLICE_BY_RANK;
	bool ambiguous = candidate_ambiguous(l);
	int answer = ASK_DECIDE, r = 0;

	*ret = l->n_open ? 0 : TAKE_NONE;
	if (l->n && l->ruled)
		count_rules(w, l);
	if (ambiguous && w->options.ask)
		r = ask(w, l, &answer);
	if (r)
		return r;
	if (answer != ASK_DECIDE) {
		decider = SLICE_BY_PERSON;
		*ret = answer >= 0 ? answer : TAKE_NONE;
	} else if (l->ruled && (!ambiguous || l->v[0].ruled_in)) {
		decider = SLICE_BY_RULE;
	}
	if (*ret == TAKE_NONE)
		w->end = answer == ASK_STOP ? SLICE_END_STOPPED : l->n ? SLICE_END_REFUSED : SLICE_END_ROOT;
	if (ambiguous || l->ruled)
		r = add_choice(w, l, *ret == TAKE_NONE ? GRAPH_NONE : (uint32_t)*ret, decider);
	return r;
}

static bool on_walk(void *arg, uint32_t segment)
{
	struct walk *w = arg;

	return map_get(&w->seen, segment, NULL);
}

static int walk_step(struct walk *w)
{
	struct candidate_query q = { .c = w->c,
				     .rules = w->options.rules,
				     .segment = w->segment,
				     .record = w->record,
				     .at_ns = w->at_ns,
				     .skip = on_walk,
				     .arg = w };
	uint32_t planned = w->plan.n ? w->plan.v[w->plan.n - 1] : GRAPH_NONE;
	const struct edge *e;
	struct candidates l;
	int take, r;

	if (w->steps.n >= w->options.max_steps) {
		w->end = SLICE_END_LIMIT;
		return 0;
	}
	candidate_find(&q, &l);
	put_first(&l, planned);
	r = decide(w, &l, &take);
	if (r || take == TAKE_NONE)
		return r;
	e = &w->c->edges[l.v[take].edge];
	w->score *= l.v[take].score;
	if (e->from == GRAPH_NONE) {
		w->end = SLICE_END_OUTSIDE;
		w->end_edge = l.v[take].edge;
		return 0;
	}
	if (l.v[take].edge == planned)
		w->plan.n--;
	else
		w->plan.n = 0;
	w->segment = e->from;
	w->record = e->cause;
	w->at_ns = beam_left(w->c, e);
	r = add_step(w, e->from, (uint32_t)w->steps.n - 1, l.v[take].edge, w->at_ns, w->score);
	return r ? r : 1;
}

static int plan(struct walk *w)
{
	struct beam b = { .c = w->c,
			  .rules = w->options.rules,
			  .seen = &w->seen,
			  .segment = w->segment,
			  .record = w->record,
			  .at_ns = w->at_ns,
			  .width = w->options.beam,
			  .depth = w->options.max_steps - (uint32_t)w->steps.n };
	uint32_t refused;
	int r = beam_search(&b, &w->plan, &refused);

	if (!r)
		w->refused += refused;
	return r;
}

static int walk_backward(struct walk *w)
{
	int r = 1;

	while (r == 1) {
		r = w->plan.n || w->steps.n >= w->options.max_steps ? 0 : plan(w);
		if (!r)
			r = walk_step(w);
	}
	return r;
}

struct arrival {
	uint64_t at_ns;
	uint32_t edge, parent;
};
typedef VEC(struct arrival) arrivals; /* a heap: the earliest first */

static bool is_earlier(const struct arrival *a, const struct arrival *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	return a->edge != b->edge ? a->edge < b->edge : a->parent < b->parent;
}

static int heap_push(arrivals *h, struct arrival x)
{
	size_t i = h->n;

	if (VEC_PUSH(h, x))
		return -ENOMEM;
	for (; i > 0 && is_earlier(&x, &h->v[(i - 1) / 2]); i = (i - 1) / 2)
		h->v[i] = h->v[(i - 1) / 2];
	h->v[i] = x;
	return 0;
}

static struct arrival heap_pop(arrivals *h)
{
	struct arrival top = h->v[0], x = h->v[--h->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && is_earlier(&h->v[child + 1], &h->v[child]))
			child++;
		if (!is_earlier(&h->v[child], &x))
			break;
		h->v[i] = h->v[child];
		i = child;
	}
	h->v[i] = x;
	return top;
}

static bool leads_on(const struct walk *w, uint32_t edge)
{
	const struct rule *rule = NULL;
	struct rule_facts facts;

	if (w->options.rules) {
		candidate_facts(w->c, edge, &facts);
		rule = rules_match(w->options.rules, w->c->g, &facts);
	}
	return rule ? rule->verdict == RULE_CAUSE : w->c->edges[edge].strength == EDGE_STRONG;
}

/* Adds to h the edges from the segment of the step to its effects. An edge that left the segment before
 * the at_ns of the step cannot be an effect of the step, and is not added. */
static int push_out(struct walk *w, arrivals *h, uint32_t step)
{
	const struct causal *c = w->c;
	uint32_t segment = w->steps.v[step].segment;
	uint64_t since = w->steps.v[step].at_ns;

	for (uint32_t i = c->out_first[segment]; i < c->out_first[segment + 1]; i++) {
		const struct edge *e = &c->edges[c->out[i]];
		struct arrival x = { .at_ns = MAX(since, edge_arrived_ns(c, e)),
				     .edge = c->out[i],
				     .parent = step };

		if (map_get(&w->seen, e->to, NULL))
			continue;
		if (edge_left_ns(c, e) < since) {
			w->earlier += step == 0 && e->strength == EDGE_STRONG;
			continue;
		}
		if (!leads_on(w, x.edge))
			continue;
		if (heap_push(h, x))
			return -ENOMEM;
	}
	return 0;
}

static int walk_forward(struct walk *w)
{
	arrivals h = { 0 };
	int r = push_out(w, &h, 0);

	w->end = SLICE_END_DONE;
	while (!r && h.n) {
		struct arrival x = heap_pop(&h);
		uint32_t to = w->c->edges[x.edge].to;

		if (map_get(&w->seen, to, NULL))
			continue;
		if (w->steps.n >= w->options.max_steps) {
			w->end = SLICE_END_LIMIT;
			w->refused++;
			continue;
		}
		r = add_step(w, to, x.parent, x.edge, x.at_ns, 1);
		if (!r)
			r = push_out(w, &h, (uint32_t)w->steps.n - 1);
	}
	VEC_FREE(&h);
	return r;
}

static struct slice *walk_result(struct walk *w)
{
	struct slice *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct slice){ .steps = TAKE_PTR(w->steps.v),
			     .n_steps = w->steps.n,
			     .choices = TAKE_PTR(w->choices.v),
			     .n_choices = w->choices.n,
			     .options = TAKE_PTR(w->opts.v),
			     .n_options = w->opts.n,
			     .end = w->end,
			     .end_edge = w->end_edge,
			     .score = w->score,
			     .asked = w->asked,
			     .refused = w->refused,
			     .earlier = w->earlier };
	return s;
}

int slice_walk(const struct causal *c, uint32_t task, uint64_t at_ns, const struct slice_options *options,
	       struct slice **ret)
{
	struct walk w = {
		.c = c, .options = *options, .score = 1, .record = GRAPH_NONE, .end_edge = GRAPH_NONE
	};
	struct slice *s = NULL;
	int r;

	w.segment = task < c->g->n_tasks ? causal_segment_at(c, task, at_ns) : GRAPH_NONE;
	if (w.segment == GRAPH_NONE)
		return -EINVAL;
	w.at_ns = at_ns;
	if (!w.options.beam)
		w.options.beam = SLICE_BEAM;
	if (!w.options.max_steps)
		w.options.max_steps = SLICE_MAX_STEPS;
	r = add_step(&w, w.segment, GRAPH_NONE, GRAPH_NONE, at_ns, 1);
	if (!r)
		r = options->direction == SLICE_FORWARD ? walk_forward(&w) : walk_backward(&w);
	if (!r)
		s = walk_result(&w);
	map_done(&w.seen);
	VEC_FREE(&w.steps);
	VEC_FREE(&w.choices);
	VEC_FREE(&w.opts);
	VEC_FREE(&w.plan);
	if (!s)
		return r ? r : -ENOMEM;
	*ret = s;
	return 0;
}

void slice_free(struct slice *s)
{
	if (!s)
		return;
	free(s->steps);
	free(s->choices);
	free(s->options);
	free(s);
}
