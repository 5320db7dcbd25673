/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate.h - private to analysis/: finds and ranks the edges that may have led to the act of a
 * segment. The act is the record by which the walk came to the segment: a send, a wake, a fork.
 * Pure; any thread.
 *
 * A strong edge is certain. A weak edge is a guess. A boosted edge is a guess with a further sign for
 * it, such as stacks that are alike. The edges have this order:
 * 1. edges that a rule calls a cause;
 * 2. strong edges, the nearest first;
 * 3. boosted edges;
 * 4. weak edges;
 * 5. boosted and weak edges of lock handoffs and of interrupts;
 * 6. edges that a rule excludes.
 */
#ifndef CTRACE_ANALYSIS_SLICE_CANDIDATE_H
#define CTRACE_ANALYSIS_SLICE_CANDIDATE_H

#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

/* Beyond this number, the weakest candidates are left out and counted. */
#define CANDIDATE_MAX 16

struct candidate {
	uint32_t edge;
	uint64_t distance_ns; /* smallest for the nearest edge; see distance() in candidate.c */
	float score;
	/* how alike the stacks at both ends of the edge are, 0..1; negative: not known */
	float similarity;
	/* Strong also if a rule calls the edge a cause, or if the edge is a timer that ended a
	 * sleep at the begin of the segment. */
	enum edge_strength strength;
	bool ruled_out;
	bool ruled_in;
};

struct candidates {
	struct candidate v[CANDIDATE_MAX];
	uint32_t n;
	uint32_t n_open;
	uint32_t n_strong;
	uint32_t n_follow; /* the first n_follow of v are worth following */
	bool ruled;
	uint32_t refused;
};

struct candidate_query {
	const struct causal *c;
	const struct rules *rules;
	uint32_t segment;
	uint32_t record;
	uint64_t at_ns;
	/* Returns true if the walk has visited `segment`. May be NULL. */
	bool (*skip)(void *arg, uint32_t segment);
	void *arg;
};

void candidate_find(const struct candidate_query *q, struct candidates *ret);
/* Returns true if it is not clear which candidate to follow: the rules leave two or more, and none
 * of them or several of them are strong. */
bool candidate_ambiguous(const struct candidates *l);
void candidate_facts(const struct causal *c, uint32_t edge, struct rule_facts *ret);
/* Returns the stack of the longest inspected wait of the segment; else of its last sample; else 0. */
uint64_t candidate_stack(const struct causal *c, uint32_t segment);
/* Returns the share of user functions that both stacks have, 0..1; negative: not known. */
float candidate_stacks_alike(const struct graph *g, uint64_t a, uint64_t b);
/* Like candidate_stacks_alike(), for stacks that may come from two traces, or be NULL. */
float candidate_frames_alike(const struct window_stack *x, const struct window_stack *y);

#endif
