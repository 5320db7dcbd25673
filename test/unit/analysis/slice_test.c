// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks along causal graphs made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/slice/slice.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/slice_make.h"

#define NONE  GRAPH_NONE
#define PIPE  CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define PIPE2 CT_OBJ_ID(CT_OBJ_PIPE, 78)
#define FIFO  CT_OBJ_ID(CT_OBJ_FIFO, 79)
#define MUTEX CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000)

static uint8_t chosen_kind(const struct causal *c, const struct slice *s, size_t choice, uint32_t option)
{
	assert_true(choice < s->n_choices && option < s->choices[choice].n_options);
	return c->edges[s->options[s->choices[choice].first_option + option].edge].kind;
}

static void test_strong_beats_weak(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, b, v, x;

	TASKS(&k, "a", "b", "v", "x");
	a = cmake_segment(&k, 10, 10, 100);
	b = cmake_segment(&k, 20, 0, 100);
	v = cmake_segment(&k, 30, 20, 100);
	x = cmake_segment(&k, 40, 0, 100);
	cmake_edge(&k, EDGE_PIPE, EDGE_STRONG, a, 29, v, 30, PIPE);
	cmake_edge(&k, EDGE_WAKE, EDGE_BOOSTED, b, 20, v, 20, 0);
	/* whatever the way beyond is worth */
	cmake_edge(&k, EDGE_LOCK, EDGE_WEAK, x, 10, a, 10, MUTEX);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, NULL);
	assert_path(s, 3, v, a, x);
	assert_int_equal(s->n_choices, 0);
	assert_int_equal(s->end, SLICE_END_ROOT);
	assert_score(s->steps[1].score, 1);
	assert_true(s->score < 0.5f);
	assert_int_equal(s->steps[1].at_ns, 29 * MS);
	assert_int_equal(s->steps[1].parent, 0);
	assert_int_equal(s->steps[0].edge, NONE);
	slice_free(s);
	cmake_free(&k);
}

static void test_nearest_to_the_cut(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, b, v;

	TASKS(&k, "a", "b", "v");
	a = cmake_segment(&k, 10, 0, 100);
	b = cmake_segment(&k, 20, 0, 100);
	v = cmake_segment(&k, 30, 20, 100);
	cmake_edge(&k, EDGE_PIPE, EDGE_STRONG, b, 40, v, 41, PIPE);
	cmake_edge(&k, EDGE_PIPE, EDGE_STRONG, a, 20, v, 21, PIPE);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, NULL);
	assert_path(s, 2, v, a);
	assert_score(s->score, 1);
	assert_int_equal(s->n_choices, 1);
	assert_int_equal(s->choices[0].n_options, 2);
	assert_int_equal(s->choices[0].chosen, 0);
	assert_int_equal(s->choices[0].decider, SLICE_BY_RANK);
	assert_true(s->options[0].score > s->options[1].score);
	slice_free(s);
	/* where no rule has cut, what came last is the nearest */
	k.segments.v[v].cut = CUT_FIRST;
	s = walk(c, 30, 50, NULL);
	assert_path(s, 2, v, b);
	slice_free(s);
	/* not what arrived after the cause was sent on */
	s = walk(c, 30, 30, NULL);
	assert_path(s, 2, v, a);
	assert_int_equal(s->n_choices, 0);
	slice_free(s);
	s = walk(c, 30, 20, NULL);
	assert_path(s, 1, v);
	slice_free(s);
	cmake_free(&k);
}

/* Two segments of one task, and others that may have led to the second. */
static void test_weak_ones_are_ranked(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, before, v;

	TASKS(&k, "a", "b", "v");
	a = cmake_segment(&k, 10, 0, 100);
	cmake_segment(&k, 20, 0, 100);
	before = cmake_segment(&k, 30, 0, 20);
	v = cmake_segment(&k, 30, 20, 100);
	cmake_edge(&k, EDGE_LOCK, EDGE_BOOSTED, a, 20, v, 20, MUTEX);
	cmake_edge(&k, EDGE_NEIGHBOUR, EDGE_WEAK, before, 20, v, 20, 0);
	cmake_edge(&k, EDGE_IRQ, EDGE_WEAK, NONE, 20, v, 20, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, NULL);
	assert_path(s, 2, v, before);
	assert_true(s->score < 0.5f);
	assert_int_equal(s->n_choices, 1);
	assert_int_equal(s->choices[0].n_options, 3);
	assert_int_equal(chosen_kind(c, s, 0, 0), EDGE_NEIGHBOUR);
	assert_int_equal(chosen_kind(c, s, 0, 1), EDGE_LOCK);
	assert_int_equal(chosen_kind(c, s, 0, 2), EDGE_IRQ);
	slice_free(s);
	cmake_free(&k);
}

