/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comparison.h - private to analysis/: continues a chain at a wait whose owner is unknown or
 * guessed. Compares the wait with earlier waits, or with waits of another trace. The chain goes on
 * with the tasks that should have sent the missing wake-up (missing_wake_find.h).
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_COMPARISON_H
#define CTRACE_ANALYSIS_DIAGNOSE_COMPARISON_H

#include "analysis/diagnose/root_cause.h"

/*
 * Call root_cause_find() first. normal: true if, without a comparison, the stall counts as normal. In
 * this case, only a comparison beyond doubt changes the chain. If the chain changes, sets
 * f->by_comparison and finds the root cause anew. Sets f->missing to the result of the comparison, or
 * leaves it NULL. The caller frees f->missing. Returns 0 or -ENOMEM.
 */
int comparison_apply(struct findings *f, bool normal);
/* As comparison_apply(), but compares with waits of another trace, f->against->good. Does nothing if
 * f->missing is set. Here it does not matter whether the stall counts as normal: in the other trace, the
 * same program did not wait so long. */
int comparison_against(struct findings *f);

#endif
