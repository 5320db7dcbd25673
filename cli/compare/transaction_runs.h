/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transaction_runs.h - the transactions of a trace, each as a run that can be compared. One thread. */
#ifndef CTRACE_CLI_COMPARE_TRANSACTION_RUNS_H
#define CTRACE_CLI_COMPARE_TRANSACTION_RUNS_H

#include "analysis/transactions/rules.h"
#include "cli/compare/baseline.h"
#include "cli/input/analysis_input.h"

struct transaction_pick {
	const char *type; /* the kind of transaction, as `ctrace transactions` names it */
	const struct transaction_rules *rules; /* no rules: those of transaction_rules_default() */
	size_t most;                           /* of a trace with more transactions, takes so many of them */
};

/*
 * Adds the transactions of this kind that began and ended in the window. Of more than pick->most
 * transactions, takes every second, or every third, and so on. Returns an exit code, and prints its errors.
 */
int transaction_runs_add(struct baseline *b, const struct analysis_input *in,
			 const struct transaction_pick *pick, const struct baseline_machine *machine);

#endif
