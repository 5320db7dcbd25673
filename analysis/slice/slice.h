/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.h - walks along the edges of the causal graph, backward to the origin of a segment's work,
 * or forward to all its effects.
 *
 * The backward walk takes the path whose edges have the largest product of scores (beam.h,
 * candidate.h), unless a person chooses another edge. The forward walk gives a tree of strong edges.
 * Rules may add or exclude edges. Both walks are deterministic. The method is the path slicing of
 * Argus (Weng, Huang, Yang, USENIX ATC 2021, section 4).
 *
 * Pure; any thread, but only one thread at a time may use a struct rules.
 */
#ifndef CTRACE_ANALYSIS_SLICE_SLICE_H
#define CTRACE_ANALYSIS_SLICE_SLICE_H

#include "analysis/slice/ask.h"
#include "analysis/slice/rules.h"
#include "graph/causal/causal.h"

enum slice_direction { SLICE_BACKWARD, SLICE_FORWARD };

enum slice_decider { SLICE_BY_RANK, SLICE_BY_RULE, SLICE_BY_PERSON };

struct slice_option {
	uint32_t edge;
	float score;
	/* as in struct candidate */
	float similarity;
	bool ruled_out;
};

/* A choice is listed if rules decided it, or if it was ambiguous. */
struct slice_choice {
	uint32_t step;
	/* in slice.options; the best one comes first */
	uint32_t first_option, n_options;
	uint32_t chosen; /* an index among these options; GRAPH_NONE: the walk ended here */
	enum slice_decider decider;
};

struct slice_step {
	uint32_t segment;
	uint32_t parent;
	uint32_t edge;
	/* backward: the time of the act (candidate.h); forward: the arrival of the edge, or the
	 * at_ns of the parent if that is later */
	uint64_t at_ns;
	float score; /* backward: the product of all scores so far; forward: 1 */
};

enum slice_end {
	SLICE_END_ROOT,
	SLICE_END_OUTSIDE, /* a timer, a device, the network, or a person's input */
	SLICE_END_REFUSED,
	SLICE_END_LIMIT,
	SLICE_END_STOPPED,
	SLICE_END_DONE,
};

struct slice_options {
	enum slice_direction direction;
	uint32_t beam;       /* 0: SLICE_BEAM */
	uint32_t max_steps;  /* 0: SLICE_MAX_STEPS */
	struct rules *rules; /* NULL: no rules; gets the answers that a person wants to keep */
	const struct ask *ask;
};
#define SLICE_BEAM      8
#define SLICE_MAX_STEPS 256

struct slice {
	struct slice_step *steps; /* backward: the origin comes last; forward: sorted by at_ns */
	size_t n_steps;
	struct slice_choice *choices;
	size_t n_choices;
	struct slice_option *options;
	size_t n_options;
	enum slice_end end;
	uint32_t end_edge;
	float score;
	uint32_t asked;
	uint32_t refused;
	/* forward: strong edges that are not listed, because they left the first segment before
	 * the at_ns of slice_walk() */
	uint32_t earlier;
};

/* Starts at the segment of the task at the time at_ns. The caller frees *ret with slice_free().
 * Returns 0, -EINVAL if there is no such segment, or -ENOMEM. */
int slice_walk(const struct causal *c, uint32_t task, uint64_t at_ns, const struct slice_options *options,
	       struct slice **ret);
void slice_free(struct slice *s);
const char *slice_end_name(enum slice_end end);

#endif
