/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - private to analysis/: replays a window without the things that a question takes away,
 * and gives the facts that questions need. Several threads may ask questions of one struct whatif. */
#ifndef CTRACE_ANALYSIS_WHATIF_REPLAY_H
#define CTRACE_ANALYSIS_WHATIF_REPLAY_H

#include "analysis/whatif/without.h"
#include "graph/wake/blame.h"
#include "lib/vec.h"

/* The cause of a wait: its object, and the task to blame (graph/wake/blame.h). */
struct cause {
	uint64_t obj;
	uint64_t woke_ns;  /* when the wait was over */
	uint64_t acted_ns; /* when the task to blame acted, at or before woke_ns */
	uint32_t task;     /* the task to blame; GRAPH_NONE: no task of this host */
	uint8_t kind;      /* enum resource_kind */
	uint8_t time;      /* enum time_kind */
	uint8_t edge;      /* enum edge_kind */
	bool timed_out;
};

/* An event that reached a task. The task may have waited for it or not. */
struct arrival {
	uint64_t ts_ns;
	uint64_t left_ns; /* when the event left the task `from`, at or before ts_ns */
	uint64_t obj;
	uint32_t from;
	bool waited;     /* the arrival is the exit of `from`, a child or thread of the task, while
			    the task waited for another child or thread (find_siblings()) */
	uint8_t awaited; /* enum awaited: whether the arrival ended a wait of the task
			    (was_awaited()) */
};

enum awaited { AWAITED_UNKNOWN, AWAITED_NO, AWAITED_YES };

struct whatif {
	const struct graph *g;
	uint32_t task;
	uint64_t from_ns, to_ns;
	/* Threads that ask questions share the causes that they find: see whatif_cause(). */
	uint32_t *cause_of;   /* [interval]: 1 + index into causes; 0: no thread has looked for the
				 cause; CAUSE_COMES: a thread is about to write it */
	struct cause *causes; /* room for the causes of all BLOCKED intervals */
	uint32_t n_causes;
	struct arrival *arrivals; /* sorted by the task that they reach, then by ts_ns */
	size_t *arrivals_of;      /* [task]: index of its first arrival; arrivals_of[task + 1] is the end */
	uint64_t *shift; /* [interval]: memory for the next replay; NULL: none, or a replay uses it */
	uint64_t refused;
};

/* Does the work of whatif_saved(). */
int replay_saved(struct whatif *x, const struct whatif_without *v, size_t n, uint64_t *ret_ns);
#define CAUSE_COMES UINT32_MAX /* a thread is about to write the cause */
/* Returns the cause of a BLOCKED interval. */
struct cause whatif_cause(struct whatif *x, uint32_t interval);
/* Returns the time in [from_ns, to_ns) in which marked tasks had the CPU for which a RUNNABLE
 * interval waited. near[cpu]: the run at which the search begins. The caller sets all entries to 0
 * before the first call, and makes the calls in order of time, so that each search is short. */
uint64_t whatif_rivals(const struct graph *g, const bool *marked, uint32_t interval, uint64_t from_ns,
		       uint64_t to_ns, size_t *near);
/* Marks the tasks that v takes away. Returns whether there are any. */
bool whatif_mark(const struct graph *g, const struct whatif_without *v, size_t n, bool *marked);
/* Tells whether v[0 .. n) takes away a wait for `obj` whose time is of the kind `time`: one of v
 * takes away this object, or the disk of this object, or this kind of time. */
bool whatif_takes(const struct graph *g, const struct whatif_without *v, size_t n, uint64_t obj,
		  enum time_kind time);
/* Tells whether one of v[0 .. n) takes away this wait. */
bool whatif_takes_wait(struct whatif *x, const struct whatif_without *v, size_t n, uint32_t interval);

#endif
