/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CTRACE_ANALYSIS_CRASHES_CRASHES_PRIVATE_H
#define CTRACE_ANALYSIS_CRASHES_CRASHES_PRIVATE_H

#include "analysis/crashes/crashes.h"

/* Returns the sentence, which the caller frees. NULL: out of memory. */
char *crash_sentence(const struct crashes *cs, const struct crash *c);

#endif
