/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - the waits of the machine as trees: the task that others wait for is the root, and the
 * tasks that wait for it stand below it. If tasks wait for each other in a circle, one of them is
 * the root. Keeps from one update to the next how long each wait has lasted. Does not draw. One
 * thread.
 */
#ifndef CTRACE_CLI_TOP_TREE_H
#define CTRACE_CLI_TOP_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/live/waitlive.h"
#include "lib/map.h"
#include "lib/vec.h"

struct top_row {
	uint32_t tid; /* 0: the row stands for the further tasks of its parent */
	unsigned depth;
	bool waits;    /* false: other tasks wait for this task, and it waits for no task */
	bool at_least; /* the wait began before the first update */
	uint64_t since_ns, wait_ns;
	char *text; /* safe for a terminal */
};

struct top_tree {
	size_t first_row, n_rows;
	bool circle;
	uint32_t waiters; /* the number of tasks that wait, including those without a row */
	uint64_t longest_ns;
};

struct top_ended {
	uint32_t tid;
	bool at_least;
	uint64_t ended_ns, wait_ns;
	char *text;
};

struct top_age {
	uint64_t switches, start_ticks, since_ns;
	uint64_t cpu_ns, queued_ns; /* as in struct proctask_thread */
	/* Since the last update; 0 in the first one */
	uint64_t new_cpu_ns, new_queued_ns;
	bool at_least;
};

struct top {
	VEC(struct top_row) rows;
	VEC(struct top_tree) trees;
	VEC(struct top_ended) ended; /* waits that ended in the last TOP_ENDED_KEEP_NS, the longest first */
	uint32_t threads, running, disk;
	VEC(struct top_age) ages; /* in the order of the threads */
	struct map age_of;        /* tid -> index in ages */
	bool updated;
};

enum top_sort { TOP_LONGEST, TOP_WAITERS };

/* now_ns: a time that never goes back. Returns 0 or -ENOMEM; after -ENOMEM only top_done() may follow. */
int top_update(struct top *t, const struct waitlive *w, uint64_t now_ns);
void top_done(struct top *t);

struct top_pick {
	VEC(size_t) trees; /* indices in top.trees, in the order to show */
	VEC(size_t) ended; /* indices in top.ended */
};
/* Picks the trees with a row that contains the filter, regardless of case, and the ended waits that
 * contain it. "": all. The caller calls top_pick_done() in any case. Returns 0 or -ENOMEM. */
int top_pick(const struct top *t, enum top_sort sort, const char *filter, struct top_pick *ret);
void top_pick_done(struct top_pick *p);

#endif
