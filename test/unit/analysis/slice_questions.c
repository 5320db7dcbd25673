// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"
#include "test/unit/analysis/slice_make.h"

static void put_segment(const struct question *q, const struct causal *c, uint32_t segment)
{
	uint32_t task = c->segments[segment].task;

	question_put_task(q, c->g, task);
	fprintf(q->out, ".%u", segment - c->first[task] + 1);
}

static void put_step(const struct question *q, const struct causal *c, const struct slice *s, size_t i)
{
	const struct slice_step *x = &s->steps[i];

	put_segment(q, c, x->segment);
	fputs(" at ", q->out);
	question_put_time(q, x->at_ns);
	if (x->edge != GRAPH_NONE)
		fprintf(q->out, " by %s %s from %u", edge_kind_name(c->edges[x->edge].kind),
			edge_strength_name(c->edges[x->edge].strength), x->parent + 1);
	fprintf(q->out, ", score %.2f\n", (double)x->score);
}

static void put_choice(const struct question *q, const struct causal *c, const struct slice *s,
		       const struct slice_choice *x)
{
	static const char *const deciders[] = { "rank", "rule", "person" };

	fprintf(q->out, "choice at %u by %s:", x->step + 1, deciders[x->decider]);
	for (uint32_t i = 0; i < x->n_options; i++) {
		const struct slice_option *o = &s->options[x->first_option + i];
		const struct edge *e = &c->edges[o->edge];

		fputs(i ? ", " : " ", q->out);
		if (i == x->chosen)
			fputs("took ", q->out);
		if (e->from == GRAPH_NONE)
			fputs("outside", q->out);
		else
			put_segment(q, c, e->from);
		fprintf(q->out, " %s %.2f", edge_kind_name(e->kind), (double)o->score);
		if (o->similarity >= 0)
			fprintf(q->out, " alike %.2f", (double)o->similarity);
		if (o->ruled_out)
			fputs(" ruled out", q->out);
	}
	fputc('\n', q->out);
}

static void put_slice(const struct question *q, const struct causal *c, const struct slice *s)
{
	for (size_t i = 0; i < s->n_steps; i++)
		put_step(q, c, s, i);
	for (size_t i = 0; i < s->n_choices; i++)
		put_choice(q, c, s, &s->choices[i]);
	fputs(slice_end_name(s->end), q->out);
	if (s->end_edge != GRAPH_NONE)
		fprintf(q->out, " %s", edge_kind_name(c->edges[s->end_edge].kind));
	fprintf(q->out, ", score %.2f", (double)s->score);
	if (s->asked)
		fprintf(q->out, ", asked %u", s->asked);
	if (s->refused)
		fprintf(q->out, ", refused %u", s->refused);
	if (s->earlier)
		fprintf(q->out, ", earlier %u", s->earlier);
	fputc('\n', q->out);
}

static void put_way(const struct question *q, const struct causal *c, const struct slice *s)
{
	for (size_t i = 0; i < s->n_steps; i++) {
		fputs(i ? " <- " : "", q->out);
		put_segment(q, c, s->steps[i].segment);
	}
	fputc('\n', q->out);
}

/* Reads "A.N". Returns the N-th segment of the task A, or GRAPH_NONE after an error. */
static uint32_t segment_named(const struct question *q, struct text_line *l, const struct cmake *k,
			      const char *word)
{
	_cleanup_free_ char *task = strdup(word);
	char *number = task ? strrchr(task, '.') : NULL;
	uint64_t n;
	uint32_t tid;

	if (!number) {
		text_line_fail(l, "expected a segment as app.1, not \"%s\"", word);
		return GRAPH_NONE;
	}
	*number++ = '\0';
	tid = text_task(q->t, l, task);
	n = text_number(l, number);
	for (size_t i = 0; i < k->tids.n; i++)
		if (k->tids.v[i] == tid && !--n)
			return (uint32_t)i;
	text_line_fail(l, "there is no segment \"%s\"", word);
	return GRAPH_NONE;
}

static void add_segment(const struct question *q, struct text_line *l, struct cmake *k)
{
	uint32_t tid = text_task(q->t, l, text_line_next(l, "a task"));
	const char *cut = text_line_field(l, "cut");
	uint64_t from, to;

	text_range(l, text_line_next(l, "a range"), &from, &to);
	cmake_segment(k, tid, from / MS, to / MS);
	if (cut && strcmp(cut, "first") != 0)
		text_line_fail(l, "expected cut=first");
	if (cut)
		k->segments.v[k->segments.n - 1].cut = CUT_FIRST;
}

static enum edge_kind next_kind(struct text_line *l)
{
	const char *word = text_line_next(l, "a kind of edge");