/* The way beyond the hand-over is better than that beyond the neighbour. */
static void test_happenstance_never_beats_a_neighbour(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t before, v;

	TASKS(&k, "a", "b", "v");
	cmake_segment(&k, 10, 0, 100);
	cmake_segment(&k, 20, 0, 100);
	before = cmake_segment(&k, 30, 10, 20);
	v = cmake_segment(&k, 30, 20, 100);
	cmake_edge(&k, EDGE_LOCK, EDGE_BOOSTED, 0, 20, v, 20, MUTEX);
	cmake_edge(&k, EDGE_NEIGHBOUR, EDGE_WEAK, before, 20, v, 20, 0);
	cmake_edge(&k, EDGE_KERNEL_LOCK, EDGE_WEAK, 1, 10, before, 10, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, NULL);
	assert_path(s, 3, v, before, 1);
	slice_free(s);
	cmake_free(&k);
}

static struct edge *better_or_worse(struct cmake *k, uint32_t from, uint64_t left_ms,
				    enum edge_strength strength)
{
	return cmake_edge(k, EDGE_WAKE, strength, from, left_ms, 2, 500, 0);
}

/* Boosted before weak, fresh before old, a wake before a false wake, for one before for many. */
static void test_what_speaks_for_a_weak_one(void **state)
{
	for (int i = 0; i < 8; i++) {
		/* in both orders of the records */
		uint32_t good = i % 2, bad = !good;
		struct cmake k = { 0 };
		const struct causal *c;
		struct slice *s;

		TASKS(&k, "a", "b", "v");
		cmake_segment(&k, 10, 0, 1000);
		cmake_segment(&k, 20, 0, 1000);
		cmake_segment(&k, 30, 500, 1000);
		for (uint32_t from = 0; from < 2; from++) {
			struct edge *e =
				better_or_worse(&k, from, i / 2 == 1 && from == bad ? 10 : 500,
						i / 2 == 0 && from == good ? EDGE_BOOSTED : EDGE_WEAK);

			if (from == bad)
				e->flags = i / 2 == 2 ? EDGE_FALSE_WAKE : i / 2 == 3 ? EDGE_MANY : 0;
		}
		c = cmake_done(&k, 1000);
		s = walk(c, 30, 600, NULL);
		assert_path(s, 2, 2, good);
		slice_free(s);
		cmake_free(&k);
	}
}

/* One that came when v was at work already is fresher, and still not what it began with. */
static void test_the_start_before_the_midst(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, v;

	TASKS(&k, "a", "b", "v");
	a = cmake_segment(&k, 10, 0, 100);
	cmake_segment(&k, 20, 0, 100);
	v = cmake_segment(&k, 30, 20, 100);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, a, 0, v, 20, 0);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, 1, 22, v, 22, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 22, NULL);
	assert_path(s, 2, v, a);
	slice_free(s);
	cmake_free(&k);
}

/* Only a hand-over is there: it is followed, for want of better. */
static void test_happenstance_alone(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, v;

	TASKS(&k, "a", "v");
	a = cmake_segment(&k, 10, 0, 100);
	v = cmake_segment(&k, 20, 20, 100);
	cmake_edge(&k, EDGE_LOCK, EDGE_WEAK, a, 20, v, 20, MUTEX);
	c = cmake_done(&k, 100);
	s = walk(c, 20, 50, NULL);
	assert_path(s, 2, v, a);
	assert_int_equal(s->n_choices, 0);
	assert_true(s->score < 0.3f);
	slice_free(s);
	cmake_free(&k);
}

