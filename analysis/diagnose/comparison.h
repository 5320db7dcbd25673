/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comparison.h - private to analysis/: continues a chain by a comparison with earlier waits.
 *
 * A chain may end at a wait with no known owner, or pass a wait whose owner is a guess. Such a wait
 * is compared with earlier waits that are like it. If enough earlier waits are alike, the chain
 * goes on with the tasks that should have sent the missing wake-up (missing_wake_find.h).
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_COMPARISON_H
#define CTRACE_ANALYSIS_DIAGNOSE_COMPARISON_H

#include "analysis/diagnose/root_cause.h"

/*
 * Compares the waits of the chain of f with earlier waits. The caller has called root_cause_find()
 * before. `normal` is true if the chain so far says that nothing is wrong; then only a comparison
 * beyond doubt changes the chain. Sets f->missing to the comparison, or to NULL; the caller frees
 * it. If the chain changes, sets f->by_comparison and finds the root cause anew. Returns 0 or
 * -ENOMEM.
 */
int comparison_apply(struct findings *f, bool normal);

#endif
