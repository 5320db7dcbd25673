/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transaction_profile.h - the profile of one transaction, which can be compared with others. Pure; any
 * thread. */
#ifndef CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTION_PROFILE_H
#define CTRACE_ANALYSIS_TRANSACTIONS_TRANSACTION_PROFILE_H

#include "analysis/profile/profile.h"
#include "analysis/transactions/transaction.h"

/* Makes the profile of a transaction that has ended. The caller frees *ret with profile_free(). Returns 0 or
 * -ENOMEM. */
int transaction_profile(const struct transactions *t, const struct transaction *x, struct profile **ret);

#endif
