/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * breakdown.h - private to analysis/: divides the time of one task of a chain into groups.
 *
 * - GROUP_CPU: runs, and waits for a CPU.
 * - GROUP_TASK: waits for one other task, or until several tasks with the same name have exited.
 * - GROUP_LEAF: waits for one thing that is no task, or for a task that is on the path already.
 * - GROUP_FOLDED: time of which only sums are known.
 * - GROUP_UNKNOWN: time without records.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_BREAKDOWN_H
#define CTRACE_ANALYSIS_DIAGNOSE_BREAKDOWN_H

#include "graph/path/path.h"
#include "lib/map.h"
#include "lib/vec.h"

enum group_type { GROUP_CPU, GROUP_TASK, GROUP_LEAF, GROUP_FOLDED, GROUP_UNKNOWN };

/* If the tasks before this one in the chain wait again and again, a long wait of this task is on the path in
 * several pieces. */
struct wait_so_far {
	uint32_t interval;
	uint64_t ns;       /* the sum of the pieces */
	uint64_t piece_ns; /* the longest piece */
	uint32_t frame;
	struct blame blame; /* of the longest piece */
	bool sure;          /* a piece has a certain edge */
};

struct group {
	enum group_type type;
	uint32_t task;
	uint64_t key; /* GROUP_TASK: see breakdown_frame_key() */
	enum resource_kind kind;
	uint64_t obj;
	uint64_t total_ns, from_ns, to_ns, longest_ns;
	uint32_t waits;
	uint32_t timeouts; /* how many of the waits ended at their own time limit */
	uint32_t sure;     /* how many of the waits have a piece with a certain edge (strong, or of a lock) */
	uint32_t interval; /* the longest wait */
	uint32_t frame;    /* of the longest piece of this wait */
	struct blame blame; /* of this piece */
	struct wait_so_far last;
	bool cycle; /* a wait for a task that is on the path already */
};
typedef VEC(struct group) groups;

struct breakdown {
	groups v;
	uint64_t running_ns, runnable_ns;
	uint64_t folded_ran_ns, folded_queued_ns;
	uint32_t switches;
	uint64_t from_ns, to_ns, total_ns;
	struct map by_key;
	struct map by_obj;
};

/* Divides the time of the frames i for which in[i] is true. Returns 0 or -ENOMEM. The caller calls
 * breakdown_done() in both cases. */
int breakdown_fill(const struct graph *g, struct breakdown *l, const struct path *p, const bool *in);
void breakdown_done(struct breakdown *l);
/* Returns the task of the frame. If the parent frame waits for the end of this task (EDGE_EXIT): a
 * hash of its name, so that children with one name are one group. */
uint64_t breakdown_frame_key(const struct graph *g, const struct path_frame *f);
/* Sets *ret to the commonest stack in the samples of the task, or to 0. Returns 0 or -ENOMEM. */
int breakdown_run_stack(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			uint64_t *ret);
/* Returns true if a timer ended the wait: its own time limit, or a timer for which it waited. */
bool breakdown_by_timer(const struct graph *g, uint32_t interval);
/* Returns the stack of the longest inspected wait in [from_ns, to_ns), or 0. If `like` is not NULL,
 * only waits of its kind (CT_W_*) count. */
uint64_t breakdown_wait_stack(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			      const struct interval *like);

#endif
