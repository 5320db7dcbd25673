/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transaction_profile.h - the profile of transactions, which can be compared with others. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTION_PROFILE_H
#define CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTION_PROFILE_H

#include "analysis/profile/profile.h"
#include "analysis/transactions/transaction.h"

/* Makes one profile of n transactions that have ended (indices into t->v): their lengths, and their parts,
 * are added up. The caller frees *ret with profile_free(). Returns 0 or -ENOMEM. */
int transaction_profile(const struct transactions *t, const uint32_t *of, size_t n, struct profile **ret);

#endif
