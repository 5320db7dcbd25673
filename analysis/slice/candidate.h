/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate.h - private to analysis/: finds and ranks the edges that may have led to the act of a
 * segment. Pure; any thread.
 *
 * An edge is a candidate if it arrived before the segment sent the cause on, unless it answers a
 * question of the segment itself. The order:
 *
 * 1. edges that a rule calls a cause
 * 2. strong edges, the nearest to the begin of the segment first
 * 3. weak edges: a boosted edge comes before one that is not; a handoff of a mutex and an interrupt
 *    come last; edges that are equal in this are ranked by how alike the stacks are, and by age
 * 4. edges that a rule excludes
 */
#ifndef CTRACE_ANALYSIS_SLICE_CANDIDATE_H
#define CTRACE_ANALYSIS_SLICE_CANDIDATE_H

#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

/* The largest number of candidates of one segment. If there are more, the weakest are left out and
 * counted; among equal ones, those that are furthest from the start of the segment. */
#define CANDIDATE_MAX 16

struct candidate {
	uint32_t edge;
	uint64_t distance_ns; /* from the start of the segment to the arrival of the edge; 0: the edge is
				 known to be the cause */
	float score;          /* 0..1: how sure the edge is */
	float similarity;     /* how alike the stacks are, 0..1; negative: not known */
	enum edge_strength strength; /* the strength after the rules were applied */
	bool ruled_out;              /* a rule says that the edge is not a cause */
	bool ruled_in;               /* a rule says that the edge is a cause */
};

struct candidates {
	struct candidate v[CANDIDATE_MAX]; /* the best first; those that are ruled out last */
	uint32_t n;
	uint32_t n_open;   /* how many are not ruled out */
	uint32_t n_strong; /* how many of these are strong */
	uint32_t n_follow; /* how many are worth following: beside a strong edge, a weak one is not */
	bool ruled;        /* a rule has changed the choice */
	uint32_t refused;  /* how many were left out beyond CANDIDATE_MAX */
};

/* The question of a walk: which edges led to the act of this segment at at_ns? */
struct candidate_query {
	const struct causal *c;
	const struct rules *rules;
	uint32_t segment;
	uint32_t record; /* the record by which the segment sent the cause on; GRAPH_NONE: not known */
	uint64_t at_ns;
	/* True for segments that the walk has visited: edges from them are no candidates. */
	bool (*skip)(void *arg, uint32_t segment);
	void *arg;
};

void candidate_find(const struct candidate_query *q, struct candidates *ret);
/* True: there are several ways to go on, and not exactly one of them is strong. */
bool candidate_ambiguous(const struct candidates *l);
/* Fills in the facts about an edge with which rules are compared. */
void candidate_facts(const struct causal *c, uint32_t edge, struct rule_facts *ret);
/* The id of the stack of the longest inspected wait of the segment, else of its last sample; 0: none. */
uint64_t candidate_stack(const struct causal *c, uint32_t segment);
/* The number of user functions that both stacks have, divided by that of the longer stack: 0..1; negative: a
 * stack is not known. */
float candidate_stacks_alike(const struct graph *g, uint64_t a, uint64_t b);

#endif
