/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transactions.h - the transactions of a window by type: how many, how slow, and why.
 *
 * A transaction begins and ends by a rule (rules.h). Its critical path depends on its source:
 *   mark, process, input, timer
 *                  the path (graph/path/path.h) of the task that ends it. The time before the birth
 *                  of this task is on the path of the task that forked it.
 *   request        the parts of analysis/requests/parts.h
 *   job            the wait in the queue, and then the path of the worker
 *
 * The shape of a transaction is the sequence of parts (a program and a kind of time) on its path,
 * without small parts, and with repeats collapsed. Transactions of one type and one shape are a group.
 *
 * The ideas are those of AppInsight (Ravindranath et al., OSDI 2012).
 *
 * Pure; any thread. The graph and its window must live as long as the result.
 */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTIONS_H
#define CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTIONS_H

#include "analysis/transactions/rules.h"

/* Finds the transactions in the window [from_ns, to_ns). filter NULL: as a filter of zeroes. The caller frees
 * *ret with transactions_free(). Returns 0, -ENOMEM, or -E2BIG if there are more than TRANSACTIONS_MAX
 * transactions, or too many requests, segments or edges. */
int transactions_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		      const struct transaction_rules *rules, const struct transactions_filter *filter,
		      struct transactions **ret);
void transactions_free(struct transactions *t);
/* Returns the task that begins the transaction; if unknown, the task that ends it, or GRAPH_NONE. */
uint32_t transaction_task(const struct transaction *x);

#endif
