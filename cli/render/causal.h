/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causal.h - the causal graph, and slices of it: as text, as JSON (doc/json.md), and as a picture for
 * Graphviz. Times in JSON are CLOCK_MONOTONIC nanoseconds. One thread.
 *
 * A graph may have millions of segments. So it is written while it is walked, and no JSON tree of it is
 * built.
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
	bool *in; /* one for each segment: it is shown */
	size_t n; /* how many segments are shown */
};

/* Picks the segments that overlap [from, to). Returns 0 or -ENOMEM. On success the caller calls
 * graph_pick_done(). */
int graph_pick_window(const struct causal *c, uint64_t from_ns, uint64_t to_ns, struct graph_pick *ret);
/* Keeps only the picked segments that are at most depth edges away from a segment, along edges in both
 * directions. Weak edges count only at that segment itself: edges that lead to it, and edges that join it to
 * its neighbours in the same task. Returns 0, or -ENOMEM: pick is as before. */
int graph_pick_around(struct graph_pick *pick, uint32_t segment, uint32_t depth);
void graph_pick_done(struct graph_pick *pick);

/* Writes a document with one line for each segment and each edge. Stops when stdout takes no more. */
void render_graph_json(FILE *f, const struct graph_pick *pick);
/* Each writes one object. in: the segments that are shown; NULL: all. An edge from a segment that is not
 * shown has "from": null. */
void render_segment_json(FILE *f, const struct causal *c, uint32_t segment);
void render_edge_json(FILE *f, const struct causal *c, const struct edge *e, const bool *in);

/* A picture with more segments cannot be read. */
#define RENDER_DOT_MAX 400
/* Writes the picture. Returns 0, or -ENOMEM: nothing was written. */
int render_graph_dot(FILE *f, const struct graph_pick *pick);

/* Returns a new reference. NULL: out of memory. */
json_t *render_slice_json(const struct causal *c, const struct slice *s, enum slice_direction direction);
void render_slice(FILE *f, const struct causal *c, const struct slice *s, enum slice_direction direction);

/* Writes the task of a segment: "sh[12]", or "sh[12]@web" in a container. Safe to print. Returns buf. */
#define RENDER_WHO_MAX 160
const char *render_who(const struct causal *c, uint32_t segment, char buf[RENDER_WHO_MAX]);
/* The cause of an edge that no task of this machine caused: "a timer", "the network", "a device". */
const char *render_outside(const struct edge *e);

#endif
