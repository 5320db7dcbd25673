/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transactions.h - the transactions of a window by type: how many, how slow, and why.
 *
 * A transaction begins and ends by a rule (rules.h). Its critical path is the exact path of the task
 * that begins it (graph/path/path.h). If another task ends it, the path is that of the task that ends
 * it; before this task was born, the path is that of the task that forked it. A request has the parts
 * of analysis/requests/parts.h in place of one path. A job waits in its queue; then the path is that of
 * its worker.
 *
 * The shape of a transaction is the sequence of parts (a program and a kind of time) on its path,
 * without small parts, and with repeats collapsed. Transactions of one type and one shape are a group.
 *
 * The ideas are those of AppInsight (Ravindranath et al., OSDI 2012): user transactions across
 * asynchronous calls, their critical paths, groups and outliers.
 *
 * Pure; any thread. The result refers to the graph and its window, which must live as long as the
 * result.
 */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTIONS_H
#define CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTIONS_H

#include "analysis/transactions/rules.h"

/* Finds the transactions that ended in [from_ns, to_ns), and those that began there and have no end.
 * The caller frees *ret with transactions_free(). Returns 0, -ENOMEM, or -E2BIG if there are more than
 * TRANSACTIONS_MAX of them, or too many requests. */
int transactions_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		      const struct transaction_rules *rules, struct transactions **ret);
void transactions_free(struct transactions *t);
/* Returns the index of the task that stands for the transaction: the one that begins it, or else the
 * one that ends it; GRAPH_NONE: none is known. */
uint32_t transaction_task(const struct transaction *x);

#endif
