/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.h - rules that say which work is a transaction. cli/ask/transactionrules.c reads them from a
 * file. Patterns are those of fnmatch(); NULL matches everything. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_RULES_H
#define CTRACE_ANALYSIS_TRANSACTIONS_RULES_H

#include "analysis/transactions/transaction.h"
#include "lib/vec.h"

/* The members that the source does not use are NULL or 0. */
struct transaction_rule {
	enum transaction_source source;
	char *name;    /* name of the type; NULL: the name of the mark, program, service, queue, thread, or
			  input and program */
	char *mark;    /* MARK: the begin mark; if `until` is NULL, also the end mark */
	char *until;   /* MARK: the end mark */
	char *program; /* PROCESS, JOB, INPUT, TIMER */
	char *cmdline; /* PROCESS */
	char *service; /* REQUEST */
	char *address; /* REQUEST */
	char *queue;   /* JOB */
	char *input;   /* INPUT: such as "key" (describe_input()) */
	char *timer;   /* TIMER: the name of the thread */
	uint32_t tid;  /* PROCESS: only this process; 0: any */
};

struct transaction_rules {
	VEC(struct transaction_rule) v;
};

void transaction_rules_done(struct transaction_rules *rules);
/* Returns a hash of the rules that can make transactions of the type `type`, in any order. 0: no such
 * rule. Two sets of rules with the same hash find the same transactions of this type. */
uint64_t transaction_rules_print(const struct transaction_rules *rules, const char *type);
/* Adds the rules for a trace without a file of rules. If the trace has marks, each pair of marks is a
 * transaction. If it has inputs, each press of a key or a button and each touch is one. If it has no
 * marks, the command that 'ctrace record' ran is a transaction too. Returns 0 or -ENOMEM. */
int transaction_rules_default(const struct graph *g, struct transaction_rules *rules);
bool transaction_rule_fits(const char *pattern, const char *text);

#endif
