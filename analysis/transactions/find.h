/* SPDX-License-Identifier: GPL-2.0-or-later */
/* find.h - private to analysis/transactions/: finds the transactions by the rules. */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_FIND_H
#define CTRACE_ANALYSIS_TRANSACTIONS_FIND_H

#include "analysis/transactions/rules.h"

struct finding {
	struct transactions *t;
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

/* Returns the index of the type; GRAPH_NONE if out of memory. name: that of the rule if it has one. */
uint32_t find_type(struct finding *k, const struct transaction_rule *rule, const char *name);
/* Adds a transaction, unless it lies outside of the window. */
void find_add(struct finding *k, const struct transaction *x);

#endif
