// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "analysis/transactions/find.h"
#include "trace/words/describe.h"

static uint32_t wanted_kinds(const struct transaction_rule *rule)
{
	uint32_t kinds = 0;

	for (unsigned what = CT_INPUT_KEY; what < CT_INPUT_DRAW; what++)
		if (transaction_rule_fits(rule->input, describe_input((enum ct_input)what)))
			kinds |= 1u << what;
	return kinds;
}

static void find_input(struct finding *k, const struct transaction_rule *rule, const struct input *in)
{
	const struct graph *g = k->t->g;
	struct transaction x = { .source = TRANSACTION_INPUT,
				 .from_ns = in->from_ns,
				 .start_ns = in->taken_ns,
				 .to_ns = in->shown_ns,
				 .begin_task = in->task,
				 .end_task = in->shown_ns ? in->sender : in->task,
				 .request = GRAPH_NONE,
				 .silent = !in->shown_ns && !in->open,
				 .shared = in->shared };
	uint32_t leader = graph_task_at(g, g->tasks[in->task].tgid, in->taken_ns);
	const char *program = graph_comm(g, leader == GRAPH_NONE ? in->task : leader, in->taken_ns);
	char name[DESCRIBE_MAX];

	if (!transaction_rule_fits(rule->program, program))
		return;
	snprintf(name, sizeof(name), "%s in %s", describe_input((enum ct_input)in->what), program);
	x.type = find_type(k, rule, name);
	if (x.type != GRAPH_NONE)
		find_add(k, &x);
}

/* For one search, the causal graph is built. So one search finds the inputs of all rules. */
static int search(struct finding *k)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < k->rules->v.n; i++)
		if (k->rules->v.v[i].source == TRANSACTION_INPUT)
			kinds |= wanted_kinds(&k->rules->v.v[i]);
	k->inputs_found = true;
	return inputs_find(k->t->g, kinds, &k->inputs);
}

void find_inputs(struct finding *k, const struct transaction_rule *rule)
{
	uint32_t kinds = wanted_kinds(rule);

	if (!k->inputs_found)
		k->err = search(k);
	for (size_t i = 0; i < k->inputs.n && !k->err; i++)
		if (kinds >> k->inputs.v[i].what & 1)
			find_input(k, rule, &k->inputs.v[i]);
}
