// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

int asking_choose(void *arg, const struct ask_question *question, bool *ret_keep)
{
	struct asking *a = arg;

	assert_false(*ret_keep);
	fprintf(a->out, "asked: %s", question->text);
	for (size_t i = 0; i < question->n_options; i++) {
		const struct ask_option *o = &question->options[i];

		assert_true(a->lasting ? o->from_ns < o->to_ns : o->from_ns <= o->to_ns);
		assert_true(o->how[0] && o->sure[0]);
		fprintf(a->out, "%s %s %.2f", i ? "," : "", o->who, o->score);
	}
	fputc('\n', a->out);
	*ret_keep = a->keep;
	return a->asked < a->n ? a->answers[a->asked++] : ASK_DECIDE;
}

static void add_rules(struct asking *a, const struct question *q, const char *key, enum rule_verdict verdict,
		      bool edge)
{
	for (const char *name; (name = text_line_field(q->l, key));) {
		struct rule x = { .verdict = verdict };

		snprintf(edge ? x.edge : x.from, sizeof(x.from), "%s", name);
		assert_int_equal(VEC_PUSH(&a->rules.v, x), 0);
	}
}

void asking_take(const struct question *q, struct asking *a)
{
	const char *word = text_line_field(q->l, "answers");
	_cleanup_free_ char *copy = strdup(word ? word : "");

	*a = (struct asking){ .out = q->out, .person = word };
	for (char *save, *w = strtok_r(copy, ",", &save); w && a->n < ARRAY_SIZE(a->answers);
	     w = strtok_r(NULL, ",", &save))
		a->answers[a->n++] = !strcmp(w, "decide") ? ASK_DECIDE
				     : !strcmp(w, "stop") ? ASK_STOP
				     : !strcmp(w, "none") ? ASK_NONE
							  : (int)text_number(q->l, w);
	add_rules(a, q, "not", RULE_NOT_CAUSE, false);
	add_rules(a, q, "cause", RULE_CAUSE, false);
	add_rules(a, q, "not-edge", RULE_NOT_CAUSE, true);
	a->keep = text_line_skip(q->l, "keep");
	a->again = text_line_skip(q->l, "again");
}

bool asking_again(struct asking *a)
{
	for (size_t i = 0; i < a->rules.v.n; i++) {
		const struct rule *x = &a->rules.v.v[i];

		fprintf(a->out, "rule: %s", x->verdict == RULE_CAUSE ? "cause" : "not");
		fprintf(a->out, "%s%s%s%s", *x->edge ? " edge " : "", x->edge, *x->from ? " from " : "",
			x->from);
		fprintf(a->out, "%s%s, applied %u\n", *x->to ? " to " : "", x->to, x->applied);
	}
	if (!a->again)
		return false;
	fputs("again:\n", a->out);
	a->again = a->keep = false;
	a->n = 0;
	return true;
}

void asking_done(struct asking *a)
{
	rules_done(&a->rules);
}
