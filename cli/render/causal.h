/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causal.h - the causal graph, and slices of it, as text, as JSON (doc/json.md)
 * and as a picture for Graphviz.  Times in JSON are CLOCK_MONOTONIC nanoseconds.
 *
 * A graph may have millions of segments: it is written as it is walked, and no
 * tree of it is built.
 */
#ifndef CTRACE_CLI_RENDER_CAUSAL_H
#define CTRACE_CLI_RENDER_CAUSAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/slice.h"
#include "graph/causal/causal.h"

/* Which segments are shown. */
struct graph_pick {
	const struct causal *c;
	uint64_t from_ns, to_ns;
	bool *in; /* [segment] */
	size_t n; /* how many are */
};

/* Those that overlap [from, to).  0 or -ENOMEM. */
int graph_pick_window(const struct causal *c, uint64_t from_ns, uint64_t to_ns, struct graph_pick *ret);
/* Of those only the ones that are at most depth edges away from a segment, in any direction; edges that are
 * weak count next to the segment alone, and only where they lead to it or join it to what its task did before
 * and after.  0 or -ENOMEM. */
int graph_pick_around(struct graph_pick *pick, uint32_t segment, uint32_t depth);
void graph_pick_done(struct graph_pick *pick);

/* A document of one line for each segment and each edge.  Stops when stdout takes no more. */
void render_graph_json(FILE *f, const struct graph_pick *pick);
/* One object. An edge from a segment that is not shown (in, may be NULL: all are) comes from null. */
void render_segment_json(FILE *f, const struct causal *c, uint32_t segment);
void render_edge_json(FILE *f, const struct causal *c, const struct edge *e, const bool *in);

/* A picture of more segments than this is one that nobody can read. */
#define RENDER_DOT_MAX 400
/* 0 or -ENOMEM (nothing was written). */
int render_graph_dot(FILE *f, const struct graph_pick *pick);

/* A new reference, or NULL: out of memory. */
json_t *render_slice_json(const struct causal *c, const struct slice *s, enum slice_direction direction);
void render_slice(FILE *f, const struct causal *c, const struct slice *s, enum slice_direction direction);

/* "sh[12]", "sh[12]@web" in a container; safe to print. */
#define RENDER_WHO_MAX 160
const char *render_who(const struct causal *c, uint32_t segment, char buf[RENDER_WHO_MAX]);
/* What did it where no task on this host did: "a timer", "the network", "a device". */
const char *render_outside(const struct edge *e);

#endif
