/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comparison.h - private to analysis/: where a chain gets stuck in a wait of
 * which nobody knows who should end it, or only by a guess, that wait is compared
 * with earlier ones like it, and the chain goes on with those who ended them.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_COMPARISON_H
#define CTRACE_ANALYSIS_DIAGNOSE_COMPARISON_H

#include "analysis/diagnose/root_cause.h"

/*
 * f: complete, its ending found.  normal: as it stands nothing is wrong; then only what is beyond doubt
 * changes it.  Sets f->missing, which the caller owns, and f->by_comparison when the chain was changed, of
 * which the ending is found again.  0 or -ENOMEM.
 */
int comparison_apply(struct findings *f, bool normal);

#endif
