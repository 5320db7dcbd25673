/* SPDX-License-Identifier: GPL-2.0-or-later */
/* against_words.h - private to analysis/: says the result of a comparison with another trace. */
#ifndef CTRACE_ANALYSIS_COMPARE_AGAINST_WORDS_H
#define CTRACE_ANALYSIS_COMPARE_AGAINST_WORDS_H

#include "analysis/compare/across.h"
#include "analysis/compare/against.h"
#include "analysis/compare/missing_wake_steps.h"

/* Sets a->text and a->brief. h: NULL if the result is AGAINST_NO_TASK or AGAINST_NO_WAIT. Returns 0
 * or -ENOMEM. */
int against_words(const struct graph *g, const struct missing_wake *m, const struct hops *h,
		  struct against *a);

#endif
