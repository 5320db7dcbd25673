/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - the critical path of a task (the victim) over [from, to): for each moment, the task that
 * held the victim up.
 *
 * The pieces are a partition of [from, to): in order of time, contiguous, without overlap. Another
 * task is on the path only for the part of a wait in which it is the task to blame (clipping). In
 * that part, the waits of this other task are followed too.
 *
 * A frame is a task and a range of time that the walk looked at. Frame 0 is the frame of the
 * victim. A wait that is followed opens a frame for the task to blame. If a frame (other than frame
 * 0) begins before its task was born, this time opens a frame for the creator of the task.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_GRAPH_PATH_PATH_H
#define CTRACE_GRAPH_PATH_PATH_H

#include "graph/thresholds.h"
#include "graph/wake/blame.h"

struct path_frame {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t parent;   /* index of the frame whose task waited; GRAPH_NONE for frame 0 */
	uint32_t interval; /* index of the wait, of the parent's task, that opened the frame;
			      GRAPH_NONE for frame 0, and for the frame of a creator */
	uint32_t depth;
	struct blame blame; /* the blame of the wait that opened the frame; for the frame of a
			       creator, its edge is EDGE_FORK */
};

struct path_piece {
	uint64_t from_ns, to_ns;
	uint32_t frame;
	uint32_t interval; /* index of the interval in which the piece lies; GRAPH_NONE: nothing
			      is known */
	uint8_t time;      /* enum time_kind; TIME_SHORT: path_parts() divides the piece */
	bool cycle;        /* the piece is a wait for a task that is itself waiting on this path */
	uint16_t pad;
	uint32_t blame; /* index into leaf_blames; GRAPH_NONE: the piece is no wait */
};

struct path {
	struct path_piece *pieces;
	size_t n_pieces;
	struct path_frame *frames;
	size_t n_frames;
	struct blame *leaf_blames; /* the blames of the waits that were not followed */
	size_t n_leaf_blames;
	bool truncated; /* some waits were not followed, because PATH_MAX_PIECES or
			   PATH_MAX_DEPTH was reached */
};

/* Finds the critical path of the task over [from_ns, to_ns). The caller frees *ret with
 * path_free(). Returns 0, -ENOMEM, or -EINVAL if the range is empty or there is no such task. */
int path_walk(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct path **ret);
void path_free(struct path *p);

/* Divides the time of piece x among the kinds of time: sets ret[kind] to the time of each kind.
 * Only a piece of a FOLDED interval has several kinds. */
void path_parts(const struct graph *g, const struct path_piece *x, uint64_t ret[TIME_KINDS]);
/* Returns the CPU for which the task waited in a RUNNABLE interval: the CPU that it got after
 * the interval. If the task got no CPU, returns the last CPU that the task had. Returns
 * FORMAT_CPU_NONE if it is not known. */
uint32_t path_cpu_wanted(const struct graph *g, uint32_t interval);
/* Returns the index into g->runs[cpu] of the first RUNNING interval on cpu that ends after
 * ts_ns. Returns g->n_runs[cpu] if there is no such interval, and 0 if there is no such CPU. */
size_t path_first_run(const struct graph *g, uint32_t cpu, uint64_t ts_ns);
/* Like path_first_run(). near is the result for an earlier moment, or 0. The search is fast if
 * that moment is shortly before ts_ns. */
size_t path_run_near(const struct graph *g, uint32_t cpu, uint64_t ts_ns, size_t near);

#endif