	for (uint8_t kind = EDGE_WAKE; kind <= EDGE_LOCK_ORDER; kind++)
		if (!strcmp(edge_kind_name(kind), word))
			return kind;
	text_line_fail(l, "expected a kind of edge, not \"%s\"", word);
	return EDGE_WAKE;
}

static void add_edge(const struct question *q, struct text_line *l, struct cmake *k)
{
	static const struct text_word strengths[] = {
		{ "weak", EDGE_WEAK }, { "boosted", EDGE_BOOSTED }, { "strong", EDGE_STRONG }, { NULL, 0 }
	};
	static const struct text_word words[] = { { "false-wake", EDGE_FALSE_WAKE },
						  { "many", EDGE_MANY },
						  { NULL, 0 } };
	enum edge_kind kind = next_kind(l);
	enum edge_strength strength = text_one_of(l, text_line_next(l, "a strength"), strengths);
	uint32_t from = text_line_skip(l, "outside") ? GRAPH_NONE
						     : segment_named(q, l, k, text_line_next(l, "a segment"));
	uint64_t left = text_time(l, text_line_next(l, "a time")), arrived;
	const char *flags = text_line_field(l, "flags"), *obj;
	uint32_t to;

	if (!text_line_skip(l, "->"))
		text_line_fail(l, "expected \"->\"");
	to = segment_named(q, l, k, text_line_next(l, "a segment"));
	arrived = text_time(l, text_line_next(l, "a time"));
	obj = text_line_more(l);
	if (!l->error[0])
		cmake_edge(k, kind, strength, from, left / MS, to, arrived / MS,
			   obj ? text_object(l, obj) : 0)
			->flags = flags ? (uint8_t)text_flags(l, flags, words) : 0;
}

static bool add_graph(const struct question *q, struct cmake *k)
{
	const char *line;

	for (size_t i = 0; !q->l->error[0] && (line = text_window_graph(q->t, i)); i++) {
		struct text_line l;

		text_line_init(&l, line);
		(text_line_skip(&l, "segment") ? add_segment : (text_line_skip(&l, "edge"), add_edge))(q, &l,
												       k);
		text_line_done(
			&l,
			"segment A FROM..TO [cut=first], or edge KIND STRENGTH A.N TIME -> B.N TIME [OBJECT] "
			"[flags=]");
		if (l.error[0])
			text_line_fail(q->l, "%s: %s", line, l.error);
		text_line_free(&l);
	}
	return !q->l->error[0];
}

static void add_records(const struct question *q, struct cmake *k)
{
	for (size_t i = 0; i < q->w->n_tasks; i++)
		assert_int_equal(VEC_PUSH(&k->m.tasks, q->w->tasks[i]), 0);
	for (size_t i = 0; i < q->w->n_objects; i++)
		assert_int_equal(VEC_PUSH(&k->m.objects, q->w->objects[i]), 0);
	for (size_t i = 0; i < q->w->n_events; i++)
		assert_int_equal(VEC_PUSH(&k->m.events, window_record(q->w, &q->w->events[i])), 0);
	k->m.w.stacks = q->w->stacks;
	k->m.w.n_stacks = q->w->n_stacks;
}

static void walk_along(struct question *q, const struct causal *c)
{
	_cleanup_(asking_done) struct asking a = { 0 };
	uint32_t task = question_task(q, c->g, 0);
	uint64_t at = question_time(q);
	struct ask ask = { asking_choose, &a };
	bool way = text_line_skip(q->l, "way");
	const char *beam = text_line_field(q->l, "beam"), *max = text_line_field(q->l, "max");
	struct slice_options o = { .direction =
					   text_line_skip(q->l, "forward") ? SLICE_FORWARD : SLICE_BACKWARD,
				   .beam = beam ? (uint32_t)text_number(q->l, beam) : 0,
				   .max_steps = max ? (uint32_t)text_number(q->l, max) : 0,
				   .rules = &a.rules };

	asking_take(q, &a);
	o.ask = a.person ? &ask : NULL;
	if (q->l->error[0])
		return;
	do {
		struct slice *s;

		assert_int_equal(slice_walk(c, task, at, &o, &s), 0);
		(way ? put_way : put_slice)(q, c, s);
		slice_free(s);
	} while (asking_again(&a));
}

void ask_slice(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = NULL;
	_cleanup_(cmake_free) struct cmake k = { 0 };
	struct causal *c;

	if (text_window_graph(q->t, 0)) {
		add_records(q, &k);
		if (add_graph(q, &k))
			walk_along(q, cmake_done(&k, q->w->to_ns / MS));
		return;
	}
	g = question_graph(q);
	assert_int_equal(causal_build(g, NULL, &c), 0);
	walk_along(q, c);
	causal_free(c);
}
