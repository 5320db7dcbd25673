/* SPDX-License-Identifier: GPL-2.0-or-later */
/* take.h - makes a profile or a file from the trace of a run. The functions print their errors, and return
 * CLI_OK or CLI_FAILED. One thread. */
#ifndef CTRACE_CLI_CHECK_TAKE_H
#define CTRACE_CLI_CHECK_TAKE_H

#include "cli/check/runner.h"
#include "cli/compare/baseline.h"
#include "cli/compare/transaction_runs.h"

/* Adds the profile of the command, or of the transactions that pick names (pick->type not NULL), to b. Frees
 * the trace of the run. Warns once (then *told is true) of missing records or of a critical path that is too
 * long. */
int take_profile(struct baseline *b, struct run *run, const struct transaction_pick *pick, bool *told);
int take_keep(struct reader *trace, const char *path, bool redact);

#endif
