/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pattern.h - the structure for one pattern. patterns.h makes it. */
#ifndef CTRACE_ANALYSIS_PATTERNS_PATTERN_H
#define CTRACE_ANALYSIS_PATTERNS_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#define PATTERNS_COUNTS 64 /* transactions with a count of their own in struct pattern */

struct pattern {
	char *text;    /* the body; "(a; b)^2..5" stands for a loop inside with 2 to 5 turns */
	char *key;     /* the body without counts: the same for this pattern in every trace */
	char *example; /* a variant of the first symbol that has several; "" if none has */
	uint32_t n_variants;
	uint64_t total;    /* in all transactions */
	uint64_t min, max; /* in one transaction */
	uint64_t in_a_row; /* the most turns of one loop */
	/* The mean count of the first and of the last transactions: of a third of them, or of one.
	 */
	double first, last;
	double correlation; /* Spearman's, of the count with the number of the transaction; 0: none */
	bool grows;
	bool single; /* the body is one symbol */
	uint64_t events, ns;
	uint32_t counts[PATTERNS_COUNTS]; /* in the first transactions */
};

#endif
