/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing_wake_words.h - private to analysis/: says the result of a comparison in words. */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_WORDS_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_WORDS_H

#include "analysis/compare/missing_wake.h"

/* Makes the sentence, which the caller frees. Returns NULL if out of memory. */
char *missing_wake_words(const struct graph *g, const struct missing_wake *m);

#endif
