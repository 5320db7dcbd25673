/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing_words.h - private to analysis/: a comparison in words. */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WORDS_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WORDS_H

#include "analysis/compare/missing.h"

/* malloc; NULL: out of memory. */
char *missing_words(const struct graph *g, const struct missing *m);

#endif
