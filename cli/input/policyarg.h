/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policyarg.h - options for the causal graph. Functions print their errors and return an exit code. */
#ifndef CTRACE_CLI_INPUT_POLICYARG_H
#define CTRACE_CLI_INPUT_POLICYARG_H

#include "cli/cli.h"
#include "graph/causal/causal.h"

int policyarg_parse(const struct cli_usage *usage, const char *arg, enum causal_policy *ret);
/* Adds CUT_BIT() of each rule to *cuts. arg: names of enum cut_rule, such as "idle,peers". */
int policyarg_cuts(const struct cli_usage *usage, const char *arg, uint32_t *cuts);

#endif
