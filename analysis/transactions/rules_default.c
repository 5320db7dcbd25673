// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/profile/profile.h"
#include "analysis/transactions/rules.h"

int transaction_rules_default(const struct graph *g, struct transaction_rules *rules)
{
	struct transaction_rule rule = { .source = TRANSACTION_MARK };
	uint64_t from_ns, to_ns;
	uint32_t command;

	/* A point is no transaction; for example, it may report a trace context. */
	for (size_t i = 0; i < g->w->n_events; i++)
		if (g->w->events[i].r.kind == CT_MARK && ct_mark_what(&g->w->events[i].r) != CT_MARK_POINT)
			return VEC_PUSH(&rules->v, rule);
	command = profile_command(g, &from_ns, &to_ns);
	if (command == GRAPH_NONE)
		return 0;
	rule.source = TRANSACTION_PROCESS;
	rule.tid = g->tasks[command].tid;
	return VEC_PUSH(&rules->v, rule);
}
