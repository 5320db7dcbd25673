/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - the critical path of [from, to) of a task: for each moment, the task that held it up.
 *
 * The pieces are a partition of [from, to): in order of time, contiguous, not overlapping.  Another task is
 * on the path only for the part of the wait that it is waited for (clipping); its own waits in that part are
 * followed in turn.
 *
 * A frame is a task and a range of time that the walk looked at.  Frame 0 is that of the victim.  A wait that
 * is followed opens a frame for the task to blame; the time before a task was born opens one for its creator.
 */
#ifndef CTRACE_GRAPH_PATH_PATH_H
#define CTRACE_GRAPH_PATH_PATH_H

#include "graph/thresholds.h"
#include "graph/wake/blame.h"

struct path_frame {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t parent;   /* frame whose task waited; GRAPH_NONE for frame 0 */
	uint32_t interval; /* the wait of the parent's task that opened the frame; GRAPH_NONE for frame 0, and
			     for the frame of a creator */
	uint32_t depth;
	struct blame blame; /* of that wait */
};

struct path_piece {
	uint64_t from_ns, to_ns;
	uint32_t frame;
	uint32_t interval; /* the interval it lies in, GRAPH_NONE where nothing is known */
	uint8_t time;      /* enum time_kind */
	bool cycle;        /* a wait for a task that is itself waiting on this path */
	uint16_t pad;
	uint32_t blame; /* index into leaf_blames, GRAPH_NONE when it did not wait */
};

struct path {
	struct path_piece *pieces;
	size_t n_pieces;
	struct path_frame *frames;
	size_t n_frames;
	struct blame *leaf_blames; /* of waits that could not be followed */
	size_t n_leaf_blames;
	bool truncated; /* PATH_MAX_PIECES reached: waits beyond were not followed */
};

/* 0, -EINVAL (empty range, no such task) or -ENOMEM. */
int path_walk(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct path **ret);
void path_free(struct path *p);

/* The CPU that the task of a RUNNABLE interval waited for: the one it got, or the last one it had;
 * FORMAT_CPU_NONE: not known.
 */
uint32_t path_cpu_wanted(const struct graph *g, uint32_t interval);
/* Index into g->runs[cpu] of the first interval that ends after ts_ns; g->n_runs[cpu] if there is none; 0 if
 * there is no such CPU. */
size_t path_first_run(const struct graph *g, uint32_t cpu, uint64_t ts_ns);
/* The same.  near: the result for an earlier moment, or 0; a good guess makes it fast. */
size_t path_run_near(const struct graph *g, uint32_t cpu, uint64_t ts_ns, size_t near);

#endif
