/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rulesarg.h - reads the file of `--rules`, which says what a transaction is. One thread. */
#ifndef CTRACE_CLI_ASK_RULESARG_H
#define CTRACE_CLI_ASK_RULESARG_H

#include "analysis/transactions/rules.h"

/* Appends the rules of the file. Returns an exit code, and prints its errors. In any case, the caller calls
 * transaction_rules_done(). */
int rulesarg_read(const char *path, struct transaction_rules *rules);

#endif
