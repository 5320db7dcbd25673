/* SPDX-License-Identifier: GPL-2.0-or-later */
/* body.h - private to analysis/patterns: the text of a pattern. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_PATTERNS_BODY_H
#define CTRACE_ANALYSIS_PATTERNS_BODY_H

#include "analysis/patterns/pattern.h"
#include "analysis/patterns/tally.h"

#define BODY_SYMBOLS_MAX 64   /* different symbols of one body that are looked at */
#define BODY_TEXT_MAX    1200 /* bytes; further items become "..." */

/* The different symbols of a candidate (tally.h), in order of their numbers. */
struct body_symbols {
	uint32_t v[BODY_SYMBOLS_MAX];
	size_t n;
	bool all; /* v has all symbols of the candidate */
};

void body_symbols(const struct tally *t, uint32_t candidate, struct body_symbols *ret);
bool body_within(const struct body_symbols *a, const struct body_symbols *b);
/* Returns true if the candidate is a rule of the grammar (sequitur.h) that only repeats one thing.
 * Such a rule is no pattern of its own. */
bool body_is_run(const struct tally *t, uint32_t candidate);
/* Sets text, key, example and n_variants. Returns 0 or -ENOMEM. */
int body_say(const struct tally *t, uint32_t candidate, struct pattern *p);

#endif
