// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks that rules and answers decide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/analysis/slice_make.h"

#define NONE GRAPH_NONE
#define PIPE CT_OBJ_ID(CT_OBJ_PIPE, 77)

/* A bus wakes v, and so does a; both edges are as strong, and the bus' came first. */
static void make_bus(struct cmake *k, enum edge_strength strength)
{
	TASKS(k, "bus", "a", "v");
	cmake_segment(k, 10, 0, 100);
	cmake_segment(k, 20, 0, 100);
	cmake_segment(k, 30, 20, 100);
	cmake_edge(k, EDGE_PIPE, strength, 0, 20, 2, 20, PIPE);
	cmake_edge(k, EDGE_PIPE, strength, 1, 22, 2, 22, PIPE);
}

static struct rule *add_rule(struct rules *rules, enum rule_verdict verdict, const char *from)
{
	struct rule x = { .verdict = verdict };

	snprintf(x.from, sizeof(x.from), "%s", from);
	assert_int_equal(VEC_PUSH(&rules->v, x), 0);
	return &rules->v.v[rules->v.n - 1];
}

static void test_rules(void **state)
{
	struct cmake k = { 0 };
	struct rules rules = { 0 };
	struct slice_options o = { .rules = &rules };
	const struct causal *c;
	struct slice *s;

	make_bus(&k, EDGE_STRONG);
	c = cmake_done(&k, 100);
	s = walk(c, 30, 50, &o);
	assert_path(s, 2, 2, 0);
	slice_free(s);

	add_rule(&rules, RULE_NOT_CAUSE, "bus");
	s = walk(c, 30, 50, &o);
	assert_path(s, 2, 2, 1);
	assert_int_equal(s->n_choices, 1);
	assert_int_equal(s->choices[0].decider, SLICE_BY_RULE);
	assert_int_equal(s->choices[0].n_options, 2);
	assert_true(s->options[1].ruled_out);
	assert_int_equal(rules.v.v[0].applied, 1);
	slice_free(s);

	add_rule(&rules, RULE_NOT_CAUSE, "a");
	s = walk(c, 30, 50, &o);
	assert_path(s, 1, 2);
	assert_int_equal(s->end, SLICE_END_REFUSED);
	assert_int_equal(s->choices[0].chosen, NONE);
	assert_int_equal(s->choices[0].decider, SLICE_BY_RULE);
	slice_free(s);
	rules_done(&rules);
	cmake_free(&k);
}

/* The only strong one is ruled out: what is left is taken, and that it was a rule is said. */
static void test_a_rule_takes_the_strong_one(void **state)
{
	struct cmake k = { 0 };
	struct rules rules = { 0 };
	struct slice_options o = { .rules = &rules };
	const struct causal *c;
	struct slice *s;

	make_bus(&k, EDGE_WEAK);
	k.edges.v[0].strength = EDGE_STRONG;
	c = cmake_done(&k, 100);
	add_rule(&rules, RULE_NOT_CAUSE, "bus");
	s = walk(c, 30, 50, &o);
	assert_path(s, 2, 2, 1);
	assert_int_equal(s->n_choices, 1);
	assert_int_equal(s->choices[0].decider, SLICE_BY_RULE);
	slice_free(s);
	/* a rule that changes nothing is no choice */
	snprintf(rules.v.v[0].from, sizeof(rules.v.v[0].from), "a");
	s = walk(c, 30, 50, &o);
	assert_path(s, 2, 2, 0);
	assert_int_equal(s->n_choices, 0);
	assert_int_equal(rules.v.v[0].applied, 1);
	slice_free(s);
	rules_done(&rules);
	cmake_free(&k);
}

static void test_a_rule_makes_strong(void **state)
{
	struct cmake k = { 0 };
	struct rules rules = { 0 };
	struct slice_options o = { .rules = &rules }, forward = { SLICE_FORWARD, .rules = &rules };
	const struct causal *c;
	struct slice *s;

	make_bus(&k, EDGE_WEAK);
	c = cmake_done(&k, 100);
	s = walk(c, 10, 0, &forward);
	assert_path(s, 1, 0);
	slice_free(s);
	add_rule(&rules, RULE_CAUSE, "a");
	s = walk(c, 30, 50, &o);
	assert_path(s, 2, 2, 1);
	assert_score(s->score, 1);
	assert_int_equal(s->choices[0].decider, SLICE_BY_RULE);
	slice_free(s);
	s = walk(c, 20, 0, &forward);
	assert_path(s, 2, 1, 2);
	slice_free(s);
	/* it comes before what was strong already */
	k.edges.v[0].strength = EDGE_STRONG;
	s = walk(c, 30, 50, &o);
	assert_path(s, 2, 2, 1);
	slice_free(s);
	rules.v.v[0].verdict = RULE_NOT_CAUSE;
	k.edges.v[1].strength = EDGE_STRONG;
	s = walk(c, 20, 0, &forward);
	assert_path(s, 1, 1);
	slice_free(s);
	rules_done(&rules);
	cmake_free(&k);
}

struct script {
	int answers[8];
	size_t n, asked;
	bool keep;
	char first[64];
	size_t n_options;
};

