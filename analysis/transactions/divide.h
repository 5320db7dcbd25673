/* SPDX-License-Identifier: GPL-2.0-or-later */
/* divide.h - private to analysis/transactions/: divides transactions into parts, and finds shapes. */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_DIVIDE_H
#define CTRACE_ANALYSIS_TRANSACTIONS_DIVIDE_H

#include "analysis/requests/reasons.h"
#include "analysis/transactions/transaction.h"

typedef VEC(struct transaction_part) transaction_parts;

/* Divides a transaction that has an end. Appends the parts to `parts`; they add up to the length
 * of the transaction. Sets x->first_part, n_parts, shape and truncated. Returns 0 or -ENOMEM. */
int divide(struct transactions *t, struct transaction *x, transaction_parts *parts);
/* Returns 0 or -ENOMEM. */
int divide_reasons(const struct transactions *t, const struct transaction *x, enum reason_group group,
		   struct reasons *k);

#endif
