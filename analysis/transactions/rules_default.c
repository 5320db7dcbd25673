// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/profile.h"
#include "analysis/transactions/rules.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

static int add_inputs(struct transaction_rules *rules)
{
	static const enum ct_input kinds[] = { CT_INPUT_KEY, CT_INPUT_BUTTON, CT_INPUT_TOUCH };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct transaction_rule rule = { .source = TRANSACTION_INPUT,
						 .input = strdup(describe_input(kinds[i])) };

		if (!rule.input || VEC_PUSH(&rules->v, rule)) {
			free(rule.input);
			return -ENOMEM;
		}
	}
	return 0;
}

/* A key, a button or a touch is what a person waits for; motions of the mouse, for example, are not. */
static bool is_input(const struct ct_rec *r)
{
	enum ct_input what = r->kind == CT_INPUT ? ct_input_what(r) : CT_INPUT_OTHER;

	return what == CT_INPUT_KEY || what == CT_INPUT_BUTTON || what == CT_INPUT_TOUCH;
}

int transaction_rules_default(const struct graph *g, struct transaction_rules *rules)
{
	struct transaction_rule rule = { .source = TRANSACTION_MARK };
	bool marks = false, inputs = false;
	uint64_t from_ns, to_ns;
	uint32_t command;

	for (size_t i = 0; i < g->w->n_events; i++) {
		const struct ct_rec *r = &g->w->events[i].r;

		/* A point is no transaction; for example, it may report a trace context. */
		marks |= r->kind == CT_MARK && ct_mark_what(r) != CT_MARK_POINT;
		inputs |= is_input(r);
	}
	if (marks && VEC_PUSH(&rules->v, rule))
		return -ENOMEM;
	if (inputs && add_inputs(rules))
		return -ENOMEM;
	command = marks ? GRAPH_NONE : profile_command(g, &from_ns, &to_ns);
	if (command == GRAPH_NONE)
		return 0;
	rule.source = TRANSACTION_PROCESS;
	rule.tid = g->tasks[command].tid;
	return VEC_PUSH(&rules->v, rule);
}
