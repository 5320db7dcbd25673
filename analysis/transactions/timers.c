// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "analysis/transactions/find.h"
#include "graph/causal/causal.h"
#include "trace/words/describe.h"

static bool began_with_timer(const struct causal *c, const struct segment *s)
{
	for (uint32_t i = 0; i < s->n_in; i++)
		if (c->edges[s->in + i].kind == EDGE_TIMER)
			return true;
	return false;
}

static void find_round(struct finding *k, const struct transaction_rule *rule, uint32_t segment)
{
	const struct causal *c = k->causal;
	const struct graph *g = c->g;
	const struct segment *s = &c->segments[segment];
	const struct graph_task *t = &g->tasks[s->task];
	uint32_t leader = graph_task_at(g, t->tgid, s->from_ns);
	const char *thread = graph_comm(g, s->task, s->from_ns);
	struct transaction x = { .source = TRANSACTION_TIMER,
				 .from_ns = s->from_ns,
				 .begin_task = s->task,
				 .end_task = s->task,
				 .request = GRAPH_NONE };
	char name[DESCRIBE_MAX];

	if (t->kthread || t->tracer || !transaction_rule_fits(rule->timer, thread) ||
	    !transaction_rule_fits(rule->program,
				   graph_comm(g, leader == GRAPH_NONE ? s->task : leader, s->from_ns)))
		return;
	x.to_ns = segment_work_end(c, segment);
	snprintf(name, sizeof(name), "timer of %s", thread);
	x.type = find_type(k, rule, name);
	if (x.type != GRAPH_NONE)
		find_add(k, &x);
}

void find_timers(struct finding *k, const struct transaction_rule *rule)
{
	if (!k->causal)
		k->err = causal_build(k->t->g, NULL, &k->causal);
	for (uint32_t i = 0; !k->err && i < k->causal->n_segments; i++) {
		const struct segment *s = &k->causal->segments[i];

		if (s->cut == CUT_IDLE && s->to_ns > s->from_ns && began_with_timer(k->causal, s))
			find_round(k, rule, i);
	}
}
