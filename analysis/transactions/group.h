/* SPDX-License-Identifier: GPL-2.0-or-later */
/* group.h - private to analysis/transactions/: the figures of a group of transactions. */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_GROUP_H
#define CTRACE_ANALYSIS_TRANSACTIONS_GROUP_H

#include "analysis/transactions/transaction.h"

/* v: the n > 0 transactions of the group, as indices into t->v, sorted by latency. At most
 * TRANSACTION_DIVIDED transactions of a type are divided into parts: ret->parts comes only from these.
 * Returns 0 or -ENOMEM. The caller calls group_done() in both cases. */
int group_fill(const struct transactions *t, const uint32_t *v, size_t n, struct transaction_group *ret);
void group_done(struct transaction_group *group);

#endif
