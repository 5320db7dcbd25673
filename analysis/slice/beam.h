/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beam.h - private to analysis/: searches backward from a segment for the path with the best score.
 * Pure; any thread.
 *
 * The score of a path is the product of the scores of its edges, so the score never rises as the
 * path grows. The search gives up a path whose score is not above the score of the best finished
 * path. The search is deterministic: of paths with equal scores, it takes the one that it finishes
 * first.
 */
#ifndef CTRACE_ANALYSIS_SLICE_BEAM_H
#define CTRACE_ANALYSIS_SLICE_BEAM_H

#include "analysis/slice/candidate.h"
#include "lib/map.h"
#include "lib/vec.h"

struct beam {
	const struct causal *c;
	const struct rules *rules;
	const struct map *seen;   /* segments that the walk has visited */
	uint32_t segment, record; /* the segment at which the search starts, and the record of its
				     act (candidate.h) */
	uint64_t at_ns;
	uint32_t width; /* the largest number of paths that are followed at a time */
	uint32_t depth; /* the largest number of edges of a path */
};

typedef VEC(uint32_t) beam_path;

/* Finds the edges of the best path, in reverse order: the walk takes the last edge of *ret first.
 * The first edge of *ret may come from outside, such as from a timer or the network. The caller
 * frees *ret. Sets *ret_refused to the number of paths that were given up only because the beam was
 * full. Returns 0 or -ENOMEM. */
int beam_search(const struct beam *b, beam_path *ret, uint32_t *ret_refused);
/* Returns the time at which edge e left the segment that it comes from, or the time at which e
 * arrived, if that is earlier. (A send is recorded when its system call returns, which may be after
 * the arrival. A walk must not go forward in time.) */
uint64_t beam_left(const struct causal *c, const struct edge *e);

#endif
