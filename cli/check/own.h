/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.h - the time of a command without the time that other programs took from it. Pure; any thread. */
#ifndef CTRACE_CLI_CHECK_OWN_H
#define CTRACE_CLI_CHECK_OWN_H

#include "cli/compare/baseline.h"

/* Adds copies of the traced runs of b to *ret, without the parts of the class ENVIRONMENT. Call
 * baseline_done(ret) after failure too. Returns 0, -ENOMEM or -E2BIG. */
int own_runs(const struct baseline *b, struct baseline *ret);

#endif
