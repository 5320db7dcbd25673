// SPDX-License-Identifier: GPL-2.0-or-later
/* The files *.txt have the other tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/slice/slice.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/slice_make.h"

#define NONE GRAPH_NONE
#define PIPE CT_OBJ_ID(CT_OBJ_PIPE, 77)

/* A fork and 40 messages lead from segment a to segment v. The walk goes back from v. All these
 * edges lead the walk to a, so the walk lists no choice (slice_choice). If a rule excludes the
 * fork, the walk lists a choice, because it lists each decision of a rule. */
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

/* At each segment, a walk keeps at most 16 candidates, and counts the others as refused. */
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

/* A walk goes one way in time, and visits no segment twice. A second walk takes the same path. */
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
		cmocka_unit_test(test_many_answers),
		cmocka_unit_test(test_an_answer_leads_to_its_request),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_many_edges),
		cmocka_unit_test(test_ways_from_one_segment),
		cmocka_unit_test(test_random_graphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
