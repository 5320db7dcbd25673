/* SPDX-License-Identifier: GPL-2.0-or-later */
/* causal.h - the causal graph as JSON (doc/json.md) and for Graphviz; slices as text and as JSON.
 * Times in JSON are CLOCK_MONOTONIC nanoseconds. One thread. */
#ifndef CTRACE_CLI_RENDER_CAUSAL_H
#define CTRACE_CLI_RENDER_CAUSAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/slice.h"
#include "graph/causal/causal.h"

struct graph_pick {
	const struct causal *c;
	uint64_t from_ns, to_ns;
	bool *in;
	size_t n;
};

int graph_pick_window(const struct causal *c, uint64_t from_ns, uint64_t to_ns, struct graph_pick *ret);
/* The n segments are the centres. Keeps the picked segments that are at most `depth` edges away
 * from a centre, in both directions. If these are more than max segments, keeps the nearest ones.
 * Follows a weak edge (enum edge_strength) only if it leads to a centre, or from a centre to the
 * next segment of the same task. Returns 0 or -ENOMEM. After -ENOMEM, *pick is unchanged. */
int graph_pick_around(struct graph_pick *pick, const uint32_t *segments, size_t n, uint32_t depth,
		      size_t max);
/* Keeps the picked segments of the tasks that are set in tasks[]. */
void graph_pick_tasks(struct graph_pick *pick, const bool *tasks);
void graph_pick_done(struct graph_pick *pick);

/* Writes one line for each picked segment, and for each edge that leads to a picked segment. Uses two
 * threads. Returns 0 or -ENOMEM. Stops early if a write to stdout fails. */
int render_graph_json(FILE *f, const struct graph_pick *pick);
void render_segment_json(FILE *f, const struct causal *c, uint32_t segment);
/* in[s]: segment s is shown; `in` NULL: all are. If segment e->from is not shown, "from" is null. */
void render_edge_json(FILE *f, const struct causal *c, const struct edge *e, const bool *in);

#define RENDER_DOT_MAX 400
int render_graph_dot(FILE *f, const struct graph_pick *pick);

json_t *render_slice_json(const struct causal *c, const struct slice *s, enum slice_direction direction);
void render_slice(FILE *f, const struct causal *c, const struct slice *s, enum slice_direction direction);

/* Writes the task of a segment, safe to print: "sh[12]", or "sh[12]@web" in the container "web".
 * Returns buf. */
#define RENDER_WHO_MAX 160
const char *render_who(const struct causal *c, uint32_t segment, char buf[RENDER_WHO_MAX]);
/* Returns words for the origin of an edge with e->from GRAPH_NONE, such as "a timer". */
const char *render_outside(const struct edge *e);

#endif
