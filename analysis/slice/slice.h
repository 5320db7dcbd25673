/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.h - walks along the edges of the causal graph, backward to the origin of a segment's work,
 * or forward to all its effects.
 *
 * The backward walk gives a path. At each segment, candidate.h ranks the edges that may have led to
 * the act of the segment, and gives each of them a score. The score of a path is the product of the
 * scores of its edges. A beam search finds the path with the best score, and the walk takes this
 * path, except where a person chooses another edge. The result lists each choice with all its
 * options.
 *
 * The forward walk gives a tree of all effects. It follows the edges that a rule calls a cause, and
 * the strong edges that no rule excludes. Both walks are deterministic. (Path slicing: Argus, Weng,
 * Huang, Yang, USENIX ATC 2021, section 4.)
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

/* What decided a choice: the ranking, a rule, or a person. */
enum slice_decider { SLICE_BY_RANK, SLICE_BY_RULE, SLICE_BY_PERSON };

struct slice_option {
	uint32_t edge;
	float score;      /* 0..1: how sure it is that the edge is a cause */
	float similarity; /* how alike the stacks at the two ends of the edge are, 0..1; negative:
			     not known */
	bool ruled_out;   /* a rule says that the edge is not a cause */
};

/* A choice is listed in two cases: rules decided it; or it was ambiguous
 * (candidate_ambiguous()). */
struct slice_choice {
	uint32_t step; /* index of the step at which the choice was made */
	/* the options of this choice are slice.options[first_option], and the n_options - 1 options
	 * behind it. The best option comes first. Options that a rule excludes come last */
	uint32_t first_option, n_options;
	uint32_t chosen; /* index of the chosen option among these options; GRAPH_NONE: none was
			    chosen, and the walk ended here */
	enum slice_decider decider;
};

struct slice_step {
	uint32_t segment;
	uint32_t parent; /* index of the step from which the walk came to this step; GRAPH_NONE in
			    the first step */
	uint32_t edge;   /* the edge between the parent and this step; GRAPH_NONE in the first
			    step */
	uint64_t at_ns;  /* backward: the time of the act of the segment (candidate.h); forward: the
			    time at which the edge arrived in the segment */
	float score;     /* backward: the product of the scores of all edges up to this step;
			    forward: 1 */
};

enum slice_end {
	SLICE_END_ROOT,    /* no edge leads to the segment: the origin is in this segment, or before
			      the window */
	SLICE_END_OUTSIDE, /* the origin is outside: a timer, a device, the network, a person's
			      input */
	SLICE_END_REFUSED, /* rules or a person ruled out all edges that lead to the segment */
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
	struct slice_step *steps; /* backward: from the segment in which the walk begins, back to the
				     origin; forward: by at_ns */
	size_t n_steps;
	struct slice_choice *choices;
	size_t n_choices;
	struct slice_option *options;
	size_t n_options;
	enum slice_end end;
	uint32_t end_edge; /* SLICE_END_OUTSIDE: the edge from outside; else GRAPH_NONE */
	float score;
	uint32_t asked;   /* questions put to a person */
	uint32_t refused; /* edges and paths that were left out: the beam was full, max_steps was
			     reached, or one segment had more than CANDIDATE_MAX candidates */
	uint32_t earlier; /* forward: strong edges that left the first segment before at_ns; not listed */
};

/* Walks from the segment in which the task is at at_ns. The caller frees *ret with slice_free().
 * Returns 0; -EINVAL if there is no such segment; or -ENOMEM. */
int slice_walk(const struct causal *c, uint32_t task, uint64_t at_ns, const struct slice_options *options,
	       struct slice **ret);
void slice_free(struct slice *s);
const char *slice_end_name(enum slice_end end);

#endif
