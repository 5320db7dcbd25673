/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - private to analysis/: replays a window as if a task, a wait or another thing were not in it.
 * A what-if question (struct whatif_without) says which things to take away. Several threads may ask
 * questions of one struct whatif. */
#ifndef CTRACE_ANALYSIS_WHATIF_REPLAY_H
#define CTRACE_ANALYSIS_WHATIF_REPLAY_H

#include "analysis/whatif/without.h"
#include "graph/wake/blame.h"
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

/* What a task gets from the task `from`: an edge other than a wake-up, or the exit of a child or
 * thread. */
struct arrival {
	uint64_t ts_ns;
	uint64_t left_ns; /* when `from` acted: for example sent, or exited */
	uint32_t from;
	/* The record of what arrived. GRAPH_NONE: the exit of `from` arrived, while the receiving task
	 * waited for the exit of another child or thread. */
	uint32_t event;
};

enum awaited { AWAITED_UNKNOWN, AWAITED_NO, AWAITED_YES };

struct whatif {
	const struct graph *g;
	uint32_t task;
	uint64_t from_ns, to_ns;
	bool *prepared; /* [task]: whatif_prepare() has looked at its waits; may be NULL */
	/* Threads share the causes that they find (whatif_cause()). */
	uint32_t *cause_of; /* [interval]: 1 + index into causes; 0: no cause yet; or CAUSE_COMES */
	struct cause *causes;
	uint32_t n_causes;
	struct arrival *arrivals; /* sorted by task, then by ts_ns */
	size_t *arrivals_of;      /* [task]: its first arrival; the next entry is the end */
	uint8_t *awaited;         /* [arrival]: enum awaited */
	uint64_t *shift;
	uint64_t refused;
};

/* interval: the interval of the receiving task in which the arrival comes. Returns true if the arrival
 * ended the latest wait of this task. The caller can then ignore the arrival: in the replay of this wait,
 * the task waits for the sender anyway. */
bool replay_ended_wait(struct whatif *x, uint32_t interval, const struct arrival *a);
int replay_saved(struct whatif *x, const struct whatif_without *v, size_t n, uint64_t *ret_ns);
#define CAUSE_COMES UINT32_MAX /* in cause_of: another thread of ctrace is storing the cause */
struct cause whatif_cause(struct whatif *x, uint32_t interval);
/* Returns how long marked tasks had the CPU for which a RUNNABLE interval waited. Set near[] to zeros
 * before the first call, and make the calls in order of time. */
uint64_t whatif_rivals(const struct graph *g, const bool *marked, uint32_t interval, uint64_t from_ns,
		       uint64_t to_ns, size_t *near);
/* Marks the tasks that v takes away. Returns true if there are any. */
bool whatif_mark(const struct graph *g, const struct whatif_without *v, size_t n, bool *marked);
/* v[0 .. n): the things to take away. Returns true if one of them is the object `obj`, the disk of the file
 * `obj`, or all time of the kind `time`, for example TIME_DISK. */
bool whatif_takes(const struct graph *g, const struct whatif_without *v, size_t n, uint64_t obj,
		  enum time_kind time);
bool whatif_takes_wait(struct whatif *x, const struct whatif_without *v, size_t n, uint32_t interval);

#endif
