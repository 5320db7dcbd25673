/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate.h - private to analysis/: the edges that may have led to what a segment did, ranked.
 *
 * An edge is a candidate if it arrived before the segment sent the cause on, unless it answers a question of
 * the segment itself.  The order:
 *
 * 1. edges that a rule calls a cause
 * 2. strong edges, the nearest to the begin of the segment first
 * 3. weak edges: a hand-over of a mutex and an interrupt come last, a boosted edge before one that is not;
 *    then by likeness of stacks and recency
 * 4. edges that a rule excludes
 */
#ifndef CTRACE_ANALYSIS_SLICE_CANDIDATE_H
#define CTRACE_ANALYSIS_SLICE_CANDIDATE_H

#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

/* The most that are ranked for one segment.  Of more, the weakest are left out and counted, and among equals
 * those furthest from its start. */
#define CANDIDATE_MAX 16

struct candidate {
	uint32_t edge;
	uint64_t distance_ns; /* of its arrival from the start of the segment; 0: it is known to be the cause
			       */
	float score;          /* 0..1: how much it is to be believed */
	float similarity;     /* of the stacks, 0..1; negative: not known */
	enum edge_strength strength; /* rules applied */
	bool ruled_out;              /* a rule says that it is not a cause */
	bool ruled_in;               /* a rule says that it is */
};

struct candidates {
	struct candidate v[CANDIDATE_MAX]; /* best first, those ruled out last */
	uint32_t n;
	uint32_t n_open;   /* not ruled out */
	uint32_t n_strong; /* of those */
	uint32_t n_follow; /* worth following: beside a strong edge, a weak one is not */
	bool ruled;        /* a rule changed what there is to choose from */
	uint32_t refused;  /* beyond CANDIDATE_MAX */
};

/* The place of the walk: which edges led to what this segment did up to at_ns? */
struct candidate_query {
	const struct causal *c;
	const struct rules *rules;
	uint32_t segment;
	uint32_t record; /* by which it sent the cause on; GRAPH_NONE: not known */
	uint64_t at_ns;
	/* True for segments that the walk has visited: edges from them are no candidates. */
	bool (*skip)(void *arg, uint32_t segment);
	void *arg;
};

void candidate_find(const struct candidate_query *q, struct candidates *ret);
/* There is more than one way to go on, and not exactly one that is strong. */
bool candidate_ambiguous(const struct candidates *l);
/* The facts about an edge that a rule is compared with. */
void candidate_facts(const struct causal *c, uint32_t edge, struct rule_facts *ret);
/* The id of the stack of the longest inspected wait of the segment, else of its last sample; 0: none. */
uint64_t candidate_stack(const struct causal *c, uint32_t segment);
/* The number of user functions that both stacks have, divided by that of the longer stack: 0..1; negative: a
 * stack is not known. */
float candidate_stacks_alike(const struct graph *g, uint64_t a, uint64_t b);

#endif
