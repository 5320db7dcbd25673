/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beam.h - private to analysis/: searches the path of the best score back from a segment.
 *
 * The score of a path is the product of the scores of its edges, so it only falls.  A path whose score is
 * below that of a finished one is given up.  Deterministic: of equal paths the first found is taken.
 */
#ifndef CTRACE_ANALYSIS_SLICE_BEAM_H
#define CTRACE_ANALYSIS_SLICE_BEAM_H

#include "analysis/slice/candidate.h"
#include "lib/map.h"
#include "lib/vec.h"

struct beam {
	const struct causal *c;
	const struct rules *rules;
	const struct map *seen; /* segments that are on the way already */
	uint32_t segment, record;
	uint64_t at_ns;
	uint32_t width;
	uint32_t depth; /* the most segments of the path */
};

typedef VEC(uint32_t) beam_path;

/* The edges of the best path, the next one last; the first may come from outside.  *ret_refused: the number
 * of paths that were given up only because the beam is full.  0 or -ENOMEM. */
int beam_search(const struct beam *b, beam_path *ret, uint32_t *ret_refused);
/* The time at which the segment that e comes from sent it, at most that of the arrival: a send is recorded
 * when the call returns, which may be after the arrival, and no walk goes forward in time. */
uint64_t beam_left(const struct causal *c, const struct edge *e);

#endif
