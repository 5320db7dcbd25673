/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legs.h - private to analysis/transactions/: the times that make up a transaction, in order. In a
 * leg, one task has to work for the transaction, or the transaction waits in a queue or for another
 * host. (The legs of graph/path/legs.c are something else.)
 */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_LEGS_H
#define CTRACE_ANALYSIS_TRANSACTIONS_LEGS_H

#include "analysis/transactions/transaction.h"

struct transaction_leg {
	uint64_t from_ns, to_ns;
	uint32_t task; /* GRAPH_NONE: not known, or on another host */
	/* Of a transaction that is a request: each part of the request is one leg, and this is a copy
	 * of the part. Of other transactions: part.request is GRAPH_NONE. */
	struct part part;
	bool queued;
	bool outside; /* the transaction waits for the network or another host */
};
typedef VEC(struct transaction_leg) leg_list;

/* Appends the legs of a transaction that has ended. Returns 0 or -ENOMEM. */
int legs_of(const struct transactions *t, const struct transaction *x, leg_list *ret);

#endif
