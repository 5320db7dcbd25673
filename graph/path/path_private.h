/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path_private.h - the state of a walk along the critical path, which path.c and path_blame.c share. */
#ifndef CTRACE_GRAPH_PATH_PATH_PRIVATE_H
#define CTRACE_GRAPH_PATH_PATH_PRIVATE_H

#include "graph/path/legs.h"
#include "graph/path/path.h"
#include "lib/vec.h"

/* The result of the last search of path_look_lasting(): the task that could end a wait in epoll. */
struct look {
	uint32_t frame;     /* the frame (path.h) of the task that waits */
	uint32_t interval;  /* the wait in epoll */
	struct blame blame; /* blames the task that could end the wait */
};

/* The result of the last search of look_debts(). */
struct debt_look {
	uint32_t frame, interval;
	uint32_t before;    /* the task that was blamed before the search */
	struct blame blame; /* after the search */
};

/* Arguments and result of a call of blame_last(). The next call often has the same arguments. Example: an
 * event loop repeats a poll 1000 times. For each of these polls, last_idle() returns the last repeat, and
 * blame_last() is called for this repeat. */
struct last_look {
	uint32_t last;
	uint64_t limit_ns;
	struct blame blame;
	uint64_t asked_ns;
	bool commanded; /* asked_ns includes the last command of a helper */
};

struct walker {
	const struct graph *g;
	path_blamed_fn blamed; /* may be NULL */
	void *blamed_arg;
	VEC(struct path_piece) pieces;
	VEC(struct path_frame) frames;
	VEC(struct blame) leaves;
	uint32_t stack[PATH_MAX_DEPTH + 1];
	uint32_t *near;
	struct last_look lasts[ASKED_STEPS + 2]; /* by the step of last_blamed() */
	/* legs[d] has the legs of one frame at depth d. A leg is the time from a question to its answer
	 * (legs.h). */
	struct legs legs[PATH_MAX_DEPTH + 1];
	/* legs_of[d] is the index in `frames` of the frame to which legs[d] belongs. GRAPH_NONE: none */
	uint32_t legs_of[PATH_MAX_DEPTH + 1];
	struct look looks[PATH_MAX_DEPTH + 1]; /* looks[d] is of a frame at depth d */
	struct debt_look debts[PATH_MAX_DEPTH + 1];
	bool truncated;
	int err;
};

static inline bool on_stack(const struct walker *k, uint32_t depth, uint32_t task)
{
	for (uint32_t i = 0; i <= depth; i++)
		if (k->stack[i] == task)
			return true;
	return false;
}

static inline bool is_poll(const struct graph *g, uint32_t interval)
{
	return ct_wait_is_poll(g->intervals[interval].wait);
}

/* Finds what is to blame for the wait `interval` of the task of the frame. */
void path_blame_in_frame(struct walker *k, uint32_t frame, uint32_t interval, struct blame *b);
/* Blames the task that could end the wait. On an epoll object with many connections, the search for
 * this task is slow, and an event loop may wait there a million times. But the task to blame changes
 * slowly. So the result of a search also holds for the waits on the same epoll object that end
 * shortly before or after: at most 1/FRAME_LOOKS of the length of the frame apart. */
void path_look_lasting(struct walker *k, uint32_t frame, uint32_t interval, struct blame *b);
/* The task of f is on the path already. Returns true if it serves another request in the frame f. */
bool path_is_other_request(struct walker *k, const struct path_frame *f);

#endif