/* The boosted edge goes to a segment that only doubtful edges lead to, the weak one to a sure way. */
static void test_beam_finds_what_greed_misses(void **state)
{
	struct cmake k = { 0 };
	struct slice_options greedy = { .beam = 1 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, b, root, v, x;

	TASKS(&k, "a", "b", "root", "v", "x");
	a = cmake_segment(&k, 10, 10, 100);
	b = cmake_segment(&k, 20, 10, 100);
	root = cmake_segment(&k, 30, 0, 100);
	v = cmake_segment(&k, 40, 50, 100);
	x = cmake_segment(&k, 50, 0, 100);
	cmake_edge(&k, EDGE_WAKE, EDGE_BOOSTED, a, 50, v, 50, 0);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, b, 50, v, 50, 0);
	cmake_edge(&k, EDGE_KERNEL_LOCK, EDGE_WEAK, x, 10, a, 10, 0);
	cmake_edge(&k, EDGE_PIPE, EDGE_STRONG, root, 10, b, 10, PIPE);
	c = cmake_done(&k, 100);
	s = walk(c, 40, 60, &greedy);
	assert_path(s, 3, v, a, x);
	assert_int_equal(s->refused, 1);
	slice_free(s);
	s = walk(c, 40, 60, NULL);
	assert_path(s, 3, v, b, root);
	assert_int_equal(s->refused, 0);
	assert_int_equal(s->n_choices, 1);
	assert_int_equal(s->choices[0].chosen, 0);
	assert_int_equal(c->edges[s->options[0].edge].from, b);
	slice_free(s);
	cmake_free(&k);
}

/* v asks a server, which asks another one: neither answer led to what v did after it. */
static void test_an_answer_is_no_cause(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t client, db, disk, v;

	TASKS(&k, "client", "db", "disk", "v");
	client = cmake_segment(&k, 10, 0, 100);
	db = cmake_segment(&k, 20, 0, 100);
	disk = cmake_segment(&k, 30, 32, 100);
	v = cmake_segment(&k, 40, 20, 100);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, client, 20, v, 20, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, v, 30, db, 30, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, db, 32, disk, 32, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, db, 39, v, 40, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, disk, 41, v, 42, 0);
	/* no rule cuts db; what it got last before it asked disk is what counts */
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, client, 25, db, 26, 0);
	k.segments.v[db].cut = CUT_FIRST;
	c = cmake_done(&k, 100);
	s = walk(c, 40, 50, NULL);
	assert_path(s, 2, v, client);
	assert_int_equal(s->n_choices, 0);
	slice_free(s);
	cmake_free(&k);
}

/* v asks again and again: no answer is taken for a cause, however many came after it. */
/* A connection and what was sent through it, or a long message in parts: ways from one segment are one way,
 * and nobody is to be asked which of them it was, but where a rule tells them apart. */
static void test_ways_from_one_segment(void **state)
{
	enum { N = 40 };
	struct cmake k = { 0 };
	struct rules rules = { 0 };
	struct slice_options o = { .rules = &rules };
	const struct causal *c;
	struct slice *s;
	uint32_t a, v;

	TASKS(&k, "a", "b", "v");
	a = cmake_segment(&k, 10, 0, 100);
	cmake_segment(&k, 20, 0, 100);
	v = cmake_segment(&k, 30, 20, 100);
	cmake_edge(&k, EDGE_FORK, EDGE_STRONG, a, 20, v, 20, 0);
	for (uint64_t i = 0; i < N; i++)
		cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, a, 21 + i, v, 21 + i, PIPE);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 90, NULL);
	assert_path(s, 2, v, a);
	assert_int_equal(s->steps[1].at_ns, 20 * MS);
	assert_int_equal(s->n_choices, 0);
	assert_int_equal(s->refused, 0);
	slice_free(s);
	/* it was not the fork */
	assert_int_equal(VEC_PUSH(&rules.v, ((struct rule){ .edge = "fork", .verdict = RULE_NOT_CAUSE })), 0);
	s = walk(c, 30, 90, &o);
	assert_path(s, 2, v, a);
	assert_int_equal(s->steps[1].at_ns, 21 * MS);
	assert_int_equal(s->n_choices, 1);
	assert_int_equal(s->choices[0].decider, SLICE_BY_RULE);
	slice_free(s);
	rules_done(&rules);
	cmake_free(&k);
}

/* A proxy takes a request, asks a backend, and answers: its answer comes of the request, and of the backend's
 * answer, which comes of the request too. */
