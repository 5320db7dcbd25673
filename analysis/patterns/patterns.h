/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patterns.h - finds the patterns of a sequence (sequence.h): events, or rows of events, that its
 * transactions repeat. The count of a pattern is how often it occurs in one transaction. If the count
 * grows from transaction to transaction, this predicts a performance problem before the data is large
 * (SunCat: Nistor and Ravindranath, ISSTA 2014).
 *
 * A pattern is one of these:
 * - one symbol, which stands for one kind of event;
 * - the body of a loop (fold.h): symbols that are repeated side by side;
 * - a rule of the grammar (sequitur.h) of all transactions: symbols that occur together in two or more
 *   places.
 * One event may be a part of several patterns.
 *
 * Pure; any thread. A result owns all that it has.
 */
#ifndef CTRACE_ANALYSIS_PATTERNS_PATTERNS_H
#define CTRACE_ANALYSIS_PATTERNS_PATTERNS_H

#include "analysis/patterns/pattern.h"
#include "analysis/patterns/sequence.h"

#define PATTERNS_MAX 10000

struct patterns {
	struct pattern *v; /* growing patterns first, and of these the surest */
	size_t n;
	size_t left_out; /* patterns beyond PATTERNS_MAX */
	size_t n_transactions, n_events;
	uint64_t ns;
	uint64_t refused; /* events, symbols and loops that a limit left out */
};

/* Finds the patterns that occur at least min_count times in some transaction. If min_count is 2 or
 * more, leaves out a pattern that is a part of another one with the same counts. The caller frees
 * *ret with patterns_free(). Returns 0, -ENOMEM or -E2BIG. */
int patterns_find(const struct sequence *q, uint32_t min_count, struct patterns **ret);
void patterns_free(struct patterns *p);

/* A pattern whose mean count per transaction differs between two traces. */
struct pattern_change {
	const struct pattern *before, *now; /* NULL: this trace does not have the pattern */
	double was, is;                     /* the mean count before and now */
};
/* Compares two results of patterns_find() with min_count 1. The largest change comes first. A body of
 * several symbols is a pattern only in a trace that repeats it. In another trace, its mean count is 0,
 * even if the body occurs there once. The caller frees *ret, which refers to both results. Returns 0 or
 * -ENOMEM. */
int patterns_compare(const struct patterns *before, const struct patterns *now, struct pattern_change **ret,
		     size_t *ret_n);

#endif
