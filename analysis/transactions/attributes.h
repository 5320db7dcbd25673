/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attributes.h - on which attributes, such as the CPU, the length of the transactions of a type depends.
 * Pure; any thread. */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_ATTRIBUTES_H
#define CTRACE_ANALYSIS_TRANSACTIONS_ATTRIBUTES_H

#include "analysis/transactions/transaction.h"

/* v: the n divided transactions of the type `type`, as indices into t->v. Sets the attributes of *ret. Leaves
 * out an attribute that has one value, or that has a value of its own for more than half of the transactions.
 * Returns 0 or -ENOMEM. The caller calls attributes_done() in both cases. */
int attributes_fill(struct transactions *t, uint32_t type, const uint32_t *v, size_t n,
		    struct transaction_type *ret);
void attributes_done(struct transaction_type *type);

/* Returns "cpu", "cgroup", "disk", "first" or "others". */
const char *attribute_name(uint8_t what);
#define ATTRIBUTE_WORDS_MAX 512
/* Writes which transactions have the value, such as "on CPU 3". Returns buf. */
const char *attribute_words(const struct transactions *t, uint8_t what, uint64_t value,
			    char buf[ATTRIBUTE_WORDS_MAX]);

#endif
