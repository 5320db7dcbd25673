/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transactions.h - the transactions of a trace, as text and as JSON. Times in JSON are
 * CLOCK_MONOTONIC nanoseconds. One thread. */
#ifndef CTRACE_CLI_TRANSACTIONS_TRANSACTIONS_H
#define CTRACE_CLI_TRANSACTIONS_TRANSACTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/transactions/transactions.h"

struct transactions_view {
	const struct transactions *t;
	const char *path;      /* of the trace, for the hint of the next command */
	const uint32_t *order; /* of the types, for text (cli/tablearg.h) */
	uint32_t limit;        /* of the number of types; 0: the default */
	bool all;              /* for text: all types, reasons and shapes */
};

/* The types of transactions, as JSON to stdout or as text to f. Both return an exit code. */
int render_transactions_json(const struct transactions_view *v);
int render_transactions(FILE *f, const struct transactions_view *v);
/* Prints each transaction as one line of JSON. Returns an exit code. */
int render_transactions_list(FILE *f, const struct transactions_view *v);

#define TRANSACTION_ID_MAX 32
/* Writes the id of a transaction: "17", or "0x64.." for a hash, or "" for none. Returns buf. */
const char *transaction_id(const struct transaction *x, char buf[TRANSACTION_ID_MAX]);

#endif
