/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build.h - private to graph/: the state while a graph is built. */
#ifndef CTRACE_GRAPH_TIMELINE_BUILD_H
#define CTRACE_GRAPH_TIMELINE_BUILD_H

#include "graph/timeline/graph.h"
#include "lib/map.h"
#include "lib/vec.h"

struct task_now {
	uint32_t tid, tgid;
	uint32_t parent;    /* index of the parent, or GRAPH_NONE */
	uint32_t interval;  /* open interval, or GRAPH_NONE */
	uint32_t race_wake; /* index of a wake that came while the task ran, or GRAPH_NONE */
	uint32_t owner; /* the owner in a CT_FUTEX record, for the wait that begins at the next switch-out */
	uint64_t owner_ts;
	uint64_t run_ns; /* time of the last switch-in */
	uint64_t checkpoint_ns;
	uint64_t born_ns, exit_ns;
	uint32_t exit_code;
	uint16_t cpu;
	uint16_t prio;
	bool gone;
	bool listed; /* the task is in builder.live */
	bool capped; /* the records of the task are left out (CT_SHED with CT_GV_CAP) */
	bool kept;   /* after a time without records, the task is in the same state as before */
};

struct builder {
	const struct window *w;
	VEC(struct task_now) now;
	VEC(struct interval) intervals;
	struct map by_tid;    /* tid -> index into now */
	size_t resync;        /* index in the window of the next resync to replay */
	bool blind;           /* the replay is in the time without records before this resync */
	VEC(uint32_t) live;   /* all tasks that have an open interval, and some that no longer have one */
	VEC(uint32_t) on_cpu; /* [cpu] index of the task that runs there, or GRAPH_NONE */
	int err;
};

/* Fills b->now and b->intervals. 0, -ENOMEM, or -E2BIG: too many intervals. */
int timeline_replay(struct builder *b);
/* Fills the indices of g from its window and tasks. 0 or -ENOMEM. */
int index_build(struct graph *g);
void index_drop(struct graph *g);
/* True: the owner in a CT_FUTEX record is plausible. The kernel side reads the memory around the
 * futex word as if it were a lock of glibc, but it may be something else. */
bool index_is_owner(const struct window *w, const struct window_event *futex);

#endif
