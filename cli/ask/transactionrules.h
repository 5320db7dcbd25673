/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transactionrules.h - the text of a file with rules for transactions: JSON, ctrace.transaction-rules/1
 * (doc/json.md). The text may be hostile, so sizes are limited. No I/O. Any thread. */
#ifndef CTRACE_CLI_ASK_TRANSACTIONRULES_H
#define CTRACE_CLI_ASK_TRANSACTIONRULES_H

#include "analysis/transactions/rules.h"

#define TRANSACTIONRULES_SCHEMA    "ctrace.transaction-rules/1"
#define TRANSACTIONRULES_BYTES_MAX (1u << 20)
#define TRANSACTIONRULES_MAX       256 /* rules */
#define TRANSACTIONRULES_TEXT_MAX  256 /* bytes of the value of a member */
#define TRANSACTIONRULES_ERR_MAX   256

/* Appends the rules of a text. Returns 0, -EBADMSG or -ENOMEM. After an error, the caller still calls
 * transaction_rules_done(). After -EBADMSG, err says what is wrong, and where. */
int transactionrules_parse(const char *text, size_t size, struct transaction_rules *rules,
			   char err[TRANSACTIONRULES_ERR_MAX]);

#endif
