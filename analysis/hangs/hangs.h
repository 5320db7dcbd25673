/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hangs.h - finds the worst waits and stalls of a window, without a hint where to look. Pure; any
 * thread. */
#ifndef CTRACE_ANALYSIS_HANGS_HANGS_H
#define CTRACE_ANALYSIS_HANGS_HANGS_H

#include "analysis/diagnose/diagnose.h"

struct hang {
	uint32_t task;
	uint64_t from_ns, to_ns;
	bool alarm; /* see doc/glossary.md */
	bool minor; /* perhaps intended: a stop, a spin, or a wait for a task that sleeps or does long work */
	struct diagnosis *diagnosis;
	/* The index of the first row about the same hang; often the row itself. */
	size_t first_row;
	/* The place in the list that `ctrace hangs` shows by default: 1 for the first one. The list has
	 * alarms only, and one row for each hang. 0: the row is not in this list. */
	uint32_t number;
	/* Steps of searches (graph/timeline/scan.h). budget: how many are allowed. steps: how many
	 * were taken. refused: how many walks the budget ended early. */
	uint64_t budget, steps, refused;
};

struct hangs {
	struct hang *v;
	size_t n;
	size_t refused;
	size_t missing;
};

/* The most waits and stalls that are looked at, the longest first. Idle threads may have longer
 * waits than a task that hangs. A machine with a few browsers and services has 200 idle threads. */
#define HANGS_MAX 1000

/* Returns the row with this number, or NULL. */
struct hang *hangs_numbered(const struct hangs *h, uint32_t number);

struct hangs_filter {
	struct selector who;
	uint32_t under; /* descendants of this process; 0: any task */
	bool alive; /* a process that lives at the end of the window hides those that had its pid before */
	uint64_t at_from_ns, at_to_ns; /* only waits and stalls that overlap this time; at_to_ns 0: any */
	bool worst;                    /* hangs_find() may stop once it knows the worst hang */
};

/* The caller frees *ret with hangs_free(). If `filter` is NULL, all tasks match. Kernel threads and
 * tasks of ctrace itself (graph_task.tracer) are left out. Returns 0 or -ENOMEM. */
int hangs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, const struct hangs_filter *filter,
	       struct hangs **ret);
void hangs_free(struct hangs *h);

/*
 * The parts of hangs_find(), for a caller with several threads:
 *
 *     hangs_candidates();
 *     for each row: hangs_diagnose(), in any order and in any thread;
 *     for each row: hangs_settle(), in order;
 *     hangs_sort();
 *
 * The result does not depend on the number of threads.
 */
/* The longest row comes first. No row has a diagnosis yet. Otherwise like hangs_find(). */
int hangs_candidates(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		     const struct hangs_filter *filter, struct hangs **ret);
/* May take as many steps as the budget of g has left (graph/timeline/scan.h), but does not change
 * the budget. Returns 0 or -ENOMEM. */
int hangs_diagnose(const struct graph *g, struct hang *x);
/* hangs_diagnose() may have run before the steps of earlier rows were subtracted from the budget of g. If the
 * diagnosis of *x took at least as many steps as the budget has left now, makes it again with this smaller
 * budget. Then subtracts its steps. So the result is the same as if one thread diagnosed the rows in order.
 * Returns 0 or -ENOMEM. One thread at a time. */
int hangs_settle(const struct graph *g, struct hang *x);
/* Returns true for an alarm that is not minor. */
bool hangs_is_worst(const struct hang *x);
/* The rows must be in the order of hangs_candidates(). The rows before row `settled` must have a
 * diagnosis. Returns true if these rows decide which row comes first after hangs_sort(). */
bool hangs_are_decided(const struct hangs *h, size_t settled);
/* Removes rows without a diagnosis. Sorts and numbers the others (hang.number): alarms, minor alarms, other
 * rows that are not normal, normal rows. In each of these groups, the longest row comes first. Exceptions:
 * - Several rows may be about one hang (first_row). Of alarms of about equal length, a row of the hang
 *   with the most rows comes first.
 * - Of the threads of a stopped process, the main thread comes first. */
void hangs_sort(struct hangs *h);

/*
 * Returns the end of a hang that began at since_ns and was noticed at found_ns. If the window does
 * not show this end: the end of the task or of the window. looped: true for a hang of an event
 * loop. Such a hang ends when the loop waits again where it waited before the hang.
 */
uint64_t hangs_end(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t found_ns, bool looped);

#endif
