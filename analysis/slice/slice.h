/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.h - walks along the edges of the causal graph, backward to the origin of a segment's work,
 * or forward to all its effects.
 *
 * The backward walk gives a path. At each segment, the walk takes the edge that started the
 * segment. A strong edge comes before a boosted one, and a boosted edge before a weak one. If only
 * weak edges are left, or several edges are equal, these edges are ranked by strength, by how alike
 * the stacks at their two ends are, and by age. A beam search follows these edges, and the walk
 * takes the path with the best score. The result lists each choice with its other options. An edge
 * that answers a request of the segment itself is not followed.
 *
 * The forward walk gives a tree: all effects, along strong edges and edges that a rule calls a
 * cause. Both walks are deterministic. (Path slicing: Argus, Weng, Huang, Yang, USENIX ATC 2021,
 * section 4.)
 *
 * Pure; any thread, but only one thread at a time may use a struct rules. The result owns its
 * arrays.
 */
#ifndef CTRACE_ANALYSIS_SLICE_SLICE_H
#define CTRACE_ANALYSIS_SLICE_SLICE_H

#include "analysis/slice/ask.h"
#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

enum slice_direction { SLICE_BACKWARD, SLICE_FORWARD };

/* The decider of a choice: the ranking, a rule, a person. */
enum slice_decider { SLICE_BY_RANK, SLICE_BY_RULE, SLICE_BY_PERSON };

struct slice_option {
	uint32_t edge;
	float score;      /* 0..1: how sure it is that the edge is a cause */
	float similarity; /* how alike the stacks at the two ends of the edge are, 0..1; negative:
			     not known */
	bool ruled_out;   /* a rule says that the edge is not a cause */
};

/* A choice is listed in two cases: rules decided it; or several edges were left after the rules,
 * and not exactly one of them was strong. */
struct slice_choice {
	uint32_t step; /* index of the step at which the choice was made */
	/* the place of the options of this choice in slice.options: the best option first; options
	 * that a rule excludes come last */
	uint32_t first_option, n_options;
	uint32_t chosen; /* index of the chosen option among these options; GRAPH_NONE: none was
			    chosen, and the walk ended here */
	enum slice_decider decider;
};

struct slice_step {
	uint32_t segment;
	uint32_t parent; /* index of the step before; GRAPH_NONE in the first step */
	uint32_t edge;   /* the edge between the step before and this step; GRAPH_NONE in the first
			    step */
	uint64_t at_ns; /* backward: the time of the act of the segment (candidate.h); forward: when the cause
			   reached the segment */
	float score;    /* the score of the way up to this step; 1: all edges are strong */
};

enum slice_end {
	SLICE_END_ROOT,    /* no edge leads to the segment: the origin is in this segment, or before
			      the window */
	SLICE_END_OUTSIDE, /* the origin is a timer, a device, the network, or a person's input */
	SLICE_END_REFUSED, /* a rule or a person ruled out all ways to go on */
	SLICE_END_LIMIT,   /* the walk has taken max_steps */
	SLICE_END_STOPPED, /* the person asked to stop */
	SLICE_END_DONE,    /* forward: all effects are listed */
};

struct slice_options {
	enum slice_direction direction;
	uint32_t beam;         /* width of the beam search; 0: SLICE_BEAM */
	uint32_t max_steps;    /* the most steps of a walk; 0: SLICE_MAX_STEPS */
	struct rules *rules;   /* NULL: no rules. Answers that a person wants to keep are added to
				  the rules */
	const struct ask *ask; /* NULL: ask nobody, and take the best option */
};
#define SLICE_BEAM      8
#define SLICE_MAX_STEPS 256

struct slice {
	struct slice_step *steps; /* backward: in the order of the walk; forward: by time of arrival */
	size_t n_steps;
	struct slice_choice *choices;
	size_t n_choices;
	struct slice_option *options;
	size_t n_options;
	enum slice_end end;
	uint32_t end_edge; /* SLICE_END_OUTSIDE: the edge from outside; else GRAPH_NONE */
	float score;
	uint32_t asked;   /* questions put to a person */
	uint32_t refused; /* ways that were left out: the beam was full, max_steps was reached, or
			     one segment had more than CANDIDATE_MAX candidates */
	uint32_t earlier; /* forward: strong edges that left the first segment before at_ns; not listed */
};

/* Walks from the segment in which the task is at at_ns. The caller frees *ret with slice_free().
 * Returns 0; -EINVAL if there is no such segment; or -ENOMEM. */
int slice_walk(const struct causal *c, uint32_t task, uint64_t at_ns, const struct slice_options *options,
	       struct slice **ret);
void slice_free(struct slice *s);
const char *slice_end_name(enum slice_end end);

#endif
