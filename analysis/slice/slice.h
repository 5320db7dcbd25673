/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.h - the walk along the edges of the causal graph: what led to a segment (backward), or what it led to
 * (forward).
 *
 * Backward is a path.  At each segment the edge that started it is taken, strong before boosted before weak.
 * If only weak edges are left, or several are equal, they are ranked by strength, likeness of stacks and
 * recency; a beam follows them, and the path of the best score is taken.  Each choice is reported with its
 * other options.  An edge that answers a question of the segment itself is not followed.
 *
 * Forward is a tree: all that was caused, along strong edges.  Both are deterministic.  (Path slicing: Argus,
 * section 4.)
 *
 * Pure; the result owns its arrays.
 */
#ifndef CTRACE_ANALYSIS_SLICE_SLICE_H
#define CTRACE_ANALYSIS_SLICE_SLICE_H

#include "analysis/slice/ask.h"
#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

enum slice_direction { SLICE_BACKWARD, SLICE_FORWARD };

/* What decided a choice: the ranking, a rule, a person. */
enum slice_decider { SLICE_BY_RANK, SLICE_BY_RULE, SLICE_BY_PERSON };

struct slice_option {
	uint32_t edge;
	float score;      /* 0..1: how much it is believed */
	float similarity; /* of the stacks, 0..1; negative: not known */
	bool ruled_out;   /* a rule says that it is not a cause */
};

/* Made where more than one way was open (no rule excludes it) and not exactly one of these was strong; or
 * where that is so only because of the rules. */
struct slice_choice {
	uint32_t step; /* at which it was made */
	/* in slice.options: the one to be taken first, those ruled out last */
	uint32_t first_option, n_options;
	uint32_t chosen; /* index among them; GRAPH_NONE: none, the walk ended here */
	enum slice_decider decider;
};

struct slice_step {
	uint32_t segment;
	uint32_t parent; /* step it was reached from; GRAPH_NONE for the first */
	uint32_t edge;   /* by which it was reached; GRAPH_NONE for the first */
	uint64_t at_ns;  /* backward: when it sent the cause on; forward: when it got it */
	float score;     /* of the way up to here, 1: all strong */
};

enum slice_end {
	SLICE_END_ROOT,    /* no edge leads to the segment: it began there, or before the window */
	SLICE_END_OUTSIDE, /* a timer, a device, the network, a person's input */
	SLICE_END_REFUSED, /* a rule or a person ruled out all ways to go on */
	SLICE_END_LIMIT,   /* max_steps */
	SLICE_END_STOPPED, /* the person asked to stop */
	SLICE_END_DONE,    /* forward: all is listed */
};

struct slice_options {
	enum slice_direction direction;
	uint32_t beam;         /* 0: SLICE_BEAM */
	uint32_t max_steps;    /* 0: SLICE_MAX_STEPS */
	struct rules *rules;   /* may be NULL; answers to be kept are added */
	const struct ask *ask; /* NULL: decide */
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
	uint32_t end_edge; /* SLICE_END_OUTSIDE: the edge from outside, else GRAPH_NONE */
	float score;
	uint32_t asked;   /* questions put to a person */
	uint32_t refused; /* ways left out: the beam was full, max_steps, or too many at one segment */
	uint32_t earlier; /* forward: strong edges that left the first segment before at_ns; not listed */
};

/* From the segment of task at at_ns.  0, -EINVAL (no such segment), -ENOMEM. */
int slice_walk(const struct causal *c, uint32_t task, uint64_t at_ns, const struct slice_options *options,
	       struct slice **ret);
void slice_free(struct slice *s);
const char *slice_end_name(enum slice_end end);

#endif
