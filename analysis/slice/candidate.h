/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate.h - private to analysis/: finds and ranks the edges that may have led to the act of a
 * segment. The act is the record by which the walk came to the segment: a send, a wake, a fork.
 * Pure; any thread.
 *
 * The candidates are all edges that arrived before the act. An edge that answers a request of the
 * segment itself is no candidate. The order of the candidates:
 *
 *   1. edges that a rule calls a cause
 *   2. strong edges; the nearest to the begin of the segment first; in the first segment of a task
 *      (CUT_FIRST), the nearest to the act first
 *   3. boosted edges, and then weak edges; among equally strong edges, a higher score first (the
 *      score depends on the age of the edge, and on how alike the stacks at its two ends are)
 *   4. handoffs of locks, and interrupts
 *   5. edges that a rule excludes
 */
#ifndef CTRACE_ANALYSIS_SLICE_CANDIDATE_H
#define CTRACE_ANALYSIS_SLICE_CANDIDATE_H

#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

/* The largest number of candidates of one segment. If there are more, the weakest are left out and
 * counted. Among equally strong candidates, those with the largest distance are left out. */
#define CANDIDATE_MAX 16

struct candidate {
	uint32_t edge;
	uint64_t distance_ns; /* how far the arrival of the edge is from the start of the segment, or from its
				 act; 0: the edge is known to be the cause */
	float score;          /* 0..1: how sure it is that the edge is a cause */
	float similarity;     /* how alike the stacks at the two ends of the edge are, 0..1;
				 negative: not known */
	enum edge_strength strength; /* the strength after the rules were applied */
	bool ruled_out;              /* a rule says that the edge is not a cause */
	bool ruled_in;               /* a rule says that the edge is a cause */
};

struct candidates {
	struct candidate v[CANDIDATE_MAX]; /* the best first; candidates that a rule excludes come
					      last */
	uint32_t n;
	uint32_t n_open;   /* candidates that are not ruled out */
	uint32_t n_strong; /* candidates that are strong and not ruled out */
	uint32_t n_follow; /* candidates that are worth following: weak edges only if no edge is strong;
			      handoffs of a lock and interrupts only if there is no other edge */
	bool ruled;        /* rules made the choice, or changed it */
	uint32_t refused;  /* candidates that were left out, because there were more than CANDIDATE_MAX */
};

/* The question of a walk: which edges led to the act of this segment at at_ns? */
struct candidate_query {
	const struct causal *c;
	const struct rules *rules;
	uint32_t segment;
	uint32_t record; /* the record of the act; GRAPH_NONE: not known */
	uint64_t at_ns;
	/* Returns true if the walk has visited the segment, so that edges from it are no
	 * candidates. May be NULL. */
	bool (*skip)(void *arg, uint32_t segment);
	void *arg;
};

void candidate_find(const struct candidate_query *q, struct candidates *ret);
/* Returns true if there are several ways to go on, and not exactly one of them is strong. */
bool candidate_ambiguous(const struct candidates *l);
/* Fills *ret with the facts about an edge. Rules are compared with these facts. */
void candidate_facts(const struct causal *c, uint32_t edge, struct rule_facts *ret);
/* Returns the id of the stack of the longest inspected wait of the segment. If there is no such
 * wait, returns that of its last sample. Returns 0 if no stack is known. */
uint64_t candidate_stack(const struct causal *c, uint32_t segment);
/* Returns how alike two stacks are: the number of user functions that both stacks have, divided by
 * the number of user functions of the longer stack (0..1). Returns a negative number if a stack is
 * not known. */
float candidate_stacks_alike(const struct graph *g, uint64_t a, uint64_t b);

#endif