static int scripted(void *arg, const struct ask_question *q, bool *ret_keep)
{
	struct script *x = arg;

	assert_false(*ret_keep);
	assert_non_null(strstr(q->text, "led to"));
	for (size_t i = 0; i < q->n_options; i++) {
		assert_true(q->options[i].from_ns <= q->options[i].to_ns);
		assert_true(q->options[i].how[0] && q->options[i].who[0] && q->options[i].sure[0]);
	}
	snprintf(x->first, sizeof(x->first), "%s", q->options[0].who);
	x->n_options = q->n_options;
	*ret_keep = x->keep;
	return x->asked < x->n ? x->answers[x->asked++] : ASK_DECIDE;
}

static struct slice *ask_walk(const struct causal *c, struct script *x, struct rules *rules)
{
	struct ask ask = { scripted, x };
	struct slice_options o = { .rules = rules, .ask = &ask };

	return walk(c, 30, 50, &o);
}

static void test_answers(void **state)
{
	struct cmake k = { 0 };
	struct rules rules = { 0 };
	struct script decide = { .answers = { ASK_DECIDE }, .n = 1 }, second = { .answers = { 1 }, .n = 1 };
	struct script stop = { .answers = { ASK_STOP }, .n = 1 }, none = { .answers = { ASK_NONE }, .n = 1 };
	struct script wild = { .answers = { 7 }, .n = 1 };
	const struct causal *c;
	struct slice *s;

	make_bus(&k, EDGE_WEAK);
	c = cmake_done(&k, 100);
	s = ask_walk(c, &decide, NULL);
	assert_path(s, 2, 2, 0);
	assert_string_equal(decide.first, "bus[10]");
	assert_int_equal(decide.n_options, 2);
	assert_int_equal(s->asked, 1);
	assert_int_equal(s->choices[0].decider, SLICE_BY_RANK);
	slice_free(s);
	s = ask_walk(c, &second, &rules);
	assert_path(s, 2, 2, 1);
	assert_int_equal(s->choices[0].decider, SLICE_BY_PERSON);
	assert_int_equal(s->choices[0].chosen, 1);
	assert_int_equal(rules.v.n, 0);
	slice_free(s);
	s = ask_walk(c, &wild, NULL);
	assert_path(s, 2, 2, 0);
	slice_free(s);
	s = ask_walk(c, &stop, NULL);
	assert_path(s, 1, 2);
	assert_int_equal(s->end, SLICE_END_STOPPED);
	assert_int_equal(s->choices[0].chosen, NONE);
	slice_free(s);
	s = ask_walk(c, &none, NULL);
	assert_path(s, 1, 2);
	assert_int_equal(s->end, SLICE_END_REFUSED);
	assert_int_equal(s->choices[0].decider, SLICE_BY_PERSON);
	slice_free(s);
	cmake_free(&k);
}

static void test_answers_are_kept(void **state)
{
	struct cmake k = { 0 };
	struct rules rules = { 0 };
	struct script second = { .answers = { 1 }, .n = 1, .keep = true }, again = { .keep = true };
	struct script none = { .answers = { ASK_NONE }, .n = 1, .keep = true };
	struct slice_options o = { .rules = &rules };
	const struct causal *c;
	struct slice *s;

	make_bus(&k, EDGE_WEAK);
	c = cmake_done(&k, 100);
	slice_free(ask_walk(c, &second, &rules));
	assert_int_equal(rules.v.n, 2);
	s = ask_walk(c, &again, &rules);
	assert_path(s, 2, 2, 1);
	assert_int_equal(s->asked, 0);
	assert_int_equal(s->choices[0].decider, SLICE_BY_RULE);
	slice_free(s);
	rules_done(&rules);
	slice_free(ask_walk(c, &none, &rules));
	s = walk(c, 30, 50, &o);
	assert_path(s, 1, 2);
	assert_int_equal(s->end, SLICE_END_REFUSED);
	slice_free(s);
	rules_done(&rules);
	cmake_free(&k);
}

/* After an answer that was not expected the walk goes on from there, and asks again. */
static void test_answers_one_after_the_other(void **state)
{
	struct cmake k = { 0 };
	struct script x = { .answers = { 1, 1 }, .n = 2 };
	const struct causal *c;
	struct slice *s;

	make_bus(&k, EDGE_WEAK);
	make_task(&k.m, 40, 40, 1, "p");
	make_task(&k.m, 50, 50, 1, "q");
	make_switch(&k.m, 0, 0, 0, 40, CT_W_NONE, 0);
	make_switch(&k.m, 0, 0, 0, 50, CT_W_NONE, 0);
	cmake_segment(&k, 40, 0, 100);
	cmake_segment(&k, 50, 0, 100);
	cmake_edge(&k, EDGE_PIPE, EDGE_WEAK, 3, 5, 1, 5, PIPE);
	cmake_edge(&k, EDGE_PIPE, EDGE_WEAK, 4, 6, 1, 6, PIPE);
	c = cmake_done(&k, 100);
	s = ask_walk(c, &x, NULL);
	assert_int_equal(s->asked, 2);
	assert_int_equal(s->n_steps, 3);
	assert_int_equal(s->steps[1].segment, 1);
	assert_int_equal(s->choices[1].step, 1);
	assert_int_equal(s->choices[1].chosen, 1);
	slice_free(s);
	cmake_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_a_rule_takes_the_strong_one),
		cmocka_unit_test(test_a_rule_makes_strong),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_answers_are_kept),
		cmocka_unit_test(test_answers_one_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
