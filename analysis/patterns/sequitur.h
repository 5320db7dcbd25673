/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sequitur.h - a grammar that produces exactly one sequence (Nevill-Manning and Witten: "Identifying
 * Hierarchical Structure in Sequences", JAIR 7, 1997). Its two invariants:
 *   digram uniqueness: no digram (a pair of neighbours) stands twice in the rules, unless the two
 *                      overlap ("aaa")
 *   rule utility: each rule but the first is used twice or more
 * The time is linear in the length of the sequence. Nothing is recursive.
 *
 * Pure; one thread at a time for each struct sequitur.
 */
#ifndef CTRACE_ANALYSIS_PATTERNS_SEQUITUR_H
#define CTRACE_ANALYSIS_PATTERNS_SEQUITUR_H

#include <stddef.h>
#include <stdint.h>

#include "lib/map.h"
#include "lib/vec.h"

#define SEQUITUR_RULE 0x80000000U /* a value from here on is the rule (value - SEQUITUR_RULE) */
#define SEQUITUR_MAX  (1U << 26)  /* values in a sequence */

struct sequitur_place {
	uint32_t value;
	/* The neighbours in the rule. The places of a rule and its head form a ring: the head comes
	 * before the first place and after the last one. */
	uint32_t prev, next;
	/* If the value is a rule: other places with this value; 0: none. In the head of a rule,
	 * use_prev is the index of the rule. */
	uint32_t use_prev, use_next;
};

struct sequitur_rule {
	uint32_t head; /* a place without a value; 0: the rule does not exist any more */
	uint32_t uses, first_use;
};

/* A zeroed structure is empty. All members are private. */
struct sequitur {
	VEC(struct sequitur_place) places; /* places.v[0] is not used */
	VEC(struct sequitur_rule) rules;
	VEC(uint32_t) checks; /* places whose digram may stand elsewhere too */
	VEC(uint32_t) rare;   /* rules that perhaps have only one use */
	VEC(uint32_t) unused;
	struct map digrams;
	size_t n;
};

/* Appends a value below SEQUITUR_RULE. Returns 0, -EINVAL, -E2BIG after SEQUITUR_MAX values, or
 * -ENOMEM. After -ENOMEM, the caller can only call sequitur_done(). */
int sequitur_add(struct sequitur *s, uint32_t value);
void sequitur_done(struct sequitur *s);

/* The rules, numbered anew: values[first[i] .. first[i + 1]) is rule i. Rule 0 is the sequence. */
struct grammar {
	uint32_t *values;
	uint32_t *first;
	size_t n_rules;
};

/* Returns 0 or -ENOMEM. The caller calls grammar_done(). */
int sequitur_grammar(const struct sequitur *s, struct grammar *ret);
void grammar_done(struct grammar *g);

#endif