static void test_short_cut(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t client, backend, took, gave;

	TASKS(&k, "client", "backend", "proxy");
	client = cmake_segment(&k, 10, 0, 100);
	backend = cmake_segment(&k, 20, 0, 100);
	took = cmake_segment(&k, 30, 10, 40);
	gave = cmake_segment(&k, 30, 40, 100);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, client, 10, took, 10, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, took, 15, backend, 15, PIPE);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, backend, 40, gave, 40, PIPE);
	cmake_edge(&k, EDGE_ANSWER, EDGE_STRONG, took, 10, gave, 41, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, NULL);
	assert_path(s, 4, gave, backend, took, client);
	assert_int_equal(s->n_choices, 0);
	slice_free(s);
	cmake_free(&k);
}

static void test_many_answers(void **state)
{
	enum { N = 1200 };
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t server, v;

	TASKS(&k, "client", "server", "v");
	cmake_segment(&k, 10, 0, 100);
	server = cmake_segment(&k, 20, 0, 100 + 3 * N);
	v = cmake_segment(&k, 30, 50, 100 + 3 * N);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, 0, 50, v, 50, 0);
	for (uint64_t i = 0; i < N; i++) {
		cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, v, 60 + 3 * i, server, 61 + 3 * i, 0);
		cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, server, 61 + 3 * i, v, 62 + 3 * i, 0);
	}
	c = cmake_done(&k, 100 + 3 * N);
	s = walk(c, 30, 90 + 3 * N, NULL);
	assert_path(s, 2, v, 0);
	assert_int_equal(s->n_choices, 0);
	assert_int_equal(s->refused, 0);
	slice_free(s);
	cmake_free(&k);
}

/* The server answers in a segment that somebody else's request began. */
static void test_an_answer_of_a_busy_server(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t other, server, v;

	TASKS(&k, "other", "server", "v");
	other = cmake_segment(&k, 10, 0, 100);
	server = cmake_segment(&k, 20, 25, 100);
	v = cmake_segment(&k, 30, 20, 100);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, other, 25, server, 25, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, v, 30, server, 30, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, server, 39, v, 40, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, NULL);
	assert_path(s, 1, v);
	slice_free(s);
	/* but who merely got a mutex from v was asked for nothing */
	k.edges.v[1].strength = EDGE_WEAK;
	s = walk(c, 30, 50, NULL);
	assert_path(s, 3, v, server, other);
	slice_free(s);
	cmake_free(&k);
}

/* A request that comes in the midst of the segment of a server which has sent something to others. */
static void test_not_every_message_is_an_answer(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, v;

	TASKS(&k, "a", "b", "v");
	a = cmake_segment(&k, 10, 0, 100);
	cmake_segment(&k, 20, 25, 100);
	v = cmake_segment(&k, 30, 20, 100);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, v, 25, 1, 25, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, a, 30, v, 31, 0);
	/* sent to a after its own message */
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, v, 35, a, 36, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, NULL);
	assert_path(s, 2, v, a);
	slice_free(s);
	cmake_free(&k);
}

/* Two requests in one segment; the record that an answer rests on tells which one it answers. */
static void test_an_answer_leads_to_its_request(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t b, took, gave, v;
	struct edge *answer;

	TASKS(&k, "a", "b", "server", "v");
	cmake_segment(&k, 10, 0, 100);
	b = cmake_segment(&k, 20, 0, 100);
	took = cmake_segment(&k, 30, 20, 50);
	gave = cmake_segment(&k, 30, 50, 100);
	v = cmake_segment(&k, 40, 60, 100);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, 0, 20, took, 20, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, b, 30, took, 31, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, gave, 50, v, 60, 0);
	answer = cmake_edge(&k, EDGE_ANSWER, EDGE_STRONG, took, 31, gave, 50, 0);
	answer->cause = k.edges.v[1].event;
	answer->event = k.edges.v[2].cause;
	c = cmake_done(&k, 100);
	s = walk(c, 40, 70, NULL);
	assert_path(s, 4, v, gave, took, b);
	slice_free(s);
	cmake_free(&k);
}

static void test_a_late_record_does_not_go_forward(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, b, v;

	TASKS(&k, "a", "b", "v");
	a = cmake_segment(&k, 10, 0, 100);
	b = cmake_segment(&k, 20, 10, 100);
	v = cmake_segment(&k, 30, 20, 100);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, b, 25, v, 20, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, a, 23, b, 24, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, NULL);
	assert_path(s, 2, v, b);
	assert_int_equal(s->steps[1].at_ns, 20 * MS);
	slice_free(s);
	cmake_free(&k);
}

