// SPDX-License-Identifier: GPL-2.0-or-later
/* Which way a diagnosis goes: by share, by rules, and by what a person answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/diagnose/diagnose.h"
#include "test/unit/trace/window_make.h"

#define PIPE  CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define OTHER CT_OBJ_ID(CT_OBJ_PIPE, 78)
#define COND  CT_OBJ_ID(CT_OBJ_FUTEX, 0x2000)
#define SOCK  CT_OBJ_ID(CT_OBJ_SOCK, 79)

struct script {
	int answer;
	bool keep;
	size_t asked;
	size_t n_options;
	double scores[8];
	char who[8][32];
	char text[128];
};

struct fixture {
	struct make m;
	struct graph *g;
	struct rules rules;
	struct script script;
	struct ask ask;
};

static int scripted(void *arg, const struct ask_question *q, bool *ret_keep)
{
	struct script *x = arg;

	assert_false(*ret_keep);
	assert_true(q->n_options > 1 && q->n_options <= 8);
	for (size_t i = 0; i < q->n_options; i++) {
		assert_true(q->options[i].from_ns < q->options[i].to_ns);
		assert_true(q->options[i].how[0] && q->options[i].sure[0]);
		x->scores[i] = q->options[i].score;
		snprintf(x->who[i], sizeof(x->who[i]), "%s", q->options[i].who);
	}
	snprintf(x->text, sizeof(x->text), "%s", q->text);
	x->n_options = q->n_options;
	x->asked++;
	*ret_keep = x->keep;
	return x->answer;
}

/* cat reads from fast for the first part of its time and from slow for the rest; both compute. */
static void make_readers(struct make *m, uint64_t part_ms)
{
	make_task(m, 10, 10, 1, "cat");
	make_task(m, 20, 20, 1, "fast");
	make_task(m, 30, 30, 1, "slow");
	make_switch(m, 1, 1, 0, 10, CT_W_NONE, 0);
	make_switch(m, 1, 0, 0, 20, CT_W_NONE, 0);
	make_switch(m, 2, 1, 10, 30, CT_W_READ, PIPE);
	make_wake(m, part_ms, 0, 10, 20, PIPE);
	make_switch(m, part_ms, 1, 30, 10, CT_W_NONE, 0);
	make_switch(m, part_ms + 1, 1, 10, 30, CT_W_READ, OTHER);
	make_wake(m, 9990, 1, 10, 30, OTHER);
	make_switch(m, 9991, 1, 30, 10, CT_W_NONE, 0);
}

static struct fixture *begin(void **state, uint64_t part_ms)
{
	struct fixture *f = *state;

	make_readers(&f->m, part_ms);
	assert_int_equal(graph_build(make_done(&f->m, 10000), &f->g), 0);
	return f;
}

static struct diagnosis *run(struct fixture *f, const struct ask *ask)
{
	struct diagnose_options o = { .rules = &f->rules, .ask = ask };
	struct diagnosis *d;

	assert_int_equal(diagnose(f->g, graph_task_at(f->g, 10, MS), MS, 10000 * MS,
				  f->rules.v.n || ask ? &o : NULL, &d),
			 0);
	return d;
}

static struct diagnosis *answer(struct fixture *f, int answer, bool keep)
{
	f->script = (struct script){ .answer = answer, .keep = keep };
	return run(f, &f->ask);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->ask = (struct ask){ scripted, &f->script };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rules_done(&f->rules);
	graph_free(f->g);
	make_free(&f->m);
	free(f);
	return 0;
}

static uint32_t culprit(const struct diagnosis *d)
{
	return d->chain[d->n_chain - 1].tid;
}

static void add_rule(struct fixture *f, enum rule_verdict verdict, const char *from)
{
	struct rule x = { .verdict = verdict };

	snprintf(x.from, sizeof(x.from), "%s", from);
	assert_int_equal(VEC_PUSH(&f->rules.v, x), 0);
}

