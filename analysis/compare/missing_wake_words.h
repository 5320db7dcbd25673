/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing_wake_words.h - private to analysis/: says the result of a comparison in words. */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_WORDS_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_WORDS_H

#include "analysis/compare/missing_wake.h"

/* The caller frees the text. NULL: out of memory. */
char *missing_wake_words(const struct graph *g, const struct missing_wake *m);

#endif