static void test_outside(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t v;

	TASKS(&k, "v");
	v = cmake_segment(&k, 10, 20, 100);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, NONE, 20, v, 20, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 10, 50, NULL);
	assert_path(s, 1, v);
	assert_int_equal(s->end, SLICE_END_OUTSIDE);
	assert_int_equal(s->end_edge, 0);
	assert_score(s->score, 1);
	slice_free(s);
	cmake_free(&k);
}

static void test_circle_of_weak_edges(void **state)
{
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, v;

	TASKS(&k, "a", "v");
	a = cmake_segment(&k, 10, 0, 100);
	v = cmake_segment(&k, 20, 0, 100);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, a, 40, v, 40, 0);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, v, 30, a, 30, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 20, 50, NULL);
	assert_path(s, 2, v, a);
	assert_int_equal(s->end, SLICE_END_ROOT);
	slice_free(s);
	cmake_free(&k);
}

/* A long chain: task i + 1 woke task i. */
static void test_limits(void **state)
{
	enum { N = 40 };
	struct slice_options few = { .max_steps = 7 }, forward = { SLICE_FORWARD, .max_steps = 7 };
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;

	for (uint32_t i = 0; i < N; i++) {
		make_task(&k.m, 10 + i, 10 + i, 1, "t");
		make_switch(&k.m, 0, 0, 0, 10 + i, CT_W_NONE, 0);
		cmake_segment(&k, 10 + i, 2 * i, 200);
		if (i)
			cmake_edge(&k, EDGE_PIPE, EDGE_STRONG, i - 1, 2 * i, i, 2 * i, PIPE);
	}
	c = cmake_done(&k, 200);
	s = walk(c, 10 + N - 1, 150, NULL);
	assert_int_equal(s->n_steps, N);
	assert_int_equal(s->end, SLICE_END_ROOT);
	slice_free(s);
	s = walk(c, 10 + N - 1, 150, &few);
	assert_int_equal(s->n_steps, 7);
	assert_int_equal(s->end, SLICE_END_LIMIT);
	slice_free(s);
	s = walk(c, 10, 0, &forward);
	assert_int_equal(s->n_steps, 7);
	assert_int_equal(s->end, SLICE_END_LIMIT);
	assert_int_equal(s->refused, 1);
	slice_free(s);
	assert_int_equal(slice_walk(c, NONE, 0, &few, &s), -EINVAL);
	assert_int_equal(slice_walk(c, 0, 5000 * MS, &few, &s), -EINVAL);
	cmake_free(&k);
}

/* More than can be ranked at one segment: counted, and the strong one is not among those left out. */
static void test_many_edges(void **state)
{
	enum { N = 50 };
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t v;

	for (uint32_t i = 0; i <= N; i++) {
		make_task(&k.m, 10 + i, 10 + i, 1, "t");
		make_switch(&k.m, 0, 0, 0, 10 + i, CT_W_NONE, 0);
		v = cmake_segment(&k, 10 + i, 10, 200);
	}
	for (uint32_t i = 0; i < N - 1; i++)
		cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, i, 20 + i, v, 20 + i, 0);
	c = cmake_done(&k, 200);
	s = walk(c, 10 + N, 150, NULL);
	assert_path(s, 2, v, N - 2);
	assert_int_equal(s->choices[0].n_options, 16);
	assert_true(s->refused >= N - 1 - 16);
	slice_free(s);
	cmake_free(&k);

	k = (struct cmake){ 0 };
	for (uint32_t i = 0; i <= N; i++) {
		make_task(&k.m, 10 + i, 10 + i, 1, "t");
		make_switch(&k.m, 0, 0, 0, 10 + i, CT_W_NONE, 0);
		v = cmake_segment(&k, 10 + i, 10, 200);
	}
	for (uint32_t i = 0; i < N; i++)
		cmake_edge(&k, EDGE_WAKE, i == N - 1 ? EDGE_STRONG : EDGE_WEAK, i, 20 + i, v, 20 + i, 0);
	c = cmake_done(&k, 200);
	s = walk(c, 10 + N, 150, NULL);
	assert_path(s, 2, v, N - 1);
	slice_free(s);
	cmake_free(&k);
}

