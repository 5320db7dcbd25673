/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing_wake_steps.h - private to analysis/: functions that missing_wake_find.h (one trace) and
 * against_find.h (two traces) share. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_STEPS_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_STEPS_H

#include "analysis/compare/missing_wake.h"
#include "analysis/compare/similar.h"

/* The reference is an earlier wait, or a wait of another trace, that ended as usual: see missing_wake.h.
 * A hop is a task that led to the end of the reference. The *trigger* of a hop is the last wait of this
 * task before it ended the wait of another task. Example: the reference is a wait for task A. A waits for
 * task B. B wakes A, and then A wakes the waiter. So hop 0 is A, and its trigger is the wait of A that B
 * ended. Hop 1 is B. */
struct hop {
	struct blame blame; /* blame.task is the task of the hop */
	/* blame.task ended this wait. In hop 0, this wait is the reference. In hop k + 1, it is the
	 * trigger of hop k. */
	uint32_t wait;
	/* The trigger of the hop, or GRAPH_NONE. A wait is no trigger if it happens only by chance, such
	 * as a wait for a lock or a disk: see similar_is_chance(). */
	uint32_t trigger;
};

struct hops {
	struct hop v[MISSING_STEPS];
	uint32_t n;
	bool timer; /* the trigger of the last hop is a wait that a timer ended */
	/* The last hop is a task that the waiter itself had woken. Example: the waiter sent a request to a
	 * server, and then waited for the answer. The last hop is the server. */
	bool asks;
};

/* Sets *h to the hops of the reference, which is a wait. There is at least one hop: h->v[0] is the task
 * that ended this wait. */
void missing_wake_hops(const struct graph *g, const struct similar *reference, struct hops *h);

static inline uint64_t missing_wake_length(const struct graph *g, uint32_t interval)
{
	return g->intervals[interval].to_ns - g->intervals[interval].from_ns;
}

struct doing {
	uint32_t interval; /* GRAPH_NONE: not known */
	uint64_t ns;
};

/* Returns what the task did for most of [from_ns, to_ns). The waits, the runs (also while
 * runnable), and the intervals with the state INTERVAL_FOLDED are summed up. The result depends on
 * the largest sum:
 * - waits: the longest wait;
 * - runs: the longest run, with the sum of all runs as `ns`;
 * - INTERVAL_FOLDED: GRAPH_NONE, because these intervals do not show when the task ran and when it
 *   waited. */
struct doing missing_wake_doing(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Sets what the named task did instead, since when, and how long. */
void missing_wake_name(struct missing_wake *m, enum missing_wake_how how, const struct doing *d,
		       uint64_t since_ns);
/* Returns true if a task other than the waiter was woken through obj between from_ns and to_ns. */
bool missing_wake_woke_others(const struct graph *g, uint64_t obj, uint32_t waiter, uint64_t from_ns,
			      uint64_t to_ns);
/* Sets the wait of *m and its times. A wait that timed out and was repeated counts as one. */
void missing_wake_whole(const struct graph *g, uint32_t wait, uint64_t to_ns, struct missing_wake *m);

#endif
