/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transaction_runs.h - the transactions of a trace as runs that can be compared. One thread. */
#ifndef CTRACE_CLI_COMPARE_TRANSACTION_RUNS_H
#define CTRACE_CLI_COMPARE_TRANSACTION_RUNS_H

#include "analysis/transactions/rules.h"
#include "cli/compare/baseline.h"
#include "cli/input/analysis_input.h"

struct transaction_pick {
	const char *type; /* the kind of transaction, as `ctrace transactions` names it */
	const struct transaction_rules *rules; /* no rules: those of transaction_rules_default() */
	/* Each transaction is a run; but of a trace with more than so many, every second, or every third, and
	 * so on. 0: all transactions of the trace together are one run. */
	size_t most;
};

/* Adds the transactions of this kind that began and ended in the window. Returns an exit code, and prints its
 * errors. */
int transaction_runs_add(struct baseline *b, const struct analysis_input *in,
			 const struct transaction_pick *pick, const struct baseline_machine *machine);
/* Writes what a run is (struct baseline). With rules, this includes a hash of those rules that matter, so
 * that runs found by other rules are runs of another unit. Returns buf. */
const char *transaction_runs_unit(const struct transaction_pick *pick, char buf[PART_TEXT_MAX]);

#endif