static void test_forward_through_three_processes(void **state)
{
	struct slice_options o = { SLICE_FORWARD };
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t a, b, b2, d, other;

	TASKS(&k, "a", "b", "d", "other");
	a = cmake_segment(&k, 10, 0, 100);
	b = cmake_segment(&k, 20, 10, 60);
	b2 = cmake_segment(&k, 20, 60, 100);
	d = cmake_segment(&k, 30, 20, 100);
	other = cmake_segment(&k, 40, 0, 100);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, a, 10, b, 10, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, b, 20, d, 20, 0);
	cmake_edge(&k, EDGE_NEIGHBOUR, EDGE_WEAK, b, 60, b2, 60, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, d, 30, b, 31, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, b, 40, a, 41, 0);
	/* before it was reached */
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, a, 2, other, 3, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 10, 5, &o);
	assert_path(s, 3, a, b, d);
	assert_int_equal(s->steps[2].parent, 1);
	assert_int_equal(s->steps[2].at_ns, 20 * MS);
	assert_int_equal(s->end, SLICE_END_DONE);
	assert_int_equal(s->earlier, 1);
	slice_free(s);
	s = walk(c, 10, 0, &o);
	assert_path(s, 4, a, other, b, d);
	assert_int_equal(s->earlier, 0);
	slice_free(s);
	cmake_free(&k);
}

/* The record of a send is later than what it led to, and earlier than how its sender was reached. */
static void test_forward_with_a_late_record(void **state)
{
	struct slice_options o = { SLICE_FORWARD };
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;

	TASKS(&k, "a", "b", "d");
	cmake_segment(&k, 10, 0, 100);
	cmake_segment(&k, 20, 0, 100);
	cmake_segment(&k, 30, 0, 100);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, 0, 10, 1, 20, 0);
	cmake_edge(&k, EDGE_MESSAGE, EDGE_STRONG, 1, 22, 2, 19, 0);
	c = cmake_done(&k, 100);
	s = walk(c, 10, 5, &o);
	assert_path(s, 3, 0, 1, 2);
	assert_int_equal(s->steps[2].at_ns, 20 * MS);
	slice_free(s);
	cmake_free(&k);
}

/* Earlier waits of one thread under one stack and of another one under another. */
static void test_likeness_of_stacks(void **state)
{
	static const char *mine[] = { "k:poll", "read_config+0x10 (app)", "main+0x5 (app)" };
	static const char *alike[] = { "k:poll", "read_config+0x44 (app)", "main+0x5 (app)" };
	static const char *differs[] = { "k:poll", "draw+0x10 (app)", "loop+0x5 (app)" };
	static struct window_stack stacks[] = { { 1, 3, mine }, { 2, 3, alike }, { 3, 3, differs } };
	struct cmake k = { 0 };
	const struct causal *c;
	struct slice *s;
	uint32_t v;

	for (uint32_t i = 0; i < 3; i++) {
		make_task(&k.m, 10 + i, 10, 1, "app");
		make_switch(&k.m, 0, 0, 0, 10 + i, CT_W_NONE, 0);
		make_switch(&k.m, 2, 0, 10 + i, 0, CT_W_POLL, PIPE);
		make_event(&k.m, 5 * MS, 0, CT_VISIT, 10 + i, 0)->x[0] = i == 2 ? 1 : 3 - i;
	}
	cmake_segment(&k, 10, 0, 100);
	cmake_segment(&k, 11, 0, 100);
	v = cmake_segment(&k, 12, 0, 100);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, 0, 40, v, 40, 0);
	cmake_edge(&k, EDGE_WAKE, EDGE_WEAK, 1, 30, v, 30, 0);
	k.m.w.stacks = stacks;
	k.m.w.n_stacks = ARRAY_SIZE(stacks);
	c = cmake_done(&k, 100);
	s = walk(c, 12, 50, NULL);
	assert_path(s, 2, v, 1);
	assert_score(s->options[0].similarity, 1);
	assert_score(s->options[1].similarity, 0);
	slice_free(s);
	cmake_free(&k);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void make_random(struct cmake *k, uint32_t seed)
{
	for (uint32_t t = 0; t < 6; t++) {
		make_task(&k->m, 10 + t, 10 + t / 2, 1, "t");
		make_switch(&k->m, 0, 0, 0, 10 + t, CT_W_NONE, 0);
		for (uint32_t i = 0; i < 6; i++)
			cmake_segment(k, 10 + t, 50 * i, 50 * i + 50);
	}
	for (int i = 0; i < 120; i++) {
		uint32_t from = next_random(&seed) % 36, to = next_random(&seed) % 36;
		uint64_t left = from % 6 * 50 + next_random(&seed) % 50;
		uint64_t arrived = to % 6 * 50 + next_random(&seed) % 50;
		uint32_t kind = 1 + next_random(&seed) % EDGE_LOCK_ORDER, strength = next_random(&seed) % 3;

		if (arrived >= left)
			cmake_edge(k, kind, strength, i % 20 ? from : NONE, left, to, arrived, PIPE);
	}
}

