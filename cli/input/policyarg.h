/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policyarg.h - how the causal graph is to be built, as options of a command.
 *
 * Functions return an exit code; what went wrong has been said.
 */
#ifndef CTRACE_CLI_INPUT_POLICYARG_H
#define CTRACE_CLI_INPUT_POLICYARG_H

#include "cli/cli.h"
#include "graph/causal/causal.h"

/* "ctrace", "panappticon", "appinsight". */
int policyarg_parse(const struct cli_usage *usage, const char *arg, enum causal_policy *ret);
/* "idle,peers": adds CUT_BIT() of each. */
int policyarg_cuts(const struct cli_usage *usage, const char *arg, uint32_t *cuts);

#endif
