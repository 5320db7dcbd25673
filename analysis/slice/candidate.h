/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate.h - private to analysis/: the edges that may have led to what a segment
 * did, ranked.
 *
 * An edge is a lead when it arrived before the segment sent the cause on.  What
 * came in answer to something that the segment had asked itself is none.  Order:
 * what a person called a cause, strong, boosted, weak; of the strong the one nearest to
 * where the segment begins; of the weak by kind (a hand-over of a mutex or an
 * interrupt is happenstance), likeness of stacks and recency.
 */
#ifndef CTRACE_ANALYSIS_SLICE_CANDIDATE_H
#define CTRACE_ANALYSIS_SLICE_CANDIDATE_H

#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

/* As many are ranked for one segment; those beyond (the weakest, and of those the furthest from its start)
 * are counted. */
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
	uint32_t n_follow; /* worth following: a weak one is not where there is a strong one */
	bool ruled;        /* a rule changed what there is to choose from */
	uint32_t refused;  /* beyond CANDIDATE_MAX */
};

/* Where the walk is: what led to what this segment did up to at_ns? */
struct candidate_query {
	const struct causal *c;
	const struct rules *rules;
	uint32_t segment;
	uint32_t record; /* by which it sent the cause on; GRAPH_NONE: not known */
	uint64_t at_ns;
	/* Segments that are no leads (any more). */
	bool (*skip)(void *arg, uint32_t segment);
	void *arg;
};

void candidate_find(const struct candidate_query *q, struct candidates *ret);
/* There is more than one way to go on, and not exactly one that is strong. */
bool candidate_ambiguous(const struct candidates *l);
/* What a rule is held against. */
void candidate_facts(const struct causal *c, uint32_t edge, struct rule_facts *ret);
/* The stack that says most of what a segment did: of its longest visited wait, else a sample; 0 none. */
uint64_t candidate_stack(const struct causal *c, uint32_t segment);
/* The user's part of the shorter stack that is in the other one as well, of the longer one: 0..1; negative:
 * one of them is not known. */
float candidate_stacks_alike(const struct graph *g, uint64_t a, uint64_t b);

#endif
