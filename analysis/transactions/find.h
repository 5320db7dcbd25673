/* SPDX-License-Identifier: GPL-2.0-or-later */
/* find.h - private to analysis/transactions/: finds the transactions by the rules. */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_FIND_H
#define CTRACE_ANALYSIS_TRANSACTIONS_FIND_H

#include "analysis/inputs/inputs.h"
#include "analysis/transactions/rules.h"
#include "graph/causal/causal.h"

struct finding {
	struct transactions *t;
	const struct transaction_rules *rules;
	struct transactions_filter filter;
	/* the inputs of all kinds that a rule wants, once inputs_found is true */
	input_list inputs;
	bool inputs_found;
	struct causal *causal; /* NULL until a rule about a timer needs it */
	VEC(struct transaction) v;
	VEC(struct transaction_type) types;
	struct texts names; /* the source and name of each type */
	int err;
};

/* These functions add the transactions of one rule. Errors are in k->err. */
void find_marks(struct finding *k, const struct transaction_rule *rule);
void find_processes(struct finding *k, const struct transaction_rule *rule);
void find_requests(struct finding *k, const struct transaction_rule *rule);
void find_jobs(struct finding *k, const struct transaction_rule *rule);
void find_inputs(struct finding *k, const struct transaction_rule *rule);
void find_timers(struct finding *k, const struct transaction_rule *rule);

/* Returns the index of a type, and adds the type if it is new. The name of the type is rule->name. If the
 * rule has no name, it is the argument `name`. GRAPH_NONE: out of memory. */
uint32_t find_type(struct finding *k, const struct transaction_rule *rule, const char *name);
/* Returns true if k->filter.tasks is NULL or has one of these tasks. */
bool find_fits(const struct finding *k, uint32_t begin_task, uint32_t end_task);
/* Adds a transaction that is in [from_ns, to_ns) of k->t, in the sense of k->filter. Ignores other
 * transactions, transactions with the length 0, and those for whose tasks find_fits() is false. */
void find_add(struct finding *k, const struct transaction *x);

#endif
