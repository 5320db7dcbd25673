/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beam.h - private to analysis/: the search for the path of the best score back
 * from a segment.
 *
 * The score of a path is the product of what each of its edges is believed.
 * Scores only fall, so a path that is worse than one that has come to its end is
 * given up.  Deterministic: of paths that are as good the one found first is taken.
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
	uint32_t depth; /* so many segments more */
};

typedef VEC(uint32_t) beam_path;

/* The edges to go, the next one last; the first may be one from outside.  *ret_refused: ways that were given
 * up for want of width alone.  0 or -ENOMEM. */
int beam_search(const struct beam *b, beam_path *ret, uint32_t *ret_refused);
/* When the segment that e comes from sent it.  A send is recorded when it is done, maybe after what it led
 * to; no walk goes forward in time. */
uint64_t beam_left(const struct causal *c, const struct edge *e);

#endif