static void test_by_share(void **state)
{
	struct fixture *f = begin(state, 3000);
	struct diagnosis *d = run(f, NULL);

	assert_int_equal(culprit(d), 30);
	assert_int_equal(d->n_choices, 1);
	assert_non_null(strstr(d->choices[0].text, "followed slow[30] (7.0 s, 70 %)"));
	assert_non_null(strstr(d->choices[0].text, "not fast[20] (3.0 s, 30 %)"));
	assert_non_null(strstr(d->choices[0].text, "the larger share"));
	assert_false(d->strong);
	assert_int_equal(d->asked, 0);
	diagnosis_free(d);
}

/* A program is called what it likes: that is shown, and does nothing to a terminal. */
static void test_odd_name(void **state)
{
	struct fixture *f = *state;
	struct diagnosis *d;

	make_readers(&f->m, 3000);
	strcpy(f->m.tasks.v[1].comm, "f\033[31m\377");
	assert_int_equal(graph_build(make_done(&f->m, 10000), &f->g), 0);
	d = run(f, NULL);
	assert_non_null(strstr(d->choices[0].text, "not f\\x1b[31m\\xff[20] (3.0 s"));
	diagnosis_free(d);
}

static void test_clear_is_not_asked(void **state)
{
	struct fixture *f = begin(state, 900);
	struct diagnosis *d = answer(f, 1, false);

	assert_int_equal(f->script.asked, 0);
	assert_int_equal(d->n_choices, 0);
	assert_int_equal(culprit(d), 30);
	assert_true(d->strong);
	diagnosis_free(d);
}

static void test_decide_is_as_without(void **state)
{
	struct fixture *f = begin(state, 3000);
	struct diagnosis *a = run(f, NULL), *b = answer(f, ASK_DECIDE, true), *c;

	assert_int_equal(f->script.asked, 1);
	assert_int_equal(b->asked, 1);
	assert_string_equal(f->script.who[0], "slow[30]");
	assert_string_equal(f->script.who[1], "fast[20]");
	assert_true(f->script.scores[0] > 0.69 && f->script.scores[0] < 0.71);
	assert_non_null(strstr(f->script.text, "cat[10]"));
	assert_string_equal(a->sentence, b->sentence);
	assert_string_equal(a->choices[0].text, b->choices[0].text);
	assert_int_equal(a->strong, b->strong);
	assert_int_equal(f->rules.v.n, 0);
	c = answer(f, 12, false);
	assert_string_equal(a->sentence, c->sentence);
	diagnosis_free(a);
	diagnosis_free(b);
	diagnosis_free(c);
}

static void test_an_answer_changes_the_way(void **state)
{
	struct fixture *f = begin(state, 3000);
	struct diagnosis *d = answer(f, 1, false);

	assert_int_equal(culprit(d), 20);
	assert_int_equal(d->n_choices, 1);
	assert_non_null(strstr(d->choices[0].text, "followed fast[20] (3.0 s, 30 %), not slow[30]"));
	assert_non_null(strstr(d->choices[0].text, "answered"));
	assert_true(d->strong);
	assert_int_equal(f->rules.v.n, 0);
	diagnosis_free(d);
}

static void test_a_kept_answer_is_a_rule(void **state)
{
	struct fixture *f = begin(state, 3000);
	struct diagnosis *d = answer(f, 1, true);

	assert_int_equal(f->rules.v.n, 2);
	diagnosis_free(d);
	/* nobody is asked again */
	d = answer(f, 0, false);
	assert_int_equal(f->script.asked, 0);
	assert_int_equal(d->asked, 0);
	assert_int_equal(culprit(d), 20);
	assert_non_null(strstr(d->choices[0].text, "a rule says"));
	assert_true(d->strong);
	diagnosis_free(d);
}

static void test_ruled_out(void **state)
{
	struct fixture *f = begin(state, 3000);
	struct diagnosis *d;

	add_rule(f, RULE_NOT_CAUSE, "slow");
	d = run(f, NULL);
	assert_int_equal(culprit(d), 20);
	assert_non_null(strstr(d->choices[0].text, "followed fast[20]"));
	assert_non_null(strstr(d->choices[0].text, "not slow[30]"));
	assert_non_null(strstr(d->choices[0].text, "a rule says"));
	assert_int_equal(f->rules.v.v[0].applied, 1);
	diagnosis_free(d);

	/* both: the time stays a wait, and nobody's */
	add_rule(f, RULE_NOT_CAUSE, "fast");
	d = run(f, NULL);
	assert_int_equal(d->n_chain, 1);
	assert_int_equal(d->chain[0].state, LINK_WAITING);
	assert_int_equal(d->chain[0].obj, OTHER);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_non_null(strstr(d->choices[0].text, "did not follow slow[30] (7.0 s, 70 %), fast[20]"));
	diagnosis_free(d);
}

