/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beam.h - private to analysis/: searches backward from a segment for the path with the best score. The
 * score of a path is the product of the scores of its edges, so no edge raises it. Of paths with equal
 * scores, the search takes the first one that ends. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_SLICE_BEAM_H
#define CTRACE_ANALYSIS_SLICE_BEAM_H

#include "analysis/slice/candidate.h"
#include "lib/map.h"
#include "lib/vec.h"

struct beam {
	const struct causal *c;
	const struct rules *rules;
	const struct map *seen;
	/* The search starts at `segment`. It looks for the cause of `record`, for example of a send by the
	 * task of this segment. If `record` is GRAPH_NONE, it looks for the cause of what the task did at
	 * the time at_ns. */
	uint32_t segment, record;
	uint64_t at_ns;
	uint32_t width;
	uint32_t depth;
};

typedef VEC(uint32_t) beam_path;

/* Sets *ret to the edges of the best path. The edge of the first step is the last element. The
 * caller frees *ret. *ret_refused: how many paths were given up because the beam was full. Returns
 * 0 or -ENOMEM. */
int beam_search(const struct beam *b, beam_path *ret, uint32_t *ret_refused);
/* Returns the time at which the edge left its first segment, or the time of its arrival if that is
 * earlier. The arrival of a message may be earlier: a send is recorded when its system call returns. */
uint64_t beam_left(const struct causal *c, const struct edge *e);

#endif
