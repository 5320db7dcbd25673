/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pattern.h - one pattern, as patterns_find() returns it. */
#ifndef CTRACE_ANALYSIS_PATTERNS_PATTERN_H
#define CTRACE_ANALYSIS_PATTERNS_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#define PATTERNS_COUNTS 64 /* transactions with a count of their own in struct pattern */

struct pattern {
	char *text; /* the body; "(a; b)^2..5" in it is a loop of 2 to 5 turns */
	char *key;  /* the body without counts: the same for this pattern in every trace */
	/* A variant is a detail in which events of one symbol may differ, such as the size of a message.
	 * example: one variant of one symbol in the body; "" if there is none. */
	char *example;
	uint32_t n_variants; /* variants of the symbol that `example` is from */
	uint64_t total;
	uint64_t min, max; /* the smallest and the largest count in one transaction */
	uint64_t in_a_row; /* the most occurrences that follow each other without a gap */
	/* The mean counts in the first third and in the last third of the transactions. If there are only
	 * one or two transactions, these are the counts in the first one and in the last one. */
	double first, last;
	/* Spearman's rank correlation between the counts and the order of the transactions; 0: none */
	double correlation;
	bool grows;
	bool single; /* the body is one symbol */
	uint64_t events, ns;
	uint32_t counts[PATTERNS_COUNTS]; /* [transaction]; only for the first transactions */
};

#endif