/* What is left is not worth following. */
static void test_ruled_out_and_nothing_else(void **state)
{
	struct fixture *f = begin(state, 500);
	struct diagnosis *d;

	add_rule(f, RULE_NOT_CAUSE, "slow");
	d = run(f, NULL);
	assert_int_equal(d->n_chain, 1);
	assert_int_equal(d->chain[0].obj, OTHER);
	assert_null(strstr(d->choices[0].text, "fast"));
	diagnosis_free(d);
}

static void test_ruled_in(void **state)
{
	struct fixture *f = begin(state, 3000);
	struct diagnosis *d;

	add_rule(f, RULE_CAUSE, "fast");
	d = answer(f, 1, false);
	assert_int_equal(f->script.asked, 0);
	assert_int_equal(culprit(d), 20);
	diagnosis_free(d);
}

/* But not what hardly took any time. */
static void test_ruled_in_but_small(void **state)
{
	struct fixture *f = begin(state, 500);
	struct diagnosis *d;

	add_rule(f, RULE_CAUSE, "fast");
	d = run(f, NULL);
	assert_int_equal(culprit(d), 30);
	assert_int_equal(f->rules.v.v[0].applied, 0);
	diagnosis_free(d);
}

static void test_stop_and_none(void **state)
{
	struct fixture *f = begin(state, 3000);
	struct diagnosis *d = answer(f, ASK_STOP, true);

	assert_int_equal(d->n_chain, 1);
	assert_int_equal(d->chain[0].state, LINK_WAITING);
	assert_non_null(strstr(d->choices[0].text, "go no further"));
	assert_int_equal(f->rules.v.n, 0);
	diagnosis_free(d);
	d = answer(f, ASK_NONE, true);
	assert_int_equal(d->n_chain, 1);
	assert_int_equal(f->rules.v.n, 2);
	assert_int_equal(f->rules.v.v[0].verdict, RULE_NOT_CAUSE);
	diagnosis_free(d);
	d = answer(f, 0, false);
	assert_int_equal(f->script.asked, 0);
	assert_int_equal(d->n_chain, 1);
	diagnosis_free(d);
}

/* cat waits for a condition that maker has signalled again and again, for most of the time and in vain;
 * before that it reads from slow. */
static void make_guess(struct make *m, uint64_t read_ms)
{
	make_task(m, 10, 10, 1, "cat");
	make_task(m, 20, 20, 1, "maker");
	make_task(m, 30, 30, 1, "slow");
	make_switch(m, 1, 1, 0, 10, CT_W_NONE, 0);
	make_switch(m, 1, 0, 0, 20, CT_W_NONE, 0);
	for (uint64_t at = 10; at < 100; at += 10) {
		make_switch(m, at, 1, 10, 30, CT_W_FUTEX, COND);
		make_wake(m, at + 5, 0, 10, 20, COND);
		make_switch(m, at + 5, 1, 30, 10, CT_W_NONE, 0);
	}
	make_switch(m, 101, 1, 10, 30, CT_W_READ, PIPE);
	make_wake(m, 101 + read_ms, 1, 10, 30, PIPE);
	make_switch(m, 101 + read_ms, 1, 30, 10, CT_W_NONE, 0);
	make_switch(m, 102 + read_ms, 1, 10, 30, CT_W_FUTEX, COND);
}

static void test_a_guess_is_asked_about(void **state)
{
	struct fixture *f = *state;
	struct diagnosis *d;

	make_guess(&f->m, 900);
	assert_int_equal(graph_build(make_done(&f->m, 10000), &f->g), 0);
	d = run(f, NULL);
	assert_int_equal(culprit(d), 20);
	assert_int_equal(d->n_choices, 0);
	diagnosis_free(d);
	d = answer(f, ASK_DECIDE, false);
	assert_int_equal(f->script.asked, 1);
	assert_string_equal(f->script.who[0], "maker[20]");
	assert_string_equal(f->script.who[1], "slow[30]");
	assert_int_equal(culprit(d), 20);
	assert_non_null(strstr(d->choices[0].text, "a guess"));
	diagnosis_free(d);
	d = answer(f, 1, false);
	assert_int_equal(culprit(d), 30);
	diagnosis_free(d);
}

