/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - the critical path of a task (the victim): for each moment, the task that held the victim
 * up. The pieces cover [from, to) in order of time, without gaps or overlap. A frame is a task and
 * a range of time on the path. Frame 0 is the victim's. A wait opens a frame of the task to blame.
 * For the time before this task was born, a frame of its creator opens. Pure; any thread.
 */
#ifndef CTRACE_GRAPH_PATH_PATH_H
#define CTRACE_GRAPH_PATH_PATH_H

#include "graph/thresholds.h"
#include "graph/wake/blame.h"

struct path_frame {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t parent;   /* GRAPH_NONE for frame 0 */
	uint32_t interval; /* the parent's wait that opened this frame, or GRAPH_NONE */
	uint32_t depth;
	struct blame blame; /* why `task` is to blame */
};

struct path_piece {
	uint64_t from_ns, to_ns;
	uint32_t frame;
	uint32_t interval; /* GRAPH_NONE: nothing is known */
	uint8_t time;      /* enum time_kind */
	bool cycle;        /* the task of the piece waits for a task that waits on this path */
	uint16_t pad;
	uint32_t blame; /* index into leaf_blames; GRAPH_NONE: no wait */
};

struct path {
	struct path_piece *pieces;
	size_t n_pieces;
	struct path_frame *frames;
	size_t n_frames;
	struct blame *leaf_blames;
	size_t n_leaf_blames;
	bool truncated; /* frames are missing, because of PATH_MAX_PIECES or PATH_MAX_DEPTH */
};

/* The caller frees *ret with path_free(). Returns 0, -ENOMEM, or -EINVAL if the range is empty or
 * there is no such task. */
int path_walk(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct path **ret);
/* Like path_walk(), but calls blamed() for each result of blame_wait(). A caller that needs these results too
 * need not find them again. limit_ns: as in blame_wait(). */
typedef void (*path_blamed_fn)(void *arg, uint32_t interval, uint64_t limit_ns, const struct blame *b);
int path_walk_blamed(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		     path_blamed_fn blamed, void *arg, struct path **ret);
void path_free(struct path *p);

/* Sets ret[kind] to the ns of each kind of time in x. Only a FOLDED interval has several kinds. */
void path_parts(const struct graph *g, const struct path_piece *x, uint64_t ret[TIME_KINDS]);
/* Returns the CPU for which a task waited in a RUNNABLE interval: its next CPU, or else its last
 * CPU. FORMAT_CPU_NONE: not known. */
uint32_t path_cpu_wanted(const struct graph *g, uint32_t interval);
/* Returns the index into g->runs[cpu] of the first run that ends after ts_ns. Returns
 * g->n_runs[cpu] if there is none, and 0 if there is no such CPU. */
size_t path_first_run(const struct graph *g, uint32_t cpu, uint64_t ts_ns);
/* Like path_first_run(), but fast if `near` is the result for a moment not far from ts_ns. near may
 * be 0. */
size_t path_run_near(const struct graph *g, uint32_t cpu, uint64_t ts_ns, size_t near);

bool path_waits_for_lock(const struct blame *b);
/* Goes from the frame of piece x to its parent frame, and on in this way to frame 0. Returns the first
 * frame whose task held a lock for which the task of the parent frame waited. NULL: there is none. */
const struct path_frame *path_lock(const struct path *p, const struct path_piece *x);

#endif
