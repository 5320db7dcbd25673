// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const char *transaction_source_name(enum transaction_source source)
{
	static const char *const names[TRANSACTION_SOURCES] = { "mark", "process", "request", "job" };

	return names[source];
}

void transaction_rules_done(struct transaction_rules *rules)
{
	for (size_t i = 0; i < rules->v.n; i++) {
		struct transaction_rule *r = &rules->v.v[i];

		free(r->name);
		free(r->mark);
		free(r->until);
		free(r->program);
		free(r->cmdline);
		free(r->service);
		free(r->address);
		free(r->queue);
	}
	VEC_FREE(&rules->v);
}

bool transaction_rule_fits(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text, 0) == 0;
}

/* Returns the main thread of the command that 'ctrace record' ran: its parent belongs to ctrace, and
 * it does not. GRAPH_NONE: there is none. */
static uint32_t recorded_command(const struct graph *g)
{
	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (!t->tracer && t->born_ns && t->tid == t->tgid && t->parent != GRAPH_NONE &&
		    g->tasks[t->parent].tracer)
			return i;
	}
	return GRAPH_NONE;
}

int transaction_rules_default(const struct graph *g, struct transaction_rules *rules)
{
	struct transaction_rule rule = { .source = TRANSACTION_MARK };
	uint32_t command;

	for (size_t i = 0; i < g->w->n_events; i++)
		if (g->w->events[i].r.kind == CT_MARK)
			return VEC_PUSH(&rules->v, rule);
	command = recorded_command(g);
	if (command == GRAPH_NONE)
		return 0;
	rule.source = TRANSACTION_PROCESS;
	rule.tid = g->tasks[command].tid;
	return VEC_PUSH(&rules->v, rule);
}