/* An earlier wait for the condition would tell whose signal is missing; but no further was asked for. */
static void test_refused_is_not_compared(void **state)
{
	struct fixture *f = *state;
	struct diagnosis *d;

	make_guess(&f->m, 900);
	assert_int_equal(graph_build(make_done(&f->m, 10000), &f->g), 0);
	d = run(f, NULL);
	assert_non_null(d->comparison);
	diagnosis_free(d);
	d = answer(f, ASK_STOP, false);
	assert_int_equal(d->n_chain, 1);
	assert_null(d->comparison);
	diagnosis_free(d);
}

/* A socket that nobody writes to may well idle; not where a person has just said that it is to be explained.
 */
static void test_none_is_not_normal(void **state)
{
	struct fixture *f = *state;
	struct make *m = &f->m;
	struct diagnosis *d;

	make_task(m, 10, 10, 1, "cat");
	make_task(m, 20, 20, 1, "fast");
	make_task(m, 30, 30, 1, "slow");
	make_switch(m, 1, 1, 0, 10, CT_W_NONE, 0);
	make_switch(m, 1, 0, 0, 20, CT_W_NONE, 0);
	make_switch(m, 2, 1, 10, 30, CT_W_READ, SOCK);
	make_wake(m, 6000, 0, 10, 20, SOCK);
	make_switch(m, 6000, 1, 30, 10, CT_W_NONE, 0);
	make_switch(m, 6001, 1, 10, 30, CT_W_READ, OTHER);
	make_wake(m, 9990, 1, 10, 30, OTHER);
	make_switch(m, 9991, 1, 30, 10, CT_W_NONE, 0);
	assert_int_equal(graph_build(make_done(m, 10000), &f->g), 0);
	d = answer(f, ASK_NONE, false);
	assert_int_equal(d->n_chain, 1);
	assert_int_equal(d->verdict, VERDICT_LONG_WAIT);
	assert_int_equal(d->cause, CAUSE_MISSING_WAKEUP);
	assert_null(strstr(d->sentence, "Nothing is wrong"));
	diagnosis_free(d);
}

/* Where a task slept, the stack of what it read in between says nothing. */
static void test_stack_of_the_same_wait(void **state)
{
	struct fixture *f = *state;
	struct make *m = &f->m;
	struct diagnosis *d;

	make_task(m, 10, 10, 1, "cat");
	make_task(m, 20, 20, 1, "slow");
	make_switch(m, 1, 1, 0, 10, CT_W_NONE, 0);
	make_switch(m, 1, 0, 0, 20, CT_W_NONE, 0);
	for (uint64_t i = 0, at = 2; i < 2; i++, at += 2000) {
		make_switch(m, at, 1, 10, 0, CT_W_READ, PIPE);
		make_switch(m, at, 0, 20, 0, CT_W_SLEEP, 0);
		make_wake(m, at + 1000, 0, 20, 0, 0)->x[0] = 0;
		make_switch(m, at + 1000, 0, 0, 20, CT_W_NONE, 0);
		make_wake(m, at + 1000, 0, 10, 20, PIPE);
		make_switch(m, at + 1000, 1, 0, 10, CT_W_NONE, 0);
		make_switch(m, at + 1001, 0, 20, 0, CT_W_READ, OTHER);
		make_event(m, (at + 1500) * MS, 0, CT_VISIT, 20, 0)->x[0] = 7;
		make_wake(m, at + 1999, 1, 20, 10, OTHER);
		make_switch(m, at + 1999, 0, 0, 20, CT_W_NONE, 0);
	}
	make_switch(m, 4002, 1, 10, 0, CT_W_SLEEP, 0);
	assert_int_equal(graph_build(make_done(m, 4100), &f->g), 0);
	assert_int_equal(diagnose(f->g, graph_task_at(f->g, 10, MS), MS, 4000 * MS, NULL, &d), 0);
	assert_int_equal(d->chain[d->n_chain - 1].state, LINK_SLEEPING);
	assert_int_equal(culprit(d), 20);
	assert_int_equal(d->chain[d->n_chain - 1].stack, 0);
	diagnosis_free(d);
}

