/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causal.h - the causal graph as JSON (doc/json.md) and as a picture for Graphviz; slices of the
 * graph as text and as JSON. Times in JSON are CLOCK_MONOTONIC nanoseconds. One thread.
 *
 * A graph may have millions of segments. So the functions write a graph piece by piece, and build
 * no JSON tree of the whole graph.
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
	bool *in; /* in[s]: true if segment s is shown */
	size_t n; /* number of segments that are shown */
};

/* Picks the segments that overlap [from_ns, to_ns). Returns 0 or -ENOMEM. On success the caller
 * calls graph_pick_done(). */
int graph_pick_window(const struct causal *c, uint64_t from_ns, uint64_t to_ns, struct graph_pick *ret);
/* Keeps only the picked segments that are at most `depth` edges away from `segment`, along edges in
 * both directions. All edges that are not weak count. Of the weak edges, only two sorts count:
 * edges that lead to `segment` itself, and edges that join `segment` to its neighbours in the same
 * task. Returns 0, or -ENOMEM and leaves pick unchanged. */
int graph_pick_around(struct graph_pick *pick, uint32_t segment, uint32_t depth);
void graph_pick_done(struct graph_pick *pick);

/* Writes a JSON document with one line for each segment and each edge. Stops early if a write to
 * stdout fails. */
void render_graph_json(FILE *f, const struct graph_pick *pick);
/* render_segment_json() and render_edge_json() write one JSON object each. in[s]: true if segment s
 * is shown; in NULL: all segments are shown. An edge from a segment that is not shown gets
 * "from": null. */
void render_segment_json(FILE *f, const struct causal *c, uint32_t segment);
void render_edge_json(FILE *f, const struct causal *c, const struct edge *e, const bool *in);

/* Nobody can read a picture with more than this many segments. */
#define RENDER_DOT_MAX 400
/* Writes the picture. Returns 0, or -ENOMEM: nothing was written. */
int render_graph_dot(FILE *f, const struct graph_pick *pick);

/* render_slice_json() returns a slice as JSON, a new reference; NULL: out of memory. render_slice()
 * writes a slice as text. */
json_t *render_slice_json(const struct causal *c, const struct slice *s, enum slice_direction direction);
void render_slice(FILE *f, const struct causal *c, const struct slice *s, enum slice_direction direction);

/* Writes the task of a segment: "sh[12]", or "sh[12]@web" if the task is in the container "web".
 * The text is safe to print. Returns buf. */
#define RENDER_WHO_MAX 160
const char *render_who(const struct causal *c, uint32_t segment, char buf[RENDER_WHO_MAX]);
/* Returns words for the origin of an edge that has no first segment: "a timer", "the network", "a
 * device", or "something that was not recorded". */
const char *render_outside(const struct edge *e);

#endif