static int random_answer(void *arg, const struct ask_question *q, bool *ret_keep)
{
	uint32_t x = next_random(arg);

	*ret_keep = x % 5 == 0;
	return (int)(x % (q->n_options + 3)) - 3;
}

/* Of any graph: never forward in time, no segment twice, choices that are sound, and twice the same. */
static void test_random_graphs(void **state)
{
	for (uint32_t seed = 1; seed <= 300; seed++) {
		uint32_t answers[2] = { seed, seed };
		struct rules rules[2] = { 0 };
		struct cmake k = { 0 };
		const struct causal *c;
		struct slice *s[2];

		make_random(&k, seed);
		c = cmake_done(&k, 300);
		for (int i = 0; i < 2; i++) {
			struct ask ask = { random_answer, &answers[i] };
			struct slice_options o = { .direction = seed % 4 == 3,
						   .rules = seed % 2 ? &rules[i] : NULL,
						   .ask = seed % 3 ? NULL : &ask };

			s[i] = walk(c, 10 + seed % 6, 299 - 290 * (seed % 4 == 3), &o);
		}
		assert_int_equal(s[0]->n_steps, s[1]->n_steps);
		assert_int_equal(s[0]->end, s[1]->end);
		assert_int_equal(s[0]->n_choices, s[1]->n_choices);
		assert_int_equal(rules[0].v.n, rules[1].v.n);
		assert_true(s[0]->score > 0 && s[0]->score <= 1);
		for (size_t i = 0; i < s[0]->n_steps; i++) {
			const struct slice_step *x = &s[0]->steps[i];

			assert_int_equal(x->segment, s[1]->steps[i].segment);
			assert_int_equal(x->at_ns, s[1]->steps[i].at_ns);
			for (size_t j = 0; j < i; j++)
				assert_int_not_equal(x->segment, s[0]->steps[j].segment);
			if (i && seed % 4 == 3)
				assert_true(x->at_ns >= s[0]->steps[i - 1].at_ns && x->parent < i);
			else if (i)
				assert_true(x->at_ns <= s[0]->steps[i - 1].at_ns && x->parent == i - 1);
		}
		for (size_t i = 0; i < s[0]->n_choices; i++) {
			const struct slice_choice *x = &s[0]->choices[i];

			assert_true(x->step < s[0]->n_steps && x->n_options > 0);
			assert_true(x->first_option + x->n_options <= s[0]->n_options);
			assert_true(x->chosen == NONE ||
				    (x->chosen < x->n_options &&
				     !s[0]->options[x->first_option + x->chosen].ruled_out));
		}
		for (int i = 0; i < 2; i++) {
			slice_free(s[i]);
			rules_done(&rules[i]);
		}
		cmake_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strong_beats_weak),
		cmocka_unit_test(test_nearest_to_the_cut),
		cmocka_unit_test(test_weak_ones_are_ranked),
		cmocka_unit_test(test_happenstance_never_beats_a_neighbour),
		cmocka_unit_test(test_what_speaks_for_a_weak_one),
		cmocka_unit_test(test_the_start_before_the_midst),
		cmocka_unit_test(test_happenstance_alone),
		cmocka_unit_test(test_beam_finds_what_greed_misses),
		cmocka_unit_test(test_an_answer_is_no_cause),
		cmocka_unit_test(test_many_answers),
		cmocka_unit_test(test_an_answer_of_a_busy_server),
		cmocka_unit_test(test_not_every_message_is_an_answer),
		cmocka_unit_test(test_an_answer_leads_to_its_request),
		cmocka_unit_test(test_a_late_record_does_not_go_forward),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_circle_of_weak_edges),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_many_edges),
		cmocka_unit_test(test_forward_through_three_processes),
		cmocka_unit_test(test_forward_with_a_late_record),
		cmocka_unit_test(test_ways_from_one_segment),
		cmocka_unit_test(test_short_cut),
		cmocka_unit_test(test_likeness_of_stacks),
		cmocka_unit_test(test_random_graphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