static void test_a_guess_without_alternative(void **state)
{
	struct fixture *f = *state;
	struct diagnosis *d;

	make_guess(&f->m, 300);
	assert_int_equal(graph_build(make_done(&f->m, 10000), &f->g), 0);
	d = answer(f, 1, false);
	assert_int_equal(f->script.asked, 0);
	assert_int_equal(culprit(d), 20);
	diagnosis_free(d);
}

/* Who let go of a mutex is no guess, though the edge is a weak one for cause. */
static void test_a_hand_over_is_no_guess(void **state)
{
	struct fixture *f = *state;
	struct diagnosis *d;

	make_task(&f->m, 10, 10, 1, "cat");
	make_task(&f->m, 20, 20, 1, "fast");
	make_task(&f->m, 30, 30, 1, "slow");
	make_switch(&f->m, 1, 1, 0, 10, CT_W_NONE, 0);
	make_switch(&f->m, 1, 0, 0, 20, CT_W_NONE, 0);
	make_switch(&f->m, 2, 1, 10, 30, CT_W_READ, PIPE);
	make_wake(&f->m, 900, 0, 10, 20, PIPE);
	make_switch(&f->m, 900, 1, 30, 10, CT_W_NONE, 0);
	make_event(&f->m, 901 * MS, 1, CT_FUTEX, 10, 30)->r.obj = COND;
	make_switch(&f->m, 901, 1, 10, 30, CT_W_FUTEX, COND);
	make_wake(&f->m, 9990, 1, 10, 30, COND);
	make_switch(&f->m, 9991, 1, 30, 10, CT_W_NONE, 0);
	assert_int_equal(graph_build(make_done(&f->m, 10000), &f->g), 0);
	d = answer(f, 1, false);
	assert_int_equal(d->chain[0].edge, EDGE_LOCK);
	assert_int_equal(culprit(d), 30);
	assert_int_equal(f->script.asked, 0);
	diagnosis_free(d);
}

/* Its own time is no edge: passed over, it makes no rule. */
static void test_own_time_is_an_option(void **state)
{
	struct fixture *f = *state;
	struct diagnosis *d;

	make_task(&f->m, 10, 10, 1, "cat");
	make_task(&f->m, 20, 20, 1, "feed");
	make_switch(&f->m, 1, 1, 0, 10, CT_W_NONE, 0);
	make_switch(&f->m, 1, 0, 0, 20, CT_W_NONE, 0);
	make_switch(&f->m, 6000, 1, 10, 0, CT_W_READ, PIPE);
	make_wake(&f->m, 9990, 0, 10, 20, PIPE);
	make_switch(&f->m, 9990, 1, 0, 10, CT_W_NONE, 0);
	assert_int_equal(graph_build(make_done(&f->m, 10000), &f->g), 0);
	d = answer(f, 1, true);
	assert_string_equal(f->script.who[0], "its own time on or for the CPU");
	assert_int_equal(culprit(d), 20);
	assert_int_equal(f->rules.v.n, 1);
	assert_int_equal(f->rules.v.v[0].verdict, RULE_CAUSE);
	assert_string_equal(f->rules.v.v[0].edge, "pipe");
	diagnosis_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_by_share, setup, teardown),
		cmocka_unit_test_setup_teardown(test_odd_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clear_is_not_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(test_decide_is_as_without, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_answer_changes_the_way, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_kept_answer_is_a_rule, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ruled_out, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ruled_out_and_nothing_else, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ruled_in, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ruled_in_but_small, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stop_and_none, setup, teardown),
		cmocka_unit_test_setup_teardown(test_none_is_not_normal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stack_of_the_same_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_guess_is_asked_about, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_is_not_compared, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_guess_without_alternative, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_hand_over_is_no_guess, setup, teardown),
		cmocka_unit_test_setup_teardown(test_own_time_is_an_option, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
