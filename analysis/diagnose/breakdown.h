/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * breakdown.h - private to analysis/: divides the time of one task of a chain into groups. Pure;
 * any thread.
 *
 * A group is one of these:
 * - the runs of the task and its waits for a CPU;
 * - its waits for one other task, or for the ends of several tasks with one name;
 * - its waits for one thing that is no task, or for a task that is on the path already;
 * - time of which only sums are known (FOLDED intervals);
 * - unknown time.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_BREAKDOWN_H
#define CTRACE_ANALYSIS_DIAGNOSE_BREAKDOWN_H

#include "graph/path/path.h"
#include "lib/map.h"
#include "lib/vec.h"

enum group_type { GROUP_CPU, GROUP_TASK, GROUP_LEAF, GROUP_FOLDED, GROUP_UNKNOWN };

struct group {
	enum group_type type;
	uint32_t task;           /* GROUP_TASK: the task of the longest frame */
	uint64_t key;            /* GROUP_TASK: see breakdown_frame_key() */
	enum resource_kind kind; /* GROUP_LEAF: the kind of the thing; RESOURCE_NONE if cycle is
				    set */
	uint64_t obj;
	uint64_t total_ns, from_ns, to_ns, longest_ns;
	uint32_t waits;
	uint32_t interval;  /* the longest wait */
	uint32_t last_seg;  /* the last wait that was counted, so that each wait counts once */
	uint32_t frame;     /* GROUP_TASK: the longest frame */
	struct blame blame; /* the blame for the longest wait */
	bool cycle;         /* GROUP_LEAF: the wait is for a task that is on the path already */
};
typedef VEC(struct group) groups;

struct breakdown {
	groups v;
	uint64_t running_ns, runnable_ns;
	/* the sums of GROUP_FOLDED */
	uint64_t folded_ran_ns, folded_queued_ns;
	uint32_t switches;
	uint64_t from_ns, to_ns, total_ns;
	struct map by_key; /* key of a GROUP_TASK -> its index */
	struct map by_obj; /* hash of type, kind and object of any other group -> its index. If the
			      hash is taken already, the next free number is used */
};

/* Divides the time of those frames i of the path for which in[i] is true. Returns 0 or -ENOMEM. The
 * caller calls breakdown_done() in both cases. */
int breakdown_fill(const struct graph *g, struct breakdown *l, const struct path *p, const bool *in);
void breakdown_done(struct breakdown *l);
/* Returns the key of the group to which a frame belongs: the task of the frame. If the frame is a
 * wait for the end of this task (EDGE_EXIT), the key is a hash of the task's name. So if a task
 * waits for several children with one name, one after the other, these children are one group. */
uint64_t breakdown_frame_key(const struct graph *g, const struct path_frame *f);
/* Sets *ret to the id of the commonest stack in the samples of the task in [from_ns, to_ns); to 0
 * if no stack is known. Among equally common stacks, takes the one that was sampled first. Returns
 * 0 or -ENOMEM. */
int breakdown_run_stack(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			uint64_t *ret);
/* Returns the id of the stack of the longest inspected wait of the task that overlaps [from_ns,
 * to_ns). Returns 0 if no wait was inspected, or if the inspection of the longest one has no stack.
 * If `like` is not NULL, only waits of the same kind (CT_W_*) as `like` count. */
uint64_t breakdown_wait_stack(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			      const struct interval *like);

#endif
