/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link.h - private to analysis/whatif/: on which tasks the victim depends, directly or through other tasks,
 * and when. Several threads may read one struct whatif. */
#ifndef CTRACE_ANALYSIS_WHATIF_LINK_H
#define CTRACE_ANALYSIS_WHATIF_LINK_H

#include "graph/causal/causal.h"
#include "graph/wake/blame.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

struct cause {
	uint64_t obj;
	uint64_t woke_ns;
	uint64_t acted_ns;
	uint32_t task;
	uint8_t kind;
	uint8_t time;
	uint8_t edge;
	bool timed_out;
};

/* What a task gets from the task `from`, so that in the replay it may have to wait for this task: an edge
 * other than a wake-up, or the exit of a child or thread. An arrival that ended a wait of the task in the
 * trace is left out, because the replay of this wait waits for `from` anyway. */
struct arrival {
	uint32_t from;
	uint32_t to; /* the task that gets it */
	/* The record of what arrived, while the task ran. GRAPH_NONE: the exit of `from` arrived, while
	 * the task waited for the exit of another child or thread. */
	uint32_t event;
	/* The record of what `from` did, such as a send; not later than `event`. Of an exit: the index into
	 * causes for the wait of `to`. */
	uint32_t cause;
};

struct some_intervals {
	uint32_t first, end;
};

struct whatif {
	const struct graph *g;
	uint32_t task;
	uint64_t from_ns, to_ns;
	/* Threads share the causes that they find (whatif_cause()). */
	uint32_t *cause_of; /* [interval]: 1 + index into causes; 0: no cause yet; or CAUSE_COMES */
	struct cause *causes;
	uint32_t n_causes;
	/* Of the tasks on which the victim depends, directly or through other tasks: */
	struct arrival *arrivals; /* sorted by `to` and arrived_ns(); an exit comes before other arrivals */
	struct arrivals_of {
		size_t first, end;
	} * arrivals_of; /* [task] */
	size_t n_arrivals;
	VEC(uint32_t) looks; /* in order of look_ns() */
	/* For whatif_prepare(): parts of the intervals of tasks, so that two threads can share the work for
	 * one task, and the first part with which no thread has begun. */
	VEC(struct some_intervals) parts;
	size_t next_part;
	uint64_t refused;
};

/* The moments at which the replay has to know how much earlier a task is, because another task depends on
 * this, are called looks. A look has a number:
 *
 * - an index into the intervals of the graph: a wait depends on the task that ended it
 * - plus graph.n_intervals, an index into arrivals: the arrival depends on its sender
 * - plus n_arrivals, an index into the tasks of the graph: the task depends on its creator */
uint64_t look_ns(const struct whatif *x, uint32_t look);

/* Returns true if the task was born after the start of the range, and its creator is known. */
static inline bool was_born(const struct whatif *x, uint32_t task)
{
	return x->g->tasks[task].parent != GRAPH_NONE && x->g->tasks[task].born_ns > x->from_ns;
}

static inline uint64_t arrived_ns(const struct whatif *x, const struct arrival *a)
{
	return a->event == GRAPH_NONE ? x->causes[a->cause].woke_ns : x->g->w->events[a->event].r.ts;
}

/* Returns when the sender acted: for example sent, or exited. */
static inline uint64_t left_ns(const struct whatif *x, const struct arrival *a)
{
	return a->event == GRAPH_NONE ? x->g->tasks[a->from].exit_ns : x->g->w->events[a->cause].r.ts;
}

/* One thread works on this number of links to one task at a time. */
#define LINK_PART 1024
/* Like whatif_link(). */
int link_tasks(struct whatif *x, struct causal_links *links, graph_both_fn both);
#define CAUSE_COMES UINT32_MAX /* in cause_of: another thread of ctrace is storing the cause */
struct cause whatif_cause(struct whatif *x, uint32_t interval);

#endif
