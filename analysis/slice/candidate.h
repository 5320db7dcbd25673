/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate.h - private to analysis/: finds and ranks the edges that may have led to the act of a
 * segment. The act is the record by which the walk came to the segment: a send, a wake, a fork.
 * Pure; any thread.
 *
 * The candidates are the edges that arrived in the segment up to the time of the act, except:
 *
 *   - edges from the segment itself, and from segments that the walk has visited
 *   - edges that answer a request of the segment itself; but an edge that is the act, or that
 *     started the segment, stays
 *   - strong edges that add nothing to a better one (is_same_way() and merge() in candidate.c)
 *   - the weakest edges, if there are more than CANDIDATE_MAX
 *
 * The order of the candidates:
 *
 *   1. edges that a rule calls a cause
 *   2. strong edges; the smallest distance (distance_ns) first
 *   3. boosted edges, then weak edges; among boosted edges, and among weak edges, the highest score
 *      first
 *   4. handoffs of locks, and interrupts, if they are boosted or weak
 *   5. edges that a rule excludes
 */
#ifndef CTRACE_ANALYSIS_SLICE_CANDIDATE_H
#define CTRACE_ANALYSIS_SLICE_CANDIDATE_H

#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

/* The largest number of candidates of one segment. If there are more, the weakest are left out and
 * counted. Among candidates of equal strength, those with the largest distance are left out. */
#define CANDIDATE_MAX 16

struct candidate {
	uint32_t edge;
	uint64_t distance_ns;        /* 0: the arrival of the edge is the act; 1: the edge started
					the segment; else the time from the start of the segment to
					the arrival, or from the arrival to the act (distance() in
					candidate.c), plus 2 */
	float score;                 /* 0..1: how sure it is that the edge is a cause */
	float similarity;            /* how alike the stacks at the two ends of the edge are, 0..1;
					negative: not known */
	enum edge_strength strength; /* the strength of the edge; but strong if a rule calls it a
					cause, or if it is the timer of a sleep whose end began the
					segment */
	bool ruled_out;              /* a rule says that the edge is not a cause */
	bool ruled_in;               /* a rule says that the edge is a cause */
};

struct candidates {
	struct candidate v[CANDIDATE_MAX]; /* the best first; candidates that a rule excludes come
					      last */
	uint32_t n;
	uint32_t n_open;   /* open candidates: those that are not ruled out */
	uint32_t n_strong; /* candidates that are strong and not ruled out */
	uint32_t n_follow; /* candidates that are worth following: the first n_follow of v. If an
			      open candidate is strong, only the open strong ones. Otherwise no
			      handoffs of locks and no interrupts, except if all open candidates are
			      such */
	bool ruled;        /* rules matched, and without them there would be a choice, or another
			      result */
	uint32_t refused;  /* candidates that were left out, because there were more than CANDIDATE_MAX */
};

/* The question of a walk: which edges led to the act that `segment` made at at_ns? */
struct candidate_query {
	const struct causal *c;
	const struct rules *rules;
	uint32_t segment;
	uint32_t record; /* the record of the act; GRAPH_NONE: not known */
	uint64_t at_ns;
	/* Returns true if edges from `segment` are no candidates, because the walk has visited this
	 * segment. May be NULL. */
	bool (*skip)(void *arg, uint32_t segment);
	void *arg;
};

void candidate_find(const struct candidate_query *q, struct candidates *ret);
/* Returns true if there are several open candidates, and none or more than one of them is
 * strong. */
bool candidate_ambiguous(const struct candidates *l);
/* Fills *ret with the facts about an edge. Rules are compared with these facts. */
void candidate_facts(const struct causal *c, uint32_t edge, struct rule_facts *ret);
/* Returns the id of the stack of the longest inspected wait of the segment. If there is no such
 * stack, returns the id of the stack of the last sample in the segment. Returns 0 if no stack is
 * known. */
uint64_t candidate_stack(const struct causal *c, uint32_t segment);
/* Returns how alike the stacks a and b are: the number of user functions that both stacks have,
 * divided by the number of user functions of the stack that has more of them (0..1). Returns a
 * negative number if one of the stacks is not known, or has no user function. */
float candidate_stacks_alike(const struct graph *g, uint64_t a, uint64_t b);

#endif
